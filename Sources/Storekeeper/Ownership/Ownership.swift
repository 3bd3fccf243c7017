import FoundationEssentials

/// The owners of some evidence; this type is the only implementation of the rule that determines owners.
///
/// The rule is a pure function of ``VaultTables``. A vault applies the rule inside the step that writes, and stores the
/// result. To find the store of evidence that names no customer, the service of a pool asks the vault, or a cache of
/// its answers.
///
/// A chain belongs to the customer to whom it is bound. A chain that is not bound belongs to the owner of its newest
/// token, if the token has an owner, and without a token to the owner of the chain that it replaces; parked evidence
/// counts too, so that the order in which evidence arrives has no effect. A renewal info, and the App Store's state of
/// a subscription, belong to the owner of any chain that they may refer to. An app transaction has a chain of its own.
/// A chain without an owner, whose evidence is presented for a customer, becomes the customer's.
///
/// A copy of a transaction that already counts for a customer is that customer's, whatever token it contains, so that
/// a refund always arrives; a token of another customer is disputed nevertheless. Each chain, each token and each
/// purchase named by other evidence is looked up once, however many facts mention it.
struct Ownership: Sendable {
    /// The ownership of a fact, as seen by the recipient of the batch.
    enum Verdict: Hashable, Sendable {
        /// The customer of the batch owns the fact; `isFresh` is true if its chain had no owner until now.
        case own(isFresh: Bool)
        /// The fact was presented for the customer of the batch, but another customer owns it.
        case disputed
        /// Another customer owns the fact.
        case ofAnother(CustomerID)
        /// The fact has no owner.
        case unowned

        /// Whether the customer of the batch owns the fact.
        var isOwn: Bool {
            if case .own = self { true } else { false }
        }
    }

    /// A chain that was presented for a customer and belongs to another customer, by its binding or by its token.
    struct Dispute: Sendable {
        let chain: ChainID
        let subject: BindingSubject
        let holder: CustomerID
    }

    /// The disputed chains, each once, in the order of the facts.
    private(set) var disputes: [Dispute] = []
    /// The chains and tokens that this batch binds to the customer, in the order of the facts.
    private(set) var unbound: [BindingSubject] = []
    /// Whether all facts belong to the customer of the batch.
    private(set) var isWhole = true

    /// The ownership of each of the outline's chains, in the same order.
    private var chains: [Verdict] = []
    /// The indices in the outline's `subjects` of the transactions that count for the customer, although the newest
    /// token of their chain belongs to another customer.
    private var kept: Set<Int> = []
    /// The chains of the customer whose newest token belongs to another customer.
    private var foreignTokens: Set<ChainID> = []
    /// The ownership of the evidence other than transactions, by the purchase that it is about.
    private var purchases: [RenewalInfoKey: Verdict] = [:]

    /// Determines the owners of facts, and computes the outline of the facts.
    ///
    /// - Parameters:
    ///   - granted: Tokens that count as the customer's, although they are not bound in the tables yet.
    ///   - exempt: Chains whose tokens do not matter, because they were the customer's before.
    init(
        of facts: [VerifiedFact], for recipient: EvidenceRecipient, granted: Set<UUID> = [],
        exempt: Set<ChainID> = [], in tables: borrowing some VaultTables
    ) throws(VaultError) {
        try self.init(
            of: facts, outline: FactOutline(facts), for: recipient, granted: granted, exempt: exempt, in: tables)
    }

    init(
        of facts: [VerifiedFact], outline: FactOutline, for recipient: EvidenceRecipient,
        granted: Set<UUID> = [], exempt: Set<ChainID> = [], in tables: borrowing some VaultTables
    ) throws(VaultError) {
        chains.reserveCapacity(outline.claims.count)
        var tokens = TokenLookup(granted: granted, exempt: exempt, isRepeating: outline.claims.count > 1)
        for claim in outline.claims {
            let verdict = try verdict(on: claim, for: recipient, &tokens, in: tables)
            isWhole = isWhole && verdict.isOwn
            chains.append(verdict)
        }
        try bindBundles(of: outline.claims, in: tables)
        if !foreignTokens.isEmpty {
            for (position, subject) in outline.subjects.enumerated()
            where foreignTokens.contains(outline.claims[subject.claim].chain) {
                if try tables.hasCopies(of: subject.key) { kept.insert(position) }
            }
        }
        if outline.hasOtherEvidence { try resolve(at: facts, with: outline.claims, for: recipient, in: tables) }
    }

    /// Returns the ownership of a fact.
    ///
    /// - Parameter outline: The outline from which this value was made.
    func verdict(on fact: VerifiedFact, at position: Int, of outline: FactOutline) -> Verdict {
        switch fact.content {
        case .transaction:
            if let subject = outline.places[position], kept.contains(subject) {
                .own(isFresh: false)
            } else {
                outline.claim(at: position).map { chains[$0] } ?? .unowned
            }
        case .renewalInfo, .notification, .appTransaction:
            fact.purchase.flatMap { purchases[$0] } ?? .unowned
        }
    }

