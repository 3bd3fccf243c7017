package import Storekeeper

/// Whether a subscription will renew.
package enum SubscriptionForecast: Hashable, Sendable {
    case renews
    /// The subscription renews as another product.
    case renewsAs(Product.ID)
    case ends
    /// The subscription was set to renew, but no evidence shows whether it has renewed.
    case isOpen
    /// The evidence does not say whether the subscription is set to renew.
    case isNotStated
}

extension SubscriptionStatus {
    /// Returns whether a subscription will renew.
    ///
    /// A subscription that has ended will not renew, even if its renewal info says that it is set to renew.
    package func forecast(at now: Instant) -> SubscriptionForecast {
        guard state != .revoked, let info = renewalInfo, let isOn = info.autoRenewStatus?.isOn else {
            return state == .revoked || now >= billingRetryEndsAt ? .ends : .isNotStated
        }
        guard isOn, now < billingRetryEndsAt else { return .ends }
        guard state != .expired else { return .isOpen }
        guard let next = info.autoRenewProductID, next != transaction.productID else { return .renews }
        return .renewsAs(next)
    }
}
