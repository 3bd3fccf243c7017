package import FoundationEssentials

/// The rows of a vault, as ``VaultRules`` sees them inside one step.
///
/// The tables only read and write rows; the rules are in ``VaultRules``. A list is in the order in which its rows were
/// added, unless the call's documentation names another order. The ``FeedPlace`` of a new row is larger than the places
/// of all earlier rows in all tables.
package protocol VaultTables: Rows {
    // MARK: Owners

    /// The vault's rule for tokens: its ``Vault/accountTokens``.
    var accountTokens: AccountTokenRule { get }

    /// Returns whether the tables contain a customer.
    func contains(_ customer: CustomerID) throws(VaultError) -> Bool
    /// Returns the customer to whom a chain or token is bound; `nil` if it is not bound.
    func holder(of subject: BindingSubject) throws(VaultError) -> CustomerID?
    /// Returns the owners of the chains with a given environment and original transaction, in any app.
    func holders(environment: AppStore.Environment, originalID: Transaction.ID) throws(VaultError) -> [CustomerID]
    /// Returns the chains of a purchase, from facts, bindings and parked evidence, ordered by app.
    func chains(of purchase: RenewalInfoKey) throws(VaultError) -> [ChainID]
    /// Returns the token with the newest signed date among a chain's facts; if several tokens have this date, the token
    /// with the greatest text.
    func token(of chain: ChainID) throws(VaultError) -> (token: UUID, signedAt: Instant)?
    /// Returns whether a copy of a transaction belongs to the owner of its chain.
    func hasCopies(of key: TransactionKey) throws(VaultError) -> Bool
    /// Returns whether a chain was moved to a customer from another customer, whose tokens it may still contain.
    func wasMoved(_ chain: ChainID, to customer: CustomerID, from other: CustomerID) throws(VaultError) -> Bool
    /// Returns what the parked evidence of a chain says about its owner.
    func parkedOrigin(of chain: ChainID) throws(VaultError) -> ParkedOrigin

    // MARK: Customers

    /// Returns the row of a customer; `nil` if the vault has no such row.
    func customer(_ id: CustomerID) throws(VaultError) -> CustomerRow?
    /// Replaces the row of a customer.
    mutating func setCustomer(_ row: CustomerRow) throws(VaultError)
    /// Returns a number greater than each version that an erased customer has had; 0 if no customer was erased.
    func versionFloor() throws(VaultError) -> Int64
    /// Returns customers in order of id, after a given customer.
    func customers(after previous: CustomerID?, limit: Int) throws(VaultError) -> [CustomerID]
    /// Returns the customer with the earliest ``CustomerRow/wakeAt``; of several such customers, the first by id.
    func earliestWake() throws(VaultError) -> (customer: CustomerID, at: Instant)?
    /// Returns customers with a wake, in order of ``CustomerRow/wakeAt`` and id, after a given row.
    func wakes(after previous: WakeRow?, limit: Int) throws(VaultError) -> [WakeRow]
    /// Replaces the lease of a customer's wake; leases of any customers that ended before `now` may be removed.
    mutating func setLease(_ hold: HeldWakeLease, of customer: CustomerID, at now: Instant) throws(VaultError)

    // MARK: Bindings

    /// Binds an unowned chain or token to a customer.
    mutating func bind(_ subject: BindingSubject, to customer: CustomerID, at instant: Instant) throws(VaultError)
    /// Deletes the binding of a customer's chain or token, and the chain's facts, so that another customer can have them;
    /// their links of the vault's hash chain stay.
    ///
    /// Parked facts of the chain and evidence other than transactions stay.
    mutating func release(_ subject: BindingSubject, of customer: CustomerID) throws(VaultError)
    /// Returns the bindings of a customer's chains and tokens.
    func bindings(of customer: CustomerID) throws(VaultError) -> [Binding]
    /// Counts an attempt of a customer to present a chain or token of another customer, and returns the number of
    /// attempts of all customers.
    mutating func countAttempt(
        on subject: BindingSubject, by claimant: CustomerID, at instant: Instant
    ) throws(VaultError) -> Int
    /// Returns the chains with an original transaction id, from facts, bindings and the park, in order of app and
    /// environment.
    func chains(originalID: Transaction.ID) throws(VaultError) -> [ChainID]
    /// Returns the number of times that customers other than the owner have presented a chain or token.
    func attempts(on subject: BindingSubject) throws(VaultError) -> Int

    // MARK: Facts

    /// Inserts a fact.
    ///
    /// - Returns: The place of the fact; `nil` if the vault already has a fact with the same payload.
    mutating func insert(_ fact: VerifiedFact, learnedAt: Instant) throws(VaultError) -> FeedPlace?
    /// Returns the facts that follow a position in the feed, of one customer's chains or of all customers.
    ///
    /// A renewal info names no app. A customer therefore has each fact other than a transaction that has the same
    /// environment and original transaction as one of the customer's chains.
    func facts(after place: FeedPlace, of customer: CustomerID?, limit: Int) throws(VaultError) -> [StoredFact]
    /// Returns all copies of a transaction.
    func copies(of key: TransactionKey) throws(VaultError) -> [Transaction]

    // MARK: Parked evidence

    /// Parks a fact; returns `false` if a fact with the same payload is already parked.
    mutating func park(_ fact: ParkedFact, claimant: CustomerID?) throws(VaultError) -> Bool
    /// Returns a page of the parked facts.
    func parked(after place: FeedPlace, limit: Int) throws(VaultError) -> VaultPage<ParkedFact>
    /// Returns a page of the parked facts that belong to a customer's chains, contain one of the customer's tokens, or
    /// belong to a chain that replaces one of the customer's chains.
    ///
    /// Evidence without a ``VerifiedFact/chain`` belongs to each chain with the same environment and original
    /// transaction. With the rule ``AccountTokenRule/asIDs``, an unbound token belongs to the customer whose id is the
    /// token.
    func parked(
        heldBy customer: CustomerID, after place: FeedPlace, limit: Int
    ) throws(VaultError) -> VaultPage<ParkedFact>
    /// Returns the first page of the parked facts that belong to given chains, contain given tokens, or belong to
    /// chains that replace given chains; evidence without a ``VerifiedFact/chain`` belongs to every chain with its
    /// environment and original transaction.
    func parked(under subjects: [BindingSubject], limit: Int) throws(VaultError) -> VaultPage<ParkedFact>
    /// Returns a page of the parked transactions and app transactions of a chain.
    func parked(of chain: ChainID, after place: FeedPlace, limit: Int) throws(VaultError) -> VaultPage<ParkedFact>
    /// Returns the first parked facts that were presented for a customer and belong to another customer.
    func parked(broughtBy claimant: CustomerID, limit: Int) throws(VaultError) -> [ParkedFact]
    /// Removes the name of a customer from the parked facts that were presented for the customer.
    mutating func forgetClaimant(_ claimant: CustomerID) throws(VaultError)
    /// Removes the parked fact with the same payload, if any.
    mutating func unpark(_ fact: VerifiedFact) throws(VaultError)

    // MARK: Accounts

    /// Adds an entry to a customer's account, with the next number of the account.
    mutating func append(_ entry: LedgerDraft) throws(VaultError) -> LedgerEntry
    /// Returns the number and the place of the last entry of a customer's account.
    func lastEntry(of customer: CustomerID) throws(VaultError) -> AccountEnd
    /// Returns a balance; `nil` if no entry has changed the balance.
    ///
    /// Names of balances are compared by their bytes, like all ids and keys.
    func balance(_ id: Balance.ID, of customer: CustomerID) throws(VaultError) -> Balance?
    /// Replaces a balance.
    mutating func setBalance(_ balance: Balance, of customer: CustomerID) throws(VaultError)

    // MARK: Erased customers

    /// Stores marks of erased customers; see ``ErasedMark``.
    mutating func insertMarks(_ marks: ErasedMarks) throws(VaultError)
    /// Returns whether a mark of an erased customer is stored.
    func isMarked(_ mark: ErasedMark) throws(VaultError) -> Bool

    // MARK: Deliveries and webhooks

    /// Returns summaries of the webhooks, by name.
    func webhookSummaries() throws(VaultError) -> [WebhookSummary]
    /// Adds an outstanding delivery of a transaction, unless a delivery of the transaction was added before.
    ///
    /// - Returns: Whether the delivery was added.
    mutating func addOutstandingDelivery(_ item: OutboxItem) throws(VaultError) -> Bool
    /// Returns the outstanding deliveries and `finish` calls of a customer.
    func unfinished(of customer: CustomerID) throws(VaultError) -> [OutboxItem]
    /// Returns the customers with an outstanding delivery or `finish` call, in order of id, after a given customer.
    func customersOwed(after previous: CustomerID?, limit: Int) throws(VaultError) -> [CustomerID]
    /// Sets the state of a delivery, which is `nil` if the transaction is finished.
    ///
    /// A finished delivery stays recorded, so that the same delivery is not added again.
    mutating func markDelivery(of key: TransactionKey, as state: OutboxItem.State?) throws(VaultError)

    // MARK: Steps

    /// Returns whether the step with an id was written.
    func isWritten(_ step: StepID) throws(VaultError) -> Bool
    /// Records a step as written, and deletes at most two records of steps that were written before an instant, so that
    /// old records do not accumulate.
    mutating func insert(step: StepID, at instant: Instant, forgettingBefore limit: Instant) throws(VaultError)

    // MARK: Erasure

    /// Removes the parked fact with the same payload, and the rows that exist only for this fact.
    mutating func removeParked(_ fact: VerifiedFact) throws(VaultError)
    /// Removes the facts of a chain, and returns their number.
    mutating func removeFacts(of chain: ChainID) throws(VaultError) -> Int
    /// Removes the evidence other than transactions of an environment and original transaction, and returns the number
    /// of removed facts.
    mutating func removeRenewalInfos(
        environment: AppStore.Environment, originalID: Transaction.ID
    ) throws(VaultError) -> Int
    /// Removes the binding of a chain or token; the facts of a chain must be removed before its binding.
    mutating func unbind(_ subject: BindingSubject) throws(VaultError)
    /// Removes the number of times that other customers have presented a chain or token.
    mutating func removeAttempts(on subject: BindingSubject) throws(VaultError)
    /// Removes the deliveries of a customer, finished or not.
    ///
    /// Deliveries are found by the customer's facts, so remove the deliveries before the facts.
    mutating func removeDeliveries(of customer: CustomerID) throws(VaultError)
    /// Removes the content of a customer's entries, removes the customer, and records the erasure.
    ///
    /// Afterwards, no function returns these entries, not even by the key of a request.
    ///
    /// - Parameter facts: The number of removed facts.
    mutating func closeErasure(
        of customer: CustomerID, facts: Int, reason: String, at instant: Instant
    ) throws(VaultError) -> Erasure
    /// Returns the erasures of a customer.
    func erasures(of customer: CustomerID) throws(VaultError) -> [Erasure]
}

