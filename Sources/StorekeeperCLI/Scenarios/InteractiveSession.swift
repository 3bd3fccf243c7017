import Storekeeper
import StorekeeperCharts
import StorekeeperSimulator

/// A transaction manager at the terminal, which executes typed commands in a simulated App Store.
///
/// All commands are stored as steps of a scenario. `undo` removes the last step, and runs the remaining steps from the
/// beginning.
struct InteractiveSession {
    let scenario: Scenario
    /// The path of the scenario, to which the paths of its catalogs are relative.
    private let path: String
    /// The executed commands as steps, which follow the steps of the scenario.
    private(set) var steps: [ScenarioStep] = []
    private(set) var runner: ScenarioRunner
    private let seed: UInt64?
    let console: Console
    /// The files that this session has written.
    ///
    /// The session may overwrite these files without `--force`.
    private var saved: Set<String> = []
    private var isFinished = false

    init(_ scenario: Scenario, path: String, seed: UInt64?, on console: Console) async throws {
        self.scenario = scenario
        self.path = path
        self.seed = seed
        self.console = console
        runner = try await ScenarioRunner(scenario, seed: seed)
        _ = try await runner.run()
    }

    /// Reads and executes commands, until `quit` or the end of the input.
    mutating func run() async throws {
        var input = try LineInput(console)
        console.output.line(console.style.bold(scenario.story.onOneLine))
        let now = runner.store.now.brief
        console.output.line("It is \(now). Type 'help' for the commands, 'quit' to end.")
        show(runner.report.entries)
        while !isFinished {
            let prompt = "\(runner.store.now.brief) > "
            guard let line = try input.next(prompt: prompt) else {
                // Ctrl-D ends the input without a line feed.
                if console.isOutputTerminal { console.output.line("") }
                break
            }
            let text = line.trimmed
            if text.isEmpty || text.hasPrefix("#") { continue }
            do {
                try await executeCommand(text)
            } catch let error as ScenarioError {
                for error in error.all { complain("\(error.message): \(error.remedy)") }
            } catch let error as CommandError {
                complain("\(error.what) (\(error.place)): \(error.advice)")
            }
        }
        console.output.flush()
    }

    private func complain(_ text: String) {
        for line in text.onOneLine.wrapped(to: console.columns, indent: "  ") {
            console.output.line(console.style.red(line))
        }
    }

    // MARK: Commands

    /// The commands that are not steps of scenarios.
    static let ownWords = ["list", "inspect", "story", "chart", "undo", "save", "help", "quit", "exit"]

    private mutating func executeCommand(_ text: String) async throws {
        let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        let rest = Array(words.dropFirst())
        switch words.first {
        case "quit", "exit": isFinished = true
        case "help", "?": try help(rest.joined(separator: " "))
        case "list": try list(rest)
        case "inspect": try inspect(rest)
        case "story": show(runner.report.entries)
        case "chart": chart()
        case "undo": try await undo()
        case "save": try save(String(text.dropFirst(4)).trimmed)
        default: try await carryOut(text)
        }
    }

    private mutating func carryOut(_ text: String) async throws {
        let names = Set((scenario.steps + steps).compactMap(\.name))
        let granted = (scenario.steps + steps).compactMap { step in
            if case .grant(_, let balance, _, _) = step.action { balance } else { nil }
        }
        var step: ScenarioStep
        do {
            step = try scenario.step(
                typed: text, people: runner.store.accounts, names: names, granted: Set(granted))
        } catch {
            throw advised(error, about: text)
        }
        let before = runner.report.entries.count
        try await runner.play(step)
        var news = Array(runner.report.entries.dropFirst(before))
        if let outcome = news.lazy.compactMap(\.failedPurchase).first, step.outcome == nil {
            // The user did not state that the purchase fails, so the failure is added to the step as its expected
            // outcome.
            step.outcome = outcome
            try await replay()
            try await runner.play(step)
            news = Array(runner.report.entries.dropFirst(before))
        }
        if case .failure(let message)? = news.last(where: \.isFailure)?.content {
            // The step may have had effects before it failed, so the store is rebuilt without the step.
            try await replay()
            complain(message)
            return
        }
        steps.append(step)
        show(news)
    }

    /// Adds a suggestion to the error about an unknown step, if the step resembles one of ``ownWords``.
    private func advised(_ error: ScenarioError, about text: String) -> ScenarioError {
        let word = String(text.prefix { !$0.isWhitespace })
        guard error.message.hasPrefix("there is no step"), !error.remedy.hasPrefix("did you mean"),
            let near = Self.ownWords.first(where: { word.count > 2 && $0.hasPrefix(word.lowercased().prefix(3)) })
        else {
            guard error.message.hasPrefix("there is no step"), !error.remedy.hasPrefix("did you mean") else {
                return error
            }
            return ScenarioError(file: error.file, error.message, remedy: "type 'help' for the commands")
        }
        return ScenarioError(file: error.file, error.message, remedy: "did you mean '\(near)'?")
    }

