import Foundation
import Synchronization

/// A gate that blocks callers until it is opened.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let state = Mutex((isOpen: false, count: 0))

    /// The number of callers that have arrived.
    var count: Int { state.withLock { $0.count } }

    func open() {
        state.withLock { $0.isOpen = true }
        semaphore.signal()
    }

    func pass() {
        state.withLock { $0.count += 1 }
        semaphore.wait()
        // Each caller that has passed wakes the next waiting caller.
        semaphore.signal()
    }

    /// Opens the gate after a time.
    func open(after time: Duration) {
        DispatchQueue.global().asyncAfter(deadline: .now() + time / .seconds(1)) { self.open() }
    }
}

/// A counter that is decreased by each call.
final class Countdown: Sendable {
    private let left: Atomic<Int>

    init(_ count: Int) { left = Atomic(count) }

    func isDone() -> Bool { left.subtract(1, ordering: .relaxed).oldValue <= 0 }
}

/// A flag that is set once.
final class Flag: Sendable {
    private let value = Atomic<Bool>(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    /// - Returns: Whether the flag was not set before.
    @discardableResult
    func set() -> Bool { !value.exchange(true, ordering: .acquiringAndReleasing) }
}
