public import FoundationEssentials
public import Storekeeper

/// A value that the App Store signs.
public protocol StoreSigned: Sendable {
    /// The signed record on which the value is based, including its JWS; `nil` if the store has no such record.
    var signedFact: (any SignedFact)? { get }
}

/// A value that the App Store has signed, and the result of its verification.
///
/// A store contains only verified values. ``unverified(_:_:)`` is possible for the result of a purchase, for an app
/// transaction, and for a status without a renewal info.
///
/// - SeeAlso: Apple, "StoreKit: VerificationResult".
public enum VerificationResult<SignedType> {
    /// The signature or a certificate is not valid, or the value is for another app, environment or device.
    case unverified(SignedType, VerificationError)
    /// The value was verified.
    case verified(SignedType)

    /// The reason why a value was not verified.
    public enum VerificationError: Error, Hashable, Sendable {
        /// A certificate was revoked.
        case revokedCertificate
        /// The certificates do not lead to a trusted root.
        case invalidCertificateChain
        /// The value was signed for another device.
        case invalidDeviceVerification
        /// The text is not a compact JWS of the App Store.
        case invalidEncoding
        /// The signature does not match the value.
        case invalidSignature
        /// A required property is missing, or names another app or environment.
        case missingRequiredProperties

        /// Creates an error from the more precise error of a verifier.
        init(_ error: Storekeeper.VerificationError) {
            self =
                switch error.code {
                case .malformed, .unsignedEvidence: .invalidEncoding
                case .certificateRevoked: .revokedCertificate
                case .unsupportedAlgorithm, .forbiddenHeader, .invalidSignature: .invalidSignature
                case .deviceMismatch: .invalidDeviceVerification
                case .bundleMismatch, .appMismatch, .environmentRefused: .missingRequiredProperties
                default: .invalidCertificateChain
                }
        }
    }

    /// The value, if it was verified.
    ///
    /// - Throws: The ``VerificationError`` if the value was not verified.
    public var payloadValue: SignedType {
        get throws {
            switch self {
            case .verified(let value): return value
            case .unverified(_, let error): throw error
            }
        }
    }

    /// The value, whether or not it was verified.
    public var unsafePayloadValue: SignedType {
        switch self {
        case .verified(let value), .unverified(let value, _): value
        }
    }
}

extension VerificationResult: Sendable where SignedType: Sendable {}
extension VerificationResult: Equatable where SignedType: Equatable {}
extension VerificationResult: Hashable where SignedType: Hashable {}

extension VerificationResult {
    /// Converts a verification result of the `Storekeeper` module.
    init<Fact>(_ result: Storekeeper.VerificationResult<Fact>, _ value: (Fact) -> SignedType) {
        if let error = result.error {
            self = .unverified(value(result.unsafePayloadValue), VerificationError(error))
        } else {
            self = .verified(value(result.unsafePayloadValue))
        }
    }
}

// MARK: - The signed text

extension VerificationResult where SignedType: StoreSigned {
    /// The compact JWS; empty if the value has none.
    public var jwsRepresentation: String { unsafePayloadValue.signedFact?.jwsRepresentation ?? "" }
    /// The header of the JWS, as JSON.
    public var headerData: Data { data(ofSegment: 0) }
    /// The payload of the JWS, as JSON.
    public var payloadData: Data { data(ofSegment: 1) }
    /// The signature of the JWS.
    public var signatureData: Data { data(ofSegment: 2) }
    /// The part of the JWS that was signed: header, dot and payload.
    public var signedData: Data { Data(segments.prefix(2).joined(separator: ".").utf8) }
    /// The time of signing.
    public var signedDate: Date { unsafePayloadValue.signedFact?.signedDate ?? .distantPast }
    /// The digest that ties the value to a device; empty if a server obtained the value.
    public var deviceVerification: Data { unsafePayloadValue.signedFact?.deviceDigest ?? Data() }
    /// The salt of ``deviceVerification``; zeros if a server obtained the value.
    public var deviceVerificationNonce: UUID { unsafePayloadValue.signedFact?.deviceNonce ?? .zero }

    private var segments: [Substring] {
        jwsRepresentation.split(separator: ".", omittingEmptySubsequences: false)
    }

    private func data(ofSegment index: Int) -> Data {
        let segments = segments
        guard index < segments.count else { return Data() }
        return Data(Base64URL.decode(segments[index].utf8) ?? [])
    }
}

extension SignedFact {
    /// The device digest, decoded.
    var deviceDigest: Data {
        let text: String? =
            switch self {
            case let transaction as Storekeeper.Transaction: transaction.deviceVerification
            case let info as Storekeeper.RenewalInfo: info.deviceVerification
            case let app as Storekeeper.AppTransaction: app.deviceVerification
            default: nil
            }
        return text.flatMap { Data(base64Encoded: $0) } ?? Data()
    }

    /// The salt of the device digest.
    var deviceNonce: UUID {
        let nonce: UUID? =
            switch self {
            case let transaction as Storekeeper.Transaction: transaction.deviceVerificationNonce
            case let info as Storekeeper.RenewalInfo: info.deviceVerificationNonce
            case let app as Storekeeper.AppTransaction: app.deviceVerificationNonce
            default: nil
            }
        return nonce ?? .zero
    }
}

extension UUID {
    /// The UUID whose bytes are all zero.
    static var zero: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
}
