import Synchronization

/// A vault that keeps everything in memory: for tests, for tools, and for servers that can ask the App Store again.
///
/// It obeys every law of ``Vault`` except that nothing outlives the process. A write takes time for what it touches,
/// however many customers there are.
///
/// ```swift
/// let vault = InMemoryVault()
/// let record = try await vault.load("anna")
/// ```
public final class InMemoryVault: TransactionalVault {
    /// The vault's rule for tokens.
    public let accountTokens: AccountTokenRule
    private let tables: Mutex<MemoryTables>

    /// Makes an empty vault.
    ///
    /// - Parameter accountTokens: What tokens say of whose purchases are.
    public init(accountTokens: AccountTokenRule = .asIDs) {
        self.accountTokens = accountTokens
        tables = Mutex(MemoryTables(accountTokens: accountTokens))
    }

    /// Runs a step that writes; when the body throws, all it wrote is undone.
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

    /// Runs a step that writes without leaving the thread.
    func writeNow<Outcome: Sendable>(
        _ body: @Sendable (inout MemoryTables) throws(VaultError) -> Outcome
    ) throws(VaultError) -> Outcome {
        try tables.withLock { tables throws(VaultError) in
            do throws(VaultError) {
                let outcome = try body(&tables)
                tables.keepStep()
                return outcome
            } catch {
                tables.undoStep()
                throw error
            }
        }
    }

    /// Runs a step that only reads without leaving the thread.
    func readNow<Outcome: Sendable>(
        _ body: @Sendable (borrowing MemoryTables) throws(VaultError) -> Outcome
    ) throws(VaultError) -> Outcome {
        try tables.withLock { tables throws(VaultError) in try body(tables) }
    }
}

extension InMemoryVault: CopyableVault {
    package var copying: (any CopyableVault)? { self }

    /// Returns how far each backend was read, by name.
    package func cursors() async throws(VaultError) -> [UpdateCursor.Backend: UpdateCursor] {
        try readNow { tables in tables.cursors.all }
    }

    /// Returns the marks of erased customers.
    package func erasedMarks() async throws(VaultError) -> ErasedMarks { try readNow { tables in tables.allMarks } }

    /// Returns the number of recorded erasures.
    package func erasureCount() async throws(VaultError) -> Int {
        try readNow { tables in tables.erasures.all.values.reduce(0) { $0 + $1.count } }
    }
}
