@testable import Storekeeper

/// A storage over tables in memory that delays and counts its answers.
actor DelayedStorage: RemoteStorage {
    /// How the storage makes steps atomic.
    enum Law: Sendable, CaseIterable {
        /// Only one session writes at a time, and other sessions that write wait.
        case locks
        /// If another session has written since the start of a step, the step starts again.
        case versions
    }

    /// The number of loads and writes.
    struct Traffic: Equatable, Sendable {
        var loads = 0
        var writes = 0
    }

    private let law: Law
    private var tables: MemoryTables
    private var version = 0
    private var isLocked = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    /// The errors with which the next writes fail.
    private var failures: [VaultError] = []

    /// The number of loads and writes of sessions that write.
    private(set) var traffic = Traffic()
    /// The number of loads of sessions that only read.
    private(set) var reads = 0
    /// The number of sessions that had to start again because their version was outdated.
    private(set) var overtaken = 0
    /// The written changes by the id of their group.
    private(set) var written: [StepID: [[RowChange]]] = [:]
    /// The number of sessions that have begun and not ended.
    private(set) var open = 0

    init(_ law: Law = .locks, _ tables: MemoryTables = MemoryTables()) {
        self.law = law
        self.tables = tables
    }

    /// Resets the counters.
    func resetTraffic() { (traffic, reads) = (Traffic(), 0) }

    /// Makes the next writes fail with the given errors, in order.
    func fail(with errors: [VaultError]) { failures = errors }

    /// Delays an answer, as a remote storage does.
    private func delay() async { for _ in 0..<5 { await Task.yield() } }

    private func lock() async {
        if isLocked { await withCheckedContinuation { waiting.append($0) } } else { isLocked = true }
    }

    private func unlock() {
        if waiting.isEmpty { isLocked = false } else { waiting.removeFirst().resume() }
    }

    // MARK: Steps

    func begin(
        _ footprint: Footprint, isReadOnly: Bool, insteadOf former: DelayedSession?
    ) async throws(VaultError) -> (session: DelayedSession, found: LoadedRows) {
        if let former { end(former) }
        open += 1
        if law == .locks, !isReadOnly { await lock() }
        let session = DelayedSession(storage: self, isReadOnly: isReadOnly, version: version, state: tables)
        return (session, try await answer(footprint, in: session))
    }

    fileprivate func answer(_ footprint: Footprint, in session: DelayedSession) async throws(VaultError) -> LoadedRows {
        if session.isReadOnly { reads += 1 } else { traffic.loads += 1 }
        let found = try session.state.answer(footprint)
        await delay()
        return found
    }

    fileprivate func write(
        _ runs: [[RowChange]], as id: StepID, in session: DelayedSession
    ) async throws(VaultError) -> RemoteWriteOutcome {
        traffic.writes += 1
        await delay()
        defer { end(session) }
        if !failures.isEmpty { throw failures.removeFirst() }
        guard session.version == version else {
            overtaken += 1
            return .overtaken
        }
        let answer: WrittenRows
        do throws(VaultError) {
            answer = try tables.write(runs)
        } catch {
            tables.rollBackStep()
            throw error
        }
        version += 1
        written[id, default: []] += runs
        return .written(answer)
    }

    fileprivate func end(_ session: DelayedSession) {
        open -= 1
        if law == .locks, !session.isReadOnly { unlock() }
    }

    func leaseWake(_ lease: WakeLease, at now: Instant) async throws(VaultError) -> WakeDecision {
        defer { tables.commitStep() }
        return try VaultRules.leaseWake(lease, at: now, in: &tables)
    }

    func rows(of list: VaultList) async throws(VaultError) -> ListedRows {
        switch list {
        case .customers(let previous, let limit): .customers(try tables.customers(after: previous, limit: limit))
        case .earliestWake: .wake(try tables.earliestWake())
        case .facts(let place, let customer, let limit):
            .facts(try tables.facts(after: place, of: customer, limit: limit))
        case .entries(let place, let customer, let limit):
            .entries(try tables.entries(after: place, of: customer, limit: limit))
        case .events(let place, let customer, let limit):
            .events(try tables.events(after: place, of: customer, limit: limit))
        case .parked(let place, let limit): .parked(try tables.parked(after: place, limit: limit))
        case .parkedFor(let customer, let place, let limit):
            .parked(try tables.parked(heldBy: customer, after: place, limit: limit))
        case .customersOwed(let previous, let limit):
            .customers(try tables.customersOwed(after: previous, limit: limit))
        case .erasures(let customer): .erasures(try tables.erasures(of: customer))
        }
    }
}

/// A step in a ``DelayedStorage``, which reads the state at the start of the step.
struct DelayedSession: RemoteSession {
    fileprivate let storage: DelayedStorage
    fileprivate let isReadOnly: Bool
    fileprivate let version: Int
    fileprivate let state: MemoryTables

    func load(_ footprint: Footprint) async throws(VaultError) -> LoadedRows? {
        try await storage.answer(footprint, in: self)
    }

    func write(_ runs: [[RowChange]], as id: StepID) async throws(VaultError) -> RemoteWriteOutcome {
        try await storage.write(runs, as: id, in: self)
    }

    func end() async { await storage.end(self) }
}
