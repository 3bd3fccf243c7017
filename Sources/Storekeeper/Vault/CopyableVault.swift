/// A vault that can be copied into another, or be the target of a copy, including data that belongs to no customer.
package protocol CopyableVault: TransactionalVault {
    /// Returns how far each backend was read, by name.
    func cursors() async throws(VaultError) -> [UpdateCursor.Backend: UpdateCursor]

    /// Returns the marks of erased customers.
    func erasedMarks() async throws(VaultError) -> ErasedMarks

    /// Returns the number of recorded erasures.
    func erasureCount() async throws(VaultError) -> Int
}