    /// Returns the positions of the facts that belong to the customer of the batch.
    func ownPositions(of facts: [VerifiedFact], _ outline: FactOutline) -> [Int] {
        if isWhole { return Array(facts.indices) }
        return facts.indices.filter { verdict(on: facts[$0], at: $0, of: outline).isOwn }
    }

    /// Returns whether a chain of the outline has had no owner until now, and becomes the customer's with this batch.
    func isFresh(claim: Int) -> Bool { chains[claim] == .own(isFresh: true) }

    // MARK: Chains

    private mutating func verdict(
        on claim: FactOutline.Claim, for recipient: EvidenceRecipient, _ tokens: inout TokenLookup,
        in tables: borrowing some VaultTables
    ) throws(VaultError) -> Verdict {
        let holder = try tables.holder(of: .chain(claim.chain))
        let parked = try holder == nil ? tables.parkedOrigin(of: claim.chain) : ParkedOrigin()
        var token = holder == nil ? Self.newer(claim.token, parked.token) : nil
        // A token decides before the predecessor does: it says whose the app considers the purchase to be.
        let predecessor = holder == nil ? claim.predecessor ?? parked.predecessor : nil
        let customer: CustomerID
        switch recipient {
        case .customer(let claimant):
            if let holder, holder != claimant { return dispute(.chain(claim.chain), of: claim.chain, holder: holder) }
            customer = claimant
        case .owner(let writingFor):
            var owner = holder
            if owner == nil, let token {
                owner = try tokens.holder(of: token, in: tables)
                if owner == nil { owner = tables.accountTokens.customer(namedBy: token) }
            } else if owner == nil, let predecessor {
                owner = try tables.holder(of: .chain(predecessor))
            }
            guard let owner else { return .unowned }
            guard let writingFor, owner == writingFor else { return .ofAnother(owner) }
            customer = writingFor
        }
        if holder != nil { token = try Self.newer(claim.token, tables.token(of: claim.chain)) }
        var unheld: UUID?
        var isTheirToken = false
        if let token, !tokens.granted.contains(token), !tokens.exempt.contains(claim.chain) {
            var tokenHolder = try tokens.holder(of: token, in: tables)
            // If the customer's id is a UUID, a token with a different UUID belongs to another customer, even if the
            // tables do not contain the other customer.
            if tokenHolder == nil, customer.uuid != nil { tokenHolder = tables.accountTokens.customer(namedBy: token) }
            if let other = tokenHolder, other != customer {
                // The app sets the token at the purchase, so a chain that has moved keeps the token of its previous
                // owner.
                if holder == customer, try tables.wasMoved(claim.chain, to: customer, from: other) {
                    tokenHolder = customer
                } else {
                    if holder == customer { foreignTokens.insert(claim.chain) }
                    return dispute(.token(token), of: claim.chain, holder: other)
                }
            }
            isTheirToken = tokenHolder != nil
            if tokenHolder == nil { unheld = token }
        } else {
            isTheirToken = token != nil
        }
        if !isTheirToken, let predecessor, let owner = try tables.holder(of: .chain(predecessor)), owner != customer {
            return dispute(.chain(predecessor), of: claim.chain, holder: owner)
        }
        if holder == nil { unbound.append(.chain(claim.chain)) }
        if let unheld, tokens.bound.insert(unheld).inserted { unbound.append(.token(unheld)) }
        return .own(isFresh: holder == nil)
    }

    /// Binds the original transactions of the bundles of the customer's chains, because a chain that leaves a bundle may
    /// name it as the chain that it replaces.
    ///
    /// Chains of several customers may belong to one bundle, for example in a family. The first customer keeps it.
    private mutating func bindBundles(
        of claims: [FactOutline.Claim], in tables: borrowing some VaultTables
    ) throws(VaultError) {
        guard claims.contains(where: { $0.bundle != nil }) else { return }
        var known = Set(claims.map(\.chain))
        for (claim, verdict) in zip(claims, chains) where verdict.isOwn {
            guard let bundle = claim.bundle, known.insert(bundle).inserted,
                try tables.holder(of: .chain(bundle)) == nil
            else { continue }
            unbound.append(.chain(bundle))
        }
    }

    private mutating func dispute(_ subject: BindingSubject, of chain: ChainID, holder: CustomerID) -> Verdict {
        disputes.append(Dispute(chain: chain, subject: subject, holder: holder))
        return .disputed
    }

    /// Returns the newest token of a chain, among the facts and in the tables.
    private static func newer(
        _ own: (token: UUID, signedAt: Instant)?, _ stored: (token: UUID, signedAt: Instant)?
    ) -> UUID? {
        guard let stored else { return own?.token }
        guard let own else { return stored.token }
        return CopyOrder.supersedes(own, stored) ? own.token : stored.token
    }

    // MARK: Other evidence

