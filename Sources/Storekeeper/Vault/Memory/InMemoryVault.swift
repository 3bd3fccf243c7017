import Synchronization

/// A vault that stores everything in memory: for tests, for tools, and for servers that can ask the App Store again.
///
/// The vault obeys every law of ``Vault`` except that its data does not survive the end of the process. The duration of
/// a write depends only on the rows that it changes, not on the number of customers.
///
/// ```swift
/// let vault = InMemoryVault()
/// let record = try await vault.load("anna")
/// ```
public final class InMemoryVault: TransactionalVault {
    /// The vault's rule for tokens.
    public let accountTokens: AccountTokenRule
    private let tables: Mutex<MemoryTables>

    /// Creates an empty vault.
    ///
    /// - Parameter accountTokens: The rule by which account tokens determine the owner of a purchase.
    public init(accountTokens: AccountTokenRule = .asIDs) {
        self.accountTokens = accountTokens
        tables = Mutex(MemoryTables(accountTokens: accountTokens))
    }

    /// Runs a step that writes; if the body throws, its writes are undone.
    package func write<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (inout MemoryTables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        try writeNow(body)
    }

    /// Runs a step that only reads.
    package func read<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (borrowing MemoryTables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        try readNow(body)
    }

    /// Runs a step that writes, synchronously.
    func writeNow<Outcome: Sendable>(
        _ body: @Sendable (inout MemoryTables) throws(VaultError) -> Outcome
    ) throws(VaultError) -> Outcome {
        try tables.withLock { tables throws(VaultError) in
            do throws(VaultError) {
                let outcome = try body(&tables)
                tables.commitStep()
                return outcome
            } catch {
                tables.rollBackStep()
                throw error
            }
        }
    }

    /// Runs a step that only reads, synchronously.
    func readNow<Outcome: Sendable>(
        _ body: @Sendable (borrowing MemoryTables) throws(VaultError) -> Outcome
    ) throws(VaultError) -> Outcome {
        try tables.withLock { tables throws(VaultError) in try body(tables) }
    }
}

extension InMemoryVault: CopyableVault {
    package var copying: (any CopyableVault)? { self }

    /// Returns the marks of erased customers.
    package func erasedMarks() async throws(VaultError) -> ErasedMarks { try readNow { tables in tables.allMarks } }

    /// Returns the number of recorded erasures.
    package func erasureCount() async throws(VaultError) -> Int {
        try readNow { tables in tables.rows.erasures.values.reduce(0) { $0 + $1.count } }
    }
}
