/// A vault whose rows are in a remote storage; it has the same rules as every other vault.
///
/// A step's rows are loaded together, the step runs in this process on ``MemoryTables``, and its changes are written
/// together with the changes of other waiting steps. A step that reads rows outside of its footprint runs again from
/// the start after these rows are loaded.
package final class RemoteVault<Storage: RemoteStorage>: TransactionalVault {
    /// The vault's rule for tokens.
    package let accountTokens: AccountTokenRule
    private let storage: Storage
    /// The queues of steps.
    ///
    /// Steps of different queues never wait for each other. All steps of a customer are in the same queue.
    private let queues: [StepQueue<Storage>]
    private var queue: StepQueue<Storage> { queues[0] }

    /// Creates a vault whose rows are in a storage.
    ///
    /// - Parameters:
    ///   - storage: The storage of the rows.
    ///   - accountTokens: The rule by which account tokens determine the owner of a purchase.
    ///   - groupLimit: The maximum number of steps that are loaded and written together.
    ///   - queues: The number of concurrent groups, each with separate customers; at least one.
    ///   - makeID: The closure that creates the id that is written with a group.
    package init(
        _ storage: Storage, accountTokens: AccountTokenRule = .asIDs, groupLimit: Int = 256,
        queues: Int = 1,
        makeID: @escaping @Sendable () -> StepID = {
            var random = SystemRandomNumberGenerator()
            return StepID(using: &random)
        }
    ) {
        self.storage = storage
        self.accountTokens = accountTokens
        self.queues = (0..<max(1, queues)).map { _ in
            StepQueue(storage, accountTokens: accountTokens, groupLimit: groupLimit, makeID: makeID)
        }
    }

    package var listsInSteps: Bool { false }

    /// Runs a step that writes.
    ///
    /// If the outcome is a ``PlacedOutcome``, or an array or `Result` of such outcomes, it contains the final places of
    /// the rows in the storage.
    package func write<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (inout MemoryTables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        let step = RemoteStep(footprint(), body)
        await queue(for: step.footprint).perform(step)
        return try step.outcome
    }

    /// Runs a step that only reads.
    package func read<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (borrowing MemoryTables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        try await queue.read(footprint(), body)
    }

    /// Returns the queue of the customer that a step is about.
    private func queue(for footprint: Footprint) -> StepQueue<Storage> {
        guard queues.count > 1, let customer = footprint.anyCustomer else { return queue }
        var hash = UInt64(14_695_981_039_346_656_037)
        for byte in customer.rawValue.utf8 { hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211 }
        return queues[Int(truncatingIfNeeded: (hash ^ (hash >> 32)) % UInt64(queues.count))]
    }

    /// Returns the record of a customer; the facts, which may be many, are not put into tables.
    package func load(_ customer: CustomerID) async throws(VaultError) -> CustomerRecord {
        try await queue.record(of: customer)
    }

    /// Leases to a node the first customer whose wake-up time has passed and who is not leased to another node.
    package func leaseWake(_ lease: WakeLease, at now: Instant) async throws(VaultError) -> WakeDecision {
        try await storage.leaseWake(lease, at: now)
    }
}
