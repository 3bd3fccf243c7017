import Storekeeper
import StorekeeperSimulator

/// A transaction manager at the terminal: what somebody types happens in the simulated App Store.
///
/// All that was done is kept as steps; to undo is to play the others again from the beginning.
struct Conversation {
    private let scenario: Scenario
    /// What was typed and done, after the steps of the scenario.
    private var steps: [ScenarioStep] = []
    private(set) var runner: ScenarioRunner
    private let seed: UInt64?
    private let console: Console
    private var isOver = false

    init(_ scenario: Scenario, seed: UInt64?, on console: Console) async throws {
        self.scenario = scenario
        self.seed = seed
        self.console = console
        runner = try await ScenarioRunner(scenario, seed: seed)
        _ = try await runner.run()
    }

    /// Reads and does, until `quit` or the end of the input.
    mutating func run() async throws {
        console.output.line(console.style.bold(scenario.story.onOneLine))
        console.output.line("It is \(runner.store.now). Type 'help' for the commands, 'quit' to end.")
        show(runner.report.entries)
        var input = try LineInput()
        while !isOver {
            prompt()
            guard let line = try input.next() else { break }
            let text = line.trimmed
            if text.isEmpty || text.hasPrefix("#") { continue }
            do {
                try await obey(text)
            } catch let error as ScenarioError {
                console.output.line(console.style.red("\(error.message): \(error.remedy)".onOneLine))
            } catch let error as CommandError {
                console.output.line(console.style.red("\(error.what) (\(error.place)): \(error.advice)".onOneLine))
            }
        }
        console.output.flush()
    }

    private func prompt() {
        if console.isOutputTerminal { console.output.text(console.style.dim("\(runner.store.now)") + " > ") }
        console.output.flush()
    }

    // MARK: Commands

    private mutating func obey(_ text: String) async throws {
        let words = text.split(separator: " ").map(String.init)
        let rest = Array(words.dropFirst())
        switch words.first {
        case "quit", "exit": isOver = true
        case "help": help(rest.joined(separator: " "))
        case "list": try list(rest)
        case "inspect": try inspect(rest)
        case "story": show(runner.report.entries)
        case "chart":
            console.output.text(runner.chart.text(width: console.width) { console.style.painted($0, look: $1) })
        case "undo": try await undo()
        case "save" where rest.count == 1:
            try ScenarioFolder.write(saved, to: rest[0])
            console.output.line("saved as \(rest[0])")
        case "save": throw ScenarioError(file: "input", "'save' names no file", remedy: "write 'save story.yaml'")
        default: try await carryOut(text)
        }
    }

    private mutating func carryOut(_ text: String) async throws {
        let names = Set((scenario.steps + steps).compactMap(\.name))
        let step = try scenario.step(typed: text, people: runner.store.accounts, names: names)
        let before = runner
        try await runner.play(step)
        let news = Array(runner.report.entries.dropFirst(before.report.entries.count))
        if case .failure(let message)? = news.last(where: \.isFailure)?.content {
            runner = before
            console.output.line(console.style.red(message.onOneLine))
            return
        }
        steps.append(step)
        show(news)
    }

    private mutating func undo() async throws {
        guard let last = steps.popLast() else {
            throw ScenarioError(file: "input", "there is nothing to undo", remedy: "type a command first")
        }
        runner = try await ScenarioRunner(scenario, seed: seed, authority: runner.store.authority)
        _ = try await runner.run()
        for step in steps { try await runner.play(step) }
        console.output.line("undone: \(last.text); it is \(runner.store.now) again".onOneLine)
    }

    /// The scenario with all that was typed.
    private var saved: String {
        var whole = scenario
        whole.steps += steps
        if let seed { whole.seed = seed }
        return whole.text
    }

    // MARK: Showing

    private func show(_ entries: [ScenarioReport.Entry]) {
        guard !entries.isEmpty else { return }
        let story = ScenarioStory(runner.report, isOnePerson: runner.store.accounts.count <= 1)
        for line in story.lines(entries, style: console.style).dropFirst() { console.output.line(line) }
    }

