import CStorekeeper
import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS
import Synchronization

/// The object of an `sk_pool`: a pool of stores that is running, with everything that ends with it.
final class PoolObject: HandleObject {
    static let kind = HandleKind.pool

    /// What a pool is made of.
    struct Parts: Sendable {
        var configuration: StorePool.Configuration
        var vault: any Vault
        var verifier: JWSVerifier
        var backend: (any StoreBackend)?
        var clock: any StoreClock
        /// Closes the vault and the backend.
        var close: @Sendable () async throws -> Void
    }

    let pool: StorePool
    let vault: any Vault
    let verifier: JWSVerifier
    let clock: any StoreClock
    let receiver: NotificationReceiver
    /// Identifies the pool while its backend is called; subscriptions have such numbers, too.
    let number: UInt64
    private let closeParts: @Sendable () async throws -> Void
    private let reports: ReportListener
    private let running: Task<Void, Never>
    private let calls = Mutex(State())
    /// Whether the pool was closed, for the questions of each tick.
    private let closed = Atomic<Bool>(false)
    /// The address of the newest element of ``allNames``.
    private let newestNames: Atomic<UInt>
    /// The names of all catalogs that the pool has had, because a question may still use earlier names.
    ///
    /// A catalog with the same names as the one before adds nothing.
    private let allNames: Mutex<[CatalogNames]>

    /// The calls that have begun.
    private struct State {
        var count = 0
        var isClosing = false
        /// The subscriptions that have not ended, by their numbers.
        var subscriptions: [UInt64: Task<Void, Never>] = [:]
        /// Waits until no call is left.
        var closer: CheckedContinuation<Void, Never>?
    }

    private static let lastNumber = Atomic<UInt64>(0)

    /// Creates a pool and begins to run it.
    ///
    /// - Parameter number: A number from ``nextNumber()``.
    init(_ parts: Parts, number: UInt64) {
        let reports = ReportListener()
        let pool = StorePool(
            configuration: parts.configuration, vault: parts.vault, verifier: parts.verifier, backend: parts.backend,
            clock: parts.clock, report: { reports.add($0) })
        (self.pool, vault, verifier, clock) = (pool, parts.vault, parts.verifier, parts.clock)
        self.number = number
        self.reports = reports
        receiver = NotificationReceiver(verifier: parts.verifier, pool: pool)
        closeParts = parts.close
        // The only error is that another task runs the pool, and there is none.
        running = Task.detached { try? await pool.run() }
        let names = CatalogNames(parts.configuration.store.catalog)
        newestNames = Atomic(UInt(bitPattern: Unmanaged.passUnretained(names).toOpaque()))
        allNames = Mutex([names])
    }

    static func nextNumber() -> UInt64 { lastNumber.wrappingAdd(1, ordering: .relaxed).newValue }

    // MARK: Questions

    /// Throws if the pool was closed; then its customers no longer follow the vault.
    @inline(__always)
    func checkOpen() throws(Failure) {
        if closed.load(ordering: .relaxed) { throw Failure.closed }
    }

    /// The names of the newest catalog.
    var names: CatalogNames { withNames { $0 } }

    /// Calls a function with the names of the newest catalog.
    @inline(__always)
    func withNames<Value>(_ body: (CatalogNames) -> Value) -> Value {
        // The address is that of an element of `allNames`, from which nothing is removed while this object exists.
        guard let address = UnsafeRawPointer(bitPattern: newestNames.load(ordering: .acquiring)) else {
            return body(CatalogNames(.empty))
        }
        return Unmanaged<CatalogNames>.fromOpaque(address)._withUnsafeGuaranteedRef { body($0) }
    }

    // MARK: Calls

    private func begin() throws(Failure) {
        if skc_is_forked() { throw Failure.forked }
        let isClosing = calls.withLock { calls in
            if !calls.isClosing { calls.count += 1 }
            return calls.isClosing
        }
        if isClosing { throw Failure.closed }
    }

    private func end() {
        let closer = calls.withLock { calls -> CheckedContinuation<Void, Never>? in
            calls.count -= 1
            guard calls.count == 0 else { return nil }
            defer { calls.closer = nil }
            return calls.closer
        }
        closer?.resume()
    }

    /// Runs work and waits for it in the thread of the caller.
    func wait<Value: Sendable>(for work: @escaping @Sendable () async throws -> Value) throws(Failure) -> Value {
        try begin()
        defer { end() }
        return try BlockingCall.wait(for: work)
    }

