public import FoundationEssentials
public import Storekeeper

/// The signature that an app passes to StoreKit to redeem a promotional offer, in the original format (not JWS).
///
/// - SeeAlso: Apple, "Generating a signature for promotional offers".
public struct PromotionalOfferSignature: Hashable, Sendable {
    /// The time for which the App Store accepts a signature, in seconds.
    public static let lifetime: Int64 = 86_400

    /// The id of the key that made the signature.
    public let keyID: String
    /// A UUID that is used for this signature only.
    public let nonce: UUID
    /// The time of signing; the signature is valid for the following 24 hours.
    public let signedAt: Instant
    /// The signature in DER, encoded as base64.
    public let signature: String
}

/// A promotional offer of a subscription.
public struct PromotionalOffer: Hashable, Sendable {
    /// The product id of the subscription.
    public var productID: Product.ID
    /// The identifier of the offer in App Store Connect.
    public var offerID: SubscriptionOffer.ID

    /// Creates a reference to an offer.
    public init(productID: Product.ID, offerID: SubscriptionOffer.ID) {
        self.productID = productID
        self.offerID = offerID
    }
}
