import Foundation
import Synchronization

/// Keeps whoever comes until it is opened.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let state = Mutex((isOpen: false, count: 0))

    /// How many have come.
    var count: Int { state.withLock { $0.count } }

    func open() {
        state.withLock { $0.isOpen = true }
        semaphore.signal()
    }

    func pass() {
        state.withLock { $0.count += 1 }
        semaphore.wait()
        // For whoever else waits.
        semaphore.signal()
    }

    /// Opens it by itself.
    func open(after time: Duration) {
        DispatchQueue.global().asyncAfter(deadline: .now() + time / .seconds(1)) { self.open() }
    }
}

/// Lets so many pass before it is done.
final class Countdown: Sendable {
    private let left: Atomic<Int>

    init(_ count: Int) { left = Atomic(count) }

    func isDone() -> Bool { left.subtract(1, ordering: .relaxed).oldValue <= 0 }
}

/// What has happened, or has not.
final class Flag: Sendable {
    private let value = Atomic<Bool>(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    /// - Returns: Whether it was not set before.
    @discardableResult
    func set() -> Bool { !value.exchange(true, ordering: .acquiringAndReleasing) }
}
