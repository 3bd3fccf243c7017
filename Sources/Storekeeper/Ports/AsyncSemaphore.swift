import Synchronization

/// A counting semaphore for tasks.
package final class AsyncSemaphore: Sendable {
    private let free: Mutex<Int>
    private let signal = ChangeSignal()

    /// Makes a semaphore.
    ///
    /// - Parameter count: The number of tasks that may hold it at the same time.
    package init(_ count: Int) { free = Mutex(count) }

    /// Waits until the semaphore can be acquired or the task is cancelled.
    ///
    /// - Returns: Whether it was acquired and must be released, which may be so in a cancelled task too.
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

    /// Releases the semaphore for another task.
    package func release() {
        free.withLock { $0 += 1 }
        signal.send()
    }
}
