public import FoundationEssentials
public import Storekeeper

/// Signs what an app shows to the App Store to give a customer an offer.
///
/// Whether a customer may have an offer is for the app's server to decide; the signature says that it has.
public struct OfferSigner: Sendable {
    private let key: AppStoreKey
    private let bundleID: String
    private let clock: any StoreClock

    /// Makes a signer.
    ///
    /// - Parameters:
    ///   - key: An In-App Purchase key of App Store Connect.
    ///   - bundleID: The app.
    ///   - clock: The time; offers are good for 24 hours from it.
    public init(key: AppStoreKey, bundleID: String, clock: any StoreClock = WallClock()) {
        self.key = key
        self.bundleID = bundleID
        self.clock = clock
    }

    /// Signs a promotional offer in the original form.
    ///
    /// - Parameters:
    ///   - offer: Which.
    ///   - account: The `appAccountToken` that the purchase will carry, or the application's name for its user; empty
    ///     where it carries none. The App Store refuses the purchase where it carries another.
    ///   - nonce: Used once.
    /// - Throws: `invalidRequest` where the offer is unnamed; `signingFailed`.
    /// - SeeAlso: Apple, "Generating a signature for promotional offers".
    public func promotionalOfferSignature(
        _ offer: PromotionalOffer, account: String = "", nonce: UUID = UUID()
    ) throws(AppStoreServerError) -> PromotionalOfferSignature {
        try PromotionalOfferSignature(
            offer, account: account, bundleID: bundleID, key: key, nonce: nonce, at: clock.now)
    }

    /// Signs a promotional offer as compact JWS.
    ///
    /// - Parameters:
    ///   - offer: Which.
    ///   - transactionID: Any transaction of the customer, or their app transaction id; `nil` names none.
    ///   - nonce: Used once.
    /// - Throws: `signingFailed`.
    /// - SeeAlso: Apple, "Generating JWS to sign App Store requests".
    public func promotionalOffer(
        _ offer: PromotionalOffer, transactionID: String? = nil, nonce: UUID = UUID()
    ) async throws(AppStoreServerError) -> String {
        var claims = claims(.promotionalOffer, nonce)
        claims.productId = offer.productID.rawValue
        claims.offerIdentifier = offer.offerID.rawValue
        claims.transactionId = transactionID
        return try await TokenSigner(key: key).sign(claims)
    }

    /// Signs, as compact JWS, whether a customer may have a product's introductory offer.
    ///
    /// - Parameters:
    ///   - isAllowed: `true` gives the offer also to a customer who has had one; `false` makes one who could have it pay
    ///     the full price.
    ///   - productID: The subscription.
    ///   - transactionID: Any transaction of the customer, or their app transaction id.
    ///   - nonce: Used once.
    /// - Throws: `signingFailed`.
    /// - SeeAlso: Apple, "Generating JWS to sign App Store requests".
    public func introductoryOfferEligibility(
        _ isAllowed: Bool, of productID: Product.ID, transactionID: String, nonce: UUID = UUID()
    ) async throws(AppStoreServerError) -> String {
        var claims = claims(.introductoryOfferEligibility, nonce)
        claims.productId = productID.rawValue
        claims.allowIntroductoryOffer = isAllowed
        claims.transactionId = transactionID
        return try await TokenSigner(key: key).sign(claims)
    }

    /// Signs a request of Advanced Commerce as compact JWS.
    ///
    /// - Parameters:
    ///   - request: The JSON of the request as UTF-8; it is sent as it is.
    ///   - nonce: Used once.
    /// - Throws: `invalidRequest` where the request is no JSON object; `signingFailed`.
    /// - SeeAlso: Apple, "Generating JWS to sign App Store requests".
    public func advancedCommerce(
        request: [UInt8], nonce: UUID = UUID()
    ) async throws(AppStoreServerError) -> String {
        let document: JSONDocument
        do {
            document = try JSONReader(maximumDepth: 32, maximumSize: 1 << 20).read(request)
        } catch {
            throw AppStoreServerError(.invalidRequest, "the request is no JSON: \(error)", cause: error)
        }
        guard document.root.object != nil else {
            throw AppStoreServerError(.invalidRequest, "the request is not a JSON object")
        }
        var claims = claims(.advancedCommerce, nonce)
        claims.request = Data(request).base64EncodedString()
        return try await TokenSigner(key: key).sign(claims)
    }

    private func claims(_ audience: OfferClaims.Audience, _ nonce: UUID) -> OfferClaims {
        OfferClaims(
            iss: key.issuerID, iat: CivilSeconds.whole(clock.now), aud: audience, bid: bundleID,
            nonce: nonce.uuidString.lowercased())
    }
}
