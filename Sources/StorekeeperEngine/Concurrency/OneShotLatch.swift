import Synchronization

/// A latch that opens once; tasks wait until the latch is open.
package final class OneShotLatch: Sendable {
    private struct State {
        var isOpen = false
        var lastWaiter = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        /// The ids of the waiters that were cancelled before they began to wait.
        var cancelled: Set<Int> = []
    }

    private let state = Mutex(State())

    /// Creates a closed latch.
    package init() {}

    /// The number of waiting tasks.
    package var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Opens the latch permanently and resumes all waiting tasks.
    package func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters.removeAll() }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume() }
    }

    /// Waits until the latch is open or the task is cancelled.
    package func wait() async {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    if state.isOpen || state.cancelled.remove(id) != nil { return true }
                    state.waiters[id] = continuation
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                let waiter = state.waiters.removeValue(forKey: id)
                if waiter == nil { state.cancelled.insert(id) }
                return waiter
            }
            waiter?.resume()
        }
        _ = state.withLock { $0.cancelled.remove(id) }
    }
}
