package import Storekeeper
import Synchronization

/// The planned faults of the next calls of a ``FaultyVault``.
///
/// Several vaults may share the same faults.
package final class VaultFaults: Sendable {
    package struct Counts: Sendable {
        /// The number of writes that fail without writing, after ``sparedWrites`` writes that do not fail.
        package var writes = 0
        /// The number of next writes that do not fail.
        package var sparedWrites = 0
        /// The number of next calls that write successfully, but then fail as if the acknowledgement was lost.
        package var acknowledgements = 0
        /// The number of next reads that fail.
        package var reads = 0
        /// The number of commits of other processes that the vault reports; `nil` for the real number.
        package var foreignCommits: Int64?
    }

    private let state = Mutex(Counts())

    package init() {}

    /// The numbers of faults that are still planned.
    package var counts: Counts {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    fileprivate func consume(_ path: any WritableKeyPath<Counts, Int> & Sendable) -> Bool {
        state.withLock { counts in
            guard counts[keyPath: path] > 0 else { return false }
            counts[keyPath: path] -= 1
            return true
        }
    }
}

/// A vault whose writes and reads fail on request.
package final class FaultyVault<Inner: TransactionalVault>: TransactionalVault {
    package let inner: Inner
    package let faults: VaultFaults
    private let writes = Atomic<Int>(0)
    private let reads = Atomic<Int>(0)
    private let beforeRead: @Sendable (Int) async -> Void

    /// Creates a vault that passes each call to another vault, unless a fault is planned for the call.
    ///
    /// - Parameter beforeRead: A closure that runs before each read. The closure's argument is the number of the read,
    ///   counted from 1.
    package init(
        _ inner: Inner, faults: VaultFaults = VaultFaults(),
        beforeRead: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        self.inner = inner
        self.faults = faults
        self.beforeRead = beforeRead
    }

    package var accountTokens: AccountTokenRule { inner.accountTokens }

    /// The number of write steps that were requested.
    package var writeCount: Int { writes.load(ordering: .relaxed) }
    package func failWrites(_ count: Int = 1, after spared: Int = 0) {
        (faults.counts.writes, faults.counts.sparedWrites) = (count, spared)
    }
    package func failAcknowledgements(_ count: Int = 1) { faults.counts.acknowledgements = count }
    package func failReads(_ count: Int = 1) { faults.counts.reads = count }

    private static var error: VaultError { VaultError(.io, "the disk is gone") }

    private func writing<Value>(_ call: () async throws(VaultError) -> Value) async throws(VaultError) -> Value {
        writes.add(1, ordering: .relaxed)
        if !faults.consume(\.sparedWrites), faults.consume(\.writes) { throw Self.error }
        await Task.yield()
        let value = try await call()
        if faults.consume(\.acknowledgements) { throw Self.error }
        return value
    }

    private func reading<Value>(_ call: () async throws(VaultError) -> Value) async throws(VaultError) -> Value {
        if faults.consume(\.reads) { throw Self.error }
        await beforeRead(reads.add(1, ordering: .relaxed).newValue)
        await Task.yield()
        return try await call()
    }
}

extension FaultyVault {
    package var listsInSteps: Bool { inner.listsInSteps }
    package var findsStrays: Bool { inner.findsStrays }
    package var sharing: (any SharedVault)? { inner.sharing }
    package var foreignCommits: Int64? { faults.counts.foreignCommits ?? inner.foreignCommits }
    package var feedEpoch: String? { inner.feedEpoch }

    package func write<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (inout Inner.Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        let rows = footprint()
        return try await writing { () async throws(VaultError) in try await inner.write(rows, body) }
    }

    package func read<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (borrowing Inner.Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        let rows = footprint()
        return try await reading { () async throws(VaultError) in try await inner.read(rows, body) }
    }

    package func wasWritten(_ step: StepID) async throws(VaultError) -> Bool {
        try await reading { () async throws(VaultError) in try await inner.wasWritten(step) }
    }

    package func checkIntegrity(containing head: String?) async throws(VaultError) -> IntegrityReport {
        try await inner.checkIntegrity(containing: head)
    }
}
