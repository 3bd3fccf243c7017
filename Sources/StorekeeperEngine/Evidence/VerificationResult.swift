/// A decoded payload and whether its signature was verified.
///
/// As in StoreKit 2 the payload is present in each case, so that it can be shown. A verifier returns
/// ``verified(_:)`` or ``unverified(_:_:)``; StoreKit has no third case.
///
/// - SeeAlso: Apple, "StoreKit: VerificationResult".
public enum VerificationResult<Payload: SignedFact>: Sendable {
    /// The signature, the certificates and the addressee are right.
    case verified(Payload)
    /// At least one of them is wrong; the error says which.
    case unverified(Payload, VerificationError)
    /// It has no trusted signature, and the caller accepts it nevertheless: a decoded payload, or a signed one without
    /// a trusted root.
    ///
    /// For fixtures and for support. A ``PurchaseHistory`` counts it and marks every answer; it never becomes a
    /// ``VerifiedFact``, so that no vault holds it.
    case unsigned(Payload)

    /// The payload, if it was verified.
    ///
    /// - Throws: The ``VerificationError`` otherwise.
    public var payloadValue: Payload {
        get throws(VerificationError) {
            switch self {
            case .verified(let payload): return payload
            case .unverified(_, let error): throw error
            case .unsigned: throw .unsigned
            }
        }
    }

    /// The payload, whether or not it was verified.
    public var unsafePayloadValue: Payload {
        switch self {
        case .verified(let payload), .unverified(let payload, _), .unsigned(let payload): payload
        }
    }

    /// The reason why verification failed; `nil` if it succeeded.
    public var error: VerificationError? {
        switch self {
        case .verified: nil
        case .unverified(_, let error): error
        case .unsigned: .unsigned
        }
    }

    /// The compact JWS the payload came in.
    public var jwsRepresentation: String? { unsafePayloadValue.jwsRepresentation }
}

extension VerificationResult where Payload: DecodedFact {
    /// Whether it was verified and still has the signature; any caller can wrap a payload as `verified`.
    var isProven: Bool {
        if case .verified(let payload) = self { payload.source.isProof } else { false }
    }
}

extension VerificationError {
    static let unsigned = VerificationError(.unsignedEvidence, "the evidence has no signature")
}
