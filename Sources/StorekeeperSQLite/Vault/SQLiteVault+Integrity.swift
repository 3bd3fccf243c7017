public import Storekeeper
import StorekeeperDurable

extension SQLiteVault {
    /// Checks that the file holds what was written: its structure and its schema, and every link of the chain that
    /// facts, bindings, entries and erasures form.
    ///
    /// Finds a fact, a binding or an entry that was changed, removed or inserted, removed links at the end, rows
    /// emptied without an erasure, an erasure that was changed or removed, a fact that does not match its columns, a
    /// chain stored with another's token, numbers that were never assigned, a foreign trigger, view or table, and
    /// damaged pages. An attacker who can write to the file can write a whole new chain: to detect that, store the
    /// report's head elsewhere and pass it to a later check.
    ///
    /// - Parameter head: A head from an earlier report of this vault, which must still be in the chain; `nil`
    ///   asks for none.
    /// - Returns: How many links there are, the head, and the faults.
    /// - Throws: ``/Storekeeper/VaultError`` with `invalidRequest` for a text that is not a head.
    public func checkIntegrity(containing head: String?) async throws(VaultError) -> IntegrityReport {
        let hash = try IntegrityReport.bytes(ofHead: head)
        let schema = try SchemaCheck(file: file)
        return try await read { tables throws(VaultError) in
            var check = IntegrityCheck(tables: tables, schema: schema, containing: hash)
            return try check.run()
        }
    }

    /// Returns the number of facts, parked ones included, for showing progress.
    package func factCount() async throws(VaultError) -> Int {
        try await read { tables throws(VaultError) in
            Int(clamping: try tables.connection.first(Self.countFacts, { _ in }, { $0.int() }) ?? 0)
        }
    }

    private static let countFacts = Statement("SELECT (SELECT count(*) FROM fact) + (SELECT count(*) FROM parked)")
}
