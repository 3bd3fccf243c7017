/// A queue of the steps of a ``RemoteVault``: waiting steps run together as a group, with one load and one write.
///
/// One group runs at a time, and steps that arrive meanwhile form the next group. The caller of the first step in a
/// group runs the whole group. The next group is run by the caller of its own first step, so that a caller runs only
/// one group.
actor StepQueue<Storage: RemoteStorage> {
    /// The maximum number of times that a group is loaded again because rows are missing.
    private static var loadLimit: Int { 1_000 }
    /// The maximum number of times that a step starts again because other writers have changed rows that it has read.
    private static var attemptLimit: Int { 1_000 }
    /// The number of times that a group starts again before each of its steps runs alone.
    private static var groupAttemptLimit: Int { 8 }

    /// The time for which a group waits for rows that another writer has locked, before the group is divided.
    private static var groupLockLimit: Duration { .seconds(1) }
    /// The time for which each part of a divided group waits, before its steps wait outside of the queue.
    private static var partLockLimit: Duration { .milliseconds(100) }

    /// The maximum number of yields to other tasks while fewer steps wait than the previous group had.
    private static var returnLimit: Int { 8 }

    private struct Waiting {
        let step: any QueuedStep
        /// The continuation of the caller; `nil` for the caller that runs the group.
        ///
        /// The continuation resumes with `true` if the caller must run the next group, and with `false` after the step
        /// is done.
        var continuation: CheckedContinuation<Bool, Never>?
    }

    private let storage: Storage
    private let accountTokens: AccountTokenRule
    private let groupLimit: Int
    private let makeID: @Sendable () -> StepID
    private var waiting: [Waiting] = []
    private var hasLeader = false
    /// The customers whose rows another writer has locked, each with the last task that carries out steps about them,
    /// outside of the queue.
    private var blocked: [CustomerID: Task<Void, Never>] = [:]
    /// The last task that carries out steps outside of the queue.
    ///
    /// Each such task waits for the previous one, because a task that waits for a lock uses a connection.
    private var lastDetour: Task<Void, Never>?
    /// The tasks that carry out blocked steps, by step.
    private var detours: [ObjectIdentifier: Task<Void, Never>] = [:]
    /// The number of steps in the previous group.
    private var lastCount = 0

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - groupLimit: The maximum number of steps in a group.
    ///   - makeID: The closure that creates the id of a group.
    init(
        _ storage: Storage, accountTokens: AccountTokenRule, groupLimit: Int, makeID: @escaping @Sendable () -> StepID
    ) {
        self.storage = storage
        self.accountTokens = accountTokens
        self.groupLimit = max(1, groupLimit)
        self.makeID = makeID
    }

    /// Runs a step, alone or in a group with other steps; the step has its outcome when this call returns.
    func perform(_ step: any QueuedStep) async {
        await takeTurn(of: step)
        if let task = detours.removeValue(forKey: ObjectIdentifier(step)) { await task.value }
    }

    /// Runs a step with a group, or until the step waits for another writer outside of the queue.
    private func takeTurn(of step: any QueuedStep) async {
        if hasLeader {
            let leads = await withCheckedContinuation { waiting.append(Waiting(step: step, continuation: $0)) }
            guard leads else { return }
        } else {
            hasLeader = true
            waiting.append(Waiting(step: step))
        }
        // Use a separate task, because cancellation of this caller must not affect the steps of other callers.
        await Task { await carryOutNextGroup() }.value
        guard !waiting.isEmpty else {
            hasLeader = false
            return
        }
        let next = waiting[0].continuation
        waiting[0].continuation = nil
        next?.resume(returning: true)
    }

    private func carryOutNextGroup() async {
        await yieldToCallers()
        let group = Array(waiting.prefix(groupLimit))
        lastCount = group.count
        waiting.removeFirst(group.count)
        await carryOut(group.map(\.step))
        for member in group { member.continuation?.resume(returning: false) }
    }

    /// Yields to the callers of the last group, because many of them submit another step immediately.
    ///
    /// Without yielding, the first new step would run alone while all other callers wait. After a group of at most one
    /// step, the queue does not yield.
    private func yieldToCallers() async {
        for _ in 0..<Self.returnLimit where waiting.count < lastCount { await Task.yield() }
    }

    private func carryOut(_ group: [any QueuedStep]) async {
        // Further steps about a blocked customer follow the first one, so that they do not delay other customers.
        var following: [CustomerID: [any QueuedStep]] = [:]
        var rest: [any QueuedStep] = []
        for step in group {
            if !blocked.isEmpty, let customer = Self.customer(of: step), blocked[customer] != nil {
                following[customer, default: []].append(step)
            } else {
                rest.append(step)
            }
        }
        for (customer, steps) in following { begin(detourOf: steps, about: customer) }
        guard !rest.isEmpty, let error = await failure(of: rest, lockLimit: Self.groupLockLimit) else { return }
        guard storage.isBlocked(error) else { return await carryOutEach(of: rest, after: error) }
        // Another writer has locked rows of at least one customer.
        for (customer, steps) in Dictionary(grouping: rest, by: { Self.customer(of: $0) }) {
            // These steps have no customer in common, so one of them does not hold up the others.
            for part in customer == nil ? steps.map({ [$0] }) : [steps] {
                let limit = lastDetour == nil ? Self.partLockLimit : Self.partLockLimit / 10
                guard let error = await failure(of: part, lockLimit: limit) else { continue }
                if !storage.isBlocked(error) {
                    await carryOutEach(of: part, after: error)
                } else if let step = part.first, step.footprint.isAboutMany {
                    // While it waits, it locks the customers before the locked one, and all steps about them wait.
                    step.fail(error)
                } else {
                    begin(detourOf: part, about: customer)
                }
            }
        }
    }

    /// Returns the customer of a step; `nil` if the step names none, or many.
    private static func customer(of step: any QueuedStep) -> CustomerID? {
        step.footprint.isAboutMany ? nil : step.footprint.anyCustomer
    }

    /// Carries out each step of a group alone if one of them may write rows that the storage refuses; otherwise, all steps
    /// fail.
    private func carryOutEach(of group: [any QueuedStep], after error: VaultError) async {
        guard group.count > 1, error.isAboutRows else {
            for step in group { step.fail(error) }
            return
        }
        for step in group {
            if let error = await failure(of: [step], lockLimit: Self.groupLockLimit) { step.fail(error) }
        }
    }

    /// Begins to carry out steps about a blocked customer, or a step without a customer, outside of the queue, after the
    /// steps that already wait.
    private func begin(detourOf group: [any QueuedStep], about customer: CustomerID?) {
        let previous = lastDetour
        let task = Task {
            if let previous { await previous.value }
            if let error = await failure(of: group, lockLimit: nil) { await carryOutEach(of: group, after: error) }
        }
        lastDetour = task
        if let customer { blocked[customer] = task }
        for step in group { detours[ObjectIdentifier(step)] = task }
        Task {
            await task.value
            if lastDetour == task { lastDetour = nil }
            if let customer, blocked[customer] == task { blocked[customer] = nil }
        }
    }

    /// Writes a group.
    ///
    /// - Returns: The error; `nil` if each step has its outcome.
    private func failure(of group: [any QueuedStep], lockLimit: Duration?) async -> VaultError? {
        do throws(VaultError) {
            try await write(group, lockLimit: lockLimit)
            return nil
        } catch {
            return error
        }
    }

    /// Loads, runs and writes a group; starts again if another writer has changed rows that the group read.
    private func write(_ group: [any QueuedStep], lockLimit: Duration?) async throws(VaultError) {
        var footprint = Footprint()
        footprint.reserveCapacity(group.reduce(0) { $0 + $1.footprint.keys.count })
        for step in group { footprint.formUnion(step.footprint) }
        var former: Storage.Session?
        for attempt in 0..<Self.attemptLimit {
            if attempt == Self.groupAttemptLimit, group.count > 1 {
                await former?.end()
                for step in group {
                    if let error = await failure(of: [step], lockLimit: lockLimit) { step.fail(error) }
                }
                return
            }
            let (session, rows) = try await storage.begin(
                footprint, isReadOnly: false, lockLimit: lockLimit, insteadOf: former)
            former = nil
            var found = rows
            let result: [RowChange]?
            do throws(VaultError) {
                result = try await run(group, in: session, &found, &footprint)
            } catch {
                await session.end()
                throw error
            }
            guard let changes = result else {
                // All customers of the group are known now, so the next session can lock them in order.
                former = session
                continue
            }
            guard !changes.isEmpty else {
                await session.end()
                for step in group { step.finish(nil) }
                return
            }
            // Each attempt has a new id. If the result of an attempt was unknown, its id may have been written, and
            // cannot be used again.
            switch try await session.write(RowChange.runs(of: changes), as: makeID()) {
            case .written(let written):
                for step in group { step.finish(written) }
                return
            case .overtaken: continue
            }
        }
        await former?.end()
        throw VaultError(.locked, "other writers changed the rows of a step \(Self.attemptLimit) times; try again")
    }

    /// Runs the steps of a group one after the other, and repeats the run as long as rows are missing.
    ///
    /// - Returns: The changes of the steps; `nil` if the steps must start again in another session.
    private func run(
        _ group: [any QueuedStep], in session: Storage.Session, _ found: inout LoadedRows,
        _ footprint: inout Footprint
    ) async throws(VaultError) -> [RowChange]? {
        for _ in 0..<Self.loadLimit {
            var tables = MemoryTables(found, of: footprint, accountTokens: accountTokens)
            for step in group { step.run(in: &tables) }
            let missing = tables.missing
            if missing.isEmpty { return tables.changes }
            footprint.formUnion(missing)
            guard let more = try await session.load(missing) else { return nil }
            found.merge(more)
        }
        throw VaultError(.invalidRequest, "a step requests too many rows; split it into several steps")
    }

    /// The outcome of a read-only step, and the missing rows; if rows are missing, the outcome is not valid.
    private typealias Reading<Outcome> = (outcome: Result<Outcome, VaultError>, missing: Footprint)

    /// Runs a step that only reads, without waiting in the queue.
    nonisolated func read<Outcome: Sendable>(
        _ footprint: Footprint, _ body: (borrowing MemoryTables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        try await read(footprint) { found, footprint in Self.read(in: tables(of: found, footprint), body) }
    }

    /// Returns all data of a customer.
    ///
    /// The customer's facts are not put into tables, because they may be many, and the rules return them unchanged, except
    /// for the transactions that the rules look up, such as those of which copies are parked.
    nonisolated func record(of customer: CustomerID) async throws(VaultError) -> CustomerRecord {
        try await read(Footprint(recordOf: customer)) { found, footprint in
            var (rest, own) = (found, found.facts)
            rest.facts = [:]
            if footprint.hasCopies {
                for (place, stored) in found.facts {
                    guard let transaction = stored.fact.transaction else { continue }
                    if footprint.contains(.copies(of: TransactionKey(transaction))) { rest.facts[place] = stored }
                    if stored.customer != customer { own[place] = nil }
                }
            }
            let facts = own.sorted { $0.key < $1.key }.map(\.value)
            return Self.read(in: tables(of: rest, footprint)) { tables throws(VaultError) in
                try VaultRules.record(of: customer, facts: facts, in: tables)
            }
        }
    }

    private nonisolated func tables(of found: LoadedRows, _ footprint: Footprint) -> MemoryTables {
        MemoryTables(found, of: footprint, accountTokens: accountTokens)
    }

    private static func read<Outcome>(
        in tables: borrowing MemoryTables, _ body: (borrowing MemoryTables) throws(VaultError) -> Outcome
    ) -> Reading<Outcome> {
        do throws(VaultError) {
            return (.success(try body(tables)), tables.missing)
        } catch {
            return (.failure(error), tables.missing)
        }
    }

    /// Loads the rows of a read-only step and runs the step; repeats this as long as rows are missing.
    private nonisolated func read<Outcome: Sendable>(
        _ footprint: Footprint, _ run: (LoadedRows, Footprint) -> Reading<Outcome>
    ) async throws(VaultError) -> Outcome {
        var (footprint, found) = (footprint, LoadedRows())
        if let list = footprint.list {
            found.list = try await storage.rows(of: list)
            let (outcome, missing) = run(found, footprint)
            if missing.isEmpty { return try outcome.get() }
            footprint.formUnion(missing)
        }
        let (session, rows) = try await storage.begin(
            footprint, isReadOnly: true, lockLimit: nil, insteadOf: nil)
        found.merge(rows)
        let result: Result<Outcome, VaultError>
        do throws(VaultError) {
            result = try await read(footprint, found, in: session, run)
        } catch {
            await session.end()
            throw error
        }
        await session.end()
        return try result.get()
    }

    /// Runs a read-only step in a session, and repeats the run as long as rows are missing.
    ///
    /// - Returns: The outcome of the step.
    /// - Throws: The errors of the storage.
    private nonisolated func read<Outcome: Sendable>(
        _ footprint: Footprint, _ found: LoadedRows, in session: Storage.Session,
        _ run: (LoadedRows, Footprint) -> Reading<Outcome>
    ) async throws(VaultError) -> Result<Outcome, VaultError> {
        var (footprint, found) = (footprint, found)
        for _ in 0..<Self.loadLimit {
            let (outcome, missing) = run(found, footprint)
            if missing.isEmpty { return outcome }
            guard let more = try await session.load(missing) else {
                throw VaultError(.locked, "other writers changed the rows while they were read; try again")
            }
            found.merge(more)
            footprint.formUnion(missing)
        }
        throw VaultError(.invalidRequest, "a step requests too many rows; split it into several reads")
    }
}

extension VaultError {
    /// Whether the error may be about the rows of a step, and not about the storage itself.
    fileprivate var isAboutRows: Bool { code == .corrupt || code == .overflow || code == .invalidRequest }
}
