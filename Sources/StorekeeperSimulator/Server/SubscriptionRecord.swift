package import Storekeeper

/// A subscription in the lists of the App Store's servers, signed on request.
package struct SubscriptionRecord: Hashable, Sendable {
    /// The group.
    package let groupID: SubscriptionGroup.ID
    /// The first transaction of the chain.
    package let originalID: Transaction.ID
    /// The status, 1 to 5: active, expired, billing retry, grace period, revoked.
    package let status: Int
    /// The newest transaction, as compact JWS.
    package let transaction: String
    /// The renewal info, as compact JWS.
    package let renewalInfo: String?
}
