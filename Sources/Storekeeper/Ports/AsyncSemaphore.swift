import Synchronization

/// A counting semaphore for tasks.
package final class AsyncSemaphore: Sendable {
    private let free: Mutex<Int>
    private let signal = ChangeSignal()

    /// Creates a semaphore with a number of slots.
    package init(_ count: Int) { free = Mutex(count) }

    /// Acquires a slot, and waits if no slot is free; returns without a slot if the task is cancelled.
    ///
    /// - Returns: Whether a slot was acquired. A caller that has acquired a slot must release it, even if its task was
    ///   cancelled meanwhile.
    @discardableResult
    package func acquire() async -> Bool {
        while !Task.isCancelled {
            let seen = signal.count
            let isAcquired = free.withLock { free in
                guard free > 0 else { return false }
                free -= 1
                return true
            }
            if isAcquired { return true }
            await signal.wait(after: seen)
        }
        return false
    }

    /// Releases a slot.
    ///
    /// If tasks wait, one of them acquires the slot; the order is not defined.
    package func release() {
        free.withLock { $0 += 1 }
        signal.send()
    }
}
