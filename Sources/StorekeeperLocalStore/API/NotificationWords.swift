/// The notification types and subtypes that can filter a notification history.
///
/// - SeeAlso: Apple, "App Store Server Notifications: notificationType" and "subtype".
enum NotificationWords {
    static let types: Set<String> = [
        "CONSUMPTION_REQUEST", "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_STATUS", "DID_FAIL_TO_RENEW",
        "DID_RENEW", "EXPIRED", "EXTERNAL_PURCHASE_TOKEN", "GRACE_PERIOD_EXPIRED", "METADATA_UPDATE", "MIGRATION",
        "OFFER_REDEEMED", "ONE_TIME_CHARGE", "PRICE_CHANGE", "PRICE_INCREASE", "REFUND", "REFUND_DECLINED",
        "REFUND_REVERSED", "RENEWAL_EXTENDED", "RENEWAL_EXTENSION", "RESCIND_CONSENT", "REVOKE", "SUBSCRIBED", "TEST",
        "UNCLAIM_SEATS",
    ]

    static let subtypes: Set<String> = [
        "ACCEPTED", "ACTIVE_TOKEN_REMINDER", "AUTO_RENEW_DISABLED", "AUTO_RENEW_ENABLED", "BILLING_RECOVERY",
        "BILLING_RETRY", "CREATED", "DECREASE_QUANTITY", "DOWNGRADE", "FAILURE", "GRACE_PERIOD", "INCREASE_QUANTITY",
        "INITIAL_BUY", "PENDING",
        "PRICE_INCREASE", "PRODUCT_NOT_FOR_SALE", "RESUBSCRIBE", "SEATS", "SUMMARY", "UNREPORTED", "UPGRADE",
        "VOLUNTARY",
    ]
}
