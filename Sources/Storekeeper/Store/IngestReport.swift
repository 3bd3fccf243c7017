/// The result of passing evidence to a store.
public struct IngestReport: Sendable {
    /// The number of facts that were new to the vault.
    ///
    /// Of a notification, only the transaction and the renewal info inside are counted, here and in ``known`` and
    /// ``parked``.
    public internal(set) var new = 0
    /// The number of facts that the vault already had.
    public internal(set) var known = 0
    /// The number of facts that were parked because they belong to another customer or have no owner yet.
    public internal(set) var parked = 0
    /// The chains and tokens of the parked facts that belong to another customer.
    public internal(set) var conflicts: [BindingConflict] = []
    /// The verification errors of the pieces of evidence that were rejected.
    public internal(set) var failures: [VerificationError] = []
    /// The number of pieces of evidence that a vault does not store, such as app transactions without an id of
    /// their own and notifications about other subjects.
    public internal(set) var ignored = 0
    /// The remarks about verified evidence that counts for nothing: purchases in an environment that gives no access,
    /// purchases whose type the catalog contradicts, and renewal infos without a transaction of their chain.
    ///
    /// A fact of this kind is among ``new``, ``known`` or ``parked`` as well.
    public internal(set) var diagnostics: [Diagnostic] = []
    /// The new entries in the customer's account.
    package internal(set) var entries: [LedgerEntry] = []
    /// The transactions that are owed a delivery since this call.
    package internal(set) var owed: [TransactionKey] = []

    /// The transactions that would overflow a balance; they are stored, but neither credited nor finished.
    public internal(set) var uncredited: [TransactionKey] = []

    /// The transactions that were credited to a customer who has since been erased; they are stored, but not credited
    /// again.
    public internal(set) var creditedBefore: [TransactionKey] = []

    /// The UUIDs of the notifications that had been recorded before.
    package internal(set) var repeatedNotifications: Set<ServerNotification.ID> = []

    /// The reason for refusing a change of access; after a refusal, nothing was written.
    var refusal: LedgerRefusal?
    /// The number of parked facts without an owner.
    var unclaimed = 0
    /// The owners of the parked facts that have an owner and should adopt the facts now.
    package internal(set) var owners: [CustomerID] = []

    /// Creates an empty report.
    package init() {}

    /// Creates the report of evidence that is not written yet.
    init(_ presented: VerificationBatch) {
        failures = presented.failures.map(\.error)
        ignored = presented.ignored
    }

    /// Creates the report of a written batch.
    init(_ receipt: CommitReceipt, of batch: CommitBatch) {
        func counted(_ positions: some Sequence<Int>) -> Int { positions.count { batch.facts[$0].notification == nil } }
        new = counted(receipt.newFacts)
        known = counted(batch.facts.indices) - new - counted(receipt.parked.positions)
        parked = receipt.parked.new
        conflicts = receipt.parked.conflicts
        entries = receipt.entries
        owed = receipt.owed.map(\.key)
        uncredited = receipt.uncredited
        creditedBefore = receipt.creditedBefore
        repeatedNotifications = receipt.repeatedNotifications
        unclaimed = receipt.parked.unclaimed
        owners = receipt.parked.owners
    }

    /// Adds the counts and lists of another report.
    package mutating func add(_ other: IngestReport) {
        new += other.new
        known += other.known
        parked += other.parked
        conflicts += other.conflicts
        failures += other.failures
        ignored += other.ignored
        diagnostics = Diagnostic.sorted(diagnostics + other.diagnostics)
        entries += other.entries
        owed += other.owed
        uncredited += other.uncredited
        creditedBefore += other.creditedBefore
        repeatedNotifications.formUnion(other.repeatedNotifications)
        unclaimed += other.unclaimed
        owners += other.owners
    }
}
