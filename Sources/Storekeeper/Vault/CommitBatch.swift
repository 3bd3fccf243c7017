/// The changes that a vault writes in one step, which is atomic.
///
/// The step determines the owners of the evidence: the customer's facts are written; other facts are parked until their
/// owner's next commit, or until they are claimed.
package struct CommitBatch: Sendable {
    /// The recipient of the evidence: the customer for whom it was presented, or the owner of each piece.
    package var recipient: EvidenceRecipient
    /// The instant at which the evidence was learned, in UTC.
    package var at: Instant
    /// The evidence, in any order; copies that the vault already has are skipped.
    package var facts: [VerifiedFact]
    /// The positions in ``facts`` of the facts from which ``events`` and ``wakeAt`` were computed, in order; `nil` if
    /// these values do not depend on the facts.
    ///
    /// If the customer owns different facts when the step runs, nothing is written, and the caller must compute the
    /// batch again.
    package var expectedOwn: [Int]?
    /// The rule by which consumables change balances.
    package var rule: LedgerRule
    /// The version of the customer's data from which ``events`` and ``wakeAt`` were computed; `nil` accepts any
    /// version.
    ///
    /// If the customer has another version when the step runs, nothing is written, and the caller must compute the
    /// batch again.
    package var expectedVersion: Int64?
    /// The changes of answers, which are written as events.
    package var events: [StoreEvent.Change]
    /// The last instant, in UTC, up to which changes caused by time, such as the end of a period, have been announced.
    ///
    /// If the stored instant is later, it does not change.
    package var evaluatedThrough: Instant?
    /// The next instant after the batch at which an answer changes by time alone, in UTC; `nil` if no answer changes.
    ///
    /// A batch that contains only this instant does not create a customer, because the customer may have been erased
    /// since the instant was computed.
    package var wakeAt: Instant?
    /// When the App Store's whole history of the customer was read, in UTC; `nil` does not change the stored instant.
    package var syncedAt: Instant?
    /// The purchases that now wait for approval.
    package var pending: [PendingPurchase]
    /// The products whose purchases no longer wait for approval.
    package var settledPending: Set<Product.ID>
    /// A change of the customer's access without a purchase.
    package var access: AccessChange?
    /// Whether each transaction that is new to the vault is owed a delivery and a `finish`.
    ///
    /// A newer copy of a transaction that the vault already has is not owed a delivery.
    package var owesDelivery: Bool
    /// The ids of the notifications whose facts are all stored once this batch is written.
    package var notifications: [ServerNotification.ID]

    /// The id of the step, by which the caller can find out later whether the step was written; `nil` if the caller
    /// does not need to find out.
    ///
    /// A batch whose step was written before is not written again; the outcome is ``CommitOutcome/stale(version:)``.
    package var step: StepID?

    /// The customer whose data the batch writes; `nil` if all facts are parked for their owners.
    package var customer: CustomerID? { recipient.customer }

    /// Creates a batch of evidence that was presented for a customer.
    package init(
        customer: CustomerID, at instant: Instant, facts: [VerifiedFact] = [], rule: LedgerRule = LedgerRule(),
        expectedVersion: Int64? = nil, events: [StoreEvent.Change] = [], evaluatedThrough: Instant? = nil,
        wakeAt: Instant? = nil, syncedAt: Instant? = nil, pending: [PendingPurchase] = [],
        settledPending: Set<Product.ID> = [], access: AccessChange? = nil, owesDelivery: Bool = false,
        notifications: [ServerNotification.ID] = []
    ) {
        self.init(
            for: .customer(customer), at: instant, facts: facts, rule: rule, expectedVersion: expectedVersion,
            events: events, evaluatedThrough: evaluatedThrough, wakeAt: wakeAt, syncedAt: syncedAt, pending: pending,
            settledPending: settledPending, access: access, owesDelivery: owesDelivery, notifications: notifications)
    }

    /// Creates a batch.
    package init(
        for recipient: EvidenceRecipient, at instant: Instant, facts: [VerifiedFact] = [], expectedOwn: [Int]? = nil,
        rule: LedgerRule = LedgerRule(), expectedVersion: Int64? = nil, events: [StoreEvent.Change] = [],
        evaluatedThrough: Instant? = nil, wakeAt: Instant? = nil, syncedAt: Instant? = nil,
        pending: [PendingPurchase] = [], settledPending: Set<Product.ID> = [], access: AccessChange? = nil,
        owesDelivery: Bool = false, notifications: [ServerNotification.ID] = []
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
        self.access = access
        self.owesDelivery = owesDelivery
        self.notifications = notifications
    }
}

/// The outcome of a commit.
package enum CommitOutcome: Sendable {
    /// The batch is durable.
    case committed(CommitReceipt)
    /// Another caller has written since ``CommitBatch/expectedVersion``, or the step with the id ``CommitBatch/step``
    /// was written before; this commit has written nothing.
    case stale(version: Int64)
    /// The customer's facts differ from ``CommitBatch/expectedOwn``; the associated value contains the actual
    /// positions.
    ///
    /// Nothing was written.
    case ownershipDiffers(own: [Int])
    /// The change of access in ``CommitBatch/access`` is refused; nothing was written.
    case refused(LedgerRefusal)
}

