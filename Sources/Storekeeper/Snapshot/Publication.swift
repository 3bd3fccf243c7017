import Synchronization

/// Holds the newest snapshot for many readers.
///
/// Reading it takes a lock for as long as copying a reference takes. Whoever reads often keeps the snapshot, and
/// looks at ``latestVersion`` to see whether it is still the newest.
final class Publication: Sendable {
    /// The number of the newest snapshot, in an object of its own.
    ///
    /// A lock and a count of references change all the time; in one cache line with them the number would be slow to
    /// read however seldom it changes.
    final class Version: Sendable {
        private let before = CacheLine()
        private let number: Atomic<Int64>
        private let after = CacheLine()

        fileprivate init(_ number: Int64) { self.number = Atomic(number) }

        /// The number of the newest snapshot.
        @inline(__always)
        var value: Int64 { number.load(ordering: .acquiring) }

        fileprivate func set(_ value: Int64) { number.store(value, ordering: .releasing) }
    }

    /// Room that keeps what stands on both sides in different cache lines; 128 bytes, because processors fetch lines
    /// in pairs.
    private struct CacheLine: Sendable {
        private let first: (Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64) = (0, 0, 0, 0, 0, 0, 0, 0)
        private let second: (Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64) = (0, 0, 0, 0, 0, 0, 0, 0)
    }

    /// The number of the newest snapshot.
    let latestVersion: Version
    private let newest: Mutex<StoreSnapshot>

    /// Publishes a first snapshot.
    init(_ snapshot: StoreSnapshot) {
        latestVersion = Version(1)
        newest = Mutex(snapshot.published(as: 1))
    }

    /// The newest snapshot.
    var snapshot: StoreSnapshot { newest.withLock { $0 } }

    /// Puts a snapshot in place of the newest.
    ///
    /// - Returns: The snapshot with its number, one more than that of the one before.
    @discardableResult
    func publish(_ snapshot: StoreSnapshot) -> StoreSnapshot {
        // What was the newest may be the last to hold much; it goes when the lock is free again.
        let (published, _) = newest.withLock { newest in
            let before = newest
            newest = snapshot.published(as: before.version + 1)
            latestVersion.set(newest.version)
            return (newest, before)
        }
        return published
    }
}
