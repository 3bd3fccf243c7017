import Synchronization

/// Wakes those who wait for something new.
///
/// Counts how often something came; whoever has seen a count waits for a greater one, so that nothing is missed
/// between looking and waiting.
package final class ChangeSignal: Sendable {
    private struct State {
        var count = 0
        var lastWaiter = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        /// Those cancelled before they began to wait.
        var cancelled: Set<Int> = []
    }

    private let state = Mutex(State())

    /// Makes one before anything has come.
    package init() {}

    /// How often something came.
    package var count: Int { state.withLock { $0.count } }

    /// How many tasks wait.
    package var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Says that something came.
    package func send() {
        let woken = state.withLock { state in
            state.count += 1
            defer { state.waiters.removeAll() }
            return state.waiters
        }
        for waiter in woken.values { waiter.resume() }
    }

    /// Waits until something has come since a count, or the task is cancelled.
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
