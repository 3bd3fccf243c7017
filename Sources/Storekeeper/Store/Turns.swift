/// Whose turn it is: one after the other, first come, first served.
struct Turns<Waiter: Sendable>: Sendable {
    private var isTaken = false
    private var waiting: [Waiter] = []
    private var served = 0

    /// Takes the turn where nobody has it; otherwise whoever asks is to ``wait(_:)``.
    mutating func begin() -> Bool {
        guard !isTaken else { return false }
        isTaken = true
        return true
    }

    /// Lets somebody wait for their turn.
    mutating func wait(_ waiter: Waiter) { waiting.append(waiter) }

    /// Ends a turn.
    ///
    /// - Returns: Who has the next; `nil` where nobody waits.
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
