import Synchronization

/// A signal that wakes the tasks that wait for a change.
///
/// It counts changes. A task reads the count before it looks for changes and then waits for a greater count, so that it
/// misses no change between looking and waiting.
package final class ChangeSignal: Sendable {
    private struct State {
        var count = 0
        var lastWaiter = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        /// The waiters that were cancelled before they began to wait.
        var cancelled: Set<Int> = []
    }

    private let state = Mutex(State())

    /// Creates a signal with a count of zero.
    package init() {}

    /// The number of changes so far.
    package var count: Int { state.withLock { $0.count } }

    /// The number of tasks that wait.
    package var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Counts a change and wakes all waiting tasks.
    package func send() {
        let woken = state.withLock { state in
            state.count += 1
            defer { state.waiters.removeAll() }
            return state.waiters
        }
        for waiter in woken.values { waiter.resume() }
    }

    /// Waits until the count exceeds `seen` or the task is cancelled.
    package func wait(after seen: Int) async {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    if state.cancelled.remove(id) != nil || state.count > seen { return true }
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
