import Synchronization

/// Stores the newest snapshot for many concurrent readers.
///
/// A reader holds the lock only while it copies one reference.
final class Publication: Sendable {
    private let newest: Mutex<StoreSnapshot>

    /// Creates a publication with its first snapshot.
    init(_ snapshot: StoreSnapshot) { newest = Mutex(snapshot) }

    /// The newest snapshot.
    var snapshot: StoreSnapshot { newest.withLock { $0 } }

    /// Replaces the newest snapshot.
    func publish(_ snapshot: StoreSnapshot) {
        // The previous snapshot may have the last reference to much memory, so it is deallocated only after the lock is
        // released.
        _ = newest.withLock { newest in
            let before = newest
            newest = snapshot
            return before
        }
    }
}
