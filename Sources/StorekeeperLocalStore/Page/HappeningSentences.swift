import StorekeeperSimulator

extension HappeningKind {
    /// The name of this kind of happening in plain words, such as `grace period began`.
    var title: String {
        switch self {
        case .oneTimePurchased: "bought"
        case .askToBuyRequested: "Ask to Buy requested for"
        case .askToBuyDeclined: "Ask to Buy declined for"
        case .askToBuyTimedOut: "Ask to Buy timed out for"
        case .purchaseIntended: "tapped a promoted product"
        case .graceStarted: "grace period began for"
        case .graceEnded: "grace period ended for"
        case .billingRetryStarted: "billing retry began for"
        case .expiredVoluntarily: "expired with renewal turned off:"
        case .expiredNotForSale: "expired, no longer for sale:"
        case .autoRenewEnabled: "turned auto-renewal on for"
        case .autoRenewDisabled: "turned auto-renewal off for"
        default: plainName
        }
    }

    /// The name of the case as separate words: `price increase pending`.
    private var plainName: String {
        var words = ""
        for character in "\(self)" {
            words += character.isUppercase ? " \(character.lowercased())" : String(character)
        }
        return words
    }

    /// A sentence that explains this kind of happening.
    var sentence: String {
        switch self {
        case .oneTimePurchased: "A product was bought once, or the family got access to it."
        case .subscribed: "The customer subscribed for the first time in the group, or got access from the family."
        case .resubscribed: "The customer subscribed again after a lapse."
        case .askToBuyRequested: "The purchase waits for a guardian."
        case .askToBuyDeclined: "A guardian declined the purchase."
        case .askToBuyTimedOut: "No guardian answered in time."
        case .purchaseInterrupted: "The purchase waits until the customer has resolved an issue."
        case .purchaseFailed: "The App Store refused the purchase."
        case .purchaseCancelled: "The customer cancelled the purchase."
        case .alreadyOwned: "The customer already owned the product; nothing was bought."
        case .purchaseIntended: "The customer tapped a promoted product on the App Store's page."
        case .finished: "The app has delivered the content."
        case .renewed: "The subscription was renewed."
        case .recovered: "A payment succeeded after earlier ones had failed."
        case .graceStarted: "A payment failed; service continues for a grace period."
        case .billingRetryStarted: "A payment failed and service stopped; payments are retried."
        case .graceEnded: "The grace period ended; payments are still retried."
        case .expiredVoluntarily: "The subscription ended because the customer had turned renewal off."
        case .expiredInBillingRetry: "The subscription ended because no payment succeeded."
        case .expiredByPriceIncrease: "The subscription ended because the customer did not agree to a higher price."
        case .expiredNotForSale: "The subscription ended because the product is no longer for sale."
        case .autoRenewEnabled: "The customer turned renewal on."
        case .autoRenewDisabled: "Renewal was turned off."
        case .renewalExtended: "A developer extended the period."
        case .extensionsSummarized: "A developer has extended all periods of a product."
        case .extensionFailed: "A period could not be extended."
        case .upgraded: "The customer moved to another product at once."
        case .superseded: "The older product's transaction was signed again, as upgraded."
        case .changeScheduled: "The customer chose another product for the next renewal."
        case .changeWithdrawn: "The customer withdrew the choice of another product."
        case .offerRedeemed: "The customer redeemed an offer for the same product."
        case .offerRedeemedWithUpgrade: "The customer redeemed an offer for a higher product."
        case .offerRedeemedWithDowngrade: "The customer redeemed an offer for a lower product."
        case .priceIncreasePending: "The customer was asked to agree to a higher price."
        case .priceIncreaseAccepted: "The customer agreed to a higher price, or was informed of one."
        case .priceIncreaseDeclined: "The customer declined a higher price."
        case .refundRequested: "The customer requested a refund; the App Store asks for consumption information."
        case .refunded: "The purchase was refunded."
        case .refundDeclined: "The refund was declined."
        case .refundReversed: "The refund was reversed."
        case .familyAccessEnded: "The family lost access."
        case .assignmentEnded: "An organisation revoked the subscription."
        case .consumptionInformed: "The app's server sent consumption information."
        case .testRequested: "A test notification was requested."
        case .accountTokenSet: "The account token was changed."
        case .deleted: "Transactions were deleted."
        case .storefrontChanged: "The customer moved to another storefront."
        case .appTransactionChanged: "The app transaction of the customer was changed."
        case .accountCreated: "A customer was created."
        case .familyChanged: "A family was changed."
        case .catalogChanged: "A price, or whether a product is for sale, was changed."
        case .settingChanged: "A setting was changed."
        case .itemsDescribed: "The items of an Advanced Commerce purchase were described."
        case .metadataUpdated: "Names of an Advanced Commerce subscription changed."
        case .itemPriceChanged: "Prices of an Advanced Commerce subscription change with the next renewal."
        case .migrated: "The subscription became one of Advanced Commerce."
        case .seatsAdded: "The group has more seats."
        case .seatsReduced: "The group has fewer seats from the next renewal on."
        case .seatsUnclaimed: "The App Store took claimed seats away."
        case .seatsRefunded: "Some seats were refunded."
        }
    }
}
