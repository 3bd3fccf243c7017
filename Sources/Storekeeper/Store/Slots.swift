import Synchronization

/// So many may do something at the same time.
final class Slots: Sendable {
    private let free: Mutex<Int>
    private let signal = ChangeSignal()

    init(_ count: Int) { free = Mutex(count) }

    /// Waits for a slot; returns without one when the task is cancelled.
    func acquire() async {
        while !Task.isCancelled {
            let seen = signal.count
            let isTaken = free.withLock { free in
                guard free > 0 else { return false }
                free -= 1
                return true
            }
            if isTaken { return }
            await signal.wait(after: seen)
        }
    }

    /// Lets the next one in.
    func giveBack() {
        free.withLock { $0 += 1 }
        signal.send()
    }
}
