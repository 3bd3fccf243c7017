import JWTKit

/// The claims of a request that an app passes to StoreKit; `nil` claims are omitted.
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
    /// Whole seconds since 1970.
    let iat: Int64
    let aud: Audience
    let bid: String
    /// A UUID in lower case, which is used for one request only.
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
