/// A vault whose calls are atomic steps that read and write tables, like all of Storekeeper's vaults.
///
/// Steps are isolated: the rows that a step reads or writes do not change until the step is written.
package protocol TransactionalVault: Vault {
    /// The type of the tables that a step reads and writes.
    associatedtype Tables: VaultTables

    /// Whether one step can list the rows of all customers; a remote vault lists these rows only outside of its steps.
    var listsInSteps: Bool { get }

    /// Whether ``Vault/checkIntegrity(containing:)`` reports rows without a customer; the check must then read one
    /// state of all tables.
    ///
    /// A caller that reads the tables in several steps cannot tell whether such rows belong to a customer who was
    /// erased between the steps.
    var findsStrays: Bool { get }

    /// This vault, if several processes share it and notify each other; otherwise `nil`.
    var sharing: (any SharedVault)? { get }

    /// A number that grows when another process has committed, read from the storage now; negative if the vault cannot
    /// tell now, and `nil` if it does not notice such commits, or reports them by itself (``sharing``).
    var foreignCommits: Int64? { get }

    /// The epoch of the feed, read from the storage when it was last opened or connected; `nil` if the places of the feed
    /// never go back.
    ///
    /// If a database server is replaced by one that lacks the last commits, places are assigned again, to other rows. A
    /// place is therefore valid only in its epoch.
    var feedEpoch: String? { get }

    /// The number of database connections in use, and of sessions that wait for one; `nil` without a database server.
    var connectionUse: (busy: Int, waiting: Int)? { get }

    /// This vault, if it can be copied into another vault; otherwise `nil`.
    var copying: (any CopyableVault)? { get }

    /// This vault, if it stores the progress of webhooks; otherwise `nil`.
    var webhooks: (any WebhookVault)? { get }

    /// Runs a step that writes.
    ///
    /// The rows that this step reads or writes do not change until the step is written, not even by other processes.
    /// Steps about other rows may run concurrently. If the body returns, its writes are durable when this call returns.
    /// If the body throws, its writes are undone. Several waiting steps may share one durable write, if each step can
    /// be undone separately.
    ///
    /// - Parameters:
    ///   - footprint: The rows that the step will probably read. A remote vault loads these rows first; a local vault
    ///     ignores the footprint.
    ///   - body: The step. It may run again, from the start, after its writes were undone.
    func write<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (inout Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome

    /// Runs a step that only reads, on a snapshot of the tables; the body may run again, from the start.
    func read<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (borrowing Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome

    /// Runs a short read-only step, like ``read(_:_:)``; concurrent short steps may share a snapshot of the tables.
    func readShortly<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (borrowing Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome
}

extension TransactionalVault {
    package var listsInSteps: Bool { true }
    package var findsStrays: Bool { false }
    package var sharing: (any SharedVault)? { nil }
    package var foreignCommits: Int64? { nil }
    package var feedEpoch: String? { nil }
    package var connectionUse: (busy: Int, waiting: Int)? { nil }
    package var copying: (any CopyableVault)? { nil }
    package var webhooks: (any WebhookVault)? { nil }

    package func readShortly<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (borrowing Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        try await read(footprint(), body)
    }

    /// Runs a step that writes, without a footprint.
    package func write<Outcome: Sendable>(
        _ body: @escaping @Sendable (inout Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        try await write([], body)
    }

    /// Runs a step that only reads, without a footprint.
    package func read<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        try await read([], body)
    }

    /// Returns whether the vault has data of a customer, including parked evidence.
    package func containsCustomer(_ customer: CustomerID) async throws(VaultError) -> Bool {
        try await read { tables throws(VaultError) in
            try VaultRules.containsCustomer(customer, in: tables)
        }
    }
}

extension Vault {
    /// Checks that the stored rows are the rows that the vault wrote, without the head of an earlier report.
    public func checkIntegrity() async throws(VaultError) -> IntegrityReport {
        try await checkIntegrity(containing: nil)
    }
}

/// The capabilities of a vault that are not calls of ``Vault``.
///
/// Only Storekeeper's vaults create this value. A vault that wraps another vault returns the value of the wrapped
/// vault, so that no capability is lost: for example, an audit reads each customer in one step, and nodes that share a
/// database notify each other. Webhooks are an exception, because their state is written directly to the wrapped vault,
/// and not through the wrapper. A wrapper that makes a vault durable must therefore return ``withoutWebhooks``, unless
/// the wrapped vault is durable without the wrapper.
public struct VaultFeatures: Sendable {
    /// The vault, as a type that can run steps.
    package let vault: any TransactionalVault
    /// This vault, if it stores the progress of webhooks; otherwise `nil`.
    package let webhooks: (any WebhookVault)?

    /// Creates the features of a vault.
    package init(of vault: any TransactionalVault) { self.init(vault: vault, webhooks: vault.webhooks) }

    private init(vault: any TransactionalVault, webhooks: (any WebhookVault)?) {
        (self.vault, self.webhooks) = (vault, webhooks)
    }

    /// The same features without webhooks: the service reports that the vault does not support webhooks, and does not
    /// post events.
    public var withoutWebhooks: VaultFeatures { VaultFeatures(vault: vault, webhooks: nil) }
}
