import Storekeeper
import Synchronization

/// A clock that returns the next of several instants each time it is read, and stays at the last instant.
final class SteppingClock: StoreClock {
    private let instants: Mutex<[Instant]>

    init(_ instants: [Instant]) { self.instants = Mutex(instants) }

    var now: Instant {
        instants.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? .distantPast }
    }

    func sleep(until instant: Instant) async throws { try Task.checkCancellation() }
}
