public import FoundationEssentials

/// Data that the App Store signs, such as a transaction, a renewal info, an app transaction or a notification.
public protocol SignedFact: Sendable {
    /// The time of signing, in UTC; of several versions of the same data, the version that was signed last is the
    /// newest.
    var signedAt: Instant { get }
    /// The environment of the App Store.
    var environment: AppStore.Environment { get }
    /// The original bytes of the JSON object from which the value was decoded.
    var jsonRepresentation: [UInt8] { get }
    /// The compact JWS from which the value was decoded; `nil` for unsigned data and for a purchase in a receipt.
    var jwsRepresentation: String? { get }
    /// Remarks about members that this version of the package does not understand.
    ///
    /// A member with an unknown string or number is listed as `name: value`. An unreadable member counts as absent and
    /// is listed with its name and the reason.
    var unknownValues: [String] { get }
}

extension SignedFact {
    /// ``signedAt`` as a date.
    public var signedDate: Date { signedAt.date }
}

/// Signed data that is decoded from a payload and stores the source of the payload.
package protocol DecodedFact: SignedFact {
    /// Decodes a payload.
    ///
    /// - Parameters:
    ///   - payload: The JSON object with the App Store's member names. Unknown members are ignored, but remain in the
    ///     source. Unknown strings and numbers are stored unchanged.
    ///   - source: The source of the payload.
    /// - Throws: ``PayloadError`` if a required member is missing or invalid. Except in notifications, any other
    ///   unreadable member counts as absent and is listed in ``SignedFact/unknownValues``, so that it does not
    ///   invalidate the other members.
    init(payload: JSONValue, source: EvidenceSource) throws(PayloadError)

    /// The source of the payload.
    var source: EvidenceSource { get }
}

extension DecodedFact {
    /// The original bytes of the JSON object from which the value was decoded.
    public var jsonRepresentation: [UInt8] { source.payload }

    /// The compact JWS from which the value was decoded; `nil` for unsigned data and for a purchase in a receipt.
    public var jwsRepresentation: String? { source.jws?.compact }
}

/// The JWS or the JSON object from which a value was decoded.
package enum EvidenceSource: Sendable {
    /// A compact JWS.
    case signed(CompactJWS)
    /// The bytes of an unsigned JSON object.
    case unsigned([UInt8])
    /// A JSON object that this package created from a purchase in a receipt of the original StoreKit; one signature
    /// covers all purchases of a receipt.
    case receipt([UInt8], isVerified: Bool)

    /// The compact JWS; `nil` for unsigned data and for a receipt.
    package var jws: CompactJWS? {
        if case .signed(let jws) = self { jws } else { nil }
    }

    /// The bytes of the JSON object.
    package var payload: [UInt8] {
        switch self {
        case .signed(let jws): jws.payloadContent ?? []
        case .unsigned(let bytes), .receipt(let bytes, _): bytes
        }
    }

    /// Whether the source is signed, or was created from a receipt with a verified signature.
    var isProof: Bool {
        switch self {
        case .signed: true
        case .unsigned: false
        case .receipt(_, let isVerified): isVerified
        }
    }
}

/// The reason why a payload is invalid.
package struct PayloadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the invalid member in the payload.
    package let member: String
    /// What is wrong with the member, such as `is not a string`.
    package let problem: String

    init(_ member: String, _ problem: String) {
        self.member = member
        self.problem = problem
    }

    /// The name of the member, followed by what is wrong with it.
    package var description: String { "\(member) \(problem)" }
}
