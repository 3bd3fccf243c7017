public import FoundationEssentials
public import Storekeeper

/// The signature that an app passes to StoreKit to redeem a promotional offer, in the original form.
///
/// - SeeAlso: Apple, "Generating a signature for promotional offers".
public struct PromotionalOfferSignature: Hashable, Sendable {
    /// How long the App Store accepts the signature, in seconds.
    public static let lifetime: Int64 = 86_400

    /// The id of the key that signed it.
    public let keyID: String
    /// A value that is used once.
    public let nonce: UUID
    /// The time of signing; the signature is valid for 24 hours from then.
    public let signedAt: Instant
    /// The signature, DER in base64.
    public let signature: String
}

/// A promotional offer of a subscription.
public struct PromotionalOffer: Hashable, Sendable {
    /// The subscription.
    public var productID: Product.ID
    /// The offer, by its identifier in App Store Connect.
    public var offerID: SubscriptionOffer.ID

    /// Names an offer.
    public init(productID: Product.ID, offerID: SubscriptionOffer.ID) {
        self.productID = productID
        self.offerID = offerID
    }
}
