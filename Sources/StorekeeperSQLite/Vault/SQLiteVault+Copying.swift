package import Storekeeper

extension SQLiteVault: CopyableVault {
    package var copying: (any CopyableVault)? { self }

    private static let allCursors = Statement("SELECT backend, position FROM cursor")

    /// Returns, by backend name, the cursor up to which the updates of each backend were read.
    package func cursors() async throws(VaultError) -> [UpdateCursor.Backend: UpdateCursor] {
        try await read { tables throws(VaultError) in
            let rows = try tables.connection.all(Self.allCursors) { _ in
            } _: { row in
                (UpdateCursor.Backend(row.text()), UpdateCursor(rawValue: row.text()))
            }
            return Dictionary(rows) { first, _ in first }
        }
    }

    /// Returns the marks of erased customers.
    package func erasedMarks() async throws(VaultError) -> ErasedMarks {
        try await read { tables throws(VaultError) in try tables.allMarks() }
    }

    /// Returns the number of recorded erasures.
    package func erasureCount() async throws(VaultError) -> Int {
        try await read { tables throws(VaultError) in try tables.erasureRows().count }
    }
}
