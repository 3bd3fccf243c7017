public import FoundationEssentials

/// A backend through which customers can buy: a simulator, or a bridge to a device.
///
/// The App Store Server API does not qualify: customers of it buy on their devices.
public protocol PurchasingBackend: StoreBackend {
    /// Buys a product for a customer.
    ///
    /// - Parameters:
    ///   - product: The product to buy.
    ///   - options: The options; if two options are of the same kind, either may count.
    ///   - customer: The customer who buys.
    /// - Throws: ``PurchaseError`` if the App Store refuses the purchase; another error if it cannot be reached.
    func purchase(
        _ product: Product, options: Set<PurchaseOption>, for customer: CustomerID
    ) async throws -> PurchaseResult
}

/// The result of a purchase, as the backend reports it.
///
/// - SeeAlso: Apple, "StoreKit: Product.PurchaseResult".
public enum PurchaseResult: Hashable, Sendable {
    /// The App Store has signed a transaction, as compact JWS, which has yet to be verified.
    case success(String)
    /// The purchase waits for approval.
    ///
    /// An approval arrives through the stream of updates; a refusal may never arrive.
    case pending(EntitlementAnswer.PendingReason)
    /// The customer cancelled the purchase.
    case userCancelled
}

/// An option of a purchase.
///
/// - SeeAlso: Apple, "StoreKit: Product.PurchaseOption".
public enum PurchaseOption: Hashable, Sendable {
    /// The app's token for the customer, which the transaction will carry.
    case appAccountToken(UUID)
    /// The quantity, from 1 to 10; more than 1 only for consumables and non-renewing subscriptions.
    case quantity(Int)
    /// A promotional offer by its id, with the signature of the app's server as compact JWS.
    case promotionalOffer(id: SubscriptionOffer.ID, compactJWS: String?)
    /// Overrides whether the customer is eligible for the introductory offer, with the signature of the app's server.
    case introductoryOfferEligibility(compactJWS: String)
    /// A win-back offer by its id.
    case winBackOffer(id: SubscriptionOffer.ID)
    /// An offer code by its reference name; for tests.
    case codeOffer(referenceName: SubscriptionOffer.ID)
    /// The billing plan of the subscription.
    case billingPlanType(BillingPlanType)
    /// In test environments: whether the purchase waits for approval.
    case simulatesAskToBuyInSandbox(Bool)
    /// An option that only a particular backend knows.
    case custom(key: String, value: String)
}

/// Why the App Store refused a purchase.
///
/// - SeeAlso: Apple, "StoreKit: Product.PurchaseError" and "StoreKit: StoreKitError".
public struct PurchaseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, for programs to switch on.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code's text, which stays the same from release to release.
        public let rawValue: String
        /// Makes a code from its text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The quantity is not between 1 and 10, or not 1 for a product that can only be bought singly.
        public static let invalidQuantity = Code(rawValue: "invalidQuantity")
        /// The options contradict one another.
        public static let invalidOptions = Code(rawValue: "invalidOptions")
        /// The product cannot be bought in this storefront, or at all.
        public static let productUnavailable = Code(rawValue: "productUnavailable")
        /// The customer is not allowed to buy, for instance because of parental controls.
        public static let purchaseNotAllowed = Code(rawValue: "purchaseNotAllowed")
        /// The customer is not eligible for the offer.
        public static let ineligibleForOffer = Code(rawValue: "ineligibleForOffer")
        /// The offer does not exist.
        public static let invalidOfferIdentifier = Code(rawValue: "invalidOfferIdentifier")
        /// The price of the offer is not valid any more.
        public static let invalidOfferPrice = Code(rawValue: "invalidOfferPrice")
        /// The signature of the offer is wrong.
        public static let invalidOfferSignature = Code(rawValue: "invalidOfferSignature")
        /// A parameter of the offer is missing.
        public static let missingOfferParameters = Code(rawValue: "missingOfferParameters")
        /// Another purchase of the same product by the same customer is still in progress.
        public static let inProgress = Code(rawValue: "inProgress")
        /// The transaction that the backend returned could not be verified.
        public static let failedVerification = Code(rawValue: "failedVerification")
        /// The App Store cannot be reached.
        public static let networkError = Code(rawValue: "networkError")
        /// Another failure in the App Store or on the device.
        public static let systemError = Code(rawValue: "systemError")
    }

    /// The reason, for programs to switch on.
    public let code: Code
    /// A description of the failure.
    public let message: String

    /// Makes an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Compares the codes only.
    public static func == (left: PurchaseError, right: PurchaseError) -> Bool { left.code == right.code }

    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// The code and the message, in one line.
    public var description: String { "\(code.rawValue): \(message)" }
}
