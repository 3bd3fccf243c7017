import ArgumentParser
import Storekeeper
import StorekeeperSimulator

/// `storekeeper check (PRODUCT | --feature ID | --group ID [--level N]) EVIDENCE…`.
struct CheckCommand: ConsoleCommand, EvidenceOptionGroups {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Answers yes or no: does the customer have this product, feature or service level?",
        usage: """
            storekeeper check PRODUCT EVIDENCE… [options]
            storekeeper check --feature ID EVIDENCE… [options]
            storekeeper check --group ID [--level N] EVIDENCE… [options]
            """,
        discussion: """
            Prints one line, such as 'entitled (gracePeriod) until 2026-03-15T00:00:00.000Z'. Scripts use the exit \
            status. With --feature or --group all arguments are evidence files, and a note on standard error \
            names what decides, such as 'by gold.monthly (familyShared, transaction 1000)'.

            EXIT STATUS
              0   entitled
              1   pending, lapsed or never
              3   the answer is unknown
              64  wrong usage, an unknown id, or a consumable
              65  the root, a catalog or the vault is invalid
              66  a file cannot be read
              69  the vault is locked, or the database cannot be reached or refuses

            EXAMPLES
              May this customer use gold.monthly?
                storekeeper check gold.monthly customer.jws --root AppleRootCA-G3.cer

              In a script, by feature, so that new products need no change:
                storekeeper check --feature pro customer.jws > /dev/null && echo welcome

              Is it silver (level 2) or better?
                storekeeper check --group Membership --level 2 customer.jws
            """)

    @Argument(
        help: ArgumentHelp(
            "The product, unless --feature or --group is given, followed by evidence files; '-' is standard input.",
            valueName: "product | evidence"), completion: .file())
    var words: [String] = []

    @Option(name: .long, help: ArgumentHelp("Ask about a feature of the catalog.", valueName: "id"))
    var feature: String?

    @Option(name: .long, help: ArgumentHelp("Ask about a subscription group, by its id or name.", valueName: "id"))
    var group: String?

    @Option(
        name: .long,
        help: ArgumentHelp("With --group: at this service level or better; 1 is the highest.", valueName: "n"))
    var level: Int?

    @OptionGroup(title: "Vault options") var vault: VaultSourceOptions
    @OptionGroup(title: "Evidence options") var trust: TrustOptions
    @OptionGroup(title: "Evidence options") var list: CatalogOptions
    @OptionGroup(title: "Evidence options") var question: QuestionOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let question = try Question(self)
        if question.isAboutProduct { try ProductArgument.checkOrder(words, of: "check") }
        let evidence = Array(question.isAboutProduct ? words.dropFirst() : words[...])
        let inquiry: AnswersQuery
        do throws(CommandError) {
            inquiry = try await AnswersQuery(evidenceOptions, evidence: evidence, vault: vault, on: console)
        } catch {
            // The evidence is about two apps, so the answer is unknown.
            guard let verdict = error.verdict else { throw error }
            console.errors.line(error.description)
            return answer(
                AnswerLine(answer: .unknown(.unverified), until: nil), isVerified: verdict.isVerified,
                verdict.diagnostics, on: console)
        }
        var diagnostics = inquiry.diagnostics
        let line = try question.answer(inquiry) { diagnostic in
            diagnostics.append(diagnostic)
            console.report(diagnostic)
        }
        // If the vault has no data about the customer, a note says so, because the id may be misspelled.
        if let absence = inquiry.absence { console.note(absence.prefix(1).lowercased() + absence.dropFirst()) }
        if let refusal = inquiry.refusal { console.errors.line(refusal.description) }
        return answer(line, isVerified: inquiry.isVerified, Diagnostic.sorted(diagnostics), on: console)
    }

    private func answer(
        _ line: AnswerLine, isVerified: Bool, _ diagnostics: [Diagnostic], on console: Console
    ) -> ExitStatus {
        var members = line.members
        members["verified"] = .bool(isVerified)
        members["diagnostics"] = .array(diagnostics.map(\.json))
        console.print(
            output.format, json: .object(members),
            lines: [console.style.painted(line.text, answer: line.answer.word)])
        // Standard output has exactly one line, which scripts compare.
        if output.format == .text, let decider = line.decider { console.note(decider) }
        return line.status
    }
}

/// The subject of the question that `check` answers.
private enum Question {
    case product(Product.ID)
    case feature(Feature.ID)
    case group(String, level: Int?)

    init(_ command: CheckCommand) throws(CommandError) {
        if let level = command.level, level < 1 || command.group == nil {
            throw .usage(
                level < 1 ? "\(level) is not a service level" : "a level needs a group", at: "--level",
                "give --group ID --level N (1 is the highest)")
        }
        switch (command.feature, command.group, command.words.first) {
        case (.some, .some, _):
            throw .usage("both a feature and a group are given", at: "--group", "give one of them")
        case (let feature?, nil, _): self = .feature(Feature.ID(feature))
        case (nil, let group?, _): self = .group(group, level: command.level)
        case (nil, nil, let product?): self = .product(Product.ID(product))
        case (nil, nil, nil):
            throw .usage(
                "no product, feature or group is given", at: "check", "name a product, --feature ID or --group ID")
        }
    }

