package import Storekeeper

extension SQLiteVault: CopyableVault {
    package var copying: (any CopyableVault)? { self }

    /// Returns the marks of erased customers.
    package func erasedMarks() async throws(VaultError) -> ErasedMarks {
        try await read { tables throws(VaultError) in try tables.allMarks() }
    }

    /// Returns the number of recorded erasures.
    package func erasureCount() async throws(VaultError) -> Int {
        try await read { tables throws(VaultError) in try tables.erasureRows().count }
    }
}
