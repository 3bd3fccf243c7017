import Storekeeper
import StorekeeperTesting

extension GeneratedEvidence {
    /// Returns the copies as the engine receives them, decoded and treated as verified.
    func items() throws -> [EvidenceItem] {
        try transactions.map { .transaction(try $0.transaction()) }
            + renewalInfos.map { .renewalInfo(try $0.renewalInfo()) }
    }

    /// Returns the answers that follow from the evidence.
    func resolution(policy: EntitlementPolicy = EntitlementPolicy()) throws -> Resolution {
        EntitlementResolver(catalog: catalog, policy: policy).resolve(PurchaseHistory(items: try items()))
    }

    /// One verified item of evidence.
    enum EvidenceItem: Sendable {
        case transaction(Transaction)
        case renewalInfo(RenewalInfo)
    }
}

extension PurchaseHistory {
    /// Creates a history from items that are merged one after another.
    init(items: [GeneratedEvidence.EvidenceItem]) {
        self.init()
        for item in items { take(item) }
    }

    mutating func take(_ item: GeneratedEvidence.EvidenceItem) {
        switch item {
        case .transaction(let transaction): merge([.verified(transaction)])
        case .renewalInfo(let info): merge(.verified(info))
        }
    }
}
