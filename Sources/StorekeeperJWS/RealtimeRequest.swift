public import FoundationEssentials
public import StorekeeperEngine

/// The App Store's request for a retention message, sent while a customer looks at the page to cancel a subscription.
///
/// - SeeAlso: Apple, "Retention Messaging API: DecodedRealtimeRequestBody".
public struct RealtimeRequest: Hashable, Sendable {
    /// The original transaction id of the subscription.
    public let originalTransactionID: Transaction.ID
    /// The App Store's number for the app.
    public let appAppleID: Int64
    /// The product of the subscription.
    public let productID: Product.ID
    /// The customer's locale, such as `en-US`.
    public let userLocale: String
    /// The id of the request.
    public let requestIdentifier: UUID
    /// The time of signing.
    public let signedAt: Instant
    /// The environment.
    public let environment: AppStore.Environment

    fileprivate init(_ payload: JSONObject) throws(VerificationError) {
        func missing(_ name: String) -> VerificationError {
            VerificationError(.malformed, "the payload's \(name) is missing or invalid")
        }
        func text(_ name: String) throws(VerificationError) -> String {
            guard let text = payload[name]?.string, !text.isEmpty else { throw missing(name) }
            return text
        }
        originalTransactionID = Transaction.ID(try text("originalTransactionId"))
        guard let appAppleID = payload["appAppleId"]?.int64 else { throw missing("appAppleId") }
        self.appAppleID = appAppleID
        productID = Product.ID(try text("productId"))
        userLocale = try text("userLocale")
        guard let id = UUID(uuidString: try text("requestIdentifier")) else { throw missing("requestIdentifier") }
        requestIdentifier = id
        guard let signedAt = payload["signedDate"]?.truncatedInt64.flatMap(Instant.init(millisecondsSince1970:)) else {
            throw missing("signedDate")
        }
        self.signedAt = signedAt
        environment = AppStore.Environment(rawValue: try text("environment"))
    }
}

extension JWSVerifier {
    /// Verifies the request for a retention message.
    ///
    /// The request is verified by the rules for evidence. In production, the App Store's number for the app must also
    /// match.
    ///
    /// - Parameter body: The body of the HTTP request: JSON with the compact JWS as `signedPayload`.
    /// - Throws: `VerificationError` if the request is not trusted.
    /// - SeeAlso: Apple, "Retention Messaging API: RealtimeRequestBody".
    public func realtimeRequest(body: [UInt8]) throws(VerificationError) -> RealtimeRequest {
        let document = try? JSONReader(maximumDepth: 8, maximumSize: 1 << 20).read(body)
        guard let text = document?.root.object?["signedPayload"]?.string, let jws = CompactJWS(text) else {
            throw VerificationError(.malformed, "the body is not JSON with a compact JWS as signedPayload")
        }
        let payload = EvidencePayload(jws)
        var known = cache.chain(for: jws.header)
        let chain = try checkSignature(of: jws, payload, chain: &known)
        // A payload that is evidence is not a request, even if its signature is valid.
        guard let root = payload.document?.root, EvidenceKind(payload: root) == nil, let object = root.object else {
            throw VerificationError(.malformed, "the payload is not a request for a retention message")
        }
        let request = try RealtimeRequest(object)
        let isXcodes = request.environment == .xcode
        guard configuration.environments.contains(request.environment), isXcodes || !chain.isOfXcode else {
            throw VerificationError(
                .environmentRefused, "items of the environment \(request.environment.rawValue) are not accepted")
        }
        if request.environment == .production, let expected = configuration.appAppleID, request.appAppleID != expected {
            throw VerificationError.appMismatch(found: request.appAppleID, expected: expected)
        }
        return request
    }
}
