import FoundationEssentials
import Storekeeper

/// A customer's history in a vault, in order, as `vault history` prints it.
struct AccountStatement {
    /// A line of the statement.
    private struct Row {
        let sequence: Int64
        let at: Instant
        let kind: String
        /// The cause: a transaction, a key, a token or a reason.
        let cause: String
        /// The description of the change: the full text, followed by shorter texts for narrow terminals.
        let texts: [String]
        var entry: LedgerEntry?
        var productID: Product.ID?
        var reason: String?

        /// The entry, if it changes a balance.
        var movement: LedgerEntry? { entry.flatMap { $0.kind.movesBalance ? $0 : nil } }

        var json: JSONText {
            entry?.json
                ?? .object([
                    "sequence": .integer(sequence), "at": .time(at), "kind": .string(kind), "cause": .string(cause),
                    "productID": .text(productID), "reason": .text(reason),
                ])
        }
    }

    private let rows: [Row]
    private let balances: [Balance]

    /// Reads the history of a customer.
    init(of customer: CustomerID, in vault: some TransactionalVault) async throws(VaultError) {
        let record = try await vault.load(customer)
        balances = record.balances
        var rows = record.facts.map(Self.row)
        for entry in try await vault.account(of: customer, through: record.lastEntry.number) {
            rows.append(Self.row(entry))
        }
        for binding in try await vault.bindings(of: customer) { rows.append(Self.row(binding)) }
        for erasure in try await vault.erasures(of: customer) { rows.append(Self.row(erasure)) }
        self.rows = rows.sorted { $0.sequence < $1.sequence }
    }

    // MARK: Rows

    private static func row(_ stored: StoredFact) -> Row {
        switch stored.fact.content {
        case .transaction(let transaction):
            let refund = transaction.revokedAt.map { ", taken back \($0)" } ?? ""
            return Row(
                sequence: stored.place.number, at: stored.learnedAt, kind: "fact", cause: transaction.id.rawValue,
                texts: [
                    "learned of \(transaction.productID), transaction \(transaction.id) of "
                        + "\(transaction.purchasedAt)\(refund)",
                    "learned of \(transaction.productID), transaction \(transaction.id)",
                    "learned of \(transaction.productID)",
                ],
                productID: transaction.productID)
        case .renewalInfo(let info):
            let plan = info.autoRenewStatus?.isOn.map { $0 ? ": renews" : ": ends" } ?? ""
            return Row(
                sequence: stored.place.number, at: stored.learnedAt, kind: "fact",
                cause: info.originalTransactionID.rawValue,
                texts: ["learned the plan for \(info.originalTransactionID)\(plan)", "learned the plan\(plan)"],
                productID: info.currentProductID)
        case .notification(let notification, let status):
            let type = notification.subtype.map { "\(notification.type)/\($0)" } ?? notification.type
            return Row(
                sequence: stored.place.number, at: stored.learnedAt, kind: "fact", cause: status.originalID.rawValue,
                texts: [
                    "learned the status of \(status.originalID) by the notification \(type)",
                    "learned the status by \(type)", "learned the status",
                ])
        case .appTransaction(let appTransaction, let chain):
            let version = appTransaction.originalAppVersion.map { ", first version \($0)" } ?? ""
            return Row(
                sequence: stored.place.number, at: stored.learnedAt, kind: "fact", cause: chain.originalID.rawValue,
                texts: ["learned of the app's purchase\(version)", "learned of the app's purchase"])
        }
    }

    private static func row(_ entry: LedgerEntry) -> Row {
        var row: Row
        switch entry.cause {
        case .transaction(let key, let productID, _):
            let what =
                switch entry.kind {
                case .clawBack: "refunded"
                case .restore: "refund reversed of"
                case .credit, .spend, .grant, .grantAccess, .revokeAccess, .transfer: "bought"
                }
            row = Row(
                sequence: entry.place.number, at: entry.at, kind: entry.kind.rawValue,
                cause: key.transactionID.rawValue,
                texts: ["\(what) \(productID), transaction \(key.transactionID)", "\(what) \(productID)"],
                productID: productID)
        case .request(let key, let reason):
            let text = reason.map { "granted for \(key): \($0)" } ?? "spent for \(key)"
            row = Row(
                sequence: entry.place.number, at: entry.at, kind: entry.kind.rawValue, cause: key.rawValue,
                texts: [text + (entry.recordedBy.map { ", by \($0)" } ?? ""), text], reason: reason)
        case .access(let subject, let until, let key, let reason):
            row = Self.row(
                entry, key,
                "gave access to \(subject) until \(until.brief) for \(key): \(reason)", "gave access to \(subject)")
        case .revocation(let key, let reason):
            row = Self.row(entry, key, "revoked the access for \(key): \(reason)", "revoked the access for \(key)")
        case .transfer(let subject, let from, let to, let reason):
            let what = "\(subject.words) moved from \(from) to \(to)"
            row = Row(
                sequence: entry.place.number, at: entry.at, kind: entry.kind.rawValue, cause: subject.name,
                texts: [
                    "\(what): \(reason)" + (entry.recordedBy.map { ", by \($0)" } ?? ""), "\(what): \(reason)", what,
                ], reason: reason)
        }
        row.entry = entry
        return row
    }

