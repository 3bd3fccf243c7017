public import FoundationEssentials

/// A fact that the App Store signs: a transaction, a renewal info, an app transaction, a notification.
public protocol SignedFact: Sendable {
    /// The time of signing in UTC: the version of the fact.
    var signedAt: Instant { get }
    /// The environment.
    var environment: AppStore.Environment { get }
    /// The bytes of the JSON object it was decoded from, as they were signed.
    var jsonRepresentation: [UInt8] { get }
    /// The compact JWS it was decoded from; `nil` if it is unsigned.
    var jwsRepresentation: String? { get }
    /// Members with words or numbers unknown to this version, as `name: value`, and unreadable members, which count as
    /// absent, as `name` and the problem.
    var unknownValues: [String] { get }
}

extension SignedFact {
    /// ``signedAt`` as a date.
    public var signedDate: Date { signedAt.date }
}

/// A fact that is decoded from a payload and keeps its source.
package protocol DecodedFact: SignedFact {
    /// Decodes a payload.
    ///
    /// - Parameters:
    ///   - payload: The JSON object with the App Store's member names. Unknown members are ignored (they stay in the
    ///     source); unknown words and numbers are kept.
    ///   - source: The source of the payload.
    /// - Throws: ``PayloadError`` if a required member is missing or invalid. Except in notifications, any other
    ///   unreadable member counts as absent and is listed in ``SignedFact/unknownValues``, so that it does not
    ///   invalidate the other members.
    init(payload: JSONValue, source: EvidenceSource) throws(PayloadError)

    /// The text it was decoded from.
    var source: EvidenceSource { get }
}

extension DecodedFact {
    /// The bytes of the JSON object it was decoded from, as they were signed.
    public var jsonRepresentation: [UInt8] { source.payload }

    /// The compact JWS it was decoded from; `nil` if it is unsigned.
    public var jwsRepresentation: String? { source.jws?.compact }
}

/// The source of a fact.
package enum EvidenceSource: Sendable {
    /// A compact JWS.
    case signed(CompactJWS)
    /// The bytes of an unsigned JSON object.
    case unsigned([UInt8])
    /// A JSON object that was written from a purchase in a receipt of the original StoreKit, whose one signature covers
    /// all its purchases.
    case receipt([UInt8], isVerified: Bool)

    /// The compact JWS, if there is one.
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

    /// Whether it contains, or was taken from, something whose signature can be verified.
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
    /// The member at fault, by its name in the payload.
    package let member: String
    /// The problem with it.
    package let problem: String

    init(_ member: String, _ problem: String) {
        self.member = member
        self.problem = problem
    }

    /// The member and its problem, in one phrase.
    package var description: String { "\(member) \(problem)" }
}
