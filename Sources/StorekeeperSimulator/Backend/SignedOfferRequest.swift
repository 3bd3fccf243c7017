import FoundationEssentials
import Storekeeper
import Synchronization

/// A compact JWS with which an app's server authorizes an offer for a purchase.
///
/// - SeeAlso: Apple, "Generating JWS to sign App Store requests".
struct SignedOfferRequest: Sendable {
    /// The kind of a request, which its JWT claim `aud` contains.
    enum Audience: String, Sendable {
        case promotionalOffer = "promotional-offer"
        case introductoryOffer = "introductory-offer-eligibility"
    }

    private let claims: JSONObject
    private let keyID: String?
    private let nonce: String
    private let issuedAt: Int64
    private let signature: [UInt8]
    private let signedBytes: [UInt8]

    /// Reads a request about a product of an app, without verifying its signature.
    ///
    /// - Throws: `PurchaseError` with `invalidOfferSignature` if the request is malformed, or if it is about another
    ///   product, app or kind of offer.
    init(
        _ text: String, _ audience: Audience, bundleID: String, productID: Product.ID
    ) throws(PurchaseError) {
        guard let jws = CompactJWS(text), let signature = jws.signatureContent, signature.count == 64,
            let header = Self.object(Base64URL.decode(jws.header.bytes)), let claims = Self.object(jws.payloadContent)
        else { throw Self.refusal("is not a compact JWS") }
        guard header["alg"]?.string == "ES256" else { throw Self.refusal("is not signed with ES256") }
        guard let nonce = claims["nonce"]?.string, UUID(uuidString: nonce) != nil, claims["iss"]?.string != nil,
            let issuedAt = claims["iat"]?.int64
        else { throw Self.refusal("lacks iss, iat or nonce") }
        for (name, expected) in [
            ("aud", audience.rawValue), ("bid", bundleID), ("productId", productID.rawValue),
        ] where claims[name]?.string != expected {
            throw Self.refusal("does not have '\(expected)' as its \(name)")
        }
        self.claims = claims
        self.signature = signature
        self.nonce = nonce.lowercased()
        self.issuedAt = issuedAt
        keyID = header["kid"]?.string
        signedBytes = jws.header.bytes + [UInt8(ascii: ".")] + jws.payload
    }

    /// Checks that the request is about a given promotional offer.
    func check(offer: SubscriptionOffer.ID) throws(PurchaseError) {
        guard claims["offerIdentifier"]?.string == offer.rawValue else {
            throw Self.refusal("does not have '\(offer)' as its offerIdentifier")
        }
    }

    /// Returns whether the request allows the introductory offer for the customer.
    func allowsIntroductoryOffer() throws(PurchaseError) -> Bool {
        guard let isAllowed = claims["allowIntroductoryOffer"]?.bool, claims["transactionId"]?.string != nil else {
            throw Self.refusal("lacks allowIntroductoryOffer or transactionId")
        }
        return isAllowed
    }

    /// Verifies the signature and the date of the request, and returns its nonce.
    fileprivate func verify(with key: OfferKey, at now: Instant) throws(PurchaseError) -> String {
        guard keyID == key.id else { throw Self.refusal("does not name the key \(key.id)") }
        guard key.isSignature(signature, of: signedBytes) else { throw Self.refusal("was not signed with the key") }
        let seconds = now.millisecondsSince1970 / 1000
        guard (seconds - Self.lifetime...seconds + Self.leeway).contains(issuedAt) else {
            throw Self.refusal("was not signed within the last 24 hours")
        }
        return nonce
    }

    /// The time in seconds for which a request is valid after its signing date.
    private static let lifetime: Int64 = 86_400
    /// The tolerated difference between clocks, in seconds.
    private static let leeway: Int64 = 60

    private static func object(_ segment: [UInt8]?) -> JSONObject? {
        segment.flatMap { try? JSONReader(maximumDepth: 8, maximumSize: 1 << 16).read($0) }?.root.object
    }

    fileprivate static func refusal(_ what: String) -> PurchaseError {
        PurchaseError(.invalidOfferSignature, "the signed offer \(what)")
    }
}

/// Checks offers that an app's server has signed for purchases in the app.
///
/// Without a key, only the content of an offer is checked.
final class OfferCheck: Sendable {
    private let key: OfferKey?
    private let usedNonces = Mutex<Set<String>>([])

    init(key: OfferKey?) { self.key = key }

    /// Reads a signed request.
    ///
    /// If the check has a key, verifies the request, and refuses a request that was used before.
    ///
    /// - Throws: `PurchaseError` with `invalidOfferSignature` if the request is refused.
    func request(
        _ text: String, _ audience: SignedOfferRequest.Audience, bundleID: String, productID: Product.ID,
        at now: Instant
    ) throws(PurchaseError) -> SignedOfferRequest {
        let request = try SignedOfferRequest(text, audience, bundleID: bundleID, productID: productID)
        guard let key else { return request }
        let nonce = try request.verify(with: key, at: now)
        guard usedNonces.withLock({ $0.insert(nonce).inserted }) else {
            throw SignedOfferRequest.refusal("was used before")
        }
        return request
    }
}
