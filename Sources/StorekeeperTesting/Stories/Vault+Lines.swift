package import Storekeeper

extension TransactionalVault {
    /// Returns all readable data as ordered lines of text.
    ///
    /// Positions in the feed, hashes and versions are omitted, because they differ between vaults.
    package func linesWithoutPlaces() async throws -> [String] {
        func line(_ fact: StoredFact) -> String {
            "\(fact.customer?.rawValue ?? "nobody") \(fact.learnedAt) \(fact.fact.jws.compact)"
        }
        var lines = try await facts(after: .start, of: nil, limit: .max).map { "fact \(line($0))" }
        lines += try await entries(after: .start, of: nil, limit: .max).map { "entry \($0.textWithoutPlace)" }
        lines += try await events(after: .start, of: nil, limit: .max).map {
            "event \($0.customer) \($0.change)"
        }
        lines += try await allUnfinished().map { "unfinished \($0)" }
        lines += try await allParked().map { "parked \($0.reason) since \($0.since) \($0.fact.jws.compact)" }
        lines.append("wake \(try await nextWake() as Any)")
        for customer in try await customers(after: nil, limit: .max) {
            let record = try await load(customer)
            lines.append("customer \(customer) \(record.lastEntry.number)")
            lines.append("evaluated \(record.evaluatedThrough as Any) synced \(record.syncedAt as Any)")
            lines += record.facts.map { "own fact \(line($0))" }
            lines += record.balances.map { "balance \($0)" } + record.pending.map { "pending \($0)" }
            lines += record.adoptable.rows.map { "adoptable \($0.jws.compact)" }
            lines += try await bindings(of: customer).map { "binding \($0.subject) \($0.customer)" }
            lines += try await erasures(of: customer).map { "erased \($0.at) \($0.facts) \($0.entries)" }
        }
        return lines
    }
}

extension LedgerEntry {
    /// All members of the entry except its position in the feed.
    package var textWithoutPlace: String {
        Mirror(reflecting: placed(at: .start)).children.map { "\($0.value)" }.joined(separator: " ")
    }
}