    /// Begins work whose result becomes an item of a queue.
    func begin(
        for queue: QueueObject, _ tag: UInt64,
        _ work: @escaping @Sendable (inout QueueObject.Item) async throws -> Void
    ) throws(Failure) {
        try begin()
        do throws(Failure) {
            try queue.reserveResult()
        } catch {
            end()
            throw error
        }
        // `close` waits until the task has ended.
        Task.detached { [self] in
            var item = QueueObject.Item(kind: ItemKind.result, tag: tag)
            do {
                try await work(&item)
            } catch {
                let failure = Failure(error)
                item.status = failure.status.rawValue
                if item.json.isEmpty { item.json = failure.json.bytes() }
            }
            queue.add(item)
            end()
        }
    }

    // MARK: Events and reports

    /// Adds the events after a place to a queue, until the queue or the pool ends.
    func subscribe(_ queue: QueueObject, _ tag: UInt64, after place: FeedPlace) throws(Failure) {
        let number = Self.nextNumber()
        let isClosing = calls.withLock { calls in
            guard !calls.isClosing else { return true }
            let events = pool.events(after: place)
            // The task can end only after it was added, because it forgets itself under the same lock.
            let task = Task.detached { [self] in
                defer { forget(number, queue) }
                do {
                    for try await event in events {
                        guard await queue.waitForRoom() else { return }
                        queue.add(
                            QueueObject.Item(
                                kind: ItemKind.event, tag: tag, place: event.place.number, json: event.json.bytes()))
                    }
                } catch {
                    let failure = Failure(error)
                    queue.add(
                        QueueObject.Item(
                            kind: ItemKind.event, status: failure.status.rawValue, tag: tag, json: failure.json.bytes())
                    )
                }
            }
            calls.subscriptions[number] = task
            queue.own(task, number)
            return false
        }
        if isClosing { throw Failure.closed }
    }

    /// Forgets a subscription that has ended.
    private func forget(_ subscription: UInt64, _ queue: QueueObject) {
        calls.withLock { $0.subscriptions[subscription] = nil }
        queue.disown(subscription)
    }

    /// Adds the reports of the pool to a queue from now on; `nil` ends this.
    func report(to queue: QueueObject?, _ tag: UInt64) throws(Failure) {
        try checkOpen()
        reports.set(queue, tag)
    }

    /// Replaces the catalog of all customers.
    func load(_ catalog: Catalog) throws(Failure) {
        let names = CatalogNames(catalog)
        // The lock is held meanwhile, so that the newest names are those of the newest catalog. No question takes it.
        try allNames.withLock { all throws(Failure) in
            try wait { [pool] in try await pool.reload(catalog) }
            if let last = all.last, last.isEqual(to: names) { return }
            all.append(names)
            newestNames.store(UInt(bitPattern: Unmanaged.passUnretained(names).toOpaque()), ordering: .releasing)
        }
    }

    // MARK: Closing

    /// Completes the calls that have begun, ends everything else, and closes the vault.
    func close() throws(Failure) {
        let subscriptions = calls.withLock { calls in
            calls.isClosing = true
            return Array(calls.subscriptions.values)
        }
        closed.store(true, ordering: .releasing)
        reports.set(nil, 0)
        try BlockingCall.wait { [self] in
            for subscription in subscriptions { subscription.cancel() }
            await withCheckedContinuation { continuation in
                let isIdle = calls.withLock { calls in
                    guard calls.count > 0 else { return true }
                    calls.closer = continuation
                    return false
                }
                if isIdle { continuation.resume() }
            }
            running.cancel()
            await running.value
            for subscription in subscriptions { await subscription.value }
            try await closeParts()
        }
    }
}

/// Sends a pool's reports to the queue that the caller has named, if any.
private final class ReportListener: Sendable {
    private let target = Mutex<(queue: QueueObject, tag: UInt64)?>(nil)

    func set(_ queue: QueueObject?, _ tag: UInt64) {
        let before = target.withLock { target in
            defer { target = queue.map { ($0, tag) } }
            return target
        }
        withExtendedLifetime(before) {}
    }

    func add(_ report: StoreReport) {
        guard let (queue, tag) = target.withLock({ $0 }) else { return }
        let json = JSONText.object(["at": .time(report.at), "message": .string(report.description)])
        queue.add(QueueObject.Item(kind: ItemKind.report, tag: tag, json: json.bytes()))
    }
}
