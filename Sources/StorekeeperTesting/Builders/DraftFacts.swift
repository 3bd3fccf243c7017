public import Storekeeper

extension TransactionDraft {
    /// The payload as a compact JWS with a signature that nobody made.
    ///
    /// For what never looks at signatures, such as a vault; every verifier refuses it.
    public var unsignedJWS: String { PretendedJWS.text(of: payload) }

    /// The fact that a vault would be given of the draft, as if it had been verified.
    ///
    /// - Throws: `PayloadError` or `JSONError` where the core refuses the payload.
    public func verifiedFact() throws -> VerifiedFact {
        let (source, payload) = try PretendedJWS.source(of: payload)
        return try PretendedJWS.fact(.transaction(.verified(Transaction(payload: payload, source: source))))
    }
}

extension RenewalInfoDraft {
    /// The payload as a compact JWS with a signature that nobody made.
    ///
    /// For what never looks at signatures, such as a vault; every verifier refuses it.
    public var unsignedJWS: String { PretendedJWS.text(of: payload) }

    /// The fact that a vault would be given of the draft, as if it had been verified.
    ///
    /// - Throws: `PayloadError` or `JSONError` where the core refuses the payload.
    public func verifiedFact() throws -> VerifiedFact {
        let (source, payload) = try PretendedJWS.source(of: payload)
        return try PretendedJWS.fact(.renewalInfo(.verified(RenewalInfo(payload: payload, source: source))))
    }
}

/// A compact JWS of the right shape whose signature is made up.
enum PretendedJWS {
    private static let header = Base64URL.encode(#"{"alg":"ES256"}"#.utf8)
    private static let signature = Base64URL.encode([UInt8](repeating: 0, count: 64))

    static func text(of payload: [UInt8]) -> String { "\(header).\(Base64URL.encode(payload)).\(signature)" }

    static func source(of payload: [UInt8]) throws -> (EvidenceSource, JSONValue) {
        guard let jws = CompactJWS(text(of: payload)) else { throw ConformanceFailure("no compact JWS was made") }
        return (.signed(jws), try JSONReader().read(payload).root)
    }

    static func fact(_ evidence: VerifiedEvidence) throws -> VerifiedFact {
        guard let fact = VerifiedFact(evidence) else { throw ConformanceFailure("no fact was made of a draft") }
        return fact
    }
}
