/// A storage behind a network, so that each question costs a round trip: what a ``RemoteVault`` is made over.
///
/// A step is carried out here, by the rules of all vaults, over rows that the storage has loaded at once; what it changes
/// is written at once. The law of a step: nobody changes what it was told, nor writes what it writes, until it is written.
/// A storage holds it as it likes: by locking the customers of the footprint, by unique keys (a chain, a token, a payload,
/// a notification, a customer's request belong to one row), or by comparing versions. Where it finds out while writing
/// that the law was broken, it writes nothing and says ``RemoteWriteOutcome/overtaken``.
package protocol RemoteStorage: Sendable {
    /// A step that has begun.
    associatedtype Session: RemoteSession

    /// Begins a step: locks whom it is about, then loads.
    ///
    /// Locks are waited for in the order of ``Footprint/customers``. Rows are read after the locks are had, in a
    /// statement of its own: what a statement sees is older than the lock that it waits for.
    ///
    /// - Parameters:
    ///   - isReadOnly: Whether nothing will be written: then all that the session loads is of one state, and nobody waits
    ///     for it.
    ///   - former: A session that is to begin anew, and ends herewith; see ``RemoteSession/load(_:)``.
    func begin(
        _ footprint: Footprint, isReadOnly: Bool, insteadOf former: Session?
    ) async throws(VaultError) -> (session: Session, found: LoadedRows)

    /// Gives a node the first customer who is due and nobody else's, as ``VaultRules/leaseWake(_:at:in:)`` does, in a
    /// step of the storage's own: whom it is about is known only when the wakes were read.
    func leaseWake(_ lease: WakeLease, at now: Instant) async throws(VaultError) -> WakeTurn

    /// Reads a list, which is no part of a step.
    func rows(of list: VaultList) async throws(VaultError) -> ListedRows
}

/// A step that has begun in a remote storage; it ends with ``write(_:as:)`` or ``end()``.
///
/// No call looks at whether its task is cancelled: others' steps may be in it.
package protocol RemoteSession: Sendable {
    /// Loads what was missing, and locks whom it is about.
    ///
    /// - Returns: `nil` where the step is to begin anew, with all that it is known to need: what it was told already may
    ///   have changed before its locks were had, or a lock would have to be waited for out of order. Then another session begins
    ///   instead of it, or it ends. A session that only reads is never told so.
    func load(_ footprint: Footprint) async throws(VaultError) -> LoadedRows?

    /// Writes changes, all or none, and ends the session; when it returns, they are durable.
    ///
    /// - Parameters:
    ///   - runs: In the order in which they are to be written, those of one kind together; see ``RowChange/runs(of:)``.
    ///   - id: Is written with them. Where the connection is lost before the answer came, the storage looks whether the
    ///     id is there, and so finds out whether the changes are. It may be noted with the steps of batches, and
    ///     forgotten as they are.
    /// - Throws: ``VaultError``; then nothing was written.
    func write(_ runs: [[RowChange]], as id: StepID) async throws(VaultError) -> RemoteWriteOutcome

    /// Ends the session without having written anything.
    func end() async
}

/// What became of changes.
package enum RemoteWriteOutcome: Sendable {
    /// They are durable.
    case written(WrittenRows)
    /// Somebody else has changed what the step was told; nothing was written, and the step is to begin anew.
    case overtaken
}

/// Where a storage has put what it wrote.
package struct WrittenRows: Sendable {
    /// The place of the row that had ``MemoryTables/firstPlace``; the others follow in order, without gaps.
    package var first: Int64
    /// The proofs of erasures, by the place that they had before they were written.
    package var proofs: [Int64: String]

    /// Makes an answer.
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