extension VaultTables {
    /// Returns whether the vault has a row of a customer.
    package func contains(_ customer: CustomerID) throws(VaultError) -> Bool { try self.customer(customer) != nil }

    /// Returns the chains with the environment and the original transaction of a purchase.
    package func chains(of purchase: RenewalInfoKey) throws(VaultError) -> [ChainID] {
        try chains(originalID: purchase.originalID).filter { RenewalInfoKey($0) == purchase }
    }

    /// Returns whether a chain was moved to a customer from another customer.
    package func wasMoved(
        _ chain: ChainID, to customer: CustomerID, from other: CustomerID
    ) throws(VaultError) -> Bool {
        try accessEntries(of: customer).contains { entry in
            guard case .transfer(.chain(let moved), let from, let recipient, _) = entry.cause else { return false }
            return moved == chain && from == other && recipient == customer
        }
    }

    /// Returns whether a transaction is stored; a stored transaction belongs to the owner of its chain.
    package func hasCopies(of key: TransactionKey) throws(VaultError) -> Bool { try !copies(of: key).isEmpty }

    /// Returns the newest token and the predecessor among the parked transactions of a chain.
    package func parkedOrigin(of chain: ChainID) throws(VaultError) -> ParkedOrigin {
        var origin = ParkedOrigin()
        var place: FeedPlace? = .start
        while let start = place {
            let page = try parked(of: chain, after: start, limit: VaultRules.parkPage)
            let claims = FactOutline(page.rows.map(\.fact)).claims
            for claim in claims where claim.chain == chain {
                origin.predecessor = origin.predecessor ?? claim.predecessor
                guard let token = claim.token else { continue }
                if let newest = origin.token, !CopyOrder.supersedes(token, newest) { continue }
                origin.token = token
            }
            place = page.next
        }
        return origin
    }
}

