/// The rows of a vault, as ``VaultRules`` sees them inside one step.
///
/// Plain reading and writing: every rule stands in ``VaultRules``. Lists come in the order in which their rows were
/// added, unless a call says otherwise. Numbers that rows are given as their ``FeedPlace`` only ever grow, in all
/// tables together, so that they tell what was written first.
package protocol VaultTables: OwnershipTables {
    // MARK: Customers

    /// Notes it in place of what was noted.
    mutating func setCustomer(_ row: CustomerRow) throws(VaultError)
    /// Customers in order of id, those after a given one.
    func customers(after previous: CustomerID?, limit: Int) throws(VaultError) -> [CustomerID]
    /// The customer with the earliest ``CustomerRow/wakeAt``; of several the first by id.
    func earliestWake() throws(VaultError) -> (customer: CustomerID, at: Instant)?
    /// Customers in order of ``CustomerRow/wakeAt`` and id, those after a given one.
    func wakes(after previous: WakeRow?, limit: Int) throws(VaultError) -> [WakeRow]
    /// Notes whose a customer's wake is, in place of what was noted; what has ended by now may be forgotten.
    mutating func setLease(_ hold: WakeHold, of customer: CustomerID, at now: Instant) throws(VaultError)

    // MARK: Bindings

    /// What belongs to a customer.
    func bindings(of customer: CustomerID) throws(VaultError) -> [Binding]
    /// Counts that a customer presented a chain or token that is another's, and says how often anybody did.
    mutating func countAttempt(
        on subject: BindingSubject, by claimant: CustomerID, at instant: Instant
    ) throws(VaultError) -> Int

    // MARK: Facts

    /// Adds a fact.
    ///
    /// - Returns: Its place; `nil` where a fact of the same payload is there already.
    mutating func insert(_ fact: VerifiedFact, learnedAt: Instant) throws(VaultError) -> FeedPlace?
    /// The facts after a place: those of a customer's chains, or everybody's.
    ///
    /// Renewal infos name no app: a customer's are those of the environment and original transaction of any chain.
    func facts(after place: FeedPlace, of customer: CustomerID?, limit: Int) throws(VaultError) -> [StoredFact]
    /// All copies of a transaction.
    func copies(of key: TransactionKey) throws(VaultError) -> [Transaction]

    // MARK: Parked evidence

    /// Puts a fact aside; `false` where one of the same payload is there already.
    mutating func park(_ fact: ParkedFact, claimant: CustomerID?) throws(VaultError) -> Bool
    /// What is parked, a page of it.
    func parked(after place: FeedPlace, limit: Int) throws(VaultError) -> VaultPage<ParkedFact>
    /// What is parked of chains or with tokens that belong to a customer, a page of it.
    ///
    /// Renewal infos are of the environment and original transaction of any chain. Where tokens are
    /// ``AccountTokenRule/asIDs``, one that was given to nobody is the customer's whose id it is.
    func parked(
        heldBy customer: CustomerID, after place: FeedPlace, limit: Int
    ) throws(VaultError) -> VaultPage<ParkedFact>
    /// What is parked under chains and tokens, the first page of it; renewal infos under any chain of their purchase.
    func parked(under subjects: [BindingSubject], limit: Int) throws(VaultError) -> VaultPage<ParkedFact>
    /// What is parked of transactions of a chain, a page of it.
    func parked(of chain: ChainID, after place: FeedPlace, limit: Int) throws(VaultError) -> VaultPage<ParkedFact>
    /// Takes a fact of the same payload out of the park, if there is one.
    mutating func unpark(_ fact: VerifiedFact) throws(VaultError)

    // MARK: Accounts

    /// Adds an entry to a customer's account, with the number that comes after that of the last one.
    mutating func append(_ entry: LedgerDraft) throws(VaultError) -> LedgerEntry
    /// The entries that a transaction has made, on all balances.
    func entries(causedBy key: TransactionKey) throws(VaultError) -> [LedgerEntry]
    /// The entry that a customer's request has made.
    func entry(of customer: CustomerID, key: LedgerRequest.Key) throws(VaultError) -> LedgerEntry?
    /// The entries after a place, of a customer or everybody.
    func entries(after place: FeedPlace, of customer: CustomerID?, limit: Int) throws(VaultError) -> [LedgerEntry]
    /// Where a customer's account ends.
    func lastEntry(of customer: CustomerID) throws(VaultError) -> AccountEnd
    /// A balance; `nil` where nothing ever moved it. Names, as all ids and keys, are what their bytes are.
    func balance(_ id: Balance.ID, of customer: CustomerID) throws(VaultError) -> Balance?
    /// A customer's balances, by name.
    func balances(of customer: CustomerID) throws(VaultError) -> [Balance]
    /// Notes a balance in place of what was noted.
    mutating func setBalance(_ balance: Balance, of customer: CustomerID) throws(VaultError)

    // MARK: The erased

    /// Keeps marks of erased customers.
    mutating func keep(_ marks: ErasedMarks) throws(VaultError)
    /// Whether an erased customer has left a mark.
    func isMarked(_ mark: ErasedMark) throws(VaultError) -> Bool

    // MARK: Events, deliveries, notes

    /// Adds an event.
    mutating func append(_ change: StoreEvent.Draft, about customer: CustomerID) throws(VaultError) -> StoreEvent
    /// The events after a place, of a customer or of all.
    func events(after place: FeedPlace, of customer: CustomerID?, limit: Int) throws(VaultError) -> [StoreEvent]
    /// Owes a transaction a delivery, unless it is noted already, owed or done.
    ///
    /// - Returns: Whether it is owed now and was not noted before.
    mutating func owe(_ item: OutboxItem) throws(VaultError) -> Bool
    /// What a customer is owed, a delivery or a `finish`.
    func unfinished(of customer: CustomerID) throws(VaultError) -> [OutboxItem]
    /// The customers who are owed one, in order of id, those after a given one.
    func customersOwed(after previous: CustomerID?, limit: Int) throws(VaultError) -> [CustomerID]
    /// Notes how far a transaction has come; `nil`: it is done with, which stays noted.
    mutating func markDelivery(of key: TransactionKey, as state: OutboxItem.State?) throws(VaultError)
    /// The purchases of a customer that wait for approval.
    func pending(of customer: CustomerID) throws(VaultError) -> [PendingPurchase]
    /// Notes a customer's pending purchases in place of what was noted.
    mutating func setPending(_ pending: [PendingPurchase], of customer: CustomerID) throws(VaultError)
    /// Notes a notification; `false` where it is noted already.
    mutating func insert(notification uuid: ServerNotification.ID, at instant: Instant) throws(VaultError) -> Bool
    /// Whether a notification is noted.
    func isSeen(notification uuid: ServerNotification.ID) throws(VaultError) -> Bool
    /// How far a backend was read.
    func cursor(of backend: String) throws(VaultError) -> UpdateCursor?
    /// Notes how far a backend was read.
    mutating func setCursor(_ cursor: UpdateCursor, of backend: String) throws(VaultError)

    // MARK: Steps

    /// Whether a step is noted as written.
    func isWritten(_ step: StepID) throws(VaultError) -> Bool
    /// Notes that a step is written, and forgets one or two of those written before an instant, so that there are never
    /// many more than were written since.
    mutating func insert(step: StepID, at instant: Instant, forgettingBefore limit: Instant) throws(VaultError)

    // MARK: Erasure

    /// Takes a fact of the same payload out of the park, and with it what was noted only for its sake.
    mutating func removeParked(_ fact: VerifiedFact) throws(VaultError)
    /// Takes out the facts of a chain, and says how many there were.
    mutating func removeFacts(of chain: ChainID) throws(VaultError) -> Int
    /// Takes out the renewal infos of an environment and original transaction, and says how many there were.
    mutating func removeRenewalInfos(
        environment: AppStore.Environment, originalID: Transaction.ID
    ) throws(VaultError) -> Int
    /// Makes a chain or token nobody's; of a chain nothing may be left then.
    mutating func unbind(_ subject: BindingSubject) throws(VaultError)
    /// Forgets how often anybody presented a chain or token that is another's.
    mutating func removeAttempts(on subject: BindingSubject) throws(VaultError)
    /// Takes out what a customer's transactions were owed, done or not; they are found by facts, so that these go later.
    mutating func removeDeliveries(of customer: CustomerID) throws(VaultError)
    /// Takes out the events about a customer.
    mutating func removeEvents(of customer: CustomerID) throws(VaultError)
    /// Takes out the balances of a customer.
    mutating func removeBalances(of customer: CustomerID) throws(VaultError)
    /// Empties the entries of a customer, takes out the customer, and writes down what this step has erased.
    ///
    /// What is emptied is in no list and answers no key.
    ///
    /// - Parameter facts: How many facts were taken out.
    mutating func closeErasure(
        of customer: CustomerID, facts: Int, reason: String, at instant: Instant
    ) throws(VaultError) -> Erasure
    /// The erasures of a customer.
    func erasures(of customer: CustomerID) throws(VaultError) -> [Erasure]
}

/// An entry before it has its number in the account, and its place in the vault.
package struct LedgerDraft: Hashable, Sendable {
    /// Whose it is.
    package let customer: CustomerID
    /// When it is made, in UTC.
    package let at: Instant
    /// What it does.
    package let kind: LedgerEntry.Kind
    /// The balance it moves.
    package let balance: Balance.ID
    /// By how much, in units of the balance.
    package let change: Int64
    /// The balance afterwards.
    package let after: Int64
    /// Why it is made.
    package let cause: LedgerEntry.Cause
    /// Who asked for it.
    package let recordedBy: String?

    /// Makes a draft.
    package init(
        customer: CustomerID, at instant: Instant, kind: LedgerEntry.Kind, balance: Balance.ID, change: Int64,
        after: Int64, cause: LedgerEntry.Cause, recordedBy: String? = nil
    ) {
        self.customer = customer
        at = instant
        self.kind = kind
        self.balance = balance
        self.change = change
        self.after = after
        self.cause = cause
        self.recordedBy = recordedBy
    }
}
