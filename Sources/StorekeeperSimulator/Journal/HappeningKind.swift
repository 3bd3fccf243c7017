/// The kinds of events at a simulated App Store.
public enum HappeningKind: UInt8, Sendable, CaseIterable {
    // MARK: Purchases

    /// A consumable, a non-consumable or a non-renewing subscription was bought, or a family member got access to it.
    case oneTimePurchased
    /// A customer subscribed for the first time in the subscription group, or a family member got access.
    case subscribed
    /// A customer subscribed again after a lapse, or a family member got access again.
    case resubscribed
    /// A purchase waits for a guardian's answer.
    case askToBuyRequested
    /// A guardian declined a purchase.
    case askToBuyDeclined
    /// No guardian answered in time.
    case askToBuyTimedOut
    /// A purchase waits until an issue is resolved.
    case purchaseInterrupted
    /// A purchase was refused by the App Store.
    case purchaseFailed
    /// The customer cancelled the purchase.
    case purchaseCancelled
    /// The customer already owned the product and nothing was bought.
    case alreadyOwned
    /// A customer selected a promoted product on the app's App Store page.
    case purchaseIntended
    /// The app finished a transaction.
    case finished

    // MARK: Renewals

    /// A subscription was renewed.
    case renewed
    /// The payment of a renewal succeeded after it had failed.
    case recovered
    /// A payment failed, and a grace period began.
    case graceStarted
    /// A payment failed, and the service stopped.
    case billingRetryStarted
    /// The grace period ended; payments are still retried.
    case graceEnded
    /// A subscription ended because the customer had turned renewal off.
    case expiredVoluntarily
    /// A subscription ended because no retry of the payment succeeded in time.
    case expiredInBillingRetry
    /// A subscription ended because the customer did not agree to a higher price.
    case expiredByPriceIncrease
    /// A subscription ended because its product is not for sale any more.
    case expiredNotForSale
    /// A customer turned renewal on.
    case autoRenewEnabled
    /// Renewal was turned off.
    case autoRenewDisabled
    /// A developer extended the current period of a subscription.
    case renewalExtended
    /// A developer extended the current periods of all subscriptions to a product.
    case extensionsSummarized
    /// A developer extended the periods of all subscriptions to a product, but the period of this subscription could
    /// not be extended.
    case extensionFailed

    // MARK: Changes of plan

    /// A customer moved to another product of the group with immediate effect.
    case upgraded
    /// After an upgrade, the transaction of the previous product was signed again, marked as upgraded.
    case superseded
    /// A customer chose another product for the next renewal.
    case changeScheduled
    /// A customer withdrew the choice of another product for the next renewal.
    case changeWithdrawn
    /// A subscriber redeemed an offer for the same product.
    case offerRedeemed
    /// A subscriber redeemed an offer for a product with a higher level of service.
    case offerRedeemedWithUpgrade
    /// A subscriber redeemed an offer for a product with a lower level of service.
    case offerRedeemedWithDowngrade

    // MARK: Prices

    /// A subscriber was asked to agree to a higher price.
    case priceIncreasePending
    /// A subscriber agreed to a higher price, or was informed of a higher price that needs no consent.
    case priceIncreaseAccepted
    /// A subscriber refused a higher price.
    case priceIncreaseDeclined

    // MARK: Refunds

    /// A customer asked for a refund.
    case refundRequested
    /// A transaction was refunded.
    case refunded
    /// A refund was declined.
    case refundDeclined
    /// A refund was reversed.
    case refundReversed
    /// A family member lost access.
    case familyAccessEnded
    /// An organization revoked a subscription that it had assigned.
    case assignmentEnded

    // MARK: The app's server

    /// The app's server sent consumption information about a purchase.
    case consumptionInformed
    /// The app's server requested a test notification.
    case testRequested

    // MARK: Other

    /// The app account token of a transaction was changed.
    case accountTokenSet
    /// A transaction was deleted.
    case deleted
    /// An account moved to another storefront.
    case storefrontChanged
    /// What an account's app transaction states was changed.
    case appTransactionChanged
    /// An account was created.
    case accountCreated
    /// An account joined or left a family, or purchase sharing was turned on or off.
    case familyChanged
    /// The price of a product, or whether the product is for sale, was changed.
    case catalogChanged
    /// A setting of an app's test environment was changed.
    case settingChanged

    // MARK: Advanced Commerce and seats

