/// A decoded payload and whether its signature was believed.
///
/// As in StoreKit 2 the payload is there in both cases, so that it can be shown; only a verified one
/// counts for an answer.
///
/// - SeeAlso: Apple, "StoreKit: VerificationResult".
public enum VerificationResult<Payload: SignedFact>: Sendable {
    /// The signature, the certificates and the addressee are right.
    case verified(Payload)
    /// They are not; the error says what.
    case unverified(Payload, VerificationError)

    /// The payload, if it was verified.
    ///
    /// - Throws: The ``VerificationError`` otherwise.
    public var payloadValue: Payload {
        get throws(VerificationError) {
            switch self {
            case .verified(let payload): return payload
            case .unverified(_, let error): throw error
            }
        }
    }

    /// The payload, whether or not it was verified.
    public var unsafePayloadValue: Payload {
        switch self {
        case .verified(let payload), .unverified(let payload, _): payload
        }
    }

    /// Why the payload was not believed; `nil` if it was.
    public var error: VerificationError? {
        switch self {
        case .verified: nil
        case .unverified(_, let error): error
        }
    }

    /// The compact JWS the payload came in.
    public var jwsRepresentation: String? { unsafePayloadValue.jwsRepresentation }
}
