import FoundationEssentials

// These footprints estimate the rows that a step will read, before any row is read. A row that a footprint lacks is
// loaded when the step asks for it. If a footprint contains a row that the step does not need, only the time to load
// the row is lost.
extension Footprint {
    /// Creates the footprint of a commit: the keys of the rows that the commit will probably read.
    init(of prepared: PreparedBatch, accountTokens: AccountTokenRule) {
        self.init()
        let (batch, outline) = (prepared.batch, prepared.outline)
        reserveCapacity(4 + 12 * batch.facts.count)
        addOwners(by: outline, of: batch.facts, for: batch.customer, accountTokens)
        for fact in batch.facts {
            insert(.parkedFact(payload: PayloadKey(fact)))
            if let purchase = fact.purchase { insert(.renewalInfo(of: purchase, payload: PayloadKey(fact))) }
        }
        for subject in outline.subjects { insert(.copies(of: subject.key)) }
        if let step = batch.step { insert(.step(step)) }
        for uuid in batch.notifications { insert(.rows(NotificationRow.byID, uuid.rawValue)) }
        guard let customer = batch.customer else { return }
        insert(.customer(customer))
        insert(.versionFloor)
        if let change = batch.access {
            insert(.rows(LedgerEntry.aboutAccess, customer))
            insert(.rows(LedgerEntry.byRequest, customer, change.key.rawValue))
            insert(.mark(.request(customer, key: LedgerRequest.Key(change.key.rawValue))))
        }
        addAccount(of: customer, prepared)
        if batch.owesDelivery { for subject in outline.subjects { insert(.delivery(of: subject.key)) } }
        if !batch.pending.isEmpty || !batch.settledPending.isEmpty { insert(.rows(PendingRow.ofCustomer, customer)) }
        addAdoptable(by: customer, prepared)
    }

    /// Creates the footprint of looking up the owners of facts.
    init(ownersOf facts: [VerifiedFact], accountTokens: AccountTokenRule) {
        self.init()
        addOwners(by: FactOutline(facts), of: facts, for: nil, accountTokens)
    }

    /// Creates the footprint of looking up the owners of chains and tokens.
    init(holdersOf subjects: [BindingSubject], accountTokens: AccountTokenRule) {
        self.init()
        for subject in subjects { addHolder(of: subject, accountTokens) }
    }

    /// Creates the footprint of a claim.
    init(of claim: BindingSubject, for customer: CustomerID, accountTokens: AccountTokenRule) {
        self.init(holdersOf: [claim], accountTokens: accountTokens)
        insert(.customer(customer))
        insert(.versionFloor)
        if case .chain(let chain) = claim { insert(.parkedChain(of: chain)) }
    }

    /// Creates the footprint of a transfer.
    init(of transfer: OwnershipTransfer, accountTokens: AccountTokenRule) {
        self.init(of: transfer.subject, for: transfer.recipient, accountTokens: accountTokens)
        let owner = transfer.basis.owner
        formUnion([
            .customer(owner), .facts(of: owner), .rows(BalanceRow.ofCustomer, owner), .unfinished(of: owner),
            .rows(BalanceRow.ofCustomer, transfer.recipient),
        ])
        if case .chain(let chain) = transfer.subject { insert(.chainFacts(of: chain)) }
    }

    /// Creates the footprint of requests.
    init(of requests: [LedgerRequest], policy: RefundPolicy) {
        self.init()
        for request in requests {
            insert(.customer(request.customer))
            insert(.rows(LedgerEntry.byRequest, request.customer, request.key.rawValue))
            insert(.mark(.request(request.customer, key: request.key)))
            // A grant can create a customer, who then needs a first version; a spend cannot.
            if request.kind != .spend { insert(.versionFloor) }
            if let refusal = request.refusalID { insert(.step(refusal)) }
            if policy == .freeze, request.kind == .spend {
                insert(.rows(BalanceRow.ofCustomer, request.customer))
            } else {
                insert(.rows(BalanceRow.byName, request.customer, request.balance.rawValue))
            }
        }
    }

    /// Creates the footprint of a customer's record.
    init(recordOf customer: CustomerID) {
        self.init([
            .customer(customer), .facts(of: customer), .rows(BalanceRow.ofCustomer, customer),
            .unfinished(of: customer), .rows(PendingRow.ofCustomer, customer),
            .rows(LedgerEntry.aboutAccess, customer), .parkedFacts(heldBy: customer),
        ])
    }

    /// Creates the footprint of an erasure.
    init(erasing customer: CustomerID) {
        self.init([
            .customer(customer), .facts(of: customer), .rows(LedgerEntry.ofCustomer, customer),
            .parkedFacts(heldBy: customer), .parkedClaims(by: customer),
        ])
        if let uuid = customer.uuid { insert(.holder(of: .token(uuid))) }
    }

    // MARK: Parts

    private mutating func addHolder(of subject: BindingSubject, _ accountTokens: AccountTokenRule) {
        insert(.holder(of: subject))
        if case .token(let token) = subject, let named = accountTokens.customer(namedBy: token) {
            insert(.customer(named))
        }
    }

    private mutating func addOwners(
        by outline: FactOutline, of facts: [VerifiedFact], for customer: CustomerID?, _ accountTokens: AccountTokenRule
    ) {
        for claim in outline.claims {
            insert(.holder(of: .chain(claim.chain)))
            insert(.token(of: claim.chain))
            for chain in [claim.predecessor, claim.bundle] {
                if let chain { insert(.holder(of: .chain(chain))) }
            }
            if let token = claim.token?.token { addHolder(of: .token(token), accountTokens) }
        }
        // If the facts contain the first transaction of a chain, the chain is probably not bound yet.
        for transaction in facts.lazy.compactMap(\.transaction) where transaction.id == transaction.originalID {
            insert(.parkedChain(of: ChainID(transaction)))
        }
        guard outline.hasOtherEvidence else { return }
        // If other evidence is presented for a customer together with a transaction of its chain, the owner of the
        // chain is the owner of this evidence, and no other chains are read.
        let beside = customer == nil ? [] : Set(outline.claims.map { RenewalInfoKey($0.chain) })
        for purchase in facts.lazy.compactMap(\.purchase) where !beside.contains(purchase) {
            insert(.chains(originalID: purchase.originalID))
        }
    }

    private mutating func addAccount(of customer: CustomerID, _ prepared: PreparedBatch) {
        for (position, credits) in prepared.credits.enumerated() {
            guard let transaction = prepared.batch.facts[position].transaction,
                transaction.productType == .consumable
            else { continue }
            insert(.entries(causedBy: TransactionKey(transaction)))
            insert(.mark(.transaction(TransactionKey(transaction))))
            for credit in credits ?? [] { insert(.rows(BalanceRow.byName, customer, credit.balance.rawValue)) }
        }
    }

    /// Adds the keys of the parked evidence that the bindings of the batch will probably make adoptable.
    private mutating func addAdoptable(by customer: CustomerID, _ prepared: PreparedBatch) {
        for transaction in prepared.batch.facts.lazy.compactMap(\.transaction)
        where transaction.id == transaction.originalID {
            if let token = customer.uuid { insert(.parkedToken(token)) }
            insert(.parkedInfos(of: RenewalInfoKey(ChainID(transaction))))
            insert(.parkedSuccessors(of: ChainID(transaction)))
            if let token = transaction.appAccountToken { insert(.parkedToken(token)) }
        }
    }
}
