package import Storekeeper

/// A subscription as the App Store's servers list it, signed when it was asked for.
package struct SubscriptionRecord: Hashable, Sendable {
    /// The group.
    package let groupID: SubscriptionGroup.ID
    /// The first transaction of the chain.
    package let originalID: Transaction.ID
    /// Where it stands, 1 to 5: active, expired, billing retry, grace period, revoked.
    package let status: Int
    /// The newest transaction, as compact JWS.
    package let transaction: String
    /// The renewal info, as compact JWS.
    package let renewalInfo: String?
}
