import FoundationEssentials

/// To whom pieces of evidence belong that come without a name.
struct EvidenceRoutes: Sendable {
    /// What belongs to whom, in the order of the evidence.
    private(set) var owned: [(customer: CustomerID, facts: [VerifiedFact])] = []
    /// What belongs to nobody yet.
    private(set) var unclaimed: [VerifiedFact] = []

    /// Finds the owner of each fact: by its chain, else by the token that it carries.
    ///
    /// Of several tokens of a chain the newest counts. One that nobody was given is that of the customer whose id it
    /// is, where the vault takes tokens for ids. A renewal info belongs to whoever has the chain, in the evidence or in
    /// the vault.
    init(_ facts: [VerifiedFact], in vault: any Vault) async throws(VaultError) {
        var subjects: [BindingSubject] = []
        var chainsOfInfos: [Int: [ChainID]] = [:]
        for (position, fact) in facts.enumerated() {
            switch fact.content {
            case .transaction(let transaction):
                subjects.append(.chain(ChainID(transaction)))
                if let token = transaction.appAccountToken { subjects.append(.token(token)) }
            case .renewalInfo(let info):
                func isOfInfo(_ chain: ChainID) -> Bool {
                    chain.originalID == info.originalTransactionID && chain.environment == info.environment
                }
                var chains = facts.compactMap(\.transaction).map(ChainID.init).filter(isOfInfo)
                if chains.isEmpty {
                    chains = try await vault.chains(originalID: info.originalTransactionID).filter(isOfInfo)
                }
                chainsOfInfos[position] = chains
                subjects += chains.map(BindingSubject.chain)
            }
        }
        let holders = try await vault.holders(of: subjects)
        var ownerByChain: [ChainID: CustomerID] = [:]
        for claim in FactOutline(facts).claims {
            if let holder = holders[.chain(claim.chain)] {
                ownerByChain[claim.chain] = holder
            } else if let token = claim.token?.token {
                ownerByChain[claim.chain] = holders[.token(token)] ?? vault.accountTokens.customer(namedBy: token)
            }
        }
        for (position, fact) in facts.enumerated() {
            let owner: CustomerID?
            switch fact.content {
            case .transaction(let transaction): owner = ownerByChain[ChainID(transaction)]
            case .renewalInfo:
                let chains = chainsOfInfos[position] ?? []
                owner = chains.lazy.compactMap { ownerByChain[$0] ?? holders[.chain($0)] }.first
            }
            guard let owner else {
                unclaimed.append(fact)
                continue
            }
            if let index = owned.firstIndex(where: { $0.customer == owner }) {
                owned[index].facts.append(fact)
            } else {
                owned.append((owner, [fact]))
            }
        }
    }
}
