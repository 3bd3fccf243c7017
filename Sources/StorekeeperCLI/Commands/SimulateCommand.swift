import ArgumentParser
import FoundationEssentials
import Storekeeper
import StorekeeperCharts
import StorekeeperJWS
import StorekeeperSimulator

/// `storekeeper simulate SCENARIO…`.
struct SimulateCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Runs scenarios in a simulated App Store, and checks the engine's answers.",
        usage: """
            storekeeper simulate [<options>] <scenario> ...
            storekeeper simulate --schema
            """,
        discussion: """
            A scenario is a YAML file with a catalog, people, steps and expectations. Time is \
            virtual: a year takes milliseconds. The App Store is simulated, but its signatures are real, and the \
            engine accepts only signed evidence.

              story: A month of gold
              catalog: [../Store.storekit, ../Products.json]
              people: [anna]
              steps:
                - buy: gold.monthly
                - expect: entitled pro because active
                - cancel: gold.monthly
                - advance: 2 months
                - expect: lapsed pro because expired

            A folder means all *.yaml files in it. With --interactive, commands are read from standard \
            input, with the syntax of steps: 'buy gold.monthly', 'advance 31 days', 'list', 'help'. \
            'rlwrap storekeeper simulate --interactive …' adds editing of lines and a history.

            EXIT STATUS
              0   all expectations are met       65  a scenario is malformed
              1   an expectation is not met      66  a file cannot be read
              64  wrong usage                    73  a file cannot be written

            EXAMPLES
              Run a scenario:
                storekeeper simulate Configuration/scenarios/grace.yaml

              Run all scenarios of a folder:
                storekeeper simulate Configuration/scenarios

              Save the signed evidence, and query it:
                storekeeper simulate grace.yaml --evidence grace.jws --root-out root.pem
                storekeeper entitlements grace.jws --root root.pem --environment Sandbox

              Write the notifications that Apple would send, to test your server:
                storekeeper simulate grace.yaml --notifications sent.jsonl

              Control an App Store at the terminal:
                storekeeper simulate --interactive Store.storekit

              Which steps and keys may a scenario have?
                storekeeper simulate --schema > scenario.schema.json
            """)

    @Argument(
        help: ArgumentHelp("Scenario files, or folders of them; '-' is standard input.", valueName: "scenario"),
        completion: .file(extensions: ["yaml", "yml", "storekit", "json", "plist"]))
    var scenarios: [String] = []

    @Flag(name: .long, help: "Print the JSON schema of scenarios, for editors, and run no scenario.")
    var schema = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Write all signed evidence of the customers, including older copies and app transactions, one compact JWS "
                + "per line.", valueName: "file"))
    var evidence: String?

    @Flag(name: .long, help: "With --evidence: write only the newest copies.")
    var newest = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Write the notifications in the order in which they were sent, one {\"signedPayload\":…} per line.",
            valueName: "file"))
    var notifications: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Write the customers' receipts in the format of the original StoreKit, one {\"receipt-data\":…} per line.",
            valueName: "file"))
    var receipts: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Write the root certificate: DER if the name ends in .cer or .der, otherwise PEM.", valueName: "file"))
    var rootOut: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Begin at this time instead of the scenario's; 'now' is the time of this machine's clock.",
            valueName: "time"))
    var start: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Store the evidence in a new vault: a file, or postgres://… for a database.", valueName: "file"))
    var vault: String?

    @Option(name: .long, help: ArgumentHelp("Random seed; overrides the scenario's.", valueName: "n"))
    var seed: UInt64?

    @Flag(name: .long, help: "Read commands from standard input after running the scenario.")
    var interactive = false

    @Option(
        name: .long,
        help: ArgumentHelp("text for people, json for programs, svg for a picture.", valueName: "text|json|svg"))
    var format: TimelineCommand.Format = .text

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        guard !schema else {
            guard scenarios.isEmpty else {
                throw .usage("--schema runs no scenario", at: "--schema", "leave out the files")
            }
            console.output.json(ScenarioSchema.json, .pretty)
            return .success
        }
        guard !scenarios.isEmpty else {
            throw .usage(
                "Missing expected argument '<scenario> ...'", at: "storekeeper simulate",
                "see 'storekeeper simulate --help'")
        }
        guard !newest || evidence != nil else {
            throw .usage(
                "--newest needs --evidence", at: "storekeeper simulate", "name a file: --evidence FILE")
        }
        let beginning = try StoryStart.instant(start)
        if interactive { return try await runInteractively(from: beginning, on: console) }
        var paths: [String] = []
        var isFolder = false
        for path in scenarios {
            if let files = ScenarioFolder.files(in: path) {
                isFolder = true
                guard !files.isEmpty else {
                    throw CommandError(.unreadableFile, "the folder has no scenario", at: path, "add a *.yaml file")
                }
                paths += files
            } else {
                paths.append(path)
            }
        }
        if paths.count == 1, let path = paths.first, !isFolder {
            return try await playOne(path, from: beginning, on: console)
        }
        guard evidence == nil, notifications == nil, rootOut == nil, vault == nil, format != .svg else {
            throw .usage(
                "--evidence, --notifications, --root-out, --vault and svg are for one scenario",
                at: "storekeeper simulate", "name one file")
        }
        guard receipts == nil else {
            throw .usage("--receipts is for one scenario", at: "storekeeper simulate", "name one file")
        }
        return await playAll(paths, from: beginning, on: console)
    }

    // MARK: One

    private func playOne(
        _ path: String, from beginning: Instant?, on console: Console
    ) async throws(CommandError) -> ExitStatus {
        var scenario: Scenario
        switch ScenarioFolder.read(path) {
        case .success(let read): scenario = read
        case .failure(let fault):
            for error in fault.errors { console.errors.line(error.description) }
            return fault.status
        }
        if let beginning { scenario.start = beginning }
        for diagnostic in scenario.apps.flatMap(\.catalog.diagnostics) where diagnostic.severity == .warning {
            console.report(diagnostic)
        }
        let runner = try await runWithVault { [scenario] vault throws in
            var runner = try await ScenarioRunner(scenario, vault: vault, seed: seed)
            _ = try await runner.run()
            return runner
        }
        try write(runner)
        let story = ScenarioStory(runner.report, isOnePerson: scenario.people.count <= 1)
        let style = console.style
        switch format {
        case .json: console.output.json(story.json(now: runner.store.now), .pretty)
        case .svg: console.output.text(runner.chart.svg(title: scenario.story))
        case .text:
            console.output.text(story.text(scenario.about, width: console.storyWidth, style: style))
            if !runner.chart.rows.isEmpty {
                console.output.line("")
                console.output.text(runner.chart.text(width: console.width) { style.painted($0, segmentStyle: $1) })
            }
            console.output.line("")
            for line in story.verdict(width: console.columns, style: style) { console.output.line(line) }
        }
        return runner.report.isMet ? .success : .no
    }

    /// Runs the scenario with a permanent vault, or with a vault in memory.
    private func runWithVault(
        _ play: (any TransactionalVault) async throws -> ScenarioRunner
    ) async throws(CommandError) -> ScenarioRunner {
        do {
            guard let vault else { return try await play(InMemoryVault()) }
            let place = try VaultLocation(argument: vault)
            if case .file(let path) = place, VaultFile.exists(path) {
                throw CommandError(
                    .unwritableFile, "the file already exists", at: path, "name a new vault, or remove this one")
            }
            return try await place.with(for: .makingNew) { try await play($0) }
        } catch let error as CommandError {
            throw error
        } catch {
            throw Self.cannotStart(error, at: scenarios.first ?? "simulate")
        }
    }

    /// Returns the error for a scenario with inconsistent people or families.
    static func cannotStart(_ error: any Error, at place: String) -> CommandError {
        CommandError(.malformedInput, "the scenario cannot be run: \(error)", at: place, "correct it")
    }

    /// Writes the requested files.
    func write(_ runner: ScenarioRunner) throws(CommandError) {
        if let path = evidence {
            let texts = try Self.signed(path) { try runner.evidence(newest ? .newest : .all) }
            try ScenarioFolder.write(texts.map { $0 + "\n" }.joined(), to: path)
        }
        if let path = notifications {
            let texts = try Self.signed(path) { try runner.notifications() }
            let lines = texts.map { JSONText.object(["signedPayload": .string($0)]).text() + "\n" }
            try ScenarioFolder.write(lines.joined(), to: path)
        }
        if let path = receipts {
            let lines = try Self.signed(path) {
                try runner.store.receipts().map { receipt in
                    JSONText.object([
                        "customer": .string(receipt.customer.rawValue), "bundleID": .string(receipt.bundleID),
                        "receipt-data": .string(receipt.base64),
                    ]).text() + "\n"
                }
            }
            try ScenarioFolder.write(lines.joined(), to: path)
        }
        if let path = rootOut { try ScenarioFolder.write(root: runner.store.authority, to: path) }
    }

    private static func signed(_ path: String, _ body: () throws -> [String]) throws(CommandError) -> [String] {
        do { return try body() } catch {
            throw CommandError(.bug, "signing failed: \(error)", at: path, "report it")
        }
    }
}

