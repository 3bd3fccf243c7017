import Storekeeper

/// The StoreKit APIs that can be made to fail.
///
/// - SeeAlso: Apple, "StoreKit Test: StoreKitAPI".
public enum SimulatedAPI: String, Hashable, Sendable, CaseIterable {
    /// Loading products.
    case loadProducts = "Load Products"
    /// Buying a product.
    case purchase = "Purchase"
    /// Verification of all signed items.
    case verification = "Verification"
    /// Synchronizing all evidence of a customer.
    case appStoreSync = "App Store Sync"
    /// Reading the statuses of subscriptions.
    case subscriptionStatus = "Subscription Status"
    /// Reading the app transaction.
    case appTransaction = "App Transaction"
    /// The page for managing subscriptions.
    case manageSubscriptions = "Manage Subscriptions Sheet"
    /// The sheet for requesting a refund.
    case refundRequest = "Refund Request Sheet"
    /// The sheet for redeeming an offer code.
    case offerCodeRedeem = "Offer Code Redeem Sheet"
}

/// The failure of an API.
///
/// - SeeAlso: Apple, "StoreKit Test: SKTestFailures".
public enum SimulatedFailure: String, Hashable, Sendable, CaseIterable {
    // Failures of every API except verification.

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
    /// `StoreKitError.unsupported`.
    case unsupported

    // Failures of purchases.

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

    // Failures of verification.

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

    // Failures of requests for refunds.

    /// `Transaction.RefundRequestError.duplicateRequest`.
    case duplicateRequest
    /// `Transaction.RefundRequestError.failed`.
    case failed
}

extension SimulatedFailure {
    // The lists are in the order of StoreKit's own lists, because the numbers in files are indexes of these lists.

    /// The failures that every API except verification can have.
    ///
    /// - SeeAlso: Apple, "StoreKit: StoreKitError".
    static let genericErrors: [SimulatedFailure] = [
        .unknown, .userCancelled, .networkError, .systemError, .notAvailableInStorefront, .notEntitled,
        .unsupported,
    ]
    /// The failures that only purchases can have.
    ///
    /// - SeeAlso: Apple, "StoreKit: Product.PurchaseError".
    static let purchaseErrors: [SimulatedFailure] = [
        .invalidQuantity, .productUnavailable, .purchaseNotAllowed, .ineligibleForOffer, .invalidOfferIdentifier,
        .invalidOfferPrice, .invalidOfferSignature, .missingOfferParameters,
    ]
    /// The failures that only verification can have.
    ///
    /// - SeeAlso: Apple, "StoreKit: VerificationResult.VerificationError".
    static let verificationErrors: [SimulatedFailure] = [
        .revokedCertificate, .invalidCertificateChain, .invalidDeviceVerification, .invalidEncoding,
        .invalidSignature, .missingRequiredProperties,
    ]
    /// The failures that only requests for refunds can have.
    ///
    /// - SeeAlso: Apple, "StoreKit: Transaction.RefundRequestError".
    static let refundErrors: [SimulatedFailure] = [.duplicateRequest, .failed]

    private static let lists = [
        "generic": genericErrors, "purchase": purchaseErrors, "verification": verificationErrors,
        "refund": refundErrors,
    ]

    /// Reads the simulated failure of a `.storekit` file; `nil` if the failure is unknown.
    ///
    /// If the file states no category, the category is `verification` for the API of verification and `generic` for any
    /// other API. If the file states no number, the first error of the category applies.
    init?(_ error: StoreKitSettings.SimulatedFailure, of api: SimulatedAPI) {
        let type = error.type ?? (api == .verification ? "verification" : "generic")
        guard let list = Self.lists[type.lowercased()] else { return nil }
        let index = error.index ?? 0
        guard list.indices.contains(index) else { return nil }
        self = list[index]
    }
}

extension SimulatedFailure {
    /// The error with which a purchase fails, named as in StoreKit.
    var purchaseError: PurchaseError {
        // For purchases, a `.storekit` file may select a failure that only another API can have.
        let isOfPurchases = SimulatedAPI.purchase.failures.contains(self)
        let code = isOfPurchases ? PurchaseError.Code(rawValue: rawValue) : .systemError
        return PurchaseError(code, "the purchase fails as configured: \(rawValue)")
    }
}

extension SimulatedAPI {
    /// The failures that the API can have.
    ///
    /// - SeeAlso: Apple, "StoreKit Test: SKTestFailures".
    public var failures: [SimulatedFailure] {
        switch self {
        case .verification: SimulatedFailure.verificationErrors
        case .purchase: SimulatedFailure.genericErrors + SimulatedFailure.purchaseErrors
        case .refundRequest: SimulatedFailure.genericErrors + SimulatedFailure.refundErrors
        default: SimulatedFailure.genericErrors
        }
    }
}
