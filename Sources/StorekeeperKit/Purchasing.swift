public import FoundationEssentials
import Storekeeper

extension Product {
    /// Buys the product.
    ///
    /// The store verifies the transaction and writes it to the vault before it returns the transaction.
    ///
    /// - Parameter options: The options, at most one of each kind.
    /// - Throws: ``PurchaseError`` if the App Store refuses the purchase; ``StoreKitError`` if the App Store cannot be
    ///   reached, if two options are of the same kind, and for any other failure; `CancellationError` if the task is
    ///   cancelled.
    public func purchase(options: Set<PurchaseOption> = []) async throws -> PurchaseResult {
        do {
            switch try await binding.purchase(record, options: Set(options.compactMap(\.option))) {
            case .success(let result):
                return .success(
                    VerificationResult(result) { Transaction(record: $0, binding: binding) })
            case .pending: return .pending
            case .userCancelled: return .userCancelled
            }
        } catch let error as Storekeeper.PurchaseError {
            if let refusal = PurchaseError(error.code) { throw refusal }
            throw StoreKitError(error)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw StoreKitError(error)
        }
    }

    /// The result of a purchase.
    ///
    /// - SeeAlso: Apple, "StoreKit: Product.PurchaseResult".
    public enum PurchaseResult: Hashable, Sendable {
        /// The transaction of the purchase.
        case success(VerificationResult<Transaction>)
        /// The customer cancelled the purchase.
        case userCancelled
        /// The purchase waits for approval.
        ///
        /// If the purchase is approved, its transaction arrives as an update.
        case pending
    }

    /// An error with which the App Store refuses a purchase.
    ///
    /// - SeeAlso: Apple, "StoreKit: Product.PurchaseError".
    public enum PurchaseError: Error, Hashable, Sendable {
        /// The quantity is not from 1 to 10, or is not 1 for a product that requires 1.
        case invalidQuantity
        /// The product cannot be bought.
        case productUnavailable
        /// The customer is not allowed to buy.
        case purchaseNotAllowed
        /// The customer is not eligible for the offer.
        case ineligibleForOffer
        /// The offer does not exist.
        case invalidOfferIdentifier
        /// The price of the offer has changed.
        case invalidOfferPrice
        /// The signature of the offer is wrong.
        case invalidOfferSignature
        /// The offer is incomplete.
        case missingOfferParameters

        init?(_ code: Storekeeper.PurchaseError.Code) {
            switch code {
            case .invalidQuantity: self = .invalidQuantity
            case .productUnavailable: self = .productUnavailable
            case .purchaseNotAllowed: self = .purchaseNotAllowed
            case .ineligibleForOffer: self = .ineligibleForOffer
            case .invalidOfferIdentifier: self = .invalidOfferIdentifier
            case .invalidOfferPrice: self = .invalidOfferPrice
            case .invalidOfferSignature: self = .invalidOfferSignature
            case .missingOfferParameters: self = .missingOfferParameters
            default: return nil
            }
        }
    }

    /// An option of a purchase.
    ///
    /// - SeeAlso: Apple, "StoreKit: Product.PurchaseOption".
    public struct PurchaseOption: Hashable, Sendable {
        /// The corresponding option of the `Storekeeper` module; `nil` if the option has no effect.
        let option: Storekeeper.PurchaseOption?

        private init(_ option: Storekeeper.PurchaseOption?) { self.option = option }

        /// The app's own id for the customer.
        public static func appAccountToken(_ token: UUID) -> PurchaseOption { PurchaseOption(.appAccountToken(token)) }

        /// The quantity, from 1 to 10.
        public static func quantity(_ quantity: Int) -> PurchaseOption { PurchaseOption(.quantity(quantity)) }

        /// A promotional offer with a signature in the format that preceded JWS.
        ///
        /// The signature is not passed to the backend, because backends accept only compact JWS signatures.
        public static func promotionalOffer(
            offerID: String, keyID: String, nonce: UUID, signature: Data, timestamp: Int
        ) -> PurchaseOption { promotionalOffer(id: offerID) }

        /// A promotional offer with a signature in the format that preceded JWS; the signature is not passed to the
        /// backend.
        public static func promotionalOffer(
            offerID: String, signature: SubscriptionOffer.Signature
        ) -> PurchaseOption { promotionalOffer(id: offerID) }

        /// A promotional offer with the signature of the app's server.
        public static func promotionalOffer(_ offerID: String, compactJWS: String) -> [PurchaseOption] {
            [PurchaseOption(.promotionalOffer(id: Storekeeper.SubscriptionOffer.ID(offerID), compactJWS: compactJWS))]
        }

