/// A vault whose calls are steps over tables, as all of Storekeeper's own are.
///
/// The law of a step: nobody changes what it reads or writes until it is written.
package protocol TransactionalVault: Vault {
    /// The tables, as they are inside a step.
    associatedtype Tables: VaultTables

    /// Whether one step can list the rows of all customers. A remote vault lists them only outside of its steps.
    var listsInSteps: Bool { get }

    /// Whether ``Vault/checkIntegrity(containing:)`` finds rows of customers who are not there, in one state of the
    /// tables: a caller who reads a part at a time cannot tell them from those of somebody who was erased meanwhile.
    var findsStrays: Bool { get }

    /// The vault, if several processes share it and hear of each other; otherwise `nil`.
    var sharing: (any SharedVault)? { get }

    /// The vault, if it can be copied into another; otherwise `nil`.
    var copying: (any CopyableVault)? { get }

    /// Runs a step that writes.
    ///
    /// Nobody changes what this step reads or writes until it is written, in no other process either; steps about other
    /// rows may run alongside it. When the body returns, what it wrote is made durable before this call returns; when it
    /// throws, nothing of it stays. Several waiting steps may share one durable write, if each is undone alone when
    /// it throws.
    ///
    /// - Parameters:
    ///   - footprint: What the step will probably read; a remote vault loads it ahead, a local one does not ask for it.
    ///   - body: The step. It may be run again, from the start, when what it wrote was undone.
    func write<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (inout Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome

    /// Runs a step that only reads, and sees one state of the tables; the body may be run again, from the start.
    func read<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (borrowing Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome

    /// Runs a step that reads little, as ``read(_:_:)`` does; steps that wait at the same time may see the same state.
    func readShortly<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (borrowing Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome
}

extension TransactionalVault {
    package var listsInSteps: Bool { true }
    package var findsStrays: Bool { false }
    package var sharing: (any SharedVault)? { nil }
    package var copying: (any CopyableVault)? { nil }

    package func readShortly<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (borrowing Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        try await read(footprint(), body)
    }

    /// Runs a step that writes and whose rows are not known ahead.
    package func write<Outcome: Sendable>(
        _ body: @escaping @Sendable (inout Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        try await write([], body)
    }

    /// Runs a step that only reads and whose rows are not known ahead.
    package func read<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        try await read([], body)
    }

    /// Returns whether the vault has data of a customer, parked evidence included.
    package func knows(_ customer: CustomerID) async throws(VaultError) -> Bool {
        try await read { tables throws(VaultError) in
            try VaultRules.knows(customer, in: tables)
        }
    }
}

extension Vault {
    /// Checks what only the vault itself can, without looking for an earlier link.
    public func checkIntegrity() async throws(VaultError) -> IntegrityReport {
        try await checkIntegrity(containing: nil)
    }
}

/// What a vault can do besides the calls of ``Vault``.
///
/// Only Storekeeper's own vaults make it. A vault that wraps one of them returns the value of the vault that it wraps, so
/// that nothing is lost: an audit reads each customer at one moment, and nodes that share a database hear of each other.
public struct VaultFeatures: Sendable {
    /// The vault whose steps can be run.
    package let vault: any TransactionalVault

    /// Makes the features of a vault.
    package init(of vault: any TransactionalVault) { self.vault = vault }
}
