public import FoundationEssentials

/// A backend through which customers can buy: a simulator, a bridge to a device.
///
/// The App Store Server API is none: there customers buy on their devices.
public protocol PurchasingBackend: StoreBackend {
    /// Buys a product for a customer.
    ///
    /// - Parameters:
    ///   - product: What to buy.
    ///   - options: How; of two options of one kind either may count.
    ///   - customer: Who buys.
    /// - Throws: ``PurchaseError`` where the App Store refuses; anything else where it cannot be reached.
    func purchase(
        _ product: Product, options: Set<PurchaseOption>, for customer: CustomerID
    ) async throws -> PurchaseResult
}

/// What came of a purchase, as the backend tells it.
///
/// - SeeAlso: Apple, "StoreKit: Product.PurchaseResult".
public enum PurchaseResult: Hashable, Sendable {
    /// The App Store has signed a transaction, as compact JWS, which is yet to be verified.
    case success(String)
    /// Somebody has to approve.
    ///
    /// Approval comes through the stream of updates; a refusal may never come.
    case pending(EntitlementAnswer.PendingReason)
    /// The customer cancelled the purchase.
    case userCancelled
}

/// How something is bought.
///
/// - SeeAlso: Apple, "StoreKit: Product.PurchaseOption".
public enum PurchaseOption: Hashable, Sendable {
    /// The app's own name for the customer, which the transaction will carry.
    case appAccountToken(UUID)
    /// How many; from 1 to 10, and more than 1 only of consumables and non-renewing subscriptions.
    case quantity(Int)
    /// A promotional offer by its id, with the signature of the app's server as compact JWS.
    case promotionalOffer(id: SubscriptionOffer.ID, compactJWS: String?)
    /// Overrides whether the customer may have the introductory offer, with the signature of the app's server.
    case introductoryOfferEligibility(compactJWS: String)
    /// A win-back offer by its id.
    case winBackOffer(id: SubscriptionOffer.ID)
    /// An offer code by its reference name; for tests.
    case codeOffer(referenceName: SubscriptionOffer.ID)
    /// How the subscription is to be billed.
    case billingPlanType(BillingPlanType)
    /// In test environments: the purchase waits for approval.
    case simulatesAskToBuyInSandbox(Bool)
    /// Anything that a backend knows beyond these.
    case custom(key: String, value: String)
}

/// Why the App Store refused a purchase.
///
/// - SeeAlso: Apple, "StoreKit: Product.PurchaseError" and "StoreKit: StoreKitError".
public struct PurchaseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, for programs to switch on.
    public struct Code: ErrorCode {
        /// The word.
        public let rawValue: String
        /// Makes a code of its word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The quantity is not from 1 to 10, or not 1 for a product that is bought singly.
        public static let invalidQuantity = Code(rawValue: "invalidQuantity")
        /// The options contradict one another.
        public static let invalidOptions = Code(rawValue: "invalidOptions")
        /// The product cannot be bought in this storefront, or at all.
        public static let productUnavailable = Code(rawValue: "productUnavailable")
        /// The customer may not buy, for instance because of parental controls.
        public static let purchaseNotAllowed = Code(rawValue: "purchaseNotAllowed")
        /// The customer may not have the offer.
        public static let ineligibleForOffer = Code(rawValue: "ineligibleForOffer")
        /// There is no such offer.
        public static let invalidOfferIdentifier = Code(rawValue: "invalidOfferIdentifier")
        /// The price of the offer is no longer right.
        public static let invalidOfferPrice = Code(rawValue: "invalidOfferPrice")
        /// The signature of the offer is wrong.
        public static let invalidOfferSignature = Code(rawValue: "invalidOfferSignature")
        /// The offer lacks something.
        public static let missingOfferParameters = Code(rawValue: "missingOfferParameters")
        /// Another purchase of the same product by the same customer is not done yet.
        public static let inProgress = Code(rawValue: "inProgress")
        /// What the backend handed over as the purchase cannot be believed.
        public static let failedVerification = Code(rawValue: "failedVerification")
        /// The App Store cannot be reached.
        public static let networkError = Code(rawValue: "networkError")
        /// Something else went wrong in the App Store or on the device.
        public static let systemError = Code(rawValue: "systemError")
    }

    /// What went wrong.
    public let code: Code
    /// What went wrong, in words.
    public let message: String

    /// Makes an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Equality looks at the code.
    public static func == (left: PurchaseError, right: PurchaseError) -> Bool { left.code == right.code }

    /// Hashes what equality compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// The code and the message, in one line.
    public var description: String { "\(code.rawValue): \(message)" }
}
