import FoundationEssentials

/// Whose the chains of some facts are, when they are presented for a customer.
struct Ownership {
    /// Chains and tokens that belong to another.
    private(set) var conflicts: [BindingConflict] = []
    /// The chains that have a conflict, of themselves or of their token.
    private(set) var disputedChains: Set<ChainID> = []
    /// Whether each of the outline's chains is nobody's yet.
    private(set) var isFresh: [Bool] = []
    /// What becomes the customer's, in the order of the facts.
    private(set) var unbound: [BindingSubject] = []

    /// - Parameter granted: Tokens that the customer has been given, although the tables do not say so yet.
    init(
        of facts: [VerifiedFact], for customer: CustomerID, granted: Set<UUID> = [],
        in tables: borrowing some OwnershipTables
    ) throws(VaultError) {
        try self.init(of: facts, outline: FactOutline(facts), for: customer, granted: granted, in: tables)
    }

    init(
        of facts: [VerifiedFact], outline: FactOutline, for customer: CustomerID, granted: Set<UUID> = [],
        in tables: borrowing some OwnershipTables
    ) throws(VaultError) {
        var tokens: Set<UUID> = []
        isFresh.reserveCapacity(outline.claims.count)
        for claim in outline.claims {
            let holder = try tables.holder(of: .chain(claim.chain))
            isFresh.append(holder == nil)
            if let holder, holder != customer {
                try note(.chain(claim.chain), of: claim.chain, holder: holder, claimant: customer, in: tables)
                continue
            }
            if holder == nil {
                unbound.append(.chain(claim.chain))
            }
            guard let token = try newestToken(of: claim, isFresh: holder == nil, in: tables),
                !granted.contains(token)
            else { continue }
            let named = tables.accountTokens.customer(namedBy: token)
            var tokenHolder = try Self.holder(of: .token(token), in: tables)
            // Where customers' ids are UUIDs, a token that is not theirs is another's, heard of or not.
            if tokenHolder == nil, customer.uuid != nil { tokenHolder = named }
            if let tokenHolder, tokenHolder != customer {
                try note(.token(token), of: claim.chain, holder: tokenHolder, claimant: customer, in: tables)
            } else if tokenHolder == nil, tokens.insert(token).inserted {
                unbound.append(.token(token))
            }
        }
        if outline.hasRenewalInfos { try look(at: facts, beside: outline.claims, for: customer, in: tables) }
    }

    private func newestToken(
        of claim: FactOutline.Claim, isFresh: Bool, in tables: borrowing some OwnershipTables
    ) throws(VaultError) -> UUID? {
        guard !isFresh, let stored = try tables.token(of: claim.chain) else { return claim.token?.token }
        guard let own = claim.token else { return stored.token }
        return CopyOrder.supersedes(own, stored) ? own.token : stored.token
    }

    /// Renewal infos name no app: they are of whoever has a chain of their environment and original transaction.
    private mutating func look(
        at facts: [VerifiedFact], beside claims: [FactOutline.Claim], for customer: CustomerID,
        in tables: borrowing some OwnershipTables
    ) throws(VaultError) {
        var seen = Set(claims.map { RenewalInfoKey($0.chain) })
        for info in facts.lazy.compactMap(\.renewalInfo) {
            let subject = RenewalInfoKey(info)
            guard seen.insert(subject).inserted else { continue }
            let holders = try tables.holders(environment: subject.environment, originalID: subject.originalID)
            if holders.isEmpty || holders.contains(customer) { continue }
            for chain in try tables.chains(originalID: subject.originalID)
            where chain.environment == subject.environment {
                guard let holder = try tables.holder(of: .chain(chain)) else { continue }
                try note(.chain(chain), of: chain, holder: holder, claimant: customer, in: tables)
                break
            }
        }
    }

    private mutating func note(
        _ subject: BindingSubject, of chain: ChainID, holder: CustomerID, claimant: CustomerID,
        in tables: borrowing some OwnershipTables
    ) throws(VaultError) {
        guard disputedChains.insert(chain).inserted else { return }
        conflicts.append(
            BindingConflict(
                originalTransactionID: chain.originalID, subject: subject, holder: holder, claimant: claimant,
                attempts: try tables.attempts(on: subject) + 1))
    }

    /// Whether anything becomes the customer's that was nobody's.
    var binds: Bool { !unbound.isEmpty }

    /// Gives the customer what was nobody's.
    func bind(
        to customer: CustomerID, at instant: Instant, in tables: inout some OwnershipTables
    ) throws(VaultError) {
        for subject in unbound { try tables.bind(subject, to: customer, at: instant) }
    }

    /// Whose a chain or token is, of the customers that the vault knows.
    static func holder(
        of subject: BindingSubject, in tables: borrowing some OwnershipTables
    ) throws(VaultError) -> CustomerID? {
        if let holder = try tables.holder(of: subject) { return holder }
        guard case .token(let token) = subject, let named = tables.accountTokens.customer(namedBy: token) else {
            return nil
        }
        return try tables.customer(named)?.id
    }
}
