import ArgumentParser
import FoundationEssentials
import Storekeeper
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

              Play App Store at the terminal:
                storekeeper simulate --interactive Store.storekit
            """)

    @Argument(
        help: ArgumentHelp("Scenario files, or folders of them; '-' is standard input.", valueName: "scenario"),
        completion: .file(extensions: ["yaml", "yml", "storekit", "json", "plist"]))
    var scenarios: [String]

    @Option(name: .long, help: ArgumentHelp("Write what was signed, a compact JWS a line.", valueName: "file"))
    var evidence: String?

    @Option(name: .long, help: ArgumentHelp("Write the root certificate (PEM).", valueName: "file"))
    var rootOut: String?

    @Option(name: .long, help: ArgumentHelp("Keep what the engine knows in a new vault.", valueName: "file"))
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
        if interactive { return try await converse(on: console) }
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
        if paths.count == 1, let path = paths.first, !isFolder { return try await playOne(path, on: console) }
        guard evidence == nil, rootOut == nil, vault == nil, format != .svg else {
            throw .usage(
                "--evidence, --root-out, --vault and svg are for one scenario", at: "storekeeper simulate",
                "name one file")
        }
        return try await playAll(paths, on: console)
    }

    // MARK: One

    private func playOne(_ path: String, on console: Console) async throws(CommandError) -> ExitStatus {
        let scenario = try ScenarioFolder.scenario(at: path)
        let runner = try await keeping { vault throws in
            var runner = try await ScenarioRunner(scenario, vault: vault, seed: seed)
            _ = try await runner.run()
            return runner
        }
        try write(runner)
        let text = ScenarioStory(runner.report, isOnePerson: scenario.people.count <= 1)
        switch format {
        case .json: console.output.json(text.json(now: runner.store.now), .pretty)
        case .svg: console.output.text(runner.chart.svg(title: scenario.story))
        case .text:
            console.output.text(text.text(scenario.about, style: console.style))
            if !runner.chart.rows.isEmpty {
                console.output.line("")
                console.output.text(runner.chart.text(width: console.width) { console.style.painted($0, look: $1) })
            }
            console.output.line("")
            for line in text.verdict(style: console.style) { console.output.line(line) }
        }
        return runner.report.isMet ? .success : .no
    }

    /// Plays with a vault that is kept, or with one in memory.
    private func keeping(
        _ play: (any Vault) async throws -> ScenarioRunner
    ) async throws(CommandError) -> ScenarioRunner {
        do {
            guard let path = vault else { return try await play(InMemoryVault()) }
            guard !VaultFile.isThere(path) else {
                throw CommandError(
                    .unwritableFile, "there is a file already", at: path, "name a new vault, or remove this one")
            }
            return try await VaultFile.with(path, for: .makingNew) { try await play($0) }
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError(.malformedInput, "the story cannot begin: \(error)", at: "simulate", "correct it")
        }
    }

    /// Writes what was asked for.
    func write(_ runner: ScenarioRunner) throws(CommandError) {
        if let path = evidence {
            let texts: [String]
            do { texts = try runner.evidence() } catch {
                throw CommandError(.bug, "the evidence cannot be signed: \(error)", at: path, "report it")
            }
            try ScenarioFolder.write(texts.map { $0 + "\n" }.joined(), to: path)
        }
        if let path = rootOut { try ScenarioFolder.write(runner.store.authority.rootPEM, to: path) }
    }

    // MARK: Many

    private func playAll(_ paths: [String], on console: Console) async throws(CommandError) -> ExitStatus {
        var stories: [ScenarioStory] = []
        var status = ExitStatus.success
        var table = TextTable("SCENARIO", "RESULT", "CHECKS", "STORY")
        var failures: [String] = []
        for path in paths {
            let scenario = try ScenarioFolder.scenario(at: path)
            let runner: ScenarioRunner
            do {
                var played = try await ScenarioRunner(scenario, seed: seed)
                _ = try await played.run()
                runner = played
            } catch {
                throw CommandError(.malformedInput, "the story cannot begin: \(error)", at: path, "correct it")
            }
            let story = ScenarioStory(runner.report, isOnePerson: scenario.people.count <= 1)
            if !runner.report.isMet { status = .no }
            stories.append(story)
            let name = path.split(separator: "/").last.map(String.init) ?? path
            table.add(
                name, runner.report.isMet ? "ok" : "FAILED", String(runner.report.expectationCount), scenario.story)
            failures += story.failureLines
        }
        let failed = stories.count { !$0.report.isMet }
        if format == .json {
            console.output.json(
                .object([
                    "scenarios": .array(stories.map(\.summary)), "met": .whole(stories.count - failed),
                    "failed": .whole(failed),
                ]), .pretty)
            return status
        }
        let style = console.style
        let lines = table.lines(style, painting: 1) { $1 == "ok" ? style.green($0) : style.red($0) }
        for line in lines { console.output.line(line) }
        console.output.line("")
        for line in failures { console.output.line(style.red(line)) }
        let count = "\(stories.count) scenario\(stories.count == 1 ? "" : "s")"
        console.output.line(failed == 0 ? "\(count), all as expected" : "\(count), \(failed) not as expected")
        return status
    }
}
