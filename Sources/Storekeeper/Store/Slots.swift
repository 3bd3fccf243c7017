import Synchronization

/// So many may do something at the same time.
package final class Slots: Sendable {
    private let free: Mutex<Int>
    private let signal = ChangeSignal()

    /// Makes a number of slots.
    package init(_ count: Int) { free = Mutex(count) }

    /// Waits for a slot; returns without one when the task is cancelled.
    ///
    /// - Returns: Whether there is a slot to give back: a task may be cancelled just after it has got one.
    @discardableResult
    package func acquire() async -> Bool {
        while !Task.isCancelled {
            let seen = signal.count
            let isTaken = free.withLock { free in
                guard free > 0 else { return false }
                free -= 1
                return true
            }
            if isTaken { return true }
            await signal.wait(after: seen)
        }
        return false
    }

    /// Lets the next one in.
    package func giveBack() {
        free.withLock { $0 += 1 }
        signal.send()
    }
}