    var isAboutProduct: Bool {
        if case .product = self { true } else { false }
    }

    /// Returns the answer at the given instant.
    ///
    /// - Throws: ``CommandError`` with status 64 for an unknown feature or group, and for a consumable.
    func answer(_ inquiry: AnswersQuery, note: (Diagnostic) -> Void) throws(CommandError) -> AnswerLine {
        let (resolution, at) = (inquiry.resolution, inquiry.at)
        switch self {
        case .product(let id):
            let timeline = try inquiry.timeline(of: id, note: note)
            return AnswerLine(answer: timeline.value(at: at), until: timeline.run(at: at).to)
        case .feature(let id):
            let timeline = try inquiry.feature(id).timeline
            let value = timeline.value(at: at)
            return AnswerLine(answer: value.answer, until: timeline.run(at: at).to, by: value.productID)
        case .group(let id, let level):
            let group = try inquiry.group(id)
            let timeline = resolution.access(to: group.group, atLevel: level)
            let (answer, by) = (timeline.value(at: at).answer, timeline.value(at: at).productID)
            // If the evidence is incomplete, the answer about a product is already `unknown` instead of `never`. The
            // answer `never` about a group without products is replaced here.
            if case .never = answer { return AnswerLine(answer: inquiry.silence, until: timeline.run(at: at).to) }
            return AnswerLine(answer: answer, until: timeline.run(at: at).to, by: by)
        }
    }
}

extension AnswersQuery {
    /// Returns the timeline of a product.
    ///
    /// - Parameters:
    ///   - place: The option or argument that named the product.
    ///   - note: Receives a diagnostic if no catalog is given and the evidence does not contain the id. In this case,
    ///     the answer is ``silence`` at every instant.
    /// - Throws: ``CommandError`` with status 64 for an id that is neither in a given catalog nor in the evidence, and
    ///   for a consumable, which is counted and not owned.
    func timeline(
        of id: Product.ID, namedAt place: String = "PRODUCT", note: (Diagnostic) -> Void
    ) throws(CommandError) -> Timeline<EntitlementAnswer> {
        if let product = resolution.product(id) { return product.timeline }
        if resolution.isConsumable(id) {
            throw .usage(
                "'\(id)' is a consumable, which is counted and not owned", at: place,
                "see 'consumables' of 'storekeeper entitlements', or 'storekeeper vault balance'")
        }
        let meant =
            otherQuestion(id.rawValue)
            ?? NearestWord.near(id.rawValue, among: resolution.products.map(\.id.rawValue)).map {
                "did you mean '\($0)'?"
            }
        guard settings.catalogs.isEmpty else {
            throw .usage(
                "neither catalog nor evidence knows the product '\(id)'", at: place,
                meant ?? "check the spelling, or name the --catalog that contains it")
        }
        let advice = meant ?? "check the spelling, or name the --catalog that contains it"
        note(
            Diagnostic(
                .unknownProduct, subject: id.rawValue,
                message: "neither catalog nor evidence knows the product \(id): \(advice)"))
        return Timeline(silence)
    }

    /// Returns the command to use instead if the id is not a product but, for example, a feature.
    ///
    /// Returns `nil` for an id that is entirely unknown.
    fileprivate func otherQuestion(_ id: String) -> String? {
        if resolution.feature(Feature.ID(id)) != nil {
            return "'\(id)' is a feature: see 'storekeeper check --feature \(id)'"
        }
        if resolution.group(id) != nil {
            return "'\(id)' is a subscription group: see 'storekeeper check --group \(id)'"
        }
        if resolution.product(Product.ID(id)) != nil { return "'\(id)' is a product: see 'storekeeper check \(id)'" }
        return nil
    }

    /// Returns the timeline of a group, given by its id or name.
    ///
    /// - Throws: ``CommandError`` with status 64 for an unknown group.
    func group(_ id: String) throws(CommandError) -> GroupTimeline {
        if let group = resolution.group(id) { return group }
        if let question = otherQuestion(id) {
            throw .usage("there is no group '\(id)'", at: "--group", question)
        }
        throw .unknownName(
            "group", id, known: resolution.groups.flatMap { [$0.group.id.rawValue, $0.group.name].compactMap(\.self) },
            "give a group of the catalog or the evidence")
    }

    /// Returns the timeline of a feature.
    ///
    /// - Throws: ``CommandError`` with status 64 for an unknown feature.
    func feature(_ id: Feature.ID) throws(CommandError) -> FeatureTimeline {
        guard let feature = resolution.feature(id) else {
            if let question = otherQuestion(id.rawValue) {
                throw .usage("there is no feature '\(id)'", at: "--feature", question)
            }
            throw .unknownName(
                "feature", id.rawValue, known: resolution.features.map(\.id.rawValue),
                "name the catalog that contains it with --catalog")
        }
        return feature
    }
}
