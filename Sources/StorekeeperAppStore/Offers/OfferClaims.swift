import JWTKit

/// The JWT claims of a signed request that an app passes to StoreKit; a claim that is `nil` is omitted.
///
/// - SeeAlso: Apple, "Generating JWS to sign App Store requests".
struct OfferClaims: JWTPayload {
    /// The value of the claim `aud` for each kind of request.
    enum Audience: String, Codable, Sendable {
        case promotionalOffer = "promotional-offer"
        case introductoryOfferEligibility = "introductory-offer-eligibility"
        case advancedCommerce = "advanced-commerce-api"
    }

    let iss: String
    /// The time of signing, in whole seconds since 1970.
    let iat: Int64
    let aud: Audience
    let bid: String
    /// A UUID in lower case that is unique to the request.
    let nonce: String
    var productId: String?
    var offerIdentifier: String?
    var allowIntroductoryOffer: Bool?
    var transactionId: String?
    /// The JSON of an Advanced Commerce request, in base64.
    var request: String?

    /// Does nothing, because StoreKit and the App Store check the claims.
    func verify(using algorithm: some JWTAlgorithm) async throws {}
}
