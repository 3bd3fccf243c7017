import Synchronization

/// Holds the newest snapshot for many readers.
///
/// Reading it takes a lock for as long as copying a reference takes.
final class Publication: Sendable {
    private let newest: Mutex<StoreSnapshot>

    /// Publishes a first snapshot.
    init(_ snapshot: StoreSnapshot) { newest = Mutex(snapshot) }

    /// The newest snapshot.
    var snapshot: StoreSnapshot { newest.withLock { $0 } }

    /// Replaces the newest snapshot.
    func publish(_ snapshot: StoreSnapshot) {
        // The one before may be the last to hold much; it is released after the lock.
        _ = newest.withLock { newest in
            let before = newest
            newest = snapshot
            return before
        }
    }
}
