/// A storage behind a network, for a ``RemoteVault``: each query costs a round trip.
///
/// A step runs in this process, by the rules of all vaults, over rows that the storage has loaded at once; its changes
/// are written at once. Steps are isolated: the rows that a step has read or will write do not change until it is
/// written. A storage may enforce this by locking the customers of the footprint, by unique keys (a chain, a token, a
/// payload, a notification, a customer's request belong to one row), or by comparing versions. If it finds while
/// writing that such a row has changed, it writes nothing and returns ``RemoteWriteOutcome/overtaken``.
package protocol RemoteStorage: Sendable {
    /// A step that has begun.
    associatedtype Session: RemoteSession

    /// Begins a step: locks the customers of the footprint, then loads its rows.
    ///
    /// Locks are acquired in the order of ``Footprint/customers``. Rows are read afterwards, in a separate statement:
    /// a statement sees a state that is older than the lock it waits for.
    ///
    /// - Parameters:
    ///   - isReadOnly: Whether nothing will be written: then the session loads all rows of one state, without locks.
    ///   - former: A session that this one replaces, and that ends now; see ``RemoteSession/load(_:)``.
    func begin(
        _ footprint: Footprint, isReadOnly: Bool, insteadOf former: Session?
    ) async throws(VaultError) -> (session: Session, found: LoadedRows)

    /// Leases to a node the first due customer who is not leased, as ``VaultRules/leaseWake(_:at:in:)`` does, in a step
    /// of the storage: the customer is known only when the wakes were read.
    func leaseWake(_ lease: WakeLease, at now: Instant) async throws(VaultError) -> WakeDecision

    /// Reads a list outside of any step.
    func rows(of list: VaultList) async throws(VaultError) -> ListedRows
}

/// A step that has begun in a remote storage; it ends with ``write(_:as:)`` or ``end()``.
///
/// No call checks for cancellation of its task: the session may carry the steps of other callers.
package protocol RemoteSession: Sendable {
    /// Loads missing rows, and locks the customers that they are about.
    ///
    /// - Returns: `nil` if the step must start again with everything that it is known to need: rows that it has read
    ///   may have changed before its locks were acquired, or a lock would be acquired out of order. Then another
    ///   session replaces this one, or it ends. A session that only reads never returns `nil`.
    func load(_ footprint: Footprint) async throws(VaultError) -> LoadedRows?

    /// Writes changes, all or none, and ends the session; when it returns, they are durable.
    ///
    /// - Parameters:
    ///   - runs: The changes in the order of writing, those of one kind together; see ``RowChange/runs(of:)``.
    ///   - id: An id that is written with the changes. If the connection is lost before the answer arrives, the storage
    ///     looks for the id to find out whether the changes were written. It may be kept with the steps of batches, and
    ///     forgotten with them.
    /// - Throws: ``VaultError``; then nothing was written.
    func write(_ runs: [[RowChange]], as id: StepID) async throws(VaultError) -> RemoteWriteOutcome

    /// Ends the session without having written anything.
    func end() async
}

/// The result of writing changes.
package enum RemoteWriteOutcome: Sendable {
    /// They are durable.
    case written(WrittenRows)
    /// Another writer has changed rows that the step has read; nothing was written, and the step must start again.
    case overtaken
}

/// The places of the rows that a storage has written.
package struct WrittenRows: Sendable {
    /// The place of the row that had ``MemoryTables/firstPlace``; the others follow in order, without gaps.
    package var first: Int64
    /// The proofs of erasures, by the place that they had before they were written.
    package var proofs: [Int64: String]

    /// Creates an answer.
    package init(first: Int64, proofs: [Int64: String] = [:]) {
        self.first = first
        self.proofs = proofs
    }

    /// The place in the storage of a row that a step has read or written.
    package func place(_ place: FeedPlace) -> FeedPlace { FeedPlace(self.place(place.number)) }

    /// The number of such a place.
    package func place(_ number: Int64) -> Int64 {
        number < MemoryTables.firstPlace ? number : first &+ (number - MemoryTables.firstPlace)
    }
}
