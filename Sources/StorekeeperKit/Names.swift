// All of Foundation's essentials come with the names, as with StoreKit.
@_exported public import FoundationEssentials

/// The details of an auto-renewable subscription.
public typealias SubscriptionInfo = Product.SubscriptionInfo
/// The status of one subscription of a group.
public typealias SubscriptionStatus = Product.SubscriptionInfo.Status
/// The App Store's plan for a subscription after the end of its period.
public typealias SubscriptionRenewalInfo = Product.SubscriptionInfo.RenewalInfo
/// The state of a subscription.
public typealias SubscriptionRenewalState = Product.SubscriptionInfo.RenewalState
/// A length of time by the calendar.
public typealias SubscriptionPeriod = Product.SubscriptionPeriod
