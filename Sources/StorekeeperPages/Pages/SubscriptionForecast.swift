package import Storekeeper

/// Whether a subscription will renew.
package enum SubscriptionForecast: Hashable, Sendable {
    case renews
    /// It renews as another product.
    case renewsAs(Product.ID)
    case ends
    /// It was set to renew, and whether it did is not known.
    case isOpen
    /// The evidence does not say whether it is set to renew.
    case isNotStated
}

extension SubscriptionStatus {
    /// Returns whether a subscription will renew; one that has ended will not, whatever its renewal info says.
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
