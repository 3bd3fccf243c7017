public import FoundationEssentials

/// A backend for purchases, such as a simulator or a bridge to a device.
///
/// The App Store Server API is not a purchasing backend, because customers buy on their devices.
public protocol PurchasingBackend: StoreBackend {
    /// Buys a product for a customer.
    ///
    /// - Parameters:
    ///   - product: The product.
    ///   - options: The options; if two options are of the same kind, the backend may use either.
    ///   - customer: The customer who buys.
    /// - Throws: ``PurchaseError`` if the App Store refuses the purchase; another error if the App Store cannot be
    ///   reached.
    func purchase(
        _ product: Product, options: Set<PurchaseOption>, for customer: CustomerID
    ) async throws -> SignedPurchaseResult
}

/// The result of a purchase as a backend reports it, with a signed transaction that is not verified yet.
public enum SignedPurchaseResult: Hashable, Sendable {
    /// The transaction as compact JWS.
    case success(String)
    /// The purchase waits for approval.
    ///
    /// If it is approved, the transaction arrives through the stream of updates. The backend need not report a refusal.
    case pending(EntitlementAnswer.PendingReason)
    /// The customer cancelled the purchase.
    case userCancelled
}

/// An option of a purchase.
///
/// - SeeAlso: Apple, "StoreKit: Product.PurchaseOption".
public enum PurchaseOption: Hashable, Sendable {
    /// The app's id for the customer, which becomes the transaction's `appAccountToken`.
    case appAccountToken(UUID)
    /// The quantity, from 1 to 10; only consumables and non-renewing subscriptions allow more than 1.
    case quantity(Int)
    /// A promotional offer by its id, with the signature of the app's server as compact JWS.
    case promotionalOffer(id: SubscriptionOffer.ID, compactJWS: String?)
    /// Overrides the eligibility for the introductory offer, with the signature of the app's server.
    case introductoryOfferEligibility(compactJWS: String)
    /// A win-back offer by its id.
    case winBackOffer(id: SubscriptionOffer.ID)
    /// An offer code by its reference name; for tests.
    case codeOffer(referenceName: SubscriptionOffer.ID)
    /// The billing plan of the subscription.
    case billingPlanType(BillingPlanType)
    /// Whether the purchase waits for approval; only for test environments.
    case simulatesAskToBuyInSandbox(Bool)
    /// An option that only a specific backend supports.
    case custom(key: String, value: String)
}

/// An error with which the App Store refuses a purchase.
///
/// - SeeAlso: Apple, "StoreKit: Product.PurchaseError" and "StoreKit: StoreKitError".
public typealias PurchaseError = CodedError<PurchaseErrorCode>

/// A machine-readable code of the error.
public struct PurchaseErrorCode: ErrorCode {
    /// The code as text.
    public let rawValue: String
    /// Creates a code from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The quantity is not from 1 to 10, or is above 1 for a product that allows only 1.
    ///
    /// Remedy: Buy 1 to 10 of a consumable, and 1 of anything else.
    public static let invalidQuantity = Self(rawValue: "invalidQuantity")
    /// The options contradict each other.
    ///
    /// Remedy: Leave one of the contradicting options out.
    public static let invalidOptions = Self(rawValue: "invalidOptions")
    /// The product cannot be bought in the customer's storefront, or in any storefront.
    ///
    /// Remedy: Check that the product is for sale in this storefront.
    public static let productUnavailable = Self(rawValue: "productUnavailable")
    /// The customer is not allowed to buy, for example because of parental controls.
    ///
    /// Remedy: Nothing; the customer may not buy.
    public static let purchaseNotAllowed = Self(rawValue: "purchaseNotAllowed")
    /// The customer is not eligible for the offer.
    ///
    /// Remedy: Offer the regular price.
    public static let ineligibleForOffer = Self(rawValue: "ineligibleForOffer")
    /// The offer does not exist.
    ///
    /// Remedy: Check the id of the offer.
    public static let invalidOfferIdentifier = Self(rawValue: "invalidOfferIdentifier")
    /// The price of the offer has changed.
    ///
    /// Remedy: Read the product again, and sign the offer again.
    public static let invalidOfferPrice = Self(rawValue: "invalidOfferPrice")
    /// The signature of the offer is wrong.
    ///
    /// Remedy: Sign the offer for this product, customer and app.
    public static let invalidOfferSignature = Self(rawValue: "invalidOfferSignature")
    /// The offer is incomplete.
    ///
    /// Remedy: Give all parts of the offer.
    public static let missingOfferParameters = Self(rawValue: "missingOfferParameters")
    /// Another purchase of the same product by the same customer is in progress.
    ///
    /// Remedy: Wait for the purchase in progress.
    public static let inProgress = Self(rawValue: "inProgress")
    /// The transaction returned by the backend could not be verified.
    ///
    /// Remedy: Check root, bundle id and environment.
    public static let failedVerification = Self(rawValue: "failedVerification")
    /// The App Store cannot be reached.
    ///
    /// Remedy: Try again.
    public static let networkError = Self(rawValue: "networkError")
    /// Another error of the App Store or the device.
    ///
    /// Remedy: Try again; the message contains the reason.
    public static let systemError = Self(rawValue: "systemError")
    /// The App Store has given no reason for the error.
    ///
    /// Remedy: Try again.
    public static let unknown = Self(rawValue: "unknown")
    /// The customer cancelled a request other than a purchase; a cancelled purchase is a result and not an error.
    ///
    /// Remedy: Nothing; the customer cancelled the request.
    public static let userCancelled = Self(rawValue: "userCancelled")
    /// The App Store does not sell the product in the customer's storefront.
    ///
    /// Remedy: Offer products that are for sale in this storefront.
    public static let notAvailableInStorefront = Self(rawValue: "notAvailableInStorefront")
    /// The app lacks the entitlement for the request.
    ///
    /// Remedy: Add the entitlement to the app.
    public static let notEntitled = Self(rawValue: "notEntitled")
    /// The App Store does not support the request.
    ///
    /// Remedy: Nothing; the App Store does not support the request.
    public static let unsupported = Self(rawValue: "unsupported")
}