    /// Returns the row for an entry that grants or revokes access.
    private static func row(_ entry: LedgerEntry, _ key: LedgerRequest.Key, _ text: String, _ short: String) -> Row {
        Row(
            sequence: entry.place.number, at: entry.at, kind: entry.kind.rawValue, cause: key.rawValue,
            texts: [text + (entry.recordedBy.map { ", by \($0)" } ?? ""), text, short])
    }

    private static func row(_ binding: Binding) -> Row {
        switch binding.subject {
        case .chain(let chain):
            return Row(
                sequence: binding.place.number, at: binding.at, kind: "binding", cause: chain.originalID.rawValue,
                texts: ["now owns purchase \(chain.originalID)", "owns \(chain.originalID)"])
        case .token(let token):
            let text = token.uuidString.lowercased()
            return Row(
                sequence: binding.place.number, at: binding.at, kind: "binding", cause: text,
                texts: ["now owns token \(text)", "owns \(text)"])
        }
    }

    /// Returns the numbers of facts and entries in words, such as `2 facts and 1 entry`.
    static func amount(_ facts: Int, _ entries: Int) -> String {
        "\(facts.of("fact")) and \(entries == 1 ? "1 entry" : "\(entries) entries")"
    }

    private static func row(_ erasure: Erasure) -> Row {
        Row(
            sequence: erasure.place.number, at: erasure.at, kind: "erasure", cause: erasure.reason,
            texts: [
                "erased \(amount(erasure.facts, erasure.entries)): \(erasure.reason)",
                "erased: \(erasure.reason)",
            ],
            reason: erasure.reason)
    }

    // MARK: Output

    /// The JSON document.
    var json: JSONText { .object(["entries": .array(rows.map(\.json))]) }

    /// Returns the statement as text, oldest first, with aligned numbers.
    ///
    /// - Parameter width: The maximum number of columns of a line; `nil` means no limit.
    func lines(_ style: TerminalStyle, width columns: Int?) -> [String] {
        guard !rows.isEmpty else { return ["The vault has no data about this customer."] }
        let changes = rows.map { row in row.movement.map(\.change).map { $0 > 0 ? "+\($0)" : "\($0)" } ?? "" }
        let afters = rows.map { row in row.movement.map { String($0.after) } ?? "" }
        let width = (changes: Self.width("CHANGE", changes), afters: Self.width("AFTER", afters))
        var table = TextTable(
            "TIME", "BALANCE", Self.right("CHANGE", width.changes), Self.right("AFTER", width.afters), "WHAT")
        table.widthReductions = [
            .shorten("TIME"), .shorten("WHAT"), .shorten("TIME"), .shorten("WHAT"), .shorten("TIME"),
        ]
        for (index, row) in rows.enumerated() {
            table.add([
                .time(row.at), .text(row.movement?.balance.rawValue), .text(Self.right(changes[index], width.changes)),
                .text(Self.right(afters[index], width.afters)), .forms(row.texts),
            ])
        }
        let sums = balances.map { "\($0.id) \($0.amount)" }.joined(separator: ", ")
        let end = balances.isEmpty ? "There are no balances." : "Now: \(sums)."
        // The name of a balance may be longer than a line.
        let words = end.onOneLine.wrapped(to: columns).map { $0.abbreviated(to: columns ?? $0.columns) }
        return table.lines(style, width: columns) + [""] + words.map(style.bold)
    }

    private static func width(_ heading: String, _ cells: [String]) -> Int {
        cells.reduce(heading.count) { max($0, $1.count) }
    }

    /// Aligns a text to the right; an empty text stays empty.
    private static func right(_ text: String, _ width: Int) -> String {
        text.isEmpty ? "" : String(repeating: " ", count: width - text.count) + text
    }
}

extension BindingSubject {
    /// The kind and the name, such as `the purchase 1000`.
    fileprivate var words: String {
        switch self {
        case .chain: "the purchase \(name)"
        case .token: "the token \(name)"
        }
    }
}