/// The row of a customer.
package struct CustomerRow: Hashable, Sendable {
    /// The customer.
    package var id: CustomerID
    /// A number that each batch about the customer increments; see ``VaultTables/versionFloor()``.
    package var version: Int64
    /// The instant up to which changes of answers by time alone were announced, inclusive, in UTC.
    package var evaluatedThrough: Instant?
    /// When the App Store's whole history of the customer was last read, in UTC.
    package var syncedAt: Instant?
    /// The next instant at which an answer changes by time alone, in UTC; `nil` if no answer changes.
    package var wakeAt: Instant?

    /// Creates a row.
    package init(
        id: CustomerID, version: Int64 = 0, evaluatedThrough: Instant? = nil, syncedAt: Instant? = nil,
        wakeAt: Instant? = nil
    ) {
        self.id = id
        self.version = version
        self.evaluatedThrough = evaluatedThrough
        self.syncedAt = syncedAt
        self.wakeAt = wakeAt
    }

    /// Increments the version.
    ///
    /// - Throws: ``VaultError`` with `corrupt` if the version is the highest possible number.
    package mutating func advance() throws(VaultError) {
        version = try version.incremented(as: "the version of a customer")
    }
}

extension FixedWidthInteger {
    /// Returns the next number of a stored count.
    ///
    /// - Parameter name: The name of the count in the message of the error.
    /// - Throws: ``VaultError`` with `corrupt` if the number is the highest possible one, to which no vault counts.
    package func incremented(as name: String) throws(VaultError) -> Self {
        let (next, overflow) = addingReportingOverflow(1)
        guard !overflow else { throw VaultError(.corrupt, "\(name) is the highest possible number") }
        return next
    }
}

/// What the parked evidence of a chain says about the owner of the chain.
package struct ParkedOrigin: Sendable {
    /// The newest token, by the rule of ``VaultTables/token(of:)``.
    package var token: (token: UUID, signedAt: Instant)?
    /// The chain that the chain replaces.
    package var predecessor: ChainID?

    package init() {}
}
