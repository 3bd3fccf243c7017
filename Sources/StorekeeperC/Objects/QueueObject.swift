import CStorekeeper
import Storekeeper
import Synchronization

/// The object of an `sk_queue`: items for the caller's loop, and a descriptor that is readable while there are any.
final class QueueObject: HandleObject {
    static let kind = HandleKind.queue

    /// An item that the caller has not taken yet.
    struct Item: Sendable {
        var kind: CInt
        var status: CInt = 0
        var tag: UInt64
        var place: Int64 = 0
        var customer: CustomerObject?
        var json: [UInt8] = []

        /// Sets the result of a call that may have failed although it has one.
        mutating func set(_ members: [String: JSONText], _ failure: Failure?) {
            var members = members
            if let failure {
                status = failure.status.rawValue
                members["code"] = .string(failure.code)
                members["message"] = .string(failure.message)
            }
            json = JSONText.object(members).bytes()
        }
    }

    /// The maximum number of events in the queue, and of reports.
    static let limit = 1024
    /// The maximum number of results that are expected or in the queue.
    private static let resultLimit = 65_536

    private struct State {
        /// The items, from ``first`` on.
        var items: [Item] = []
        var first = 0
        /// The number of items that are events, and of those that are reports.
        var events = 0
        var reports = 0
        /// The number of results that are expected or in the queue.
        var results = 0
        var isClosed = false
        /// The subscriptions that wait for room.
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// The tasks that add events, which end with the queue, by their numbers.
        var subscriptions: [UInt64: Task<Void, Never>] = [:]
    }

    let descriptor: CInt
    private let state = Mutex(State())

    init() throws(Failure) {
        descriptor = skc_event_open()
        guard descriptor >= 0 else {
            throw Failure(.io, "noDescriptor", "the system gave no event descriptor; raise the limit of open files")
        }
    }

    deinit { if !state.withLock({ $0.isClosed }) { skc_event_close(descriptor) } }

    /// Ends a task when the queue is freed, unless ``disown(_:)`` is called before.
    func own(_ subscription: Task<Void, Never>, _ number: UInt64) {
        let isClosed = state.withLock { state in
            state.subscriptions[number] = subscription
            return state.isClosed
        }
        if isClosed { subscription.cancel() }
    }

    /// Forgets a task that has ended.
    func disown(_ number: UInt64) { state.withLock { $0.subscriptions[number] = nil } }

    /// Reserves the place of a result, so that a caller who takes no results cannot fill the memory.
    func reserveResult() throws(Failure) {
        let hasRoom = state.withLock { state in
            guard state.results < Self.resultLimit else { return false }
            state.results += 1
            return true
        }
        guard hasRoom else {
            throw Failure(
                .busy, "tooManyResults",
                "\(Self.resultLimit) results are expected or in the queue; take them before you begin more calls")
        }
    }

    /// Adds an item; a queue that was freed ignores it.
    func add(_ item: Item) {
        state.withLock { state in
            guard !state.isClosed else { return }
            if item.kind == ItemKind.report {
                guard state.reports < Self.limit else { return }
                state.reports += 1
            }
            if item.kind == ItemKind.event { state.events += 1 }
            if state.first == state.items.count { skc_event_set(descriptor) }
            state.items.append(item)
        }
    }

    /// Waits until the queue has room for an event; returns `false` if the queue was freed.
    func waitForRoom() async -> Bool {
        while true {
            let hasRoom = state.withLock { $0.isClosed ? nil : $0.events < Self.limit }
            guard let hasRoom else { return false }
            if hasRoom { return true }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isDone = state.withLock { state in
                        if state.isClosed || state.events < Self.limit || Task.isCancelled { return true }
                        state.waiting.append(continuation)
                        return false
                    }
                    if isDone { continuation.resume() }
                }
            } onCancel: {
                wakeSubscriptions()
            }
            if Task.isCancelled { return false }
        }
    }

    private func wakeSubscriptions() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Removes and returns the first item.
    func next() throws(Failure) -> Item {
        let (item, hasRoom) = state.withLock { state -> (Item?, Bool) in
            guard state.first < state.items.count else { return (nil, false) }
            let item = state.items[state.first]
            state.items[state.first] = Item(kind: 0, tag: 0)
            state.first += 1
            if state.first == state.items.count {
                state.items.removeAll(keepingCapacity: state.first <= 4 * Self.limit)
                state.first = 0
                skc_event_clear(descriptor)
            } else if state.first > 4 * Self.limit {
                state.items.removeFirst(state.first)
                state.first = 0
            }
            if item.kind == ItemKind.report { state.reports -= 1 }
            if item.kind == ItemKind.event { state.events -= 1 }
            if item.kind == ItemKind.result { state.results -= 1 }
            return (item, item.kind == ItemKind.event && !state.waiting.isEmpty)
        }
        if hasRoom { wakeSubscriptions() }
        guard let item else { throw Failure.empty }
        return item
    }

    func handleWasFreed() {
        let (items, subscriptions) = state.withLock { state in
            state.isClosed = true
            // A thread that waits for the descriptor would not notice that it is closed.
            skc_event_set(descriptor)
            skc_event_close(descriptor)
            defer { (state.items, state.first, state.subscriptions) = ([], 0, [:]) }
            return (state.items, Array(state.subscriptions.values))
        }
        for subscription in subscriptions { subscription.cancel() }
        wakeSubscriptions()
        // The items are released without the lock, because an item may have the last reference to a pool.
        withExtendedLifetime(items) {}
    }
}

/// The kinds of items.
enum ItemKind {
    static let result: CInt = 1
    static let event: CInt = 2
    static let report: CInt = 3
}
