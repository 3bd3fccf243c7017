// Importing this module also imports FoundationEssentials, just as importing StoreKit imports Foundation.
@_exported public import FoundationEssentials

/// The details of an auto-renewable subscription.
public typealias SubscriptionInfo = Product.SubscriptionInfo
/// The status of one subscription of a group.
public typealias SubscriptionStatus = Product.SubscriptionInfo.Status
/// The information about the next renewal of a subscription, signed by the App Store.
public typealias SubscriptionRenewalInfo = Product.SubscriptionInfo.RenewalInfo
/// The state of a subscription.
public typealias SubscriptionRenewalState = Product.SubscriptionInfo.RenewalState
/// A duration in calendar units, such as one month.
public typealias SubscriptionPeriod = Product.SubscriptionPeriod
