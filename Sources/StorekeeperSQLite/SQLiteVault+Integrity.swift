public import Storekeeper

extension SQLiteVault {
    /// Checks that the file holds what was written: its structure, and every link of the chain of entries.
    ///
    /// Finds an entry that was changed, removed or put in, last entries that were cut off, an entry that was emptied
    /// without an erasure, an erasure that was changed or removed, a fact that does not belong to its columns, and
    /// damaged pages. Whoever can write to the file and knows how can of course write a whole new chain: keep
    /// the last hash, which every backup holds, elsewhere against that.
    ///
    /// - Returns: How many links there are, and the faults.
    public func checkIntegrity() async throws(VaultError) -> IntegrityReport {
        try await read { tables throws(VaultError) in
            var check = IntegrityCheck(tables: tables)
            return try check.run()
        }
    }
}