    private mutating func undo() async throws {
        guard let last = steps.popLast() else {
            throw ScenarioError(file: "input", "there is nothing to undo", remedy: "type a command first")
        }
        try await replay()
        let now = runner.store.now.brief
        console.output.line("undone: \(last.text); it is \(now) again".onOneLine)
    }

    /// Runs all steps from the beginning.
    private mutating func replay() async throws {
        runner = try await ScenarioRunner(scenario, seed: seed, authority: runner.store.authority)
        _ = try await runner.run()
        for step in steps { try await runner.play(step) }
    }

    // MARK: Saving

    private mutating func save(_ words: String) throws {
        let isForced = words.hasSuffix(" --force")
        let name = (isForced ? String(words.dropLast(8)) : words).trimmed
        guard !name.isEmpty, name.onOneLine == name else {
            throw ScenarioError(file: "input", "'save' needs a file", remedy: "write 'save story.yaml'")
        }
        guard isForced || saved.contains(name) || !VaultFile.exists(name) else {
            throw ScenarioError(
                file: "input", "the file '\(name)' already exists", remedy: "write 'save \(name) --force' to replace it"
            )
        }
        try ScenarioFolder.write(text(for: name), to: name)
        saved.insert(name)
        console.output.line("saved as \(name)".onOneLine)
    }

    /// Returns the text of the scenario with all commands as steps.
    ///
    /// The paths in the text are relative to the folder of the file to be written.
    private func text(for place: String) -> String {
        var whole = scenario
        whole.steps += steps
        whole = ScenarioFolder.moved(whole, from: path, to: place)
        if let seed { whole.seed = seed }
        return whole.text
    }

    // MARK: Showing

    private func show(_ entries: [ScenarioReport.Entry]) {
        let story = ScenarioStory(runner.report, isOnePerson: runner.store.accounts.count <= 1)
        for line in story.lines(entries, width: console.storyWidth, style: console.style) {
            console.output.line(line)
        }
    }

    private func chart() {
        let chart = runner.chart
        guard !chart.rows.isEmpty else {
            console.output.line("no products were bought yet")
            return
        }
        console.output.text(chart.text(width: console.width) { console.style.painted($0, segmentStyle: $1) })
    }

    private func help(_ name: String) throws {
        if let word = StepKind.named(name) {
            console.output.line("\(word.name) \(word.subject.placeholder)".trimmed)
            console.output.line("  \(word.help)")
            let keys = (word.keys + StepKind.commonKeys).joined(separator: ", ")
            for line in "  with: \(keys)".wrapped(to: console.columns, indent: "    ") {
                console.output.line(line)
            }
            return
        }
        guard name.isEmpty else {
            throw advised(
                ScenarioError(file: "input", "there is no step '\(name)'", remedy: "type 'help' for the commands"),
                about: name)
        }
        let steps = StepKind.all.map { ("\($0.name) \($0.subject.placeholder)".trimmed, $0.help) }
        let left = steps.map(\.0.columns).max() ?? 0
        for (command, words) in Self.ownHelp + steps {
            let room = console.columns.map { max($0 - left - 2, 20) }
            for (index, line) in words.wrapped(to: room).enumerated() {
                let begin = index == 0 ? command : ""
                console.output.line(begin + String(repeating: " ", count: left + 2 - begin.columns) + line)
            }
        }
    }

    private static let ownHelp = [
        (
            "list",
            "lists transactions; optional filters: product ID, person NAME, state STATE, date DAY, from TIME, "
                + "until TIME; ID and DAY may be abbreviated: list gold date 2026-01"
        ),
        ("inspect PURCHASE", "shows a transaction; without PURCHASE the last one"),
        ("story", "shows the events so far"), ("chart", "draws the entitlements of all people"),
        ("undo", "reverts the last command"), ("save FILE", "saves all commands as a scenario"),
        ("help COMMAND", "explains a command"), ("quit", "ends"),
    ]
}

extension ScenarioReport.Entry {
    /// The outcome of a purchase that failed unexpectedly.
    fileprivate var failedPurchase: String? {
        guard case .expectation(false, _, let found) = content, found.hasPrefix("failed ") else { return nil }
        return found
    }

    /// Whether a step could not be executed.
    fileprivate var isFailure: Bool {
        if case .failure = content { true } else { false }
    }
}

extension String {
    /// The text without surrounding blanks.
    var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text = text.dropFirst() }
        while text.last?.isWhitespace == true { text = text.dropLast() }
        return String(text)
    }
}
