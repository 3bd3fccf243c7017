import Storekeeper

/// A setting of an app's test environment.
///
/// - SeeAlso: Apple, "StoreKit Test: SKTestSession".
public enum SimulatorSetting: Hashable, Sendable {
    /// The storefront of accounts without one, three letters.
    case storefront(String)
    /// The locale, such as `en_US`.
    case locale(String)
    /// How fast subscriptions renew; periods that have begun keep their end.
    case pace(RenewalPace)
    /// Whether every purchase waits for a guardian.
    case askToBuy(Bool)
    /// Whether every purchase is interrupted until its issue is resolved.
    case interruptedPurchases(Bool)
    /// The length of the grace period after a failed renewal, if any.
    case billingGracePeriod(GracePeriodLength?)
    /// Whether a grace period also follows a free offer.
    case gracePeriodFollowsFreeOffers(Bool)
    /// Whether every renewal fails.
    case billingRetryOnRenewal(Bool)
    /// Whether a subscription in billing retry is charged again every day.
    case retriesDaily(Bool)
    /// The probability that such a charge succeeds although the customer's payments fail, from 0 to 1.
    case recoveryChance(Double)
    /// Whether renewals are charged a day before they begin.
    case chargesEarly(Bool)
    /// Whether dialogs are skipped; there are none here.
    case disableDialogs(Bool)
    /// Whether refunds requested in the app are granted at once, as in test environments.
    case grantsRefundRequests(Bool)
    /// Makes every purchase fail with a code of `SKError`; `nil` for none.
    case failTransactions(code: Int?)
    /// Sets or removes the simulated failure of an interface.
    case simulatedError(SimulatedFailure?, api: SimulatedAPI)
}
