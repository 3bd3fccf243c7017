public import Storekeeper
import StorekeeperDurable

extension SQLiteVault {
    /// Checks that the file contains exactly the data that this library wrote.
    ///
    /// The check covers the structure and the schema of the file, and every link of the hash chain that facts,
    /// bindings, entries and erasures form.
    ///
    /// The check finds facts, bindings and entries that were changed, removed or inserted, and links that were removed
    /// at the end of the chain. It finds rows that were emptied without an erasure, and erasures that were changed or
    /// removed. It also finds facts that do not match their columns, chains that are stored with a token of another
    /// chain, numbers that were never assigned, foreign triggers, views and tables, and damaged pages.
    ///
    /// An attacker who can write to the file can write a whole new hash chain. To detect such an attack, store the
    /// report's head elsewhere and pass it to a later check.
    ///
    /// - Parameter head: A head from an earlier report of this vault, which must still be in the hash chain; `nil`
    ///   omits this check.
    /// - Returns: The number of links, the head, and the faults.
    /// - Throws: ``/Storekeeper/VaultError`` with `invalidRequest` if the text is not a head.
    public func checkIntegrity(containing head: String?) async throws(VaultError) -> IntegrityReport {
        let hash = try IntegrityReport.bytes(ofHead: head)
        let schema = try SchemaCheck(file: file)
        return try await read { tables throws(VaultError) in
            var check = IntegrityCheck(tables: tables, schema: schema, containing: hash)
            return try check.run()
        }
    }

    /// Returns the number of facts, including parked facts, for showing progress.
    package func factCount() async throws(VaultError) -> Int {
        try await read { tables throws(VaultError) in
            Int(clamping: try tables.connection.first(Self.countFacts, { _ in }, { $0.int() }) ?? 0)
        }
    }

    private static let countFacts = Statement("SELECT (SELECT count(*) FROM fact) + (SELECT count(*) FROM parked)")
}
