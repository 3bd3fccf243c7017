import Synchronization

/// So many may do something at the same time.
package final class Slots: Sendable {
    private let free: Mutex<Int>
    private let signal = ChangeSignal()

    /// Makes so many slots.
    package init(_ count: Int) { free = Mutex(count) }

    /// Waits for a slot.
    ///
    /// - Returns: Whether there is one to give back: none when the task is cancelled.
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
