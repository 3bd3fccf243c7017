/// What a vault writes down in one step: all of it, or nothing.
///
/// The step itself finds out whose the evidence is: what is the customer's is written, what is not is put aside for
/// its owner, or until somebody claims it.
public struct CommitBatch: Sendable {
    /// For whom.
    public var recipient: EvidenceRecipient
    /// When it was learned, in UTC.
    public var at: Instant
    /// What was learned, in any order; copies that the vault has are passed over.
    public var facts: [VerifiedFact]
    /// The positions of the facts that ``events`` and ``wakeAt`` were computed from, in order; `nil` where they hang on
    /// none.
    ///
    /// Where others of the facts are the customer's, nothing is written and the caller looks again.
    public var expectedOwn: [Int]?
    /// What consumables among the facts do to balances.
    public var rule: LedgerRule
    /// The version of the customer that ``events`` and ``wakeAt`` were computed from; `nil` writes whatever it is.
    ///
    /// Another process may have written in between: then nothing is written and the caller looks again.
    public var expectedVersion: Int64?
    /// The answers that change by it.
    public var events: [StoreEvent.Draft]
    /// Up to when the changes that time brings have been announced, inclusive; never goes back, in UTC.
    public var evaluatedThrough: Instant?
    /// When an answer changes next with what is then known; `nil` where none does, in UTC.
    public var wakeAt: Instant?
    /// When the App Store's whole history of the customer was read; `nil` leaves what is known, in UTC.
    public var syncedAt: Instant?
    /// Purchases that begin to wait for approval.
    public var pending: [PendingPurchase]
    /// Products whose purchases wait no longer.
    public var settledPending: Set<Product.ID>
    /// Whether each transaction that is new to the vault is owed a delivery and a `finish`.
    ///
    /// A newer copy of a transaction that the vault knows owes nothing.
    public var owesDelivery: Bool
    /// Notifications that are done with, by UUID.
    public var notifications: [ServerNotification.ID]

    /// The name of the step, to find out later whether it was written; `nil` where nobody will ask.
    ///
    /// A batch whose step was written before is not written again: it is ``CommitOutcome/stale(version:)``.
    public var step: StepID?

    /// The customer about whom something is written.
    package var customer: CustomerID? { recipient.customer }

    /// Makes a batch of evidence that was presented for a customer.
    public init(
        customer: CustomerID, at instant: Instant, facts: [VerifiedFact] = [], rule: LedgerRule = LedgerRule(),
        expectedVersion: Int64? = nil, events: [StoreEvent.Draft] = [], evaluatedThrough: Instant? = nil,
        wakeAt: Instant? = nil, syncedAt: Instant? = nil, pending: [PendingPurchase] = [],
        settledPending: Set<Product.ID> = [], owesDelivery: Bool = false, notifications: [ServerNotification.ID] = []
    ) {
        self.init(
            for: .customer(customer), at: instant, facts: facts, rule: rule, expectedVersion: expectedVersion,
            events: events, evaluatedThrough: evaluatedThrough, wakeAt: wakeAt, syncedAt: syncedAt, pending: pending,
            settledPending: settledPending, owesDelivery: owesDelivery, notifications: notifications)
    }

    /// Makes a batch.
    public init(
        for recipient: EvidenceRecipient, at instant: Instant, facts: [VerifiedFact] = [], expectedOwn: [Int]? = nil,
        rule: LedgerRule = LedgerRule(), expectedVersion: Int64? = nil, events: [StoreEvent.Draft] = [],
        evaluatedThrough: Instant? = nil, wakeAt: Instant? = nil, syncedAt: Instant? = nil,
        pending: [PendingPurchase] = [], settledPending: Set<Product.ID> = [], owesDelivery: Bool = false,
        notifications: [ServerNotification.ID] = []
    ) {
        self.recipient = recipient
        at = instant
        self.facts = facts
        self.expectedOwn = expectedOwn
        self.rule = rule
        self.expectedVersion = expectedVersion
        self.events = events
        self.evaluatedThrough = evaluatedThrough
        self.wakeAt = wakeAt
        self.syncedAt = syncedAt
        self.pending = pending
        self.settledPending = settledPending
        self.owesDelivery = owesDelivery
        self.notifications = notifications
    }
}

/// What became of a batch.
public enum CommitOutcome: Sendable {
    /// It is written, and will be there whatever happens to the process or the machine.
    case committed(CommitReceipt)
    /// Somebody else has written since ``CommitBatch/expectedVersion``, or ``CommitBatch/step`` was written before;
    /// nothing was written now.
    case stale(version: Int64)
    /// Other facts are the customer's than ``CommitBatch/expectedOwn``: those at these positions; nothing was written.
    case divided(own: [Int])
}

