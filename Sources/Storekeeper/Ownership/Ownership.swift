import FoundationEssentials

/// Determines the owners of evidence inside a step; the only implementation of that rule.
///
/// A chain belongs to the customer it is bound to; an unbound chain belongs to the owner of its newest token, if there
/// is one. A renewal info belongs to the owner of any chain that it may refer to. Evidence without an owner that is
/// presented for a customer becomes theirs. Each chain, each token and each purchase named by renewal infos is looked
/// up once, however many facts mention it.
struct Ownership: Sendable {
    /// The ownership of a fact from the point of view of the batch's recipient.
    enum Verdict: Hashable, Sendable {
        /// Owned by the customer of the batch; `isFresh` if its chain had no owner until now.
        case own(isFresh: Bool)
        /// Presented for the customer, but owned by another.
        case disputed
        /// Owned by another customer.
        case ofAnother(CustomerID)
        /// Without an owner.
        case unowned

        /// Whether the customer of the batch owns the fact.
        var isOwn: Bool {
            if case .own = self { true } else { false }
        }
    }

    /// A chain that was presented for a customer and belongs to another, by its binding or by its token.
    struct Dispute: Sendable {
        let chain: ChainID
        let subject: BindingSubject
        let holder: CustomerID
    }

    /// The disputed chains, each once, in the order of the facts.
    private(set) var disputes: [Dispute] = []
    /// The chains and tokens that become the customer's, in the order of the facts.
    private(set) var unbound: [BindingSubject] = []
    /// Whether all facts are the customer's.
    private(set) var isWhole = true

    /// The verdicts on the outline's chains.
    private var chains: [Verdict] = []
    private var renewalInfos: [RenewalInfoKey: Verdict] = [:]

    /// Determines the owners of facts without an outline.
    ///
    /// - Parameter granted: Tokens that are granted to the customer but not yet bound in the tables.
    init(
        of facts: [VerifiedFact], for recipient: EvidenceRecipient, granted: Set<UUID> = [],
        in tables: borrowing some OwnershipTables
    ) throws(VaultError) {
        try self.init(of: facts, outline: FactOutline(facts), for: recipient, granted: granted, in: tables)
    }

    init(
        of facts: [VerifiedFact], outline: FactOutline, for recipient: EvidenceRecipient,
        granted: Set<UUID> = [], in tables: borrowing some OwnershipTables
    ) throws(VaultError) {
        chains.reserveCapacity(outline.claims.count)
        var tokens = TokenLookup(granted: granted, isRepeating: outline.claims.count > 1)
        for claim in outline.claims {
            let verdict = try verdict(on: claim, for: recipient, &tokens, in: tables)
            isWhole = isWhole && verdict.isOwn
            chains.append(verdict)
        }
        if outline.hasRenewalInfos { try resolve(at: facts, beside: outline.claims, for: recipient, in: tables) }
    }

    /// Returns the verdict on a fact.
    ///
    /// - Parameter outline: The outline from which this value was made.
    func verdict(on fact: VerifiedFact, at position: Int, of outline: FactOutline) -> Verdict {
        switch fact.content {
        case .transaction: outline.claim(at: position).map { chains[$0] } ?? .unowned
        case .renewalInfo(let info): renewalInfos[RenewalInfoKey(info)] ?? .unowned
        }
    }

    /// Returns the positions of the facts that belong to the customer of the batch.
    func ownPositions(of facts: [VerifiedFact], _ outline: FactOutline) -> [Int] {
        if isWhole { return Array(facts.indices) }
        return facts.indices.filter { verdict(on: facts[$0], at: $0, of: outline).isOwn }
    }

    /// Returns whether one of the outline's chains had no owner until now and becomes the customer's.
    func isFresh(claim: Int) -> Bool { chains[claim] == .own(isFresh: true) }

    // MARK: Chains

    private mutating func verdict(
        on claim: FactOutline.Claim, for recipient: EvidenceRecipient, _ tokens: inout TokenLookup,
        in tables: borrowing some OwnershipTables
    ) throws(VaultError) -> Verdict {
        let holder = try tables.holder(of: .chain(claim.chain))
        let customer: CustomerID
        switch recipient {
        case .customer(let claimant):
            if let holder, holder != claimant { return dispute(.chain(claim.chain), of: claim.chain, holder: holder) }
            customer = claimant
        case .owner(let writingFor):
            var owner = holder
            if owner == nil, let token = claim.token?.token {
                owner = try tokens.holder(of: token, in: tables)
                if owner == nil { owner = tables.accountTokens.customer(namedBy: token) }
            }
            guard let owner else { return .unowned }
            guard let writingFor, owner == writingFor else { return .ofAnother(owner) }
            customer = writingFor
        }
        let token = try newestToken(of: claim, isFresh: holder == nil, in: tables)
        var becomesTheirs: UUID?
        if let token, !tokens.granted.contains(token) {
            var tokenHolder = try tokens.holder(of: token, in: tables)
            // If customers' ids are UUIDs, any other token belongs to another customer, known or not.
            if tokenHolder == nil, customer.uuid != nil { tokenHolder = tables.accountTokens.customer(namedBy: token) }
            if let tokenHolder, tokenHolder != customer {
                return dispute(.token(token), of: claim.chain, holder: tokenHolder)
            }
            if tokenHolder == nil, tokens.bound.insert(token).inserted { becomesTheirs = token }
        }
        if holder == nil { unbound.append(.chain(claim.chain)) }
        if let becomesTheirs { unbound.append(.token(becomesTheirs)) }
        return .own(isFresh: holder == nil)
    }

