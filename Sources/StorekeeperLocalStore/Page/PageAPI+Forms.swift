import FoundationEssentials
import Storekeeper
import StorekeeperPages
import StorekeeperSimulator

extension PageAPI {
    /// The result of processing a form.
    enum FormResult {
        /// The form's action was carried out; `next` is the URL of the page to show next.
        case done(next: String)
        /// The form was refused; `page` is the HTML of the page that shows the reason.
        case refused(Refusal, page: String)
    }

    /// The kinds of refusals.
    enum Refusal {
        /// The body is not a form.
        case malformed
        /// The form was made before the last start of the program.
        case outdated
        /// The action is not possible.
        case impossible
    }

    /// The reason why a form is refused.
    struct FormRefusal: Error {
        var kind = Refusal.impossible
        let heading: String
        let lines: [String]
    }

    /// Carries out the scenario step that a form requests, and then shows the page from which the form was sent.
    ///
    /// - Throws: An error if the page cannot be made.
    func carryOut(_ body: [UInt8], type: String?) async throws -> FormResult {
        try await result(of: body, type: type) { form throws in
            let served = local.current
            guard let act = form.value("word").flatMap(PageAction.named) else {
                throw FormRefusal(heading: "The action is unknown.", lines: ["Reload the page."])
            }
            let before = served.store.happeningCount
            let step = try Self.step(of: act, form, in: served)
            if act.form.isDangerous { try Self.checkConfirmation(of: form, for: act.title) }
            let outcome = try await local.carryOut(step)
            return { location in
                location.done = before
                // The next page shows the present, because the effect is not visible at an earlier instant.
                location.at = nil
                if act.word.name == "buy" { location.bought = form.value("subject") }
                if case .failed(let error)? = outcome { location.refusal = error.code.rawValue }
            }
        }
    }

    /// Sends a notification again.
    ///
    /// - Throws: An error if the page cannot be made.
    func resend(_ body: [UInt8], type: String?) async throws -> FormResult {
        try await result(of: body, type: type) { form throws in
            guard let id = form.value("happening").flatMap(Int.init), try await local.resend(id) else {
                throw FormRefusal(heading: "Nothing was sent.", lines: [PageTexts.noReceiver])
            }
            return { _ in }
        }
    }

    /// Throws a ``FormRefusal`` if the form does not confirm an action that deletes or replaces data.
    private static func checkConfirmation(of form: FormBody, for title: String) throws(FormRefusal) {
        guard form.value("confirmed") != "yes" else { return }
        throw FormRefusal(
            heading: "\(title): not done.", lines: [PageTexts.confirmFirst])
    }

    /// Returns the scenario step that a form requests.
    private static func step(of act: PageAction, _ form: FormBody, in served: ServedScenario) throws -> ScenarioStep {
        var value = form.value("subject") ?? ""
        if act.subject == .setting { value = "\(form.value("setting") ?? "") \(form.value("value") ?? "")" }
        if act.subject == .time { value = PageTime.written(value) }
        // A form without a subject is refused. Without this check, a step without a subject would apply to the store's
        // only customer or purchase, although the user did not choose it.
        guard !value.isEmpty || act.subject == .nothing else {
            throw FormRefusal(heading: "\(act.title): not done.", lines: [PageTexts.noSubject])
        }
        var members: [(key: String, value: String)] = []
        if let person = form.value("by"), act.word.keys.contains("by") { members.append(("by", person)) }
        if let app = form.value("app") { members.append(("app", app)) }
        for field in act.fields {
            if let value = form.value("key-\(field.name)") { members.append((field.name, value)) }
        }
        return try served.scenario.step(
            word: act.word.name, value: value, members: members, people: ScenarioPeople(of: served.store))
    }

    /// Loads the scenario that a form contains, and serves its store.
    ///
    /// - Throws: An error if the page cannot be made.
    func load(_ body: [UInt8], type: String?) async throws -> FormResult {
        try await result(of: body, type: type) { form throws in
            try Self.checkConfirmation(of: form, for: "Load")
            let files = form.files
            let scenarios = files.filter { $0.field == "file" }
            let bytes = scenarios.first?.bytes ?? form.value("text").map { Array($0.utf8) } ?? []
            guard let text = String(validating: bytes, as: UTF8.self), !text.isEmpty else {
                throw FormRefusal(
                    heading: "No scenario was loaded.", lines: ["choose a file of YAML in UTF-8, or paste its text"])
            }
            let known = local.current.scenario.catalogFiles
            let given = files.filter { $0.field == "catalogs" }
            let scenario = try Scenario(reading: text, file: scenarios.first?.name ?? "the scenario") { name in
                guard let file = Self.catalog(name, given: given, known: known) else { throw CatalogAbsence() }
                return file
            }
            let report = try await local.load(scenario)
            guard report.isMet else {
                throw FormRefusal(
                    heading: "The scenario was played but is not served: an expectation was not met.",
                    lines: report.failures.map { "line \($0.line): expected \($0.expected), found \($0.found)" })
            }
            return { $0 = PageLocation() }
        }
    }

