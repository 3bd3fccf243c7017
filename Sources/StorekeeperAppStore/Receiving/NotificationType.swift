/// The type of a notification in the App Store's word; open, because Apple adds to it.
///
/// - SeeAlso: Apple, "App Store Server Notifications: notificationType".
public struct NotificationType: RawRepresentable, Hashable, Sendable {
    /// The App Store's word.
    public let rawValue: String
    /// Creates a type from a word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A subscription began, or began again.
    public static let subscribed = NotificationType(rawValue: "SUBSCRIBED")
    /// A subscription renewed.
    public static let didRenew = NotificationType(rawValue: "DID_RENEW")
    /// The customer changed what renews next.
    public static let didChangeRenewalPref = NotificationType(rawValue: "DID_CHANGE_RENEWAL_PREF")
    /// Renewing was switched on or off.
    public static let didChangeRenewalStatus = NotificationType(rawValue: "DID_CHANGE_RENEWAL_STATUS")
    /// An active subscriber redeemed an offer.
    public static let offerRedeemed = NotificationType(rawValue: "OFFER_REDEEMED")
    /// A price went up, with or without the customer's consent.
    public static let priceIncrease = NotificationType(rawValue: "PRICE_INCREASE")
    /// A renewal could not be charged.
    public static let didFailToRenew = NotificationType(rawValue: "DID_FAIL_TO_RENEW")
    /// The grace period ended; charging is still retried.
    public static let gracePeriodExpired = NotificationType(rawValue: "GRACE_PERIOD_EXPIRED")
    /// A subscription ended.
    public static let expired = NotificationType(rawValue: "EXPIRED")
    /// A purchase was refunded.
    public static let refund = NotificationType(rawValue: "REFUND")
    /// The App Store declined to refund a purchase.
    public static let refundDeclined = NotificationType(rawValue: "REFUND_DECLINED")
    /// A refund was reversed.
    public static let refundReversed = NotificationType(rawValue: "REFUND_REVERSED")
    /// The App Store asks for consumption information, within 12 hours.
    public static let consumptionRequest = NotificationType(rawValue: "CONSUMPTION_REQUEST")
    /// Access through the family ended.
    public static let revoke = NotificationType(rawValue: "REVOKE")
    /// Something other than a subscription was bought.
    public static let oneTimeCharge = NotificationType(rawValue: "ONE_TIME_CHARGE")
    /// The app extended a subscription.
    public static let renewalExtended = NotificationType(rawValue: "RENEWAL_EXTENDED")
    /// The app extended the subscriptions of all customers of a product.
    public static let renewalExtension = NotificationType(rawValue: "RENEWAL_EXTENSION")
    /// The app asked for a test.
    public static let test = NotificationType(rawValue: "TEST")
    /// A token for purchases outside of the App Store.
    public static let externalPurchaseToken = NotificationType(rawValue: "EXTERNAL_PURCHASE_TOKEN")
    /// A guardian withdrew the consent to the app.
    public static let rescindConsent = NotificationType(rawValue: "RESCIND_CONSENT")
    /// The metadata of a generic purchase changed.
    public static let metadataUpdate = NotificationType(rawValue: "METADATA_UPDATE")
    /// A subscription moved to generic purchases.
    public static let migration = NotificationType(rawValue: "MIGRATION")
    /// The price of a generic purchase changed.
    public static let priceChange = NotificationType(rawValue: "PRICE_CHANGE")
    /// The App Store took claimed seats of a group away; the app must end the access of their occupants.
    public static let unclaimSeats = NotificationType(rawValue: "UNCLAIM_SEATS")
}

/// The subtype of a notification in the App Store's word; open, because Apple adds to it.
///
/// - SeeAlso: Apple, "App Store Server Notifications: subtype".
public struct NotificationSubtype: RawRepresentable, Hashable, Sendable {
    /// The App Store's word.
    public let rawValue: String
    /// Creates a subtype from a word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// For the first time in the group.
    public static let initialBuy = NotificationSubtype(rawValue: "INITIAL_BUY")
    /// After an end.
    public static let resubscribe = NotificationSubtype(rawValue: "RESUBSCRIBE")
    /// After failures to charge.
    public static let billingRecovery = NotificationSubtype(rawValue: "BILLING_RECOVERY")
    /// At once, to a higher level or another product of equal duration.
    public static let upgrade = NotificationSubtype(rawValue: "UPGRADE")
    /// From the next renewal on.
    public static let downgrade = NotificationSubtype(rawValue: "DOWNGRADE")
    /// Renewing is on.
    public static let autoRenewEnabled = NotificationSubtype(rawValue: "AUTO_RENEW_ENABLED")
    /// Renewing is off.
    public static let autoRenewDisabled = NotificationSubtype(rawValue: "AUTO_RENEW_DISABLED")
    /// The customer has not answered yet.
    public static let pending = NotificationSubtype(rawValue: "PENDING")
    /// The customer agreed, or need not.
    public static let accepted = NotificationSubtype(rawValue: "ACCEPTED")
    /// Service continues while charging is retried.
    public static let gracePeriod = NotificationSubtype(rawValue: "GRACE_PERIOD")
    /// The customer wanted it.
    public static let voluntary = NotificationSubtype(rawValue: "VOLUNTARY")
    /// It could not be charged.
    public static let billingRetry = NotificationSubtype(rawValue: "BILLING_RETRY")
    /// The customer did not agree to a price.
    public static let priceIncrease = NotificationSubtype(rawValue: "PRICE_INCREASE")
    /// The product is no longer sold.
    public static let productNotForSale = NotificationSubtype(rawValue: "PRODUCT_NOT_FOR_SALE")
    /// The whole request was completed.
    public static let summary = NotificationSubtype(rawValue: "SUMMARY")
    /// It failed for one customer.
    public static let failure = NotificationSubtype(rawValue: "FAILURE")
    /// A token was created and not yet reported.
    public static let unreported = NotificationSubtype(rawValue: "UNREPORTED")
    /// A token was created.
    public static let created = NotificationSubtype(rawValue: "CREATED")
    /// A token is still in use.
    public static let activeTokenReminder = NotificationSubtype(rawValue: "ACTIVE_TOKEN_REMINDER")
    /// A group has more seats.
    public static let increaseQuantity = NotificationSubtype(rawValue: "INCREASE_QUANTITY")
    /// A group has fewer seats from the next renewal on.
    public static let decreaseQuantity = NotificationSubtype(rawValue: "DECREASE_QUANTITY")
    /// Some seats of a group were refunded; the transaction stays valid for the others.
    public static let seats = NotificationSubtype(rawValue: "SEATS")
}
