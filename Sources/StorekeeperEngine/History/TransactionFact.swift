/// A transaction that the engine has taken in, as large as a reference.
package struct TransactionFact: Hashable, Sendable {
    /// The transaction.
    package let transaction: Transaction

    /// Makes a fact.
    package init(_ transaction: Transaction) { self.transaction = transaction }

    /// What the fact is about; two copies of one transaction have one key.
    package var key: TransactionKey { TransactionKey(transaction) }

    /// Equal facts are the same version of the same transaction.
    package static func == (left: TransactionFact, right: TransactionFact) -> Bool {
        left.transaction === right.transaction
            || (left.signedAt == right.signedAt && left.key == right.key
                && left.transaction.source.payload == right.transaction.source.payload)
    }

    /// Hashes what tells one version of a transaction from another.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(transaction.id)
        hasher.combine(signedAt)
    }
}

extension TransactionFact? {
    /// Whether both are the same object, which tells more than that they are equal, and costs less.
    static func === (left: Self, right: Self) -> Bool { left?.transaction === right?.transaction }

    /// Whether the two are different objects.
    static func !== (left: Self, right: Self) -> Bool { !(left === right) }
}

/// Members that rules look at.
extension TransactionFact {
    package var productID: Product.ID { transaction.productID }
    package var purchasedAt: Instant { transaction.purchasedAt }
    var signedAt: Instant { transaction.signedAt }
    package var revokedAt: Instant? { transaction.revokedAt }
    var isUpgraded: Bool { transaction.isUpgraded }

    /// The end of the period of a subscription, by the rule of ``Transaction/subscriptionPeriodEnd``.
    var periodEnd: Instant { transaction.expiresAt ?? transaction.purchasedAt }

    /// Whether a copy is of the product, type, group and chain that another copy names, as all copies that the App
    /// Store signs of one transaction are.
    func isOfSameLine(as other: TransactionFact) -> Bool {
        productID == other.productID && transaction.productType == other.transaction.productType
            && transaction.subscriptionGroupID == other.transaction.subscriptionGroupID
            && transaction.originalID == other.transaction.originalID
    }
}
