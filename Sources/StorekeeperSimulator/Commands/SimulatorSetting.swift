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

/// The interfaces that can be made to fail.
///
/// - SeeAlso: Apple, "StoreKit Test: StoreKitAPI".
public enum SimulatedAPI: String, Hashable, Sendable, CaseIterable {
    /// Loading products.
    case loadProducts = "Load Products"
    /// Buying.
    case purchase = "Purchase"
    /// Verification of everything that is signed.
    case verification = "Verification"
    /// Reading everything again.
    case appStoreSync = "App Store Sync"
    /// Reading the statuses of subscriptions.
    case subscriptionStatus = "Subscription Status"
    /// Reading the app transaction.
    case appTransaction = "App Transaction"
    /// The page where subscriptions are managed.
    case manageSubscriptions = "Manage Subscriptions Sheet"
    /// The sheet that asks for a refund.
    case refundRequest = "Refund Request Sheet"
    /// The sheet that redeems an offer code.
    case offerCodeRedeem = "Offer Code Redeem Sheet"
}

/// How an interface fails.
///
/// - SeeAlso: Apple, "StoreKit Test: SKTestFailures".
public enum SimulatedFailure: String, Hashable, Sendable, CaseIterable {
    // What every interface can say.

    /// `StoreKitError.unknown`.
    case unknown
    /// `StoreKitError.userCancelled`.
    case userCancelled
    /// `StoreKitError.networkError`.
    case networkError
    /// `StoreKitError.systemError`.
    case systemError
    /// `StoreKitError.notAvailableInStorefront`.
    case notAvailableInStorefront
    /// `StoreKitError.notEntitled`.
    case notEntitled

    // What only a purchase can say.

    /// `Product.PurchaseError.invalidQuantity`.
    case invalidQuantity
    /// `Product.PurchaseError.productUnavailable`.
    case productUnavailable
    /// `Product.PurchaseError.purchaseNotAllowed`.
    case purchaseNotAllowed
    /// `Product.PurchaseError.ineligibleForOffer`.
    case ineligibleForOffer
    /// `Product.PurchaseError.invalidOfferIdentifier`.
    case invalidOfferIdentifier
    /// `Product.PurchaseError.invalidOfferPrice`.
    case invalidOfferPrice
    /// `Product.PurchaseError.invalidOfferSignature`.
    case invalidOfferSignature
    /// `Product.PurchaseError.missingOfferParameters`.
    case missingOfferParameters

    // What only verification can say.

    /// `VerificationError.revokedCertificate`.
    case revokedCertificate
    /// `VerificationError.invalidCertificateChain`.
    case invalidCertificateChain
    /// `VerificationError.invalidDeviceVerification`.
    case invalidDeviceVerification
    /// `VerificationError.invalidEncoding`.
    case invalidEncoding
    /// `VerificationError.invalidSignature`.
    case invalidSignature
    /// `VerificationError.missingRequiredProperties`.
    case missingRequiredProperties

    // What only a request for a refund can say.

    /// `Transaction.RefundRequestError.duplicateRequest`.
    case duplicateRequest
    /// `Transaction.RefundRequestError.failed`.
    case failed
}

extension SimulatedFailure {
    /// What a purchase that is made to fail is refused with.
    var purchaseError: PurchaseError {
        let code: PurchaseError.Code =
            switch self {
            case .invalidQuantity: .invalidQuantity
            case .productUnavailable, .notAvailableInStorefront: .productUnavailable
            case .purchaseNotAllowed: .purchaseNotAllowed
            case .ineligibleForOffer: .ineligibleForOffer
            case .invalidOfferIdentifier: .invalidOfferIdentifier
            case .invalidOfferPrice: .invalidOfferPrice
            case .invalidOfferSignature: .invalidOfferSignature
            case .missingOfferParameters: .missingOfferParameters
            case .networkError: .networkError
            default: .systemError
            }
        return PurchaseError(code, "the purchase fails as told: \(rawValue)")
    }
}
