/// A first-in, first-out lock.
struct FIFOLock<Waiter: Sendable>: Sendable {
    private var isTaken = false
    private var waiting: [Waiter] = []
    private var served = 0

    /// Acquires the lock if it is free; otherwise the caller must enqueue with ``wait(_:)``.
    mutating func begin() -> Bool {
        guard !isTaken else { return false }
        isTaken = true
        return true
    }

    /// Enqueues a waiter.
    mutating func wait(_ waiter: Waiter) { waiting.append(waiter) }

    /// Releases the lock, or passes it to the next waiter.
    ///
    /// - Returns: The next owner; `nil` if no task waits.
    mutating func next() -> Waiter? {
        guard served < waiting.count else {
            isTaken = false
            return nil
        }
        defer {
            served += 1
            if served == waiting.count {
                waiting.removeAll(keepingCapacity: true)
                served = 0
            } else if served >= 64, served * 2 >= waiting.count {
                waiting.removeFirst(served)
                served = 0
            }
        }
        return waiting[served]
    }
}
