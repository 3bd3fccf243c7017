/// A transaction in a history; the value has the size of a reference.
package struct TransactionFact: Hashable, Sendable {
    /// The transaction.
    package let transaction: Transaction

    /// Creates a fact.
    package init(_ transaction: Transaction) { self.transaction = transaction }

    /// The identity of the transaction; its copies share one key.
    package var key: TransactionKey { TransactionKey(transaction) }

    /// Returns whether two facts are the same version of the same transaction.
    package static func == (left: TransactionFact, right: TransactionFact) -> Bool {
        left.transaction === right.transaction
            || (left.signedAt == right.signedAt && left.key == right.key
                && left.transaction.source.payload == right.transaction.source.payload)
    }

    /// Hashes the values that distinguish versions of a transaction.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(transaction.id)
        hasher.combine(signedAt)
    }
}

extension TransactionFact? {
    /// Returns whether two facts are the same object, which is stricter and cheaper than equality.
    static func === (left: Self, right: Self) -> Bool { left?.transaction === right?.transaction }

    /// Returns whether two facts are different objects.
    static func !== (left: Self, right: Self) -> Bool { !(left === right) }
}

/// The properties of the transaction that the rules of the resolution use.
extension TransactionFact {
    package var productID: Product.ID { transaction.productID }
    package var purchasedAt: Instant { transaction.purchasedAt }
    var signedAt: Instant { transaction.signedAt }
    package var revokedAt: Instant? { transaction.revokedAt }
    var isFromReceipt: Bool { transaction.isFromReceipt }
    var isUpgraded: Bool { transaction.isUpgraded }

    /// The end of the period of a subscription, by the rule of ``Transaction/subscriptionPeriodEnd``.
    var periodEnd: Instant { transaction.expiresAt ?? transaction.purchasedAt }

    /// Returns whether two copies have the same product, type, group and chain.
    ///
    /// This is true for all copies of one transaction that the App Store has signed.
    func isOfSameLine(as other: TransactionFact) -> Bool {
        productID == other.productID && transaction.productType == other.transaction.productType
            && transaction.subscriptionGroupID == other.transaction.subscriptionGroupID
            && transaction.originalID == other.transaction.originalID
    }
}
