import Crypto
import FoundationEssentials
import Storekeeper

extension PromotionalOfferSignature {
    /// The character INVISIBLE SEPARATOR, which separates the signed values.
    private static let separator = "\u{2063}"

    /// Returns the bytes that the signature of an offer covers.
    static func message(
        bundleID: String, keyID: String, offer: PromotionalOffer, account: String, nonce: UUID, signedAt: Instant
    ) -> [UInt8] {
        let parts = [
            bundleID, keyID, offer.productID.rawValue, offer.offerID.rawValue, account.lowercased(),
            nonce.uuidString.lowercased(), String(signedAt.millisecondsSince1970),
        ]
        return Array(parts.joined(separator: separator).utf8)
    }

    /// Signs an offer.
    init(
        _ offer: PromotionalOffer, account: String, bundleID: String, key: AppStoreKey, nonce: UUID, at now: Instant
    ) throws(AppStoreServerError) {
        // If a value contained the separator, two different offers could produce the same bytes.
        let (productID, offerID) = (offer.productID.rawValue, offer.offerID.rawValue)
        for part in [bundleID, key.keyID, productID, offerID, account]
        where part.utf8.contains(Self.separator.utf8) {
            throw AppStoreServerError(
                .invalidRequest, "a part of the offer contains U+2063, the separator of the parts")
        }
        guard !productID.isEmpty, !offerID.isEmpty else {
            throw AppStoreServerError(.invalidRequest, "the product id or the offer id is empty")
        }
        let message = Self.message(
            bundleID: bundleID, keyID: key.keyID, offer: offer, account: account, nonce: nonce, signedAt: now)
        do {
            signature = try key.privateKey.signature(for: message).derRepresentation.base64EncodedString()
        } catch {
            throw AppStoreServerError(.signingFailed, "an offer could not be signed", cause: error)
        }
        keyID = key.keyID
        self.nonce = nonce
        signedAt = now
    }
}
