/// A storage behind a network, for a ``RemoteVault``: each query costs a round trip.
///
/// A step runs in this process, by the same ``VaultRules`` as in every other vault. The storage loads the rows of the
/// step together, and writes its changes together. Steps are isolated: the rows that a step has read or will write do
/// not change until the step is written. A storage may enforce this by locks on the customers of the footprint, by
/// unique keys (a chain, a token, a payload, a notification or a customer's request belongs to one row), or by
/// comparing versions. If the storage detects a changed row while it writes, it writes nothing and returns
/// ``RemoteWriteOutcome/overtaken``.
package protocol RemoteStorage: Sendable {
    /// A step that has begun.
    associatedtype Session: RemoteSession

    /// Begins a step: locks the customers of the footprint, and then loads the rows of the footprint.
    ///
    /// Locks are acquired in the order of ``Footprint/customers``. Rows are read afterwards, in a separate statement,
    /// because a statement that waits for a lock reads the state before the lock was acquired.
    ///
    /// - Parameters:
    ///   - isReadOnly: Whether nothing will be written. A read-only session loads all rows from one state, without
    ///     locks.
    ///   - lockLimit: The time limit for waiting for a lock that another writer holds; `nil` for the storage's limit.
    ///     The error is ``VaultError`` with `locked`, and ``RemoteStorage/isBlocked(_:)`` returns `true` for it.
    ///   - former: A session that the new session replaces, and that ends now; see ``RemoteSession/load(_:)``.
    func begin(
        _ footprint: Footprint, isReadOnly: Bool, lockLimit: Duration?, insteadOf former: Session?
    ) async throws(VaultError) -> (session: Session, found: LoadedRows)

    /// Returns whether an error means that another writer held a lock for longer than the limit.
    func isBlocked(_ error: VaultError) -> Bool

    /// Leases to a node the first customer whose wake-up time has passed and who is not leased to another node; see
    /// ``VaultRules/leaseWake(_:at:in:)``.
    ///
    /// The storage runs this step itself, because a footprint cannot name the customer before the wake-up times are
    /// read.
    func leaseWake(_ lease: WakeLease, at now: Instant) async throws(VaultError) -> WakeDecision

    /// Reads a list outside of any step.
    func rows(of list: VaultList) async throws(VaultError) -> ListedRows
}

/// A step that has begun in a remote storage; it ends with ``write(_:as:)`` or ``end()``.
///
/// The calls do not check whether their task is cancelled, because a session may write the steps of other callers.
package protocol RemoteSession: Sendable {
    /// Loads missing rows, and locks the customers that the rows are about.
    ///
    /// - Returns: The loaded rows; `nil` if the step must start again in a new session, with all rows that it is known
    ///   to need. This is necessary if rows may have changed before the locks were acquired, or if a lock would be
    ///   acquired out of order. The caller then ends this session, or replaces it with another session. A session that
    ///   only reads never returns `nil`.
    func load(_ footprint: Footprint) async throws(VaultError) -> LoadedRows?

    /// Writes all changes or none, and ends the session; the changes are durable when this call returns.
    ///
    /// - Parameters:
    ///   - runs: The changes in the order of writing, grouped by kind; see ``RowChange/runs(of:)``.
    ///   - id: An id that is written with the changes. If the connection is lost before the answer arrives, the storage
    ///     looks for the id to find out whether the changes were written. The storage may store this id like the step
    ///     ids of batches, and delete it after the same time.
    /// - Throws: ``VaultError`` if the storage fails. In this case, nothing was written.
    func write(_ runs: [[RowChange]], as id: StepID) async throws(VaultError) -> RemoteWriteOutcome

    /// Ends the session without having written anything.
    func end() async
}

/// The result of writing changes.
package enum RemoteWriteOutcome: Sendable {
    /// The changes are durable.
    case written(WrittenRows)
    /// Another writer has changed rows that the step has read; nothing was written, and the step must start again.
    case overtaken
}

/// The places of the rows that a storage has written.
package struct WrittenRows: Sendable {
    /// The final place of the row with the provisional place ``MemoryTables/firstPlace``; the places of the other new
    /// rows follow in order, without gaps.
    package var first: Int64
    /// The proofs of erasures, by the provisional place of the erasure.
    package var proofs: [Int64: String]

    /// Creates the places of written rows.
    package init(first: Int64, proofs: [Int64: String] = [:]) {
        self.first = first
        self.proofs = proofs
    }

    /// Returns the final place of a row that a step has read or written.
    package func place(_ place: FeedPlace) -> FeedPlace { FeedPlace(self.place(place.number)) }

    /// Returns the number of the final place of a row that a step has read or written.
    package func place(_ number: Int64) -> Int64 {
        number < MemoryTables.firstPlace ? number : first &+ (number - MemoryTables.firstPlace)
    }
}
