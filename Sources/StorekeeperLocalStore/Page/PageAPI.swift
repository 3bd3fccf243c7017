import Storekeeper
import StorekeeperCharts
import StorekeeperPages
import StorekeeperSimulator

/// The transaction manager, a web page that shows and controls the local App Store.
///
/// The page offers the same steps as ``ControlAPI``. The page also works without its script, which only refreshes the
/// page, advances time continuously, and handles the keyboard.
struct PageAPI: Sendable {
    let local: LocalAppStore

    /// Returns a page.
    ///
    /// - Parameters:
    ///   - failure: The reason why a form was refused; `nil` if no form was refused.
    ///   - typed: The refused form, whose values the page shows again.
    ///   - mistakes: The mistakes in a form that adds to the catalog.
    /// - Returns: The page, and whether the customer or transaction that the location names does not exist.
    func page(
        _ location: PageLocation, failure: PageContent.Notice? = nil, typed: FormBody? = nil,
        mistakes: CatalogEdit.Mistakes? = nil
    ) throws -> (text: String, isMissing: Bool) {
        var builder = PageBuilder(
            local.current, location, at: local.configuration.wallClock.now, formToken: local.newFormToken, typed: typed,
            complaints: failure?.lines ?? [])
        builder.mistakes = mistakes
        let text = try PageTemplates.transactionManager.page(try builder.content(failure: failure), "page")
        return (text, builder.stranger != nil || builder.missing != nil)
    }

    /// The version of the present state; the page's script polls this version to notice changes.
    var version: JSONText {
        let served = local.current
        return .object(["version": .string(PageBuilder.version(of: served)), "now": .time(served.store.now)])
    }

    /// Returns the timeline of a customer as an SVG picture.
    func timelineSVG(_ location: PageLocation) throws -> String {
        let served = local.current
        let app = location.app ?? served.scenario.apps.first?.bundleID ?? ""
        let inquiry = try CustomerAnswersQuery(of: CustomerID(rawValue: location.person ?? ""), app: app, in: served)
        let span = location.span.flatMap { TimelineSpan($0) }
        return inquiry.chart.showing(from: span?.from, to: span?.to).svg(title: "\(location.person ?? ""), \(app)")
    }
}

/// Requests of the page about the catalog, which return it as a file or add to it.
extension PageAPI {
    /// Returns the catalog of an app as the content of a file, with the present prices.
    ///
    /// - Throws: ``SimulatorError`` if the app does not exist.
    func catalogFile(_ location: PageLocation, as format: WrittenCatalog.Format) throws -> [UInt8] {
        let served = local.current
        let app = location.app ?? served.scenario.apps.first?.bundleID
        return try served.store.presentCatalog(of: app).written(as: format).bytes
    }

    /// Returns the file with the additions to the catalog of an app; `nil` if nothing was added.
    func catalogEdits(_ location: PageLocation) -> CatalogFile? {
        let scenario = local.scenario
        let app = location.app ?? scenario.apps.first?.bundleID ?? ""
        return scenario.catalogFiles[CatalogEdit.fileName(for: app, in: scenario)]
    }

