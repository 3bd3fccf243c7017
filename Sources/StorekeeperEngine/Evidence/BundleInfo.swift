/// The bundle in which a subscription was bought or renews.
///
/// The bundle does not change access: the subscription has its own product, group and transactions.
///
/// - SeeAlso: Apple, "StoreKit: Transaction.bundleProductID".
public struct BundleInfo: Hashable, Sendable {
    /// The product id of the bundle.
    public let productID: Product.ID?
    /// The transaction id of the bundle's purchase; `nil` in a renewal info.
    public let transactionID: Transaction.ID?
    /// The original transaction id of the bundle.
    public let originalTransactionID: Transaction.ID?
    /// The group of the bundle, which is not the group of the subscription.
    public let subscriptionGroupID: SubscriptionGroup.ID?

    /// Reads the members of a payload; `nil` if the payload names no bundle.
    fileprivate init?(_ payload: JSONObject) {
        func text(_ name: String) -> String? { payload[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }
        productID = text("bundleProductId").map { Product.ID($0) }
        transactionID = text("bundleTransactionId").map { Transaction.ID($0) }
        originalTransactionID = text("bundleOriginalTransactionId").map { Transaction.ID($0) }
        subscriptionGroupID = (text("bundleSubscriptionGroupIdentifier") ?? text("bundleSubscriptionGroupId"))
            .map { SubscriptionGroup.ID($0) }
        if productID == nil, transactionID == nil, originalTransactionID == nil, subscriptionGroupID == nil {
            return nil
        }
    }
}

extension Transaction {
    /// The bundle in which the subscription was bought or renewed; `nil` for any other purchase.
    ///
    /// The value is decoded from ``SignedFact/jsonRepresentation`` on each use.
    public var bundle: BundleInfo? { source.object.flatMap(BundleInfo.init) }
}

extension RenewalInfo {
    /// The bundle in which the next renewal takes place; `nil` if the subscription renews alone.
    ///
    /// The value is decoded from ``SignedFact/jsonRepresentation`` on each use.
    public var bundle: BundleInfo? { source.object.flatMap(BundleInfo.init) }

    /// Whether the subscription leaves its bundle at the next renewal and renews alone.
    ///
    /// The value is decoded from ``SignedFact/jsonRepresentation`` on each use.
    public var willUnbundle: Bool { source.object?["willUnbundle"]?.bool == true }
}
