import Storekeeper

/// A setting of an app's test environment.
///
/// - SeeAlso: Apple, "StoreKit Test: SKTestSession".
public enum SimulatorSetting: Hashable, Sendable {
    /// The storefront of accounts that are created without a storefront, as three letters.
    case storefront(String)
    /// The locale, such as `en_US`.
    case locale(String)
    /// The speed at which subscriptions renew; a change does not move the end of a period that has begun.
    case pace(RenewalPace)
    /// Whether every purchase waits for a guardian's answer.
    case askToBuy(Bool)
    /// Whether every purchase is interrupted until its issue is resolved.
    case interruptedPurchases(Bool)
    /// The length of the grace period after a failed renewal; `nil` for no grace period.
    case billingGracePeriod(GracePeriodLength?)
    /// Whether a grace period follows a free offer if the first paid renewal fails.
    case gracePeriodFollowsFreeOffers(Bool)
    /// Whether the payment of every renewal fails.
    case billingRetryOnRenewal(Bool)
    /// Whether a subscription in billing retry is charged again every day.
    case retriesDaily(Bool)
    /// The probability that a daily charge succeeds although the customer's payments fail, from 0 to 1.
    case recoveryChance(Double)
    /// Whether renewals are charged a day before they begin.
    case chargesEarly(Bool)
    /// Whether dialogs are skipped.
    ///
    /// The setting has no effect, because the simulator has no dialogs.
    case disableDialogs(Bool)
    /// Whether refunds requested in the app are granted at once, as in test environments.
    case grantsRefundRequests(Bool)
    /// The code of `SKError` with which every purchase fails; `nil` to let purchases succeed.
    case failTransactions(code: Int?)
    /// Sets or removes the simulated failure of an API.
    case simulatedError(SimulatedFailure?, api: SimulatedAPI)
}
