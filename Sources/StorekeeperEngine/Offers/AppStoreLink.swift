/// A page of Apple on which a customer can act on a subscription.
public enum AppStoreLink: String, Hashable, Sendable, CaseIterable {
    /// Renew, cancel or change subscriptions, and agree to a new price.
    case manage
    /// Correct the payment method, so that a failed renewal is paid.
    case billing
    /// Ask for a refund.
    case refund

    /// The address of the page; it opens the App Store on a device, and a page to sign in elsewhere.
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
    /// The pages on which the customer can act on this status, the most urgent first; none for a subscription that the
    /// family shares or an organisation has assigned, because only its buyer can act.
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