        /// A promotional offer without a signature; for tests.
        public static func promotionalOffer(id: String) -> PurchaseOption {
            PurchaseOption(.promotionalOffer(id: Storekeeper.SubscriptionOffer.ID(id), compactJWS: nil))
        }

        /// Overrides the eligibility for the introductory offer, with the signature of the app's server.
        public static func introductoryOfferEligibility(compactJWS: String) -> PurchaseOption {
            PurchaseOption(.introductoryOfferEligibility(compactJWS: compactJWS))
        }

        /// A win-back offer.
        public static func winBackOffer(_ offer: SubscriptionOffer) -> PurchaseOption {
            PurchaseOption(.winBackOffer(id: Storekeeper.SubscriptionOffer.ID(offer.id ?? "")))
        }

        /// An offer code by its reference name; for tests.
        public static func codeOffer(referenceName: String) -> PurchaseOption {
            PurchaseOption(.codeOffer(referenceName: Storekeeper.SubscriptionOffer.ID(referenceName)))
        }

        /// The billing plan of the subscription.
        public static func billingPlanType(_ type: SubscriptionInfo.BillingPlanType) -> PurchaseOption {
            PurchaseOption(.billingPlanType(Storekeeper.BillingPlanType(rawValue: type.rawValue)))
        }

        /// An option that has no effect, because this package never changes the storefront during a purchase.
        public static func onStorefrontChange(
            shouldContinuePurchase: @escaping (Storefront) -> Bool
        ) -> PurchaseOption { PurchaseOption(nil) }

        /// Whether a purchase in a test environment waits for approval.
        public static func simulatesAskToBuyInSandbox(_ simulateAskToBuy: Bool) -> PurchaseOption {
            PurchaseOption(.simulatesAskToBuyInSandbox(simulateAskToBuy))
        }

        /// An option that a specific backend defines.
        public static func custom(key: String, value: String) -> PurchaseOption {
            PurchaseOption(.custom(key: key, value: value))
        }

        /// An option that a specific backend defines, with a number that is passed as text.
        public static func custom(key: String, value: Double) -> PurchaseOption { custom(key: key, value: "\(value)") }

        /// An option that a specific backend defines, with a value that is passed as `true` or `false`.
        public static func custom(key: String, value: Bool) -> PurchaseOption { custom(key: key, value: "\(value)") }

        /// An option that a specific backend defines, with data that is passed as base64 text.
        public static func custom(key: String, value: Data) -> PurchaseOption {
            custom(key: key, value: value.base64EncodedString())
        }
    }
}

/// An error of StoreKit.
///
/// - SeeAlso: Apple, "StoreKit: StoreKitError".
public enum StoreKitError: Error, CustomStringConvertible {
    /// An error of any other kind.
    case unknown
    /// The customer cancelled the request.
    case userCancelled
    /// The App Store cannot be reached.
    case networkError(any Error)
    /// An error of the store, its vault or its backend.
    case systemError(any Error)
    /// The product is not sold in the customer's storefront.
    case notAvailableInStorefront
    /// The app lacks an entitlement; this error occurs only as a simulated failure.
    case notEntitled
    /// The request is not supported.
    case unsupported

    init(_ error: any Error) {
        switch error {
        case let error as StoreKitError: self = error
        case let error as Storekeeper.PurchaseError: self = StoreKitError(refusal: error)
        default: self = .systemError(error)
        }
    }

    private init(refusal error: Storekeeper.PurchaseError) {
        switch error.code {
        case .unknown: self = .unknown
        case .userCancelled: self = .userCancelled
        case .networkError: self = .networkError(error)
        case .notAvailableInStorefront: self = .notAvailableInStorefront
        case .notEntitled: self = .notEntitled
        case .unsupported: self = .unsupported
        default: self = .systemError(error)
        }
    }

    /// The case and its cause, in one line.
    public var description: String {
        switch self {
        case .unknown: "unknown"
        case .userCancelled: "userCancelled"
        case .networkError(let error): "networkError: \(error)"
        case .systemError(let error): "systemError: \(error)"
        case .notAvailableInStorefront: "notAvailableInStorefront"
        case .notEntitled: "notEntitled"
        case .unsupported: "unsupported"
        }
    }
}

extension StoreKit {
    /// Returns the store binding of the current task.
    ///
    /// - Throws: ``StoreKitError`` if no store is bound.
    static func required() throws -> StoreBinding {
        guard let binding else { throw StoreKitError.systemError(NoStore()) }
        return binding
    }
}
