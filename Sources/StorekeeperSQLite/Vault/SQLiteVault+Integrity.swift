public import Storekeeper
import StorekeeperDurable

extension SQLiteVault {
    /// Checks that the file holds what was written: its structure and its schema, and every link of the chain that
    /// facts, bindings, entries and erasures form.
    ///
    /// Finds a fact, a binding or an entry that was changed, removed or put in, last links that were cut off, what was
    /// emptied without an erasure, an erasure that was changed or removed, a fact that does not belong to its columns,
    /// a chain noted with another's token, numbers that were never given, a trigger, view or table of other hands, and
    /// damaged pages. Whoever can write to the file and knows how can of course write a whole new chain: keep the head
    /// that the report tells elsewhere against that, and ask ``checkIntegrity(containing:)``.
    ///
    /// - Returns: How many links there are, the head, and the faults.
    public func checkIntegrity() async throws(VaultError) -> IntegrityReport { try await check(containing: nil) }

    /// The same, and checks that a link is still there whose hash was the head of the chain once.
    ///
    /// - Parameter head: As a report of this vault has told it.
    /// - Throws: ``/Storekeeper/VaultError`` with `invalidRequest` for what is no head.
    public func checkIntegrity(containing head: String) async throws(VaultError) -> IntegrityReport {
        guard let hash = [UInt8](hexadecimal: head), hash.count == 32 else {
            throw VaultError(.invalidRequest, "a head has 64 hexadecimal digits; give one that a report has told")
        }
        return try await check(containing: hash)
    }

    /// How many facts there are, taken in or parked, so that whoever goes through them can tell how far it is.
    package func factCount() async throws(VaultError) -> Int {
        try await read { tables throws(VaultError) in
            Int(clamping: try tables.session.first(Self.countFacts, { _ in }, { $0.int() }) ?? 0)
        }
    }

    private static let countFacts = Query("SELECT (SELECT count(*) FROM fact) + (SELECT count(*) FROM parked)")

    private func check(containing head: [UInt8]?) async throws(VaultError) -> IntegrityReport {
        let schema = try SchemaCheck(file: file)
        return try await read { tables throws(VaultError) in
            var check = IntegrityCheck(tables: tables, schema: schema, containing: head)
            return try check.run()
        }
    }
}
