import Synchronization

/// A signal that wakes the tasks that wait for a change.
///
/// The signal counts changes. A task reads the count before it looks for changes, and then waits for a greater count.
/// The task therefore misses no change between looking and waiting.
package final class ChangeSignal: Sendable {
    private struct State {
        var count = 0
        /// The latch that the next change opens.
        var latch = OneShotLatch()
    }

    private let state = Mutex(State())

    /// Creates a signal with a count of zero.
    package init() {}

    /// The number of changes so far.
    package var count: Int { state.withLock { $0.count } }

    /// The number of tasks that wait.
    package var waiterCount: Int { state.withLock { $0.latch }.waiterCount }

    /// Counts a change and wakes all waiting tasks.
    package func send() {
        let latch = state.withLock { state in
            defer { state = State(count: state.count + 1) }
            return state.latch
        }
        latch.open()
    }

    /// Waits until the count exceeds `seen` or the task is cancelled.
    package func wait(after seen: Int) async {
        await state.withLock { $0.count > seen ? nil : $0.latch }?.wait()
    }
}