/// What of a batch's evidence is not the customer's and waits in the vault.
package struct PutAside: Sendable {
    /// The facts, by their position in the batch.
    package var positions: [Int] = []
    /// How many of them did not wait before.
    package var new = 0
    /// How many of those that did not wait before are nobody's.
    package var unclaimed = 0
    /// Chains and tokens that were presented for the customer and belong to another.
    package var conflicts: [BindingConflict] = []
    /// The customers to whom facts belong that were presented for nobody; their next commit is to take them in.
    package var owners: [CustomerID] = []

    /// Makes what says that nothing was put aside.
    package init() {}
}

/// What a vault has written down.
public struct CommitReceipt: Sendable {
    /// The version of the customer afterwards.
    package var version: Int64
    /// The facts that were new, by their position in the batch.
    package var newFacts: [Int]
    /// The entries that were made in the customer's account.
    package var entries: [LedgerEntry]
    /// The balances that were moved, as they are now.
    package var balances: [Balance]
    /// The events, with their places in the vault.
    package var events: [StoreEvent]
    /// What is now owed a delivery and a `finish` because of this batch.
    package var owed: [OutboxItem]
    /// The transactions whose credits no balance can hold: the facts are there, the entries are not.
    ///
    /// They are credited when the batch comes again and there is room.
    public var uncredited: [TransactionKey]
    /// The transactions that were credited to a customer who was erased since: the facts are there, and nothing is
    /// credited again.
    package var creditedBefore: [TransactionKey]
    /// The notifications that had been seen before.
    package var repeatedNotifications: Set<ServerNotification.ID>
    /// Parked evidence that has become the customer's because of what the batch has bound, to be committed next.
    ///
    /// The first page of it, and where the list of all that is the customer's goes on; see ``Vault/adoptable(by:after:limit:)``.
    package var adoptable: VaultPage<VerifiedFact>
    /// What of the evidence is not the customer's.
    package var putAside: PutAside

    /// Makes a receipt.
    package init(
        version: Int64, newFacts: [Int] = [], entries: [LedgerEntry] = [], balances: [Balance] = [],
        events: [StoreEvent] = [], owed: [OutboxItem] = [], uncredited: [TransactionKey] = [],
        creditedBefore: [TransactionKey] = [], repeatedNotifications: Set<ServerNotification.ID> = [],
        adoptable: VaultPage<VerifiedFact> = VaultPage(), putAside: PutAside = PutAside()
    ) {
        self.version = version
        self.newFacts = newFacts
        self.entries = entries
        self.balances = balances
        self.events = events
        self.owed = owed
        self.uncredited = uncredited
        self.creditedBefore = creditedBefore
        self.repeatedNotifications = repeatedNotifications
        self.adoptable = adoptable
        self.putAside = putAside
    }
}

/// All that a vault knows of a customer.
public struct CustomerRecord: Sendable {
    /// Counts the batches written about the customer; 0 for one of whom nothing was ever written.
    package var version: Int64
    /// The facts, in the order in which they were learned.
    package var facts: [StoredFact]
    /// The balances, by name.
    package var balances: [Balance]
    /// Where the customer's account ends.
    package var lastEntry: AccountEnd
    /// Up to when the changes that time brings have been announced, inclusive, in UTC.
    package var evaluatedThrough: Instant?
    /// When the App Store's whole history of the customer was last read, in UTC.
    package var syncedAt: Instant?
    /// What is owed a delivery or a `finish`, oldest first.
    package var unfinished: [OutboxItem]
    /// The purchases that wait for approval.
    package var pending: [PendingPurchase]
    /// Parked evidence whose chain or token has become the customer's, to be committed.
    ///
    /// The first page of it, without what is disputed: evidence whose chain or newest token is another's. See
    /// ``Vault/adoptable(by:after:limit:)``.
    package var adoptable: VaultPage<VerifiedFact>

    /// Makes a record.
    package init(
        version: Int64 = 0, facts: [StoredFact] = [], balances: [Balance] = [], lastEntry: AccountEnd = .none,
        evaluatedThrough: Instant? = nil, syncedAt: Instant? = nil, unfinished: [OutboxItem] = [],
        pending: [PendingPurchase] = [], adoptable: VaultPage<VerifiedFact> = VaultPage()
    ) {
        self.version = version
        self.facts = facts
        self.balances = balances
        self.lastEntry = lastEntry
        self.evaluatedThrough = evaluatedThrough
        self.syncedAt = syncedAt
        self.unfinished = unfinished
        self.pending = pending
        self.adoptable = adoptable
    }
}
