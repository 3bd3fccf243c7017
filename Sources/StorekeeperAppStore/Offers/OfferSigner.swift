public import FoundationEssentials
public import Storekeeper

/// Signs the requests for offers and for Advanced Commerce that an app passes to the App Store.
///
/// The app's server decides whether a customer may have an offer, and the signature proves this decision.
public struct OfferSigner: Sendable {
    private let key: AppStoreKey
    private let bundleID: String
    private let clock: any StoreClock

    /// Creates a signer.
    ///
    /// - Parameters:
    ///   - key: An In-App Purchase key of App Store Connect.
    ///   - bundleID: The bundle id of the app.
    ///   - clock: The clock; offers are valid for 24 hours from signing.
    public init(key: AppStoreKey, bundleID: String, clock: any StoreClock = WallClock()) {
        self.key = key
        self.bundleID = bundleID
        self.clock = clock
    }

    /// Signs a promotional offer in the original form.
    ///
    /// - Parameters:
    ///   - offer: The offer.
    ///   - account: The `appAccountToken` of the purchase, or the `applicationUsername` of the original StoreKit; empty
    ///     if the purchase has neither. The App Store refuses a purchase with another account.
    ///   - nonce: A UUID that is used for this signature only.
    /// - Throws: `invalidRequest` if an id is empty or contains the separator U+2063; `signingFailed`.
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
    ///   - offer: The offer.
    ///   - transactionID: Any transaction of the customer, or their app transaction id; `nil` omits the claim.
    ///   - nonce: A UUID that is used for this signature only.
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

    /// Signs, as compact JWS, whether a customer is eligible for a product's introductory offer.
    ///
    /// - Parameters:
    ///   - isAllowed: `true` grants the offer even to a customer who has already used an introductory offer. `false`
    ///     refuses the offer, so that an eligible customer pays the full price.
    ///   - productID: The product id of the subscription.
    ///   - transactionID: Any transaction of the customer, or their app transaction id.
    ///   - nonce: A UUID that is used for this signature only.
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

    /// Signs an Advanced Commerce request as compact JWS.
    ///
    /// - Parameters:
    ///   - request: The JSON of the request as UTF-8, which is signed unchanged.
    ///   - nonce: A UUID that is used for this signature only.
    /// - Throws: `invalidRequest` if the request is not a JSON object; `signingFailed`.
    /// - SeeAlso: Apple, "Generating JWS to sign App Store requests".
    public func advancedCommerce(
        request: [UInt8], nonce: UUID = UUID()
    ) async throws(AppStoreServerError) -> String {
        let document: JSONDocument
        do {
            document = try JSONReader(maximumDepth: 32, maximumSize: 1 << 20).read(request)
        } catch {
            throw AppStoreServerError(.invalidRequest, "the request is not valid JSON: \(error)", cause: error)
        }
        guard document.root.object != nil else {
            throw AppStoreServerError(.invalidRequest, "the request is not a JSON object")
        }
        var claims = claims(.advancedCommerce, nonce)
        claims.request = Data(request).base64EncodedString()
        return try await TokenSigner(key: key).sign(claims)
    }

    /// Signs an Advanced Commerce request as compact JWS.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - info: The identification of the request.
    ///   - currency: The currency of the prices, ISO 4217; `nil` if the request has no prices.
    ///   - storefront: The storefront, ISO 3166-1 alpha-3; `nil` for the customer's storefront.
    ///   - nonce: A UUID that is used for this signature only.
    /// - Throws: `invalidRequest` if a text is too long or items are missing; `signingFailed`.
    /// - SeeAlso: Apple, "Generating JWS to sign App Store requests".
    public func advancedCommerce(
        _ request: AdvancedCommerce.InAppRequest, _ info: AdvancedCommerce.RequestInfo, currency: String? = nil,
        storefront: String? = nil, nonce: UUID = UUID()
    ) async throws(AppStoreServerError) -> String {
        try await advancedCommerce(
            request: try request.json(info, currency: currency, storefront: storefront), nonce: nonce)
    }

    private func claims(_ audience: OfferClaims.Audience, _ nonce: UUID) -> OfferClaims {
        OfferClaims(
            iss: key.issuerID, iat: CivilSeconds.whole(clock.now), aud: audience, bid: bundleID,
            nonce: nonce.uuidString.lowercased())
    }
}
