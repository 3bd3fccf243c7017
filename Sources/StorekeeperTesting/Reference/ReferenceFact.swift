import Storekeeper

/// The members of a transaction that the model needs.
///
/// The type is a class, so that passing a fact as an argument does not copy its members.
final class ReferenceFact: Sendable {
    let transaction: Transaction
    let id: Transaction.ID
    let originalID: Transaction.ID
    let appBundleID: String
    let environment: AppStore.Environment
    let productID: Product.ID
    let productType: Product.ProductType
    let subscriptionGroupID: SubscriptionGroup.ID?
    let purchasedAt: Instant
    let expiresAt: Instant?
    let signedAt: Instant
    let purchasedQuantity: Int
    let ownershipType: OwnershipType
    let reason: TransactionReason?
    let billingPlanType: BillingPlanType?
    let isUpgraded: Bool
    let revokedAt: Instant?
    let revocationType: RevocationType?
    let revocationPercentage: Int64?
    let revocationReason: Int64?
    let hasAdditionalReason: Bool
    let previousOriginalID: Transaction.ID?

    init(_ transaction: Transaction) {
        self.transaction = transaction
        id = transaction.id
        originalID = transaction.originalID
        appBundleID = transaction.appBundleID
        environment = transaction.environment
        productID = transaction.productID
        productType = transaction.productType
        subscriptionGroupID = transaction.subscriptionGroupID
        purchasedAt = transaction.purchasedAt
        expiresAt = transaction.expiresAt
        signedAt = transaction.signedAt
        purchasedQuantity = transaction.purchasedQuantity
        ownershipType = transaction.ownershipType
        reason = transaction.reason
        billingPlanType = transaction.billingPlanType
        isUpgraded = transaction.isUpgraded
        revokedAt = transaction.revokedAt
        revocationType = transaction.revocationType
        revocationPercentage = transaction.revocationPercentage
        revocationReason = transaction.revocationReason?.rawValue
        hasAdditionalReason = transaction.additionalTransactionReason != nil
        previousOriginalID = transaction.previousOriginalTransactionID
    }
}
