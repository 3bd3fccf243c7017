import Synchronization

/// Publishes the newest snapshot to many readers.
///
/// Reading it takes a lock for as long as copying a reference. A frequent reader keeps the snapshot and checks
/// ``latestVersion`` to see whether a newer one was published.
final class Publication: Sendable {
    /// The version of the newest snapshot, in a separate object.
    ///
    /// A lock and a reference count change constantly; in one cache line with them, the rarely changing version would
    /// be slow to read.
    final class Version: Sendable {
        private let before = CacheLine()
        private let number: Atomic<Int64>
        private let after = CacheLine()

        fileprivate init(_ number: Int64) { self.number = Atomic(number) }

        /// The version of the newest snapshot.
        @inline(__always)
        var value: Int64 { number.load(ordering: .acquiring) }

        fileprivate func set(_ value: Int64) { number.store(value, ordering: .releasing) }
    }

    /// Padding that separates its neighbours into different cache lines; 128 bytes, because processors fetch lines in
    /// pairs.
    private struct CacheLine: Sendable {
        private let first: (Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64) = (0, 0, 0, 0, 0, 0, 0, 0)
        private let second: (Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64) = (0, 0, 0, 0, 0, 0, 0, 0)
    }

    /// The version of the newest snapshot.
    let latestVersion: Version
    private let newest: Mutex<StoreSnapshot>

    /// Publishes a first snapshot.
    init(_ snapshot: StoreSnapshot) {
        latestVersion = Version(1)
        newest = Mutex(snapshot.published(as: 1))
    }

    /// The newest snapshot.
    var snapshot: StoreSnapshot { newest.withLock { $0 } }

    /// Replaces the newest snapshot.
    ///
    /// - Returns: The snapshot with its version, one greater than that of its predecessor.
    @discardableResult
    func publish(_ snapshot: StoreSnapshot) -> StoreSnapshot {
        // The previous snapshot may hold the last references to much memory; it is released outside the lock.
        let (published, _) = newest.withLock { newest in
            let before = newest
            newest = snapshot.published(as: before.version + 1)
            latestVersion.set(newest.version)
            return (newest, before)
        }
        return published
    }
}
