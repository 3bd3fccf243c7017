import FoundationEssentials

/// Whose the chains of some facts are, when they are presented for a customer.
struct Ownership {
    /// Chains and tokens that belong to another.
    private(set) var conflicts: [BindingConflict] = []
    /// The chains that have a conflict, of themselves or of their token.
    private(set) var disputedChains: Set<ChainID> = []
    /// Chains that are nobody's yet.
    private(set) var freshChains: Set<ChainID> = []
    /// What becomes the customer's, in the order of the facts.
    private var unbound: [BindingSubject] = []

    /// What the facts of a batch say of one chain.
    private struct Claim {
        let chain: ChainID
        var token: (token: UUID, signedAt: Instant)?
    }

    init(
        of facts: [VerifiedFact], for customer: CustomerID, in tables: borrowing some VaultTables
    ) throws(VaultError) {
        var tokens: Set<UUID> = []
        let claims = Self.claims(of: facts)
        for claim in claims {
            let holder = try tables.holder(of: .chain(claim.chain))
            if let holder, holder != customer {
                try note(.chain(claim.chain), of: claim.chain, holder: holder, claimant: customer, in: tables)
                continue
            }
            if holder == nil {
                freshChains.insert(claim.chain)
                unbound.append(.chain(claim.chain))
            }
            guard let token = try newestToken(of: claim, isFresh: holder == nil, in: tables) else { continue }
            let tokenHolder = try Self.holder(of: .token(token), in: tables)
            if let tokenHolder, tokenHolder != customer {
                try note(.token(token), of: claim.chain, holder: tokenHolder, claimant: customer, in: tables)
            } else if tokenHolder == nil, CustomerID(rawValue: token.uuidString) != customer,
                tokens.insert(token).inserted
            {
                unbound.append(.token(token))
            }
        }
        try look(at: facts, beside: claims, for: customer, in: tables)
    }

    /// The chains of the transactions among facts, each with the newest token that they carry.
    private static func claims(of facts: [VerifiedFact]) -> [Claim] {
        var claims: [Claim] = []
        var positions: [ChainID: Int] = [:]
        for transaction in facts.lazy.compactMap(\.transaction) {
            let chain = ChainID(transaction)
            let position = positions[chain] ?? claims.count
            if position == claims.count {
                positions[chain] = position
                claims.append(Claim(chain: chain))
            }
            guard let token = transaction.appAccountToken else { continue }
            let next = (token, transaction.signedAt)
            if let known = claims[position].token, !CopyOrder.supersedes(next, known) { continue }
            claims[position].token = next
        }
        return claims
    }

    private func newestToken(
        of claim: Claim, isFresh: Bool, in tables: borrowing some VaultTables
    ) throws(VaultError) -> UUID? {
        guard !isFresh, let stored = try tables.token(of: claim.chain) else { return claim.token?.token }
        guard let own = claim.token else { return stored.token }
        return CopyOrder.supersedes(own, stored) ? own.token : stored.token
    }

    /// Renewal infos name no app: they are of whoever has a chain of their environment and original transaction.
    private mutating func look(
        at facts: [VerifiedFact], beside claims: [Claim], for customer: CustomerID,
        in tables: borrowing some VaultTables
    ) throws(VaultError) {
        guard facts.contains(where: { $0.renewalInfo != nil }) else { return }
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
        in tables: borrowing some VaultTables
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
        to customer: CustomerID, at instant: Instant, in tables: inout some VaultTables
    ) throws(VaultError) {
        for subject in unbound { try tables.bind(subject, to: customer, at: instant) }
    }

    /// Whose a chain or token is; a token that nobody was given is the customer's whose id it is.
    static func holder(
        of subject: BindingSubject, in tables: borrowing some VaultTables
    ) throws(VaultError) -> CustomerID? {
        if let holder = try tables.holder(of: subject) { return holder }
        guard case .token(let token) = subject else { return nil }
        return try tables.customer(CustomerID(rawValue: token.uuidString))?.id
    }
}
