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
    public internal(set) var ignored = 0
    /// The entries that were made in the customer's account.
    public internal(set) var entries: [LedgerEntry] = []
    /// The transactions that are owed a delivery because of it.
    public internal(set) var owed: [TransactionKey] = []

    /// The transactions that no balance can hold: they are kept, and neither credited nor finished.
    public internal(set) var uncredited: [TransactionKey] = []

    /// Makes an empty report.
    public init() {}

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
    }
}