    /// Determines the owners of evidence other than transactions.
    ///
    /// A renewal info names no app. It therefore belongs to the owner of any chain with its environment and original
    /// transaction, and so does the App Store's state of a subscription. An app transaction belongs to the owner of its
    /// chain, which is among `claims`.
    private mutating func resolve(
        at facts: [VerifiedFact], with claims: [FactOutline.Claim], for recipient: EvidenceRecipient,
        in tables: borrowing some VaultTables
    ) throws(VaultError) {
        var chainVerdicts: [RenewalInfoKey: [Verdict]] = [:]
        for (claim, verdict) in zip(claims, chains) {
            chainVerdicts[RenewalInfoKey(claim.chain), default: []].append(verdict)
        }
        for key in facts.lazy.compactMap(\.purchase) {
            guard purchases[key] == nil else { continue }
            let verdict = try verdict(on: key, with: chainVerdicts[key] ?? [], for: recipient, in: tables)
            isWhole = isWhole && verdict.isOwn
            purchases[key] = verdict
        }
    }

    /// Returns the ownership of the evidence other than transactions about a purchase.
    ///
    /// - Parameter chainVerdicts: The ownership of the chains of this purchase among the facts.
    private mutating func verdict(
        on key: RenewalInfoKey, with chainVerdicts: [Verdict], for recipient: EvidenceRecipient,
        in tables: borrowing some VaultTables
    ) throws(VaultError) -> Verdict {
        if chainVerdicts.contains(where: \.isOwn) { return .own(isFresh: false) }
        let owned = chainVerdicts.first { $0 != .unowned }
        if recipient.customer == nil, let owned { return owned }
        let holders = try tables.holders(environment: key.environment, originalID: key.originalID)
        if let customer = recipient.customer, holders.contains(customer) { return .own(isFresh: false) }
        switch recipient {
        case .customer:
            if chainVerdicts.contains(.disputed) { return .disputed }
            for chain in try tables.chains(of: key) {
                guard let holder = try tables.holder(of: .chain(chain)) else { continue }
                return dispute(.chain(chain), of: chain, holder: holder)
            }
            return .unowned
        case .owner:
            return owned ?? holders.first.map(Verdict.ofAnother) ?? .unowned
        }
    }

    // MARK: Queries

    /// Returns the owner of each fact, even if the tables do not contain the owner; `nil` for a fact without an owner.
    static func owners(
        of facts: [VerifiedFact], _ outline: FactOutline, in tables: borrowing some VaultTables
    ) throws(VaultError) -> [CustomerID?] {
        let ownership = try Ownership(of: facts, outline: outline, for: .owner(primary: nil), in: tables)
        return facts.indices.map { position in
            let verdict = ownership.verdict(on: facts[position], at: position, of: outline)
            return if case .ofAnother(let owner) = verdict { owner } else { nil }
        }
    }

    /// Returns the owner of a chain or token; `nil` if it has no owner among the customers in the tables.
    static func holder(
        of subject: BindingSubject, in tables: borrowing some VaultTables
    ) throws(VaultError) -> CustomerID? {
        if let holder = try tables.holder(of: subject) { return holder }
        guard case .token(let token) = subject, let named = tables.accountTokens.customer(namedBy: token) else {
            return nil
        }
        return try tables.contains(named) ? named : nil
    }

    /// Returns the owner of a chain or token that a customer claims.
    ///
    /// If the customer's id is a UUID, a token with a different UUID belongs to another customer, even if the tables do
    /// not contain the other customer.
    static func holder(
        of subject: BindingSubject, for claimant: CustomerID, in tables: borrowing some VaultTables
    ) throws(VaultError) -> CustomerID? {
        if let holder = try holder(of: subject, in: tables) { return holder }
        guard claimant.uuid != nil, case .token(let token) = subject,
            let named = tables.accountTokens.customer(namedBy: token), named != claimant
        else { return nil }
        return named
    }

    /// Returns the owners of chains and tokens, without the chains and tokens that no customer in the tables owns.
    static func holders(
        of subjects: [BindingSubject], in tables: borrowing some VaultTables
    ) throws(VaultError) -> [BindingSubject: CustomerID] {
        var holders: [BindingSubject: CustomerID] = [:]
        for subject in subjects { holders[subject] = try holder(of: subject, in: tables) }
        return holders
    }
}

/// Looks up the owners of tokens, each token once.
private struct TokenLookup {
    /// Tokens that count as the customer's, although they are not bound in the tables yet.
    let granted: Set<UUID>
    /// Chains whose tokens do not matter.
    let exempt: Set<ChainID>
    /// Tokens that this batch binds to the customer.
    var bound: Set<UUID> = []
    /// Whether the same token may be looked up several times, so that each result is stored.
    private let isRepeating: Bool
    private var holders: [UUID: CustomerID?] = [:]

    init(granted: Set<UUID>, exempt: Set<ChainID>, isRepeating: Bool) {
        self.granted = granted
        self.exempt = exempt
        self.isRepeating = isRepeating
    }

    mutating func holder(
        of token: UUID, in tables: borrowing some VaultTables
    ) throws(VaultError) -> CustomerID? {
        if isRepeating, let known = holders[token] { return known }
        let holder = try Ownership.holder(of: .token(token), in: tables)
        if isRepeating { holders[token] = .some(holder) }
        return holder
    }
}