    private struct CatalogAbsence: Error {}

    /// Returns the catalog that a scenario names: an uploaded file, or a catalog of the present scenario.
    ///
    /// No catalog is read from the disk, because a form could name any file. A name matches a catalog with the same
    /// last path component if only one catalog has it.
    private static func catalog(
        _ name: String, given: [FormBody.File], known: [String: CatalogFile]
    ) -> CatalogFile? {
        func last(_ path: String) -> Substring { path.split(separator: "/").last ?? "" }
        if let file = given.first(where: { last($0.name) == last(name) }) {
            return CatalogFile(name: name, bytes: file.bytes)
        }
        if let file = known[name] { return file }
        let alike = known.filter { last($0.key) == last(name) }
        return alike.count == 1 ? alike.first?.value : nil
    }

    // MARK: Results

    /// Parses a form of the page and processes it; after a refusal, the page is shown again with the errors.
    func result(
        of bytes: [UInt8], type: String?, _ body: (FormBody) async throws -> (inout PageLocation) -> Void
    ) async throws -> FormResult {
        var back = PageLocation()
        var form: FormBody?
        func refused(
            _ kind: Refusal, _ heading: String, _ lines: [String], _ mistakes: CatalogEdit.Mistakes? = nil
        ) throws -> FormResult {
            let failure = PageContent.Notice(heading: heading, lines: lines)
            return .refused(kind, page: try page(back, failure: failure, typed: form, mistakes: mistakes).text)
        }
        do {
            let read = try FormBody(bytes, contentType: type)
            back = PageLocation((read.value("back") ?? "").formFields).with { _ in }
            guard local.isFormToken(read.value("token") ?? "") else {
                throw FormRefusal(
                    kind: .outdated, heading: "Nothing was done.",
                    lines: ["the form is older than the last start of the program: try again from this page"])
            }
            form = read
            // A double click sends a form twice, before the next page can arrive with a new token.
            switch local.sentForms.begin(bytes, isGuarded: read.value("token") != local.formToken) {
            case .repeated(let address):
                var again = PageLocation((address ?? back.address).dropFirst(2).description.formFields)
                again.isRepeated = true
                return .done(next: again.address)
            case .first: break
            }
            do { try await body(read)(&back) } catch {
                local.sentForms.forget(bytes)
                throw error
            }
            local.sentForms.end(bytes, at: back.address)
            return .done(next: back.address)
        } catch let refusal as FormRefusal {
            return try refused(refusal.kind, refusal.heading, refusal.lines)
        } catch let mistakes as CatalogEdit.Mistakes {
            return try refused(
                .impossible, "The catalog was not changed.", ["correct the marked fields below 'Catalog'"], mistakes)
        } catch let error as APIError {
            return try refused(.malformed, "Nothing was done.", [error.message])
        } catch {
            return try refused(.impossible, "That cannot be done.", Self.lines(of: error))
        }
    }

    private static func lines(of error: any Error) -> [String] {
        if let error = error as? ScenarioError {
            return error.all.map { error in
                (error.line == 0 || error.file == "input" ? "" : "\(error.place): ")
                    + "\(error.message); \(error.remedy)"
            }
        }
        if let error = error as? SimulatorError { return [error.message] }
        if let refusal = error as? StoryTree.Refusal { return [refusal.message] }
        return ["\(error)"]
    }
}

extension LocalAppStore {
    /// A unique token for the forms of one page, made from the store's token and a random number.
    var newFormToken: String {
        var random = SystemRandomNumberGenerator()
        return "\(formToken).\(String(random.next() as UInt64, radix: 36))"
    }

    /// Returns whether a token belongs to this store, with or without the random number of a page.
    func isFormToken(_ token: String) -> Bool {
        token.hasSameBytes(as: formToken) || token.utf8.starts(with: "\(formToken).".utf8)
    }
}
