import Storekeeper
import Synchronization

/// A clock that shows the next of several instants at each look, and stays at the last.
final class SteppingClock: StoreClock {
    private let instants: Mutex<[Instant]>

    init(_ instants: [Instant]) { self.instants = Mutex(instants) }

    var now: Instant {
        instants.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? .distantPast }
    }

    func sleep(until instant: Instant) async throws { try Task.checkCancellation() }
}
