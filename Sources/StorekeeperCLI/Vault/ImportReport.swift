import Storekeeper

/// The result of an import.
struct ImportReport {
    /// The number of items of evidence, or of facts and entries of an export.
    var items = 0
    /// The number of signed facts and entries that are new to the vault.
    var new = 0
    /// The number of facts and entries that the vault already had.
    var known = 0
    /// The number of facts that were parked because they belong to another customer.
    var parked = 0
    private var conflicts: [BindingConflict] = []
    /// The purchases of which the owner has adopted a new copy.
    private var adopted: Set<Transaction.ID> = []
    /// The customers of an export that were skipped because one of their purchases belongs to another customer in this
    /// vault.
    private var omitted: [CustomerID] = []
    /// The sum of the changes of each balance.
    private var changes: [Balance.ID: Int64] = [:]
    /// The purchases that were not credited because they would overflow a balance.
    private(set) var uncredited: [TransactionKey] = []
    /// The purchases that were credited earlier to a customer who has been erased since.
    private var creditedBefore: Set<Transaction.ID> = []
    var diagnostics: [Diagnostic] = []

    /// Whether a purchase belongs to another customer.
    var hasConflicts: Bool { !conflicts.isEmpty }

    /// Adds the report of a store.
    ///
    /// - Parameter count: The number of verified facts that were given to the store.
    mutating func add(_ report: IngestReport, of count: Int) {
        new += report.new
        known += report.known
        // Facts that are neither new nor known were parked, now or by an earlier import.
        parked += max(0, count - report.new - report.known)
        conflicts += report.conflicts
        uncredited += report.uncredited.filter { !uncredited.contains($0) }
        creditedBefore.formUnion(report.creditedBefore.map(\.transactionID))
        for entry in report.entries where entry.kind.movesBalance {
            changes[entry.balance, default: 0] &+= entry.change
        }
    }

    /// Counts a fact that ``add(_:of:)`` has counted as parked, and that its owner has adopted since.
    ///
    /// - Parameter isNew: Whether the vault did not have the fact before.
    mutating func addAdopted(_ fact: VerifiedFact, isNew: Bool) {
        guard parked > 0 else { return }
        parked -= 1
        if isNew {
            new += 1
            adopted.insert(fact.originalID)
        } else {
            known += 1
        }
    }

    /// Adds a restored customer.
    mutating func add(_ receipt: RestoreReceipt, of archive: CustomerArchive) {
        items += archive.rows.count { $0.isItem } + archive.parked.count
        new += receipt.newFacts + receipt.newEntries
        known += receipt.knownFacts + receipt.knownEntries
        parked += receipt.parked
        conflicts += receipt.conflicts
        uncredited += receipt.uncredited
        creditedBefore.formUnion(receipt.creditedBefore.map(\.transactionID))
        if let customer = archive.customer, !receipt.conflicts.isEmpty { omitted.append(customer) }
    }

    /// The conflicts, one for each purchase and the customer who owns it.
    private var foreignPurchases: [BindingConflict] {
        var seen: Set<[String]> = []
        return conflicts.filter { seen.insert([$0.originalTransactionID.rawValue, $0.holder.rawValue]).inserted }
            .sorted {
                ($0.originalTransactionID.rawValue, $0.holder.rawValue)
                    < ($1.originalTransactionID.rawValue, $1.holder.rawValue)
            }
    }

    /// The diagnostics about purchases that were not credited again, because an erased customer had received the
    /// credit.
    var creditedBeforeDiagnostics: [Diagnostic] {
        creditedBefore.map { id in
            Diagnostic(
                .creditedBefore, subject: id.rawValue,
                message: "transaction \(id) was credited before to a customer who was erased: it is known, and not "
                    + "credited again")
        }
    }

    /// The JSON document.
    var json: JSONText {
        .object([
            "items": .whole(items), "new": .whole(new), "known": .whole(known), "parked": .whole(parked),
            "conflicts": .array(foreignPurchases.map(\.json)),
            "diagnostics": .array(Diagnostic.sorted(diagnostics + creditedBeforeDiagnostics).map(\.json)),
        ])
    }

    /// The maximum number of conflicts that the text lists.
    private static let listedConflicts = 10

    /// Returns the report as text.
    func lines(_ style: TerminalStyle) -> [String] {
        var lines = ["\(items.of("item")): \(new) new, \(known) known, \(parked) parked."]
        if !changes.isEmpty {
            let moved = changes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value < 0 ? "" : "+")\($0.value)" }
            lines.append("Balances: \(moved.joined(separator: ", ")).".onOneLine)
        }
        let conflicts = foreignPurchases
        for conflict in conflicts.prefix(Self.listedConflicts) {
            let purchase = conflict.originalTransactionID
            let outcome = adopted.contains(purchase) ? ", where its new evidence counts" : " and was not imported"
            lines.append(style.red("Purchase \(purchase) belongs to \(conflict.holder)\(outcome).".onOneLine))
        }
        if conflicts.count > Self.listedConflicts {
            lines.append(style.red("\(conflicts.count - Self.listedConflicts) more; --format json lists all"))
        }
        for customer in omitted {
            lines.append(style.red("Nothing else of \(customer) was imported either.".onOneLine))
        }
        return lines
    }
}

extension CustomerArchive.Row {
    /// Whether the row is a fact or an entry instead of a binding.
    fileprivate var isItem: Bool {
        if case .binding = self { false } else { true }
    }
}
