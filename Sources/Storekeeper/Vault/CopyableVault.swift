/// A vault that can be copied into another, or be made of such a copy, with all that is not any customer's.
package protocol CopyableVault: TransactionalVault {
    /// Returns how far each backend was read, by name.
    func cursors() async throws(VaultError) -> [UpdateCursor.Backend: UpdateCursor]

    /// Returns the marks of erased customers.
    func erasedMarks() async throws(VaultError) -> ErasedMarks

    /// Returns the number of recorded erasures.
    func erasureCount() async throws(VaultError) -> Int
}