    /// Adds the product or offer of a form to the catalog.
    ///
    /// The steps of the story are replayed with the new catalog, and the resulting store is served.
    ///
    /// - Throws: An error if the page cannot be made.
    func editCatalog(_ body: [UInt8], type: String?) async throws -> FormResult {
        try await result(of: body, type: type) { form throws in
            let served = local.current
            let app = form.value("app") ?? served.scenario.apps.first?.bundleID ?? ""
            let catalog = try served.store.catalog(of: app)
            let edit =
                form.value("add") == "offer"
                ? try CatalogEdit.offer(in: catalog, form.value) : try CatalogEdit.product(in: catalog, form.value)
            let seen = (number: served.number, calls: served.store.callCount)
            var scenario = try edit.scenario(editing: app, of: served)
            var runner = try await ScenarioRunner(
                scenario, authority: served.store.authority, wallClock: local.configuration.wallClock)
            let report = try await runner.run()
            // The story may contain purchases that the App Store has refused. Such purchases are not failures if the
            // new store refuses them as well.
            let refused = SavedTest.addOutcomes(of: report, to: &scenario)
            let wereRefused = served.store.count(of: .purchaseFailed)
            var failures = report.failures.map { "expected \($0.expected), found \($0.found)" }
            if failures.count == refused { failures = [] }
            if runner.store.count(of: .purchaseFailed) != wereRefused {
                failures.append("other purchases are refused than before")
            }
            guard failures.isEmpty else {
                throw FormRefusal(
                    heading: "The catalog was not changed: the story cannot be played with it.", lines: failures)
            }
            do {
                try await local.serve(runner.store, of: scenario, madeFrom: seen)
            } catch is StoryRecorder.StoreReplaced {
                throw FormRefusal(
                    heading: "The catalog was not changed: the store has changed meanwhile.",
                    lines: ["send the form again"])
            }
            return { location in
                location = location.showing(.store)
                location.item = edit.productID.rawValue
                location.done = local.store.happeningCount
            }
        }
    }
}

extension PageAPI {
    /// The result of the form that saves a test.
    enum SavingResult {
        /// The test was made and can be downloaded.
        case test(SavedTest)
        /// The test cannot be saved; `page` is the HTML of the page that shows the reason.
        case refused(page: String)
    }

    /// Returns a test that replays the story up to the current step and checks the ticked expectations.
    ///
    /// - Throws: An error if the page cannot be made.
    func save(_ query: QueryValues) async throws -> SavingResult {
        let format = query.value("format").flatMap(SavedTest.Format.init) ?? .file
        func refused(_ heading: String, _ lines: [String]) throws -> SavingResult {
            var location = PageLocation(query.items)
            location.view = .scenario
            return .refused(page: try page(location, failure: .init(heading: heading, lines: lines)).text)
        }
        do {
            return .test(try await local.savedTest(format, expecting: query.values("expect").filter { !$0.isEmpty }))
        } catch let refusal as SavedTest.Refusal {
            return try refused(refusal.heading, refusal.lines)
        } catch let error as ScenarioError {
            // The page may name customers or products that have changed since the page was made.
            return try refused("The test cannot be saved.", error.all.map(\.message))
        } catch {
            return try refused("The test cannot be saved.", ["\(error)"])
        }
    }
}

extension PageAPI {
    /// Carries out a form about the story, which undoes or redoes a step, goes to a step, or changes a branch.
    ///
    /// - Throws: An error if the page cannot be made.
    func changeStory(_ body: [UInt8], type: String?) async throws -> FormResult {
        try await result(of: body, type: type) { form throws in
            let branch = form.value("branch").flatMap(Int.init)
            if let step = form.value("step").flatMap(Int.init) {
                try await local.go(to: step)
                return { $0.moved(by: .go) }
            }
            switch (form.value("act").flatMap(StoryAction.init), branch) {
            case (.undo, _):
                try await local.undo()
                return { $0.moved(by: .undo) }
            case (.redo, _):
                try await local.redo()
                return { $0.moved(by: .redo) }
            case (.go, let branch?):
                try await local.go(toBranch: branch)
                return { $0.moved(by: .go) }
            case (.name, let branch?):
                try local.rename(branch: branch, to: form.value("name") ?? "")
                return { $0.told = .name }
            case (.delete, let branch?):
                try local.setDeleted(true, branch: branch)
                return { $0.told = .delete }
            case (.restore, let branch?):
                try local.setDeleted(false, branch: branch)
                return { $0.told = .restore }
            default: throw FormRefusal(heading: "The action is unknown.", lines: ["Reload the page."])
            }
        }
    }
}

extension PageLocation {
    /// Changes the location to the page that is shown after another step has become the current step.
    fileprivate mutating func moved(by action: StoryAction) {
        (told, steps, page) = (action, 1, 1)
    }
}
