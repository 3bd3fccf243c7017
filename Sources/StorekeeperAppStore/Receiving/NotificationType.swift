/// The type of a notification, as the App Store spells it; other values are allowed, because Apple adds types.
///
/// - SeeAlso: Apple, "App Store Server Notifications: notificationType".
public struct NotificationType: RawRepresentable, Hashable, Sendable {
    /// The value as the App Store spells it.
    public let rawValue: String
    /// Creates a type from a raw value, even if no constant exists for it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A subscription began, or began again.
    public static let subscribed = NotificationType(rawValue: "SUBSCRIBED")
    /// A subscription renewed.
    public static let didRenew = NotificationType(rawValue: "DID_RENEW")
    /// The customer changed the product or the quantity of a subscription.
    public static let didChangeRenewalPref = NotificationType(rawValue: "DID_CHANGE_RENEWAL_PREF")
    /// Automatic renewal was switched on or off.
    public static let didChangeRenewalStatus = NotificationType(rawValue: "DID_CHANGE_RENEWAL_STATUS")
    /// An active subscriber redeemed an offer.
    public static let offerRedeemed = NotificationType(rawValue: "OFFER_REDEEMED")
    /// A price went up, with or without the customer's consent.
    public static let priceIncrease = NotificationType(rawValue: "PRICE_INCREASE")
    /// A renewal could not be charged.
    public static let didFailToRenew = NotificationType(rawValue: "DID_FAIL_TO_RENEW")
    /// The grace period ended, and the App Store still retries the charge.
    public static let gracePeriodExpired = NotificationType(rawValue: "GRACE_PERIOD_EXPIRED")
    /// A subscription ended.
    public static let expired = NotificationType(rawValue: "EXPIRED")
    /// A purchase was refunded.
    public static let refund = NotificationType(rawValue: "REFUND")
    /// The App Store declined to refund a purchase.
    public static let refundDeclined = NotificationType(rawValue: "REFUND_DECLINED")
    /// A refund was reversed.
    public static let refundReversed = NotificationType(rawValue: "REFUND_REVERSED")
    /// The App Store asks the app to send consumption information within 12 hours.
    public static let consumptionRequest = NotificationType(rawValue: "CONSUMPTION_REQUEST")
    /// Access through Family Sharing ended.
    public static let revoke = NotificationType(rawValue: "REVOKE")
    /// A product that is not an auto-renewable subscription was bought.
    public static let oneTimeCharge = NotificationType(rawValue: "ONE_TIME_CHARGE")
    /// The app extended a subscription.
    public static let renewalExtended = NotificationType(rawValue: "RENEWAL_EXTENDED")
    /// The app extended all subscriptions to a product.
    public static let renewalExtension = NotificationType(rawValue: "RENEWAL_EXTENSION")
    /// The app has requested this test notification.
    public static let test = NotificationType(rawValue: "TEST")
    /// The notification contains a token for purchases outside of the App Store.
    public static let externalPurchaseToken = NotificationType(rawValue: "EXTERNAL_PURCHASE_TOKEN")
    /// A guardian withdrew the consent to a child's use of the app.
    public static let rescindConsent = NotificationType(rawValue: "RESCIND_CONSENT")
    /// The metadata of a generic purchase changed.
    public static let metadataUpdate = NotificationType(rawValue: "METADATA_UPDATE")
    /// A subscription moved to generic purchases.
    public static let migration = NotificationType(rawValue: "MIGRATION")
    /// The price of a generic purchase changed.
    public static let priceChange = NotificationType(rawValue: "PRICE_CHANGE")
    /// The App Store ended seat claims of a group; the app must end the access of the seats' occupants.
    public static let unclaimSeats = NotificationType(rawValue: "UNCLAIM_SEATS")
}

/// The subtype of a notification, as the App Store spells it; other values are allowed, because Apple adds subtypes.
///
/// - SeeAlso: Apple, "App Store Server Notifications: subtype".
public struct NotificationSubtype: RawRepresentable, Hashable, Sendable {
    /// The value as the App Store spells it.
    public let rawValue: String
    /// Creates a subtype from a raw value, even if no constant exists for it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The customer subscribed to the group for the first time.
    public static let initialBuy = NotificationSubtype(rawValue: "INITIAL_BUY")
    /// The customer subscribed again after a subscription in the group had ended.
    public static let resubscribe = NotificationSubtype(rawValue: "RESUBSCRIBE")
    /// The subscription renewed after earlier attempts to charge had failed.
    public static let billingRecovery = NotificationSubtype(rawValue: "BILLING_RECOVERY")
    /// The plan changed immediately, to a higher level or to another product of equal duration.
    public static let upgrade = NotificationSubtype(rawValue: "UPGRADE")
    /// The plan changes at the next renewal, to a lower level or to a product of another duration.
    public static let downgrade = NotificationSubtype(rawValue: "DOWNGRADE")
    /// Automatic renewal was switched on.
    public static let autoRenewEnabled = NotificationSubtype(rawValue: "AUTO_RENEW_ENABLED")
    /// Automatic renewal was switched off.
    public static let autoRenewDisabled = NotificationSubtype(rawValue: "AUTO_RENEW_DISABLED")
    /// The customer has not yet answered the request to agree to a price increase.
    public static let pending = NotificationSubtype(rawValue: "PENDING")
    /// The customer agreed to a price increase, or the increase does not require consent.
    public static let accepted = NotificationSubtype(rawValue: "ACCEPTED")
    /// Access continues during the grace period, while the App Store retries the charge.
    public static let gracePeriod = NotificationSubtype(rawValue: "GRACE_PERIOD")
    /// The subscription expired because the customer had switched off automatic renewal.
    public static let voluntary = NotificationSubtype(rawValue: "VOLUNTARY")
    /// The subscription expired because the App Store could not charge for the renewal.
    public static let billingRetry = NotificationSubtype(rawValue: "BILLING_RETRY")
    /// The subscription expired because the customer did not agree to a price increase.
    public static let priceIncrease = NotificationSubtype(rawValue: "PRICE_INCREASE")
    /// The subscription expired because the product is no longer sold.
    public static let productNotForSale = NotificationSubtype(rawValue: "PRODUCT_NOT_FOR_SALE")
    /// The extension of all subscriptions to a product was completed.
    public static let summary = NotificationSubtype(rawValue: "SUMMARY")
    /// One subscription could not be extended.
    public static let failure = NotificationSubtype(rawValue: "FAILURE")
    /// A token for external purchases was created, and the app has not yet reported it.
    public static let unreported = NotificationSubtype(rawValue: "UNREPORTED")
    /// A token for external purchases was created.
    public static let created = NotificationSubtype(rawValue: "CREATED")
    /// A token for external purchases is still active, and the app must report its purchases.
    public static let activeTokenReminder = NotificationSubtype(rawValue: "ACTIVE_TOKEN_REMINDER")
    /// The number of seats of a group was increased, effective immediately.
    public static let increaseQuantity = NotificationSubtype(rawValue: "INCREASE_QUANTITY")
    /// The number of seats of a group decreases at the next renewal.
    public static let decreaseQuantity = NotificationSubtype(rawValue: "DECREASE_QUANTITY")
    /// Some seats of a group were refunded; the transaction remains valid for the other seats.
    public static let seats = NotificationSubtype(rawValue: "SEATS")
}
