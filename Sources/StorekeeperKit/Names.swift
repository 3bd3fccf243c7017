// As with StoreKit, an import of this module imports Foundation's essentials.
@_exported public import FoundationEssentials

/// The details of an auto-renewable subscription.
public typealias SubscriptionInfo = Product.SubscriptionInfo
/// The status of one subscription of a group.
public typealias SubscriptionStatus = Product.SubscriptionInfo.Status
/// The App Store's plan for a subscription after the end of the current period.
public typealias SubscriptionRenewalInfo = Product.SubscriptionInfo.RenewalInfo
/// The state of a subscription.
public typealias SubscriptionRenewalState = Product.SubscriptionInfo.RenewalState
/// A duration in units of the calendar.
public typealias SubscriptionPeriod = Product.SubscriptionPeriod
