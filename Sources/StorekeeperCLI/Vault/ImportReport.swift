import Storekeeper

/// What became of evidence that was taken in.
struct ImportReport {
    /// Items of evidence; of an export its facts and entries.
    var items = 0
    /// Signed facts and entries that the vault did not have.
    var new = 0
    /// Those that it had.
    var known = 0
    /// Those that were put aside because they belong to another customer.
    var parked = 0
    private var conflicts: [BindingConflict] = []
    /// Customers of an export who were left out whole, because something of theirs belongs to another here.
    private var leftOut: [CustomerID] = []
    /// By how much balances moved.
    private var changes: [Balance.ID: Int64] = [:]
    /// Purchases that no balance can hold.
    private(set) var uncredited: [TransactionKey] = []
    /// Purchases that were credited to a customer who was erased since.
    private var creditedBefore: Set<Transaction.ID> = []
    var diagnostics: [Diagnostic] = []

    /// Whether something belongs to another customer.
    var hasConflicts: Bool { !conflicts.isEmpty }

    /// Adds what a store took in.
    ///
    /// - Parameter count: How many facts it was given; what could not be verified is none.
    mutating func add(_ report: IntakeReport, of count: Int) {
        new += report.new
        known += report.known
        // What was parked before is still parked.
        parked += max(0, count - report.new - report.known)
        conflicts += report.conflicts
        uncredited += report.uncredited.filter { !uncredited.contains($0) }
        creditedBefore.formUnion(report.creditedBefore.map(\.transactionID))
        for entry in report.entries { changes[entry.balance, default: 0] &+= entry.change }
    }

    /// Adds what was restored.
    mutating func add(_ receipt: RestoreReceipt, of archive: CustomerArchive) {
        items += archive.rows.count { $0.isItem } + archive.parked.count
        new += receipt.newFacts + receipt.newEntries
        known += receipt.knownFacts + receipt.knownEntries
        parked += receipt.parked
        conflicts += receipt.conflicts
        uncredited += receipt.uncredited
        creditedBefore.formUnion(receipt.creditedBefore.map(\.transactionID))
        if let customer = archive.customer, !receipt.conflicts.isEmpty { leftOut.append(customer) }
    }

    /// The conflicts, each once, by purchase.
    private var pairs: [(purchase: Transaction.ID, customer: CustomerID)] {
        var seen: Set<[String]> = []
        return conflicts.filter { seen.insert([$0.originalTransactionID.rawValue, $0.holder.rawValue]).inserted }
            .map { ($0.originalTransactionID, $0.holder) }
            .sorted { ($0.0.rawValue, $0.1.rawValue) < ($1.0.rawValue, $1.1.rawValue) }
    }

    /// What is to be said of purchases that are known and were not credited again.
    var creditedBeforeDiagnostics: [Diagnostic] {
        creditedBefore.map { id in
            Diagnostic(
                .warning, .creditedBefore, subject: id.rawValue,
                message: "transaction \(id) was credited to a customer who was erased since: it is known, and not "
                    + "credited again")
        }
    }

    /// The document.
    var json: JSONText {
        .object([
            "items": .whole(items), "new": .whole(new), "known": .whole(known), "parked": .whole(parked),
            "conflicts": .array(
                pairs.map { pair in
                    .object([
                        "originalTransactionID": .string(pair.purchase.rawValue),
                        "customer": .string(pair.customer.rawValue),
                    ])
                }),
            "diagnostics": .array(Diagnostic.sorted(diagnostics + creditedBeforeDiagnostics).map(\.json)),
        ])
    }

    /// The report for a person.
    func lines(_ style: TerminalStyle) -> [String] {
        var lines = ["\(items) item\(items == 1 ? "" : "s"): \(new) new, \(known) known, \(parked) parked."]
        if !changes.isEmpty {
            let moved = changes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value < 0 ? "" : "+")\($0.value)" }
            lines.append("Balances: \(moved.joined(separator: ", ")).".onOneLine)
        }
        for pair in pairs {
            lines.append(
                style.red("Purchase \(pair.purchase) belongs to \(pair.customer) and was not taken in.".onOneLine))
        }
        for customer in leftOut {
            lines.append(style.red("Nothing else of \(customer) in the export was taken in either.".onOneLine))
        }
        return lines
    }
}

extension CustomerArchive.Row {
    /// Whether it is evidence or an entry, and not whose something is.
    fileprivate var isItem: Bool {
        if case .binding = self { false } else { true }
    }
}
