/// A vault over a remote storage, by the same rules as every other.
///
/// Each step is loaded at once, carried out here over ``MemoryTables`` and written at once, together with the steps of
/// others that wait at the same time. A step that asks for more than its footprint foresaw is loaded again and run from
/// the start.
package final class RemoteVault<Storage: RemoteStorage>: TransactionalVault {
    /// The vault's rule for tokens.
    package let accountTokens: AccountTokenRule
    private let storage: Storage
    /// Steps of different queues never wait for each other; a customer's steps are in one.
    private let queues: [StepQueue<Storage>]
    private var queue: StepQueue<Storage> { queues[0] }

    /// Makes a vault over a storage.
    ///
    /// - Parameters:
    ///   - storage: Where the rows are.
    ///   - accountTokens: What tokens say of whose purchases are.
    ///   - groupLimit: How many steps are loaded and written together at most.
    ///   - queues: How many groups may be on their way at a time, each of customers of its own; at least one.
    ///   - makeID: Makes the name that is written with a group, each time another.
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
    /// Of an outcome that is one of the vault's own, or a list or result of such, the places are
    /// those of the storage.
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

    /// The queue of the customer whom a step is about.
    private func queue(for footprint: Footprint) -> StepQueue<Storage> {
        guard queues.count > 1, let customer = footprint.anyCustomer else { return queue }
        var hash = UInt64(14_695_981_039_346_656_037)
        for byte in customer.rawValue.utf8 { hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211 }
        return queues[Int(truncatingIfNeeded: (hash ^ (hash >> 32)) % UInt64(queues.count))]
    }

    /// All that is known of a customer; their facts are many, and need no tables here.
    package func load(_ customer: CustomerID) async throws(VaultError) -> CustomerRecord {
        try await queue.record(of: customer)
    }

    /// Gives a node the first customer who is due; whom that is about is known only when the wakes were read.
    package func leaseWake(_ lease: WakeLease, at now: Instant) async throws(VaultError) -> WakeTurn {
        try await storage.leaseWake(lease, at: now)
    }
}
