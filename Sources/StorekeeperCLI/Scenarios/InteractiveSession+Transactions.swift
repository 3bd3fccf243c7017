import FoundationEssentials
import Storekeeper
import StorekeeperSimulator

/// The commands `list` and `inspect`, which show transactions.
extension InteractiveSession {
    static let listKeys = ["product", "person", "state", "date", "from", "until"]

    func list(_ words: [String]) throws {
        let found = try runner.store.transactions.filter(filter(words))
        guard !found.isEmpty else {
            console.output.line("no transaction")
            return
        }
        var table = TextTable("ID", "PRODUCT", "PERSON", "STATE", "PURCHASED", "EXPIRES")
        let times: [TextTable.WidthReduction] = ["PURCHASED", "EXPIRES"].map(TextTable.WidthReduction.shorten)
        // The ids of transactions differ in their last digits, which stay visible if the middle is omitted.
        table.widthReductions = times + times + times
        if runner.store.accounts.count <= 1 { table.widthReductions.insert(.drop("PERSON"), at: 0) }
        for item in found {
            table.add([
                .text(item.id.rawValue), .text(item.productID.rawValue), .text(item.person.rawValue),
                .text(item.state.rawValue),
                .time(item.purchasedAt), .time(item.expiresAt),
            ])
        }
        for line in table.lines(console.style, width: console.columns) { console.output.line(line) }
    }

    /// Returns the filter of a `list` command.
    private func filter(_ words: [String]) throws(ScenarioError) -> (TransactionSummary) -> Bool {
        var tests: [(TransactionSummary) -> Bool] = []
        var rest = words[...]
        while let key = rest.popFirst() {
            guard Self.listKeys.contains(key) else {
                // A word without a keyword before it is the id of a product, because products are the most frequent
                // filter.
                guard tests.isEmpty, rest.isEmpty || rest.first.map(Self.listKeys.contains) == true else {
                    throw Self.unknown("'list' does not know '\(key)'", key, among: Self.listKeys)
                }
                tests.append(try product(key))
                continue
            }
            guard let value = rest.popFirst() else {
                throw ScenarioError(
                    file: "input", "no value follows '\(key)'", remedy: "write 'list product gold.monthly'")
            }
            switch key {
            case "product": tests.append(try product(value))
            case "person":
                let known = runner.store.accounts.map(\.rawValue)
                guard known.contains(value) else {
                    throw Self.unknown("there is no person '\(value)'", value, among: known)
                }
                tests.append { $0.person.rawValue == value }
            case "state":
                guard let state = TransactionSummary.State(rawValue: value) else {
                    let known = TransactionSummary.State.allCases.map(\.rawValue)
                    throw Self.unknown("there is no state '\(value)'", value, among: known)
                }
                tests.append { $0.state == state }
            case "date": tests.append(try date(value))
            case "from":
                let start = try Self.span(value).lowerBound
                tests.append { item in item.purchasedAt.map { $0 >= start } ?? false }
            default:
                let end = try Self.span(value).upperBound
                tests.append { item in item.purchasedAt.map { $0 < end } ?? false }
            }
        }
        return { item in tests.allSatisfy { $0(item) } }
    }

    private func product(_ prefix: String) throws(ScenarioError) -> (TransactionSummary) -> Bool {
        let known = runner.scenario.apps.flatMap { $0.catalog.products.map(\.id.rawValue) }
        guard known.contains(where: { $0.hasPrefix(prefix) }) else {
            throw Self.unknown("no product begins with '\(prefix)'", prefix, among: known)
        }
        return { $0.productID.rawValue.hasPrefix(prefix) }
    }

    /// Returns the filter for a day, a month, a year, or a range of two such dates with `..` between them.
    private func date(_ text: String) throws(ScenarioError) -> (TransactionSummary) -> Bool {
        let span: Range<Instant>
        if let dots = text.firstRange(of: "..") {
            let (from, until) = (String(text[..<dots.lowerBound]), String(text[dots.upperBound...]))
            let start = from.isEmpty ? Instant.distantPast : try Self.span(from).lowerBound
            let end = until.isEmpty ? Instant.distantFuture : try Self.span(until).upperBound
            guard start <= end else {
                throw ScenarioError(
                    file: "input", "'\(text)' ends before it begins", remedy: "write it like 2026-01-01..2026-01-31")
            }
            span = start..<end
        } else {
            span = try Self.span(text)
        }
        return { item in item.purchasedAt.map(span.contains) ?? false }
    }

    /// Returns the range of a year, a month, a day or an instant.
    ///
    /// The range of an instant is one millisecond long.
    private static func span(_ text: String) throws(ScenarioError) -> Range<Instant> {
        let bytes = text.utf8.count
        if bytes == 4, let start = Instant("\(text)-01-01") { return start..<start.adding(months: 12) }
        if bytes == 7, let start = Instant("\(text)-01") { return start..<start.adding(months: 1) }
        guard bytes > 7, let start = Instant(text) else {
            throw ScenarioError(
                file: "input", "'\(text)' is not a time",
                remedy: "write it like 2026-03-01T09:30:00Z, 2026-03-01 or 2026-03")
        }
        return start..<start.adding(milliseconds: bytes == 10 ? 86_400_000 : 1)
    }

    private static func unknown(_ message: String, _ word: String, among known: [String]) -> ScenarioError {
        let near = known.filter { !$0.isEmpty && ($0.hasPrefix(word.prefix(3)) || word.hasPrefix($0)) }
        let list = (near.isEmpty ? known : near).prefix(12).joined(separator: ", ")
        return ScenarioError(file: "input", message, remedy: list.isEmpty ? "'list' shows them" : "use one of \(list)")
    }

    // MARK: The inspector

    func inspect(_ words: [String]) throws {
        guard let id = try transaction(words), let found = runner.store.inspection(of: id) else {
            throw ScenarioError(
                file: "input",
                words.isEmpty ? "there are no transactions yet" : "there is no transaction '\(words[0])'",
                remedy: "'list' shows them")
        }
        var table = TextTable("TRANSACTION", "")
        for (key, value) in found.rows { table.add(key, value) }
        for line in table.lines(console.style, width: console.columns) { console.output.line(line) }
    }

    /// Finds a transaction by its id or name, or finds the newest transaction of a product.
    ///
    /// A product can be named by the beginning of its id.
    private func transaction(_ words: [String]) throws(ScenarioError) -> Transaction.ID? {
        let all = runner.store.transactions
        guard let word = words.first == "transaction" ? words.dropFirst().first : words.first else {
            return all.last?.id
        }
        if let id = runner.id(named: word) { return id }
        if let item = all.first(where: { $0.id.rawValue == word }) { return item.id }
        var people = runner.store.accounts
        if words.count == 3, ["by", "of", "for"].contains(words[1]) {
            people = people.filter { $0.rawValue == words[2] }
            if people.isEmpty {
                throw Self.unknown(
                    "there is no person '\(words[2])'", words[2], among: runner.store.accounts.map(\.rawValue))
            }
        }
        let theirs = all.filter { people.contains($0.person) }
        return
            (theirs.last { $0.productID == Product.ID(word) } ?? theirs.last { $0.productID.rawValue.hasPrefix(word) })?
            .id
    }
}
