import Storekeeper

/// What the App Store says of a customer beside what a vault has of them.
///
/// Pure. The App Store signs anew whenever it is asked, so that no two copies are equal: two are the same where they
/// differ in nothing but when they were signed.
struct EvidenceComparison {
    /// Transactions that the vault does not have.
    private(set) var missing: [Transaction] = []
    /// Transactions of which the App Store says something else by now, such as that they were refunded.
    private(set) var changed: [Transaction] = []
    /// Renewal infos that say something else, or are of subscriptions of which the vault has none.
    private(set) var renewals: [RenewalInfo] = []
    /// Transactions that the vault has and the App Store does not tell of.
    private(set) var unknown: [TransactionKey] = []
    /// What has to be taken in for the vault to say the same.
    ///
    /// Of infos also such as say the same, and count for more because they were signed later.
    private(set) var facts: [VerifiedFact] = []

    /// Compares.
    ///
    /// - Parameters:
    ///   - fetched: What the App Store has told, verified.
    ///   - known: What the vault has of the customer.
    ///   - scope: Whether the App Store was asked about the app and environment of a transaction.
    init(of fetched: [VerifiedFact], with known: [VerifiedFact], in scope: (TransactionKey) -> Bool) {
        let before = Copies(known)
        let now = Copies(fetched)
        for (key, (transaction, fact)) in now.transactions.sorted(by: { $0.value.0.isBefore($1.value.0) }) {
            guard let (old, _) = before.transactions[key] else {
                missing.append(transaction)
                facts.append(fact)
                continue
            }
            guard transaction.signedAt >= old.signedAt, !transaction.saysTheSame(as: old) else { continue }
            changed.append(transaction)
            facts.append(fact)
        }
        for (key, (info, fact)) in now.infos.sorted(by: { $0.key.originalID.rawValue < $1.key.originalID.rawValue }) {
            guard let (old, _) = before.infos[key] else {
                renewals.append(info)
                facts.append(fact)
                continue
            }
            guard info.signedAt >= old.signedAt else { continue }
            if !info.saysTheSame(as: old) {
                renewals.append(info)
                facts.append(fact)
            } else if let last = now.last[key], info.countsForMore(than: old, of: last) {
                facts.append(fact)
            }
        }
        unknown = before.transactions.keys.filter { now.transactions[$0] == nil && scope($0) }
            .sorted { $0.transactionID.rawValue < $1.transactionID.rawValue }
    }

    /// The newest-signed copy of everything.
    private struct Copies {
        /// A subscription, as a renewal info names it: without its app.
        struct Subscription: Hashable {
            let environment: AppStore.Environment
            let originalID: Transaction.ID
        }

        private(set) var transactions: [TransactionKey: (Transaction, VerifiedFact)] = [:]
        private(set) var infos: [Subscription: (RenewalInfo, VerifiedFact)] = [:]
        /// The last transaction of each subscription.
        private(set) var last: [Subscription: Transaction] = [:]

        init(_ facts: [VerifiedFact]) {
            for fact in facts {
                switch fact.content {
                case .transaction(let transaction):
                    let key = TransactionKey(transaction)
                    if let (other, _) = transactions[key], other.signedAt >= transaction.signedAt { continue }
                    transactions[key] = (transaction, fact)
                    let subscription = Subscription(
                        environment: transaction.environment, originalID: transaction.originalID)
                    if let other = last[subscription], !other.isBefore(transaction) { continue }
                    last[subscription] = transaction
                case .renewalInfo(let info):
                    let key = Subscription(environment: info.environment, originalID: info.originalTransactionID)
                    if let (other, _) = infos[key], other.signedAt >= info.signedAt { continue }
                    infos[key] = (info, fact)
                }
            }
        }
    }
}

extension Transaction {
    fileprivate func isBefore(_ other: Transaction) -> Bool {
        (purchasedAt, id.rawValue) < (other.purchasedAt, other.id.rawValue)
    }
}

extension SignedFact {
    /// Whether two copies differ in nothing but when they were signed.
    fileprivate func saysTheSame(as other: some SignedFact) -> Bool { said == other.said }

    /// All members but the time of signing, as they were written.
    private var said: [String: [UInt8]]? {
        guard let members = try? JSONReader().read(jsonRepresentation).root.object else { return nil }
        var said: [String: [UInt8]] = [:]
        for member in members where !member.hasName("signedDate") { said[member.name] = member.value.sourceText }
        return said
    }
}
