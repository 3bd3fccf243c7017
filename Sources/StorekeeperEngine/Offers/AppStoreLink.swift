/// A page of Apple on which a customer can act on a subscription.
public enum AppStoreLink: String, Hashable, Sendable, CaseIterable {
    /// The page on which customers renew, cancel or change subscriptions, and agree to a new price.
    case manage
    /// The page on which customers correct the payment method, so that a failed renewal is paid.
    case billing
    /// The page on which customers ask for a refund.
    case refund

    /// The URL of the page, which opens the App Store on an Apple device and a sign-in page on any other device.
    ///
    /// - SeeAlso: Apple, "Handling Subscriptions Billing", "Reducing Involuntary Subscriber Churn" and "Request a
    ///   refund for apps or content that you bought from Apple".
    public var url: String {
        switch self {
        case .manage: "https://apps.apple.com/account/subscriptions"
        case .billing: "https://apps.apple.com/account/billing"
        case .refund: "https://reportaproblem.apple.com"
        }
    }
}

extension SubscriptionStatus {
    /// The pages on which the customer can act on this status, the most urgent first.
    ///
    /// The list is empty for a subscription that a family member shares or an organization has assigned, because only
    /// the buyer can act on it.
    public var links: [AppStoreLink] {
        guard transaction.ownershipType == .purchased else { return [] }
        switch state {
        case .inGracePeriod, .inBillingRetryPeriod: return [.billing, .manage]
        case .subscribed: return [.manage, .refund]
        case .expired: return [.manage]
        case .revoked: return []
        }
    }
}
