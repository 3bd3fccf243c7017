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
        abstract: "Plays stories in an App Store in a box, and looks what the engine says.",
        usage: "storekeeper simulate [<options>] <scenario> ...",
        discussion: """
            A scenario is a YAML file: who buys what, which catalog, then steps and what is expected. Time is \
            virtual: a year takes milliseconds. The App Store is simulated, its signatures are real, and the \
            engine believes only what is signed.

              story: A month of gold
              catalog: [../Store.storekit, ../Products.json]
              people: [anna]
              steps:
                - buy: gold.monthly
                - expect: entitled pro because active
                - cancel: gold.monthly
                - advance: 2 months
                - expect: lapsed pro because expired

            A folder stands for all *.yaml files in it. With --interactive, commands are read from standard \
            input, in the words of the steps: 'buy gold.monthly', 'advance 31 days', 'list', 'help'.

            EXIT STATUS
              0   all is as expected             65  a scenario is malformed
              1   something is not               66  a file cannot be read
              64  wrong usage                    73  a file cannot be written

            EXAMPLES
              Play a story:
                storekeeper simulate Configuration/scenarios/grace.yaml

              Are all stories as they should be?
                storekeeper simulate Configuration/scenarios

              Keep what was signed, and ask about it:
                storekeeper simulate grace.yaml --evidence grace.jws --root-out root.pem
                storekeeper entitlements grace.jws --root root.pem --environment Sandbox

              Feed your own server what Apple would send:
                storekeeper simulate grace.yaml --notifications sent.jsonl

              Play App Store at the terminal:
                storekeeper simulate --interactive Store.storekit
            """)

    @Argument(
        help: ArgumentHelp("Scenario files, or folders of them; '-' is standard input.", valueName: "scenario"),
        completion: .file(extensions: ["yaml", "yml", "storekit", "json", "plist"]))
    var scenarios: [String]

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Write all that was signed about the customers, older copies and app transactions too, a compact JWS a "
                + "line.", valueName: "file"))
    var evidence: String?

    @Flag(name: .long, help: "With --evidence: the newest copy of each only.")
    var newest = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Write the notifications in the order in which they were sent, {\"signedPayload\":…} a line.",
            valueName: "file"))
    var notifications: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Write the root certificate: DER if the name ends in .cer or .der, otherwise PEM.", valueName: "file"))
    var rootOut: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Begin the story at this time in place of the file's; 'now' is what this machine's clock shows.",
            valueName: "time"))
    var start: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Keep what the engine knows in a new vault: a file, or postgres://… for a database.", valueName: "file"))
    var vault: String?

    @Option(name: .long, help: ArgumentHelp("What chances are drawn from, in place of the file's.", valueName: "n"))
    var seed: UInt64?

    @Flag(name: .long, help: "Read commands from standard input after the scenario was played.")
    var interactive = false

    @Option(
        name: .long,
        help: ArgumentHelp("text for people, json for programs, svg for a picture.", valueName: "text|json|svg"))
    var format: TimelineCommand.Format = .text

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        guard !newest || evidence != nil else {
            throw .usage(
                "--newest says what --evidence writes", at: "storekeeper simulate", "name a file: --evidence FILE")
        }
        let beginning = try StoryStart.instant(start)
        if interactive { return try await converse(from: beginning, on: console) }
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
        let runner = try await keeping { [scenario] vault throws in
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
                console.output.text(runner.chart.text(width: console.width) { style.painted($0, look: $1) })
            }
            console.output.line("")
            for line in story.verdict(width: console.columns, style: style) { console.output.line(line) }
        }
        return runner.report.isMet ? .success : .no
    }

    /// Plays with a vault that is kept, or with one in memory.
    private func keeping(
        _ play: (any Vault) async throws -> ScenarioRunner
    ) async throws(CommandError) -> ScenarioRunner {
        do {
            guard let vault else { return try await play(InMemoryVault()) }
            let place = try VaultPlace(argument: vault)
            if case .file(let path) = place, VaultFile.isThere(path) {
                throw CommandError(
                    .unwritableFile, "there is a file already", at: path, "name a new vault, or remove this one")
            }
            return try await place.with(for: .makingNew) { try await play($0) }
        } catch let error as CommandError {
            throw error
        } catch {
            throw Self.cannotBegin(error, at: scenarios.first ?? "simulate")
        }
    }

    /// A story whose people and families cannot be as it says.
    static func cannotBegin(_ error: any Error, at place: String) -> CommandError {
        CommandError(.malformedInput, "the story cannot be played: \(error)", at: place, "correct it")
    }

    /// Writes what was asked for.
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
        if let path = rootOut { try ScenarioFolder.write(root: runner.store.authority, to: path) }
    }

    private static func signed(_ path: String, _ body: () throws -> [String]) throws(CommandError) -> [String] {
        do { return try body() } catch {
            throw CommandError(.bug, "it cannot be signed: \(error)", at: path, "report it")
        }
    }
}

extension Console {
    /// How many columns the lines of a story take: they are broken, not cut, and so in a pipe too.
    var storyWidth: Int { min(max(width, 60), 160) }
}
