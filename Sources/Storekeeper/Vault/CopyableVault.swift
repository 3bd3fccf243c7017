/// A vault that can be copied into another, or be made of such a copy, with all that is not any customer's.
package protocol CopyableVault: TransactionalVault {
    /// How far each backend was read, by its name.
    func cursors() async throws(VaultError) -> [UpdateCursor.Backend: UpdateCursor]

    /// The marks that erased customers have left.
    func erasedMarks() async throws(VaultError) -> ErasedMarks

    /// How many erasures were written down.
    func erasureCount() async throws(VaultError) -> Int
}
