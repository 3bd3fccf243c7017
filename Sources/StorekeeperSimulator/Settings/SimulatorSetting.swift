import Storekeeper

/// A setting of an app's test environment.
///
/// - SeeAlso: Apple, "StoreKit Test: SKTestSession".
public enum SimulatorSetting: Hashable, Sendable {
    /// The storefront of accounts that name none, three letters.
    case storefront(String)
    /// The locale, such as `en_US`.
    case locale(String)
    /// How fast subscriptions renew; periods that have begun keep their end.
    case pace(RenewalPace)
    /// Whether every purchase waits for a guardian.
    case askToBuy(Bool)
    /// Whether every purchase is interrupted until its issue is resolved.
    case interruptedPurchases(Bool)
    /// Whether a failed renewal has a grace period, and how long.
    case billingGracePeriod(GracePeriodLength?)
    /// Whether a grace period also follows a free offer.
    case gracePeriodFollowsFreeOffers(Bool)
    /// Whether every renewal fails.
    case billingRetryOnRenewal(Bool)
    /// Whether a subscription in billing retry is charged again every day.
    case retriesDaily(Bool)
    /// How likely such a charge succeeds although the customer's payments fail, from 0 to 1: luck.
    case recoveryChance(Double)
    /// Whether renewals are charged a day before they begin.
    case chargesEarly(Bool)
    /// Whether dialogs are left out; there are none here.
    case disableDialogs(Bool)
    /// Whether refunds that are asked for in the app are granted at once, as in test environments.
    case grantsRefundRequests(Bool)
    /// Makes every purchase fail with a code of `SKError`; `nil`: none fails.
    case failTransactions(code: Int?)
    /// Makes an interface fail, or no longer.
    case simulatedError(SimulatedFailure?, api: SimulatedAPI)
}