/// The facts of a batch that do not belong to its customer and were parked.
package struct ParkedFacts: Sendable {
    /// The positions of the parked facts in the batch.
    package var positions: [Int] = []
    /// The number of facts that were not parked before, without notifications, which are parked beside the evidence
    /// inside them.
    package var new = 0
    /// The number of newly parked facts without an owner, without notifications.
    package var unclaimed = 0
    /// The chains and tokens that were presented for the customer and belong to another customer.
    package var conflicts: [BindingConflict] = []
    /// The owners of parked facts that were not presented for a customer, or that are copies of transactions that count
    /// for the owner; the next commit for an owner adopts the facts.
    package var owners: [CustomerID] = []

    /// Creates an empty value.
    package init() {}
}

/// The result of a commit.
package struct CommitReceipt: Sendable {
    /// The version of the customer after the commit.
    package var version: Int64
    /// The positions in the batch of the facts that were new to the vault.
    package var newFacts: [Int]
    /// The new entries in the customer's account.
    package var entries: [LedgerEntry]
    /// The balances that the commit has changed, with their new amounts.
    package var balances: [Balance]
    /// The events, with their positions in the vault's feed.
    package var events: [StoreEvent]
    /// The deliveries that are owed because of the batch.
    package var owed: [OutboxItem]
    /// The transactions whose facts were stored without entries, because a balance would overflow.
    ///
    /// Such a transaction is credited when it is committed again, if the balance no longer overflows.
    package var uncredited: [TransactionKey]
    /// The transactions that were credited to a customer who has since been erased; their facts are stored, but the
    /// transactions are not credited again.
    package var creditedBefore: [TransactionKey]
    /// The notifications that were recorded before this batch.
    package var repeatedNotifications: Set<ServerNotification.ID>
    /// The parked evidence that belongs to the customer because of this batch's bindings; the caller should commit it
    /// next.
    ///
    /// This is the first page; its ``VaultPage/next`` is a place in the list of all the customer's parked evidence. See
    /// ``TransactionalVault/adoptable(by:after:limit:)``.
    package var adoptable: VaultPage<VerifiedFact>
    /// The facts of the batch that do not belong to the customer.
    package var parked: ParkedFacts

    /// Creates a receipt.
    package init(
        version: Int64, newFacts: [Int] = [], entries: [LedgerEntry] = [], balances: [Balance] = [],
        events: [StoreEvent] = [], owed: [OutboxItem] = [], uncredited: [TransactionKey] = [],
        creditedBefore: [TransactionKey] = [], repeatedNotifications: Set<ServerNotification.ID> = [],
        adoptable: VaultPage<VerifiedFact> = VaultPage(), parked: ParkedFacts = ParkedFacts()
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
        self.parked = parked
    }
}

/// The data of a customer in a vault.
package struct CustomerRecord: Sendable {
    /// A number that is incremented when a batch about the customer is written; 0 for an unknown customer.
    ///
    /// A version of the customer never repeats, even if the customer is erased and created again.
    package var version: Int64
    /// The facts, in the order in which they were learned.
    package var facts: [StoredFact]
    /// The balances, by name.
    package var balances: [Balance]
    /// The last entry of the customer's account.
    package var lastEntry: AccountEnd
    /// The last instant, in UTC, up to which changes caused by time, such as the end of a period, have been announced.
    package var evaluatedThrough: Instant?
    /// When the App Store's whole history of the customer was last read, in UTC.
    package var syncedAt: Instant?
    /// The outstanding deliveries and `finish` calls, oldest first.
    package var unfinished: [OutboxItem]
    /// The purchases that wait for approval.
    package var pending: [PendingPurchase]
    /// The grants of access without a purchase, in the order in which they were made.
    package var grants: [AccessGrant]
    /// The parked evidence whose chain or token now belongs to the customer; the caller should commit it.
    ///
    /// This is the first page. Evidence whose chain or newest token belongs to another customer is left out. See
    /// ``TransactionalVault/adoptable(by:after:limit:)``.
    package var adoptable: VaultPage<VerifiedFact>

    /// Creates a record.
    package init(
        version: Int64 = 0, facts: [StoredFact] = [], balances: [Balance] = [], lastEntry: AccountEnd = .none,
        evaluatedThrough: Instant? = nil, syncedAt: Instant? = nil, unfinished: [OutboxItem] = [],
        pending: [PendingPurchase] = [], grants: [AccessGrant] = [],
        adoptable: VaultPage<VerifiedFact> = VaultPage()
    ) {
        self.version = version
        self.facts = facts
        self.balances = balances
        self.lastEntry = lastEntry
        self.evaluatedThrough = evaluatedThrough
        self.syncedAt = syncedAt
        self.unfinished = unfinished
        self.pending = pending
        self.grants = grants
        self.adoptable = adoptable
    }
}