    private mutating func dispute(_ subject: BindingSubject, of chain: ChainID, holder: CustomerID) -> Verdict {
        disputes.append(Dispute(chain: chain, subject: subject, holder: holder))
        return .disputed
    }

    private func newestToken(
        of claim: FactOutline.Claim, isFresh: Bool, in tables: borrowing some OwnershipTables
    ) throws(VaultError) -> UUID? {
        guard !isFresh, let stored = try tables.token(of: claim.chain) else { return claim.token?.token }
        guard let own = claim.token else { return stored.token }
        return CopyOrder.supersedes(own, stored) ? own.token : stored.token
    }

    // MARK: Renewal infos

    /// Renewal infos name no app: they belong to the owner of any chain with their environment and original
    /// transaction.
    private mutating func resolve(
        at facts: [VerifiedFact], beside claims: [FactOutline.Claim], for recipient: EvidenceRecipient,
        in tables: borrowing some OwnershipTables
    ) throws(VaultError) {
        var beside: [RenewalInfoKey: [Verdict]] = [:]
        for (claim, verdict) in zip(claims, chains) {
            beside[RenewalInfoKey(claim.chain), default: []].append(verdict)
        }
        for info in facts.lazy.compactMap(\.renewalInfo) {
            let key = RenewalInfoKey(info)
            guard renewalInfos[key] == nil else { continue }
            let verdict = try verdict(on: key, beside: beside[key] ?? [], for: recipient, in: tables)
            isWhole = isWhole && verdict.isOwn
            renewalInfos[key] = verdict
        }
    }

    /// - Parameter beside: The verdicts on the chains among the facts to which the renewal info may refer.
    private mutating func verdict(
        on key: RenewalInfoKey, beside: [Verdict], for recipient: EvidenceRecipient,
        in tables: borrowing some OwnershipTables
    ) throws(VaultError) -> Verdict {
        if beside.contains(where: \.isOwn) { return .own(isFresh: false) }
        let holders = try tables.holders(environment: key.environment, originalID: key.originalID)
        if let customer = recipient.customer, holders.contains(customer) { return .own(isFresh: false) }
        switch recipient {
        case .customer:
            if beside.contains(.disputed) { return .disputed }
            for chain in try tables.chains(originalID: key.originalID) where RenewalInfoKey(chain) == key {
                guard let holder = try tables.holder(of: .chain(chain)) else { continue }
                return dispute(.chain(chain), of: chain, holder: holder)
            }
            return .unowned
        case .owner:
            if let owned = beside.first(where: { $0 != .unowned }) { return owned }
            return holders.first.map(Verdict.ofAnother) ?? .unowned
        }
    }

    // MARK: Queries

    /// Returns the owner of a chain or token, among the customers that the vault knows.
    static func holder(
        of subject: BindingSubject, in tables: borrowing some OwnershipTables
    ) throws(VaultError) -> CustomerID? {
        if let holder = try tables.holder(of: subject) { return holder }
        guard case .token(let token) = subject, let named = tables.accountTokens.customer(namedBy: token) else {
            return nil
        }
        return try tables.customer(named)?.id
    }

    /// Returns the owners of chains and tokens, among the customers that the vault knows; unowned subjects are left
    /// out.
    static func holders(
        of subjects: [BindingSubject], in tables: borrowing some OwnershipTables
    ) throws(VaultError) -> [BindingSubject: CustomerID] {
        var holders: [BindingSubject: CustomerID] = [:]
        for subject in subjects { holders[subject] = try holder(of: subject, in: tables) }
        return holders
    }
}

/// Looks up the owners of tokens, each token once.
private struct TokenLookup {
    /// Tokens that are granted to the customer but not yet bound in the tables.
    let granted: Set<UUID>
    /// Tokens that become the customer's.
    var bound: Set<UUID> = []
    /// Whether a token may be looked up several times.
    private let isRepeating: Bool
    private var holders: [UUID: CustomerID?] = [:]

    init(granted: Set<UUID>, isRepeating: Bool) {
        self.granted = granted
        self.isRepeating = isRepeating
    }

    mutating func holder(of token: UUID, in tables: borrowing some OwnershipTables) throws(VaultError) -> CustomerID? {
        if isRepeating, let known = holders[token] { return known }
        let holder = try Ownership.holder(of: .token(token), in: tables)
        if isRepeating { holders[token] = .some(holder) }
        return holder
    }
}