extension Console {
    /// The maximum number of columns of a printed line; lines are wrapped even if the output is not a terminal.
    var storyWidth: Int { min(max(width, 60), 160) }
}

extension SimulateCommand {
    /// Runs a scenario, or opens an empty store with catalogs, and then executes the commands that the user types.
    func runInteractively(from beginning: Instant?, on console: Console) async throws(CommandError) -> ExitStatus {
        guard vault == nil, format == .text else {
            throw .usage(
                "--interactive cannot be combined with --vault or another format", at: "storekeeper simulate",
                "save the story and run it again")
        }
        guard !scenarios.contains(InputFile.standardInputName) else {
            throw .usage("commands are read from standard input", at: "storekeeper simulate", "name a file")
        }
        let (path, read) = try ScenarioFolder.stage(scenarios, story: "An App Store at the terminal")
        var scenario: Scenario
        switch read {
        case .success(let found): scenario = found
        case .failure(let fault):
            for error in fault.errors { console.errors.line(error.description) }
            return fault.status
        }
        if let beginning { scenario.start = beginning }
        do {
            var conversation = try await InteractiveSession(scenario, path: path, seed: seed, on: console)
            try await conversation.run()
            try write(conversation.runner)
            return conversation.runner.report.isMet ? .success : .no
        } catch let error as CommandError {
            throw error
        } catch {
            throw Self.cannotStart(error, at: scenarios.first ?? "simulate")
        }
    }
}
