/// The state of a subscription.
///
/// - SeeAlso: Apple, "StoreKit: Product.SubscriptionInfo.RenewalState"; "App Store Server API: status".
public enum RenewalState: String, Sendable, CaseIterable {
    /// A period is running.
    case subscribed
    /// The last period has ended, and the App Store does not try to bill.
    case expired
    /// The last period has ended, and the App Store tries to bill.
    case inBillingRetryPeriod
    /// The last period has ended; the App Store tries to bill, and service continues meanwhile.
    case inGracePeriod
    /// The current period was revoked.
    case revoked

    /// Whether the App Store gives service in the state, regardless of the policy.
    package var givesService: Bool { self == .subscribed || self == .inGracePeriod }

    /// The number with which Apple's APIs represent the state.
    package var number: Int {
        switch self {
        case .subscribed: 1
        case .expired: 2
        case .inBillingRetryPeriod: 3
        case .inGracePeriod: 4
        case .revoked: 5
        }
    }
}
