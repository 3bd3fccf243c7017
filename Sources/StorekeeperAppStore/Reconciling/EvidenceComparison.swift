import Storekeeper

/// Compares the App Store's evidence about a customer with the evidence in a vault.
///
/// The App Store signs evidence again for each request, so two copies of the same evidence have different bytes. Two
/// copies have the same content if they differ only in the time of signing.
struct EvidenceComparison {
    /// Transactions that the vault does not have.
    private(set) var missing: [Transaction] = []
    /// Transactions in the vault that the App Store has changed since, for example by a refund.
    private(set) var changed: [Transaction] = []
    /// Renewal infos of the App Store that the vault does not have, or has with different content.
    private(set) var renewals: [RenewalInfo] = []
    /// Transactions that the vault has and the App Store did not return.
    private(set) var unknown: [TransactionKey] = []
    /// The facts of the App Store to be stored in the vault.
    ///
    /// A renewal info whose stored copy has the same content is included if its later time of signing lets it apply to
    /// a transaction to which the stored copy does not apply.
    private(set) var facts: [VerifiedFact] = []

    /// Compares two sets of evidence.
    ///
    /// - Parameters:
    ///   - fetched: The App Store's evidence, verified.
    ///   - known: The vault's evidence of the customer.
    ///   - scope: A closure that returns whether the App Store was asked about the app and environment of a
    ///     transaction.
    init(of fetched: [VerifiedFact], with known: [VerifiedFact], in scope: (TransactionKey) -> Bool) {
        let before = Copies(known)
        let now = Copies(fetched)
        for (key, (transaction, fact)) in now.transactions.sorted(by: { $0.value.0.isBefore($1.value.0) }) {
            guard let (old, _) = before.transactions[key] else {
                missing.append(transaction)
                facts.append(fact)
                continue
            }
            guard transaction.signedAt >= old.signedAt, !transaction.hasEqualContent(as: old) else { continue }
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
            if !info.hasEqualContent(as: old) {
                renewals.append(info)
                facts.append(fact)
            } else if let last = now.last[key], info.countsForMore(than: old, of: last) {
                facts.append(fact)
            }
        }
        unknown = before.transactions.keys.filter { now.transactions[$0] == nil && scope($0) }
            .sorted { $0.transactionID.rawValue < $1.transactionID.rawValue }
    }

    /// The most recently signed copy of each transaction and renewal info.
    private struct Copies {
        /// The values by which a renewal info identifies its subscription; a renewal info does not name the app.
        struct Subscription: Hashable {
            let environment: AppStore.Environment
            let originalID: Transaction.ID
        }

        private(set) var transactions: [TransactionKey: (Transaction, VerifiedFact)] = [:]
        private(set) var infos: [Subscription: (RenewalInfo, VerifiedFact)] = [:]
        /// The most recently purchased transaction of each subscription.
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
                // The App Store Server API returns neither.
                case .notification, .appTransaction: continue
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
    /// Returns whether two copies differ only in the time of signing.
    fileprivate func hasEqualContent(as other: some SignedFact) -> Bool { comparableContent == other.comparableContent }

    /// The JSON text of each member except the time of signing, by name.
    private var comparableContent: [String: [UInt8]]? {
        guard let members = try? JSONReader().read(jsonRepresentation).root.object else { return nil }
        var comparableContent: [String: [UInt8]] = [:]
        for member in members where !member.hasName("signedDate") {
            comparableContent[member.name] = member.value.sourceText
        }
        return comparableContent
    }
}