    private func help(_ word: String) {
        if let word = ScenarioWord.named(word) {
            console.output.line("\(word.name) \(word.value)".trimmed)
            console.output.line("  \(word.help)")
            let keys = word.keys + ScenarioWord.commonKeys
            console.output.line("  beside it: \(keys.joined(separator: ", "))")
            return
        }
        var table = TextTable("COMMAND", "WHAT IT DOES")
        table.add("list [product ID] [person NAME] [state STATE] [date DAY]", "lists transactions")
        table.add("inspect ID", "shows all of a transaction, by its id or name")
        table.add("story", "shows what has happened so far")
        table.add("chart", "draws what the people had and have")
        table.add("undo", "takes the last command back")
        table.add("save FILE", "saves all as a scenario")
        table.add("help COMMAND, quit", "")
        for word in ScenarioWord.all { table.add("\(word.name) \(word.value)".trimmed, word.help) }
        for line in table.lines(console.style) { console.output.line(line) }
    }

    private func list(_ words: [String]) throws {
        var found = runner.store.transactions
        var rest = words[...]
        while let key = rest.popFirst() {
            guard let value = rest.popFirst() else {
                throw ScenarioError(
                    file: "input", "nothing follows '\(key)'", remedy: "write 'list product gold.monthly'")
            }
            switch key {
            case "product": found = found.filter { $0.productID == value }
            case "person": found = found.filter { $0.person.rawValue == value }
            case "state":
                guard let state = ScenarioTransaction.State(rawValue: value) else {
                    let known = ScenarioTransaction.State.allCases.map(\.rawValue).joined(separator: ", ")
                    throw ScenarioError(file: "input", "there is no state '\(value)'", remedy: "use \(known)")
                }
                found = found.filter { $0.state == state }
            case "date": found = found.filter { $0.purchasedAt?.description.hasPrefix(value) ?? false }
            default:
                throw ScenarioError(
                    file: "input", "'list' does not know '\(key)'", remedy: "use product, person, state or date")
            }
        }
        guard !found.isEmpty else {
            console.output.line("no transaction")
            return
        }
        var table = TextTable("ID", "PRODUCT", "PERSON", "STATE", "PURCHASED", "EXPIRES")
        for item in found {
            table.add(
                item.id.rawValue, item.productID, item.person.rawValue, item.state.rawValue,
                item.purchasedAt?.description ?? "", item.expiresAt?.description ?? "")
        }
        for line in table.lines(console.style) { console.output.line(line) }
    }

    private func inspect(_ words: [String]) throws {
        let name = words.last ?? ""
        let id = runner.id(named: name)?.rawValue ?? name
        guard let item = runner.store.transactions.first(where: { $0.id.rawValue == id }) else {
            throw ScenarioError(file: "input", "there is no transaction '\(name)'", remedy: "'list' shows them")
        }
        var rows: [(String, String?)] = [
            ("id", item.id.rawValue), ("original", item.originalID?.rawValue), ("product", item.productID),
            ("person", item.person.rawValue), ("app", item.app), ("state", item.state.rawValue),
            ("quantity", String(item.quantity)), ("purchased", item.purchasedAt?.description),
            ("expires", item.expiresAt?.description), ("taken back", item.revokedAt?.description),
            ("finished", item.isFinished ? "yes" : "no"),
        ]
        if item.isFamilyShared { rows.append(("shared by the family", "yes")) }
        if item.isRenewal { rows.append(("renewal", "yes")) }
        if item.isRefundRequested { rows.append(("refund asked for", "yes")) }
        var table = TextTable("TRANSACTION", "")
        for (key, value) in rows { if let value { table.add(key, value) } }
        for line in table.lines(console.style) { console.output.line(line) }
    }
}

extension ScenarioReport.Entry {
    /// Whether a step could not be done.
    fileprivate var isFailure: Bool {
        if case .failure = content { true } else { false }
    }
}

extension String {
    /// The text without blanks around it.
    fileprivate var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text = text.dropFirst() }
        while text.last?.isWhitespace == true { text = text.dropLast() }
        return String(text)
    }
}