    /// The items of an Advanced Commerce purchase were described.
    case itemsDescribed
    /// The name of an Advanced Commerce subscription, or the names of some of its items, changed.
    case metadataUpdated
    /// Some prices in an Advanced Commerce subscription change with the next renewal.
    case itemPriceChanged
    /// An ordinary subscription became an Advanced Commerce subscription.
    case migrated
    /// Seats were added to a multi-seat subscription.
    case seatsAdded
    /// The number of seats of a multi-seat subscription was reduced, with effect from the next renewal on.
    case seatsReduced
    /// Claims of seats in a multi-seat subscription were removed.
    case seatsUnclaimed
    /// Some seats of a multi-seat subscription were refunded.
    ///
    /// The transaction stays valid for the other seats.
    case seatsRefunded
}

extension HappeningKind {
    /// The type and subtype of the notification that the App Store sends about the happening; `nil` if it sends none.
    ///
    /// - SeeAlso: Apple, "App Store Server Notifications: notificationType" and "subtype".
    public var notification: (type: String, subtype: String?)? {
        switch self {
        case .oneTimePurchased: ("ONE_TIME_CHARGE", nil)
        case .subscribed: ("SUBSCRIBED", "INITIAL_BUY")
        case .resubscribed: ("SUBSCRIBED", "RESUBSCRIBE")
        case .renewed: ("DID_RENEW", nil)
        case .recovered: ("DID_RENEW", "BILLING_RECOVERY")
        case .graceStarted: ("DID_FAIL_TO_RENEW", "GRACE_PERIOD")
        case .billingRetryStarted: ("DID_FAIL_TO_RENEW", nil)
        case .graceEnded: ("GRACE_PERIOD_EXPIRED", nil)
        case .expiredVoluntarily: ("EXPIRED", "VOLUNTARY")
        case .expiredInBillingRetry: ("EXPIRED", "BILLING_RETRY")
        case .expiredByPriceIncrease: ("EXPIRED", "PRICE_INCREASE")
        case .expiredNotForSale: ("EXPIRED", "PRODUCT_NOT_FOR_SALE")
        case .autoRenewEnabled: ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED")
        case .autoRenewDisabled: ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED")
        case .renewalExtended: ("RENEWAL_EXTENDED", nil)
        case .extensionsSummarized: ("RENEWAL_EXTENSION", "SUMMARY")
        case .extensionFailed: ("RENEWAL_EXTENSION", "FAILURE")
        case .upgraded: ("DID_CHANGE_RENEWAL_PREF", "UPGRADE")
        case .changeScheduled: ("DID_CHANGE_RENEWAL_PREF", "DOWNGRADE")
        case .changeWithdrawn: ("DID_CHANGE_RENEWAL_PREF", nil)
        case .offerRedeemed: ("OFFER_REDEEMED", nil)
        case .offerRedeemedWithUpgrade: ("OFFER_REDEEMED", "UPGRADE")
        case .offerRedeemedWithDowngrade: ("OFFER_REDEEMED", "DOWNGRADE")
        case .priceIncreasePending: ("PRICE_INCREASE", "PENDING")
        case .priceIncreaseAccepted: ("PRICE_INCREASE", "ACCEPTED")
        case .refundRequested: ("CONSUMPTION_REQUEST", nil)
        case .refunded: ("REFUND", nil)
        case .refundDeclined: ("REFUND_DECLINED", nil)
        case .refundReversed: ("REFUND_REVERSED", nil)
        case .familyAccessEnded, .assignmentEnded: ("REVOKE", nil)
        case .testRequested: ("TEST", nil)
        case .metadataUpdated: ("METADATA_UPDATE", nil)
        case .itemPriceChanged: ("PRICE_CHANGE", nil)
        case .migrated: ("MIGRATION", nil)
        case .seatsAdded: ("DID_CHANGE_RENEWAL_PREF", "INCREASE_QUANTITY")
        case .seatsReduced: ("DID_CHANGE_RENEWAL_PREF", "DECREASE_QUANTITY")
        case .seatsUnclaimed: ("UNCLAIM_SEATS", nil)
        case .seatsRefunded: ("REFUND", "SEATS")
        case .askToBuyRequested, .askToBuyDeclined, .askToBuyTimedOut, .purchaseInterrupted, .purchaseFailed,
            .purchaseCancelled, .alreadyOwned, .purchaseIntended, .finished, .superseded, .priceIncreaseDeclined,
            .consumptionInformed, .accountTokenSet, .deleted, .storefrontChanged, .appTransactionChanged,
            .accountCreated, .familyChanged, .catalogChanged, .settingChanged, .itemsDescribed:
            nil
        }
    }
}
