package import Storekeeper
import Synchronization

/// What goes wrong with the next calls of a ``FaultyVault``, or of several that share it.
package final class VaultFaults: Sendable {
    package struct Counts: Sendable {
        /// How many of the next writes fail, with nothing written.
        package var writes = 0
        /// How many of the next writes are done and then fail all the same.
        package var acknowledgements = 0
        /// How many of the next reads fail.
        package var reads = 0
    }

    private let state = Mutex(Counts())

    package init() {}

    /// What is yet to go wrong.
    package var counts: Counts {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    fileprivate func takes(_ path: any WritableKeyPath<Counts, Int> & Sendable) -> Bool {
        state.withLock { counts in
            guard counts[keyPath: path] > 0 else { return false }
            counts[keyPath: path] -= 1
            return true
        }
    }
}

/// A vault whose writes and reads fail when a test says so.
package final class FaultyVault<Inner: Vault>: Vault {
    package let inner: Inner
    package let faults: VaultFaults
    private let writes = Atomic<Int>(0)
    private let reads = Atomic<Int>(0)
    private let beforeRead: @Sendable (Int) async -> Void

    /// - Parameter beforeRead: What happens before each read, counted from 1.
    package init(
        _ inner: Inner, faults: VaultFaults = VaultFaults(),
        beforeRead: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        self.inner = inner
        self.faults = faults
        self.beforeRead = beforeRead
    }

    package var accountTokens: AccountTokenRule { inner.accountTokens }

    /// How many steps were asked to write.
    package var writeCount: Int { writes.load(ordering: .relaxed) }
    package func failWrites(_ count: Int = 1) { faults.counts.writes = count }
    package func failAcknowledgements(_ count: Int = 1) { faults.counts.acknowledgements = count }
    package func failReads(_ count: Int = 1) { faults.counts.reads = count }

    private static var error: VaultError { VaultError(.io, "the disk is gone") }

    private func writing<Value>(_ call: () async throws(VaultError) -> Value) async throws(VaultError) -> Value {
        writes.add(1, ordering: .relaxed)
        if faults.takes(\.writes) { throw Self.error }
        await Task.yield()
        let value = try await call()
        if faults.takes(\.acknowledgements) { throw Self.error }
        return value
    }

    private func reading<Value>(_ call: () async throws(VaultError) -> Value) async throws(VaultError) -> Value {
        if faults.takes(\.reads) { throw Self.error }
        await beforeRead(reads.add(1, ordering: .relaxed).newValue)
        await Task.yield()
        return try await call()
    }
}

// MARK: - Reads

extension FaultyVault {
    package func load(_ customer: CustomerID) async throws(VaultError) -> CustomerRecord {
        try await reading { () async throws(VaultError) in try await inner.load(customer) }
    }

    package func version(of customer: CustomerID) async throws(VaultError) -> (version: Int64, lastEntry: AccountEnd) {
        try await reading { () async throws(VaultError) in try await inner.version(of: customer) }
    }

    package func customers(after previous: CustomerID?, limit: Int) async throws(VaultError) -> [CustomerID] {
        try await reading { () async throws(VaultError) in try await inner.customers(after: previous, limit: limit) }
    }

    package func nextWake() async throws(VaultError) -> (customer: CustomerID, at: Instant)? {
        try await reading { () async throws(VaultError) in try await inner.nextWake() }
    }

    package func wasWritten(_ step: StepID) async throws(VaultError) -> Bool {
        try await reading { () async throws(VaultError) in try await inner.wasWritten(step) }
    }

    package func owners(of facts: [VerifiedFact]) async throws(VaultError) -> [CustomerID?] {
        try await reading { () async throws(VaultError) in try await inner.owners(of: facts) }
    }

    package func parked(after place: FeedPlace, limit: Int) async throws(VaultError) -> VaultPage<ParkedFact> {
        try await reading { () async throws(VaultError) in try await inner.parked(after: place, limit: limit) }
    }

    package func adoptable(
        by customer: CustomerID, after place: FeedPlace, limit: Int
    ) async throws(VaultError) -> VaultPage<VerifiedFact> {
        try await reading { () async throws(VaultError) in
            try await inner.adoptable(by: customer, after: place, limit: limit)
        }
    }

    package func holders(of subjects: [BindingSubject]) async throws(VaultError) -> [BindingSubject: CustomerID] {
        try await reading { () async throws(VaultError) in try await inner.holders(of: subjects) }
    }

    package func chains(originalID: Transaction.ID) async throws(VaultError) -> [ChainID] {
        try await reading { () async throws(VaultError) in try await inner.chains(originalID: originalID) }
    }

    package func bindings(of customer: CustomerID) async throws(VaultError) -> [Binding] {
        try await reading { () async throws(VaultError) in try await inner.bindings(of: customer) }
    }

    package func balances(of customer: CustomerID) async throws(VaultError) -> [Balance] {
        try await reading { () async throws(VaultError) in try await inner.balances(of: customer) }
    }

    package func entries(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) async throws(VaultError) -> [LedgerEntry] {
        try await reading { () async throws(VaultError) in
            try await inner.entries(after: place, of: customer, limit: limit)
        }
    }

    package func facts(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) async throws(VaultError) -> [StoredFact] {
        try await reading { () async throws(VaultError) in
            try await inner.facts(after: place, of: customer, limit: limit)
        }
    }

    package func events(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) async throws(VaultError) -> [StoreEvent] {
        try await reading { () async throws(VaultError) in
            try await inner.events(after: place, of: customer, limit: limit)
        }
    }

    package func unfinished(of customer: CustomerID) async throws(VaultError) -> [OutboxItem] {
        try await reading { () async throws(VaultError) in try await inner.unfinished(of: customer) }
    }

    package func customersOwed(after previous: CustomerID?, limit: Int) async throws(VaultError) -> [CustomerID] {
        try await reading { () async throws(VaultError) in
            try await inner.customersOwed(after: previous, limit: limit)
        }
    }

    package func seenNotifications(among uuids: [ServerNotification.ID]) async throws(VaultError) -> Set<
        ServerNotification.ID
    > {
        try await reading { () async throws(VaultError) in try await inner.seenNotifications(among: uuids) }
    }

    package func cursor(of backend: String) async throws(VaultError) -> UpdateCursor? {
        try await reading { () async throws(VaultError) in try await inner.cursor(of: backend) }
    }

    package func erasures(of customer: CustomerID) async throws(VaultError) -> [Erasure] {
        try await reading { () async throws(VaultError) in try await inner.erasures(of: customer) }
    }

    package func checkIntegrity() async throws(VaultError) -> IntegrityReport { try await inner.checkIntegrity() }

    package func checkIntegrity(containing head: String) async throws(VaultError) -> IntegrityReport {
        try await inner.checkIntegrity(containing: head)
    }
}

// MARK: - Writes

extension FaultyVault {
    package func leaseWake(_ lease: WakeLease, at now: Instant) async throws(VaultError) -> WakeTurn {
        try await writing { () async throws(VaultError) in try await inner.leaseWake(lease, at: now) }
    }

    package func commit(_ batch: CommitBatch) async throws(VaultError) -> CommitOutcome {
        try await writing { () async throws(VaultError) in try await inner.commit(batch) }
    }

    package func claim(
        _ subject: BindingSubject, for customer: CustomerID, at instant: Instant
    ) async throws(VaultError) -> CustomerID? {
        try await writing { () async throws(VaultError) in try await inner.claim(subject, for: customer, at: instant) }
    }

    package func move(
        _ requests: [LedgerRequest], policy: RefundPolicy
    ) async throws(VaultError) -> [Result<LedgerReceipt, LedgerRefusal>] {
        try await writing { () async throws(VaultError) in try await inner.move(requests, policy: policy) }
    }

    package func markDelivery(of key: TransactionKey, as state: OutboxItem.State?) async throws(VaultError) {
        try await writing { () async throws(VaultError) in try await inner.markDelivery(of: key, as: state) }
    }

    package func setCursor(_ cursor: UpdateCursor, of backend: String) async throws(VaultError) {
        try await writing { () async throws(VaultError) in try await inner.setCursor(cursor, of: backend) }
    }

    package func erase(
        _ customer: CustomerID, reason: String, at instant: Instant
    ) async throws(VaultError) -> Erasure {
        try await writing { () async throws(VaultError) in
            try await inner.erase(customer, reason: reason, at: instant)
        }
    }
}

extension FaultyVault: SteppedVault where Inner: SteppedVault {
    package var findsStrays: Bool { inner.findsStrays }

    package func write<Outcome: Sendable>(
        _ body: @escaping @Sendable (inout Inner.Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        try await writing { () async throws(VaultError) in try await inner.write(body) }
    }

    package func read<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Inner.Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        try await reading { () async throws(VaultError) in try await inner.read(body) }
    }
}
