/// What became of evidence that was handed to a store.
public struct IntakeReport: Sendable {
    /// Facts that the vault did not have.
    public internal(set) var new = 0
    /// Facts that it had.
    public internal(set) var known = 0
    /// Facts that were put aside because they belong to another customer, or to nobody yet.
    public internal(set) var parked = 0
    /// What of them belongs to another customer.
    public internal(set) var conflicts: [BindingConflict] = []
    /// Why pieces were not believed; they count for nothing.
    public internal(set) var failures: [VerificationError] = []
    /// Pieces that say nothing about purchases: app transactions, notifications about other things.
    package internal(set) var ignored = 0
    /// The entries that were made in the customer's account.
    package internal(set) var entries: [LedgerEntry] = []
    /// The transactions that are owed a delivery because of it.
    package internal(set) var owed: [TransactionKey] = []

    /// The transactions that no balance can hold: they are kept, and neither credited nor finished.
    public internal(set) var uncredited: [TransactionKey] = []

    /// The transactions that were credited before, to a customer who was erased since: they are kept, and not credited
    /// again.
    public internal(set) var creditedBefore: [TransactionKey] = []

    /// The notifications that had been done with before, by UUID.
    package internal(set) var repeatedNotifications: Set<ServerNotification.ID> = []

    /// How many of the facts that were put aside are nobody's.
    var unclaimed = 0
    /// The other customers to whom facts belong that were put aside.
    var owners: [CustomerID] = []

    /// Makes an empty report.
    package init() {}

    /// Makes the report of a batch that was written.
    init(_ receipt: CommitReceipt, of batch: CommitBatch) {
        new = receipt.newFacts.count
        known = batch.facts.count - receipt.newFacts.count - receipt.putAside.positions.count
        parked = receipt.putAside.new
        conflicts = receipt.putAside.conflicts
        entries = receipt.entries
        owed = receipt.owed.map(\.key)
        uncredited = receipt.uncredited
        creditedBefore = receipt.creditedBefore
        repeatedNotifications = receipt.repeatedNotifications
        unclaimed = receipt.putAside.unclaimed
        owners = receipt.putAside.owners
    }

    mutating func add(_ other: IntakeReport) {
        new += other.new
        known += other.known
        parked += other.parked
        conflicts += other.conflicts
        failures += other.failures
        ignored += other.ignored
        entries += other.entries
        owed += other.owed
        uncredited += other.uncredited
        creditedBefore += other.creditedBefore
        repeatedNotifications.formUnion(other.repeatedNotifications)
        unclaimed += other.unclaimed
        owners += other.owners
    }
}
