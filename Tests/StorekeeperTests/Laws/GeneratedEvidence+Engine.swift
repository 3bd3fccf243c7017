import Storekeeper
import StorekeeperTesting

extension GeneratedEvidence {
    /// Returns the copies as the engine receives them, decoded and treated as verified.
    func items() throws -> [EvidenceItem] {
        try transactions.map { .transaction(try $0.transaction()) }
            + renewalInfos.map { .renewalInfo(try $0.renewalInfo()) }
            + notifications.map { .notification(try $0.notification()) }
            + appTransactions.map { .appTransaction(try $0.appTransaction()) }
    }

    /// Returns the answers that follow from the evidence.
    func resolution(policy: EntitlementPolicy = EntitlementPolicy()) throws -> Resolution {
        EntitlementResolver(catalog: catalog, policy: policy).resolve(PurchaseHistory(items: try items()))
    }

    /// One verified item of evidence.
    enum EvidenceItem: Sendable {
        case transaction(Transaction)
        case renewalInfo(RenewalInfo)
        case notification(ServerNotification)
        case appTransaction(AppTransaction)
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
        case .notification(let notification): merge(CheckedEvidence.notification(.verified(notification)))
        case .appTransaction(let appTransaction): merge(.verified(appTransaction))
        }
    }
}
