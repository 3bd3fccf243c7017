/// A vault that can be the source or the target of a ``VaultCopy``.
///
/// A copy also includes data that does not belong to a customer, such as the cursors of backends.
package protocol CopyableVault: TransactionalVault {
    /// Returns the position up to which each backend's stream was read, by the backend's name.
    func cursors() async throws(VaultError) -> [UpdateCursor.Backend: UpdateCursor]

    /// Returns the marks of erased customers.
    func erasedMarks() async throws(VaultError) -> ErasedMarks

    /// Returns the number of recorded erasures.
    func erasureCount() async throws(VaultError) -> Int
}

extension CopyableVault where Tables: Rows {
    /// Returns the position up to which each backend's stream was read, by the backend's name.
    package func cursors() async throws(VaultError) -> [UpdateCursor.Backend: UpdateCursor] {
        let list = VaultList.rows(CursorRow.table, after: .start, of: nil, limit: .max)
        let rows = try await read(Footprint(list: list)) { tables throws(VaultError) in
            try tables.all(of: CursorRow.self)
        }
        return Dictionary(rows.map { ($0.backend, $0.cursor) }) { first, _ in first }
    }
}
