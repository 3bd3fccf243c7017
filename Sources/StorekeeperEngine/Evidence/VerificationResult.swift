/// A decoded payload and whether its signature was verified.
///
/// As in StoreKit 2, the payload is present in each case, so that it can be shown. A verifier returns ``verified(_:)``
/// or ``unverified(_:_:)``. StoreKit does not have the third case, ``unsigned(_:)``.
///
/// - SeeAlso: Apple, "StoreKit: VerificationResult".
public enum VerificationResult<Payload: SignedFact>: Sendable {
    /// The signature and the certificates are valid, and the payload is for the required app and environment.
    case verified(Payload)
    /// At least one check of the signature, the certificates, the app or the environment failed; the error names the
    /// check.
    case unverified(Payload, VerificationError)
    /// The payload has no trusted signature, and the caller accepts it nevertheless.
    ///
    /// The evidence was an unsigned payload, or was signed without a trusted root. The case is meant for test fixtures
    /// and for customer support. A ``PurchaseHistory`` uses the payload, and marks every answer as unverified. The
    /// payload never becomes a ``VerifiedFact``, so that no vault stores it.
    case unsigned(Payload)

    /// The payload, if it was verified.
    ///
    /// - Throws: The ``VerificationError`` if the payload was not verified.
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

    /// The compact JWS that the payload was decoded from.
    public var jwsRepresentation: String? { unsafePayloadValue.jwsRepresentation }
}

extension VerificationResult where Payload: DecodedFact {
    /// Whether the payload is marked as verified and its source has a signature.
    ///
    /// The case ``verified(_:)`` alone is not a proof, because any caller can wrap a payload in it.
    var isProven: Bool {
        if case .verified(let payload) = self { payload.source.isProof } else { false }
    }
}

extension VerificationError {
    static var unsigned: Self { Self(.unsignedEvidence, "the evidence has no signature") }
}
