public import FoundationEssentials

/// What the App Store signs: a transaction, a renewal info, an app transaction, a notification.
public protocol SignedFact: Sendable {
    /// When the App Store signed it: the version of the fact. UTC.
    var signedAt: Instant { get }
    /// Where it was made.
    var environment: AppStore.Environment { get }
    /// The bytes of the JSON object it was decoded from, as they were signed.
    var jsonRepresentation: [UInt8] { get }
    /// The compact JWS it was decoded from; `nil` where nobody signed it.
    var jwsRepresentation: String? { get }
    /// Members whose words or numbers this version does not know, as `name: value`, and such as count as absent
    /// because they cannot be read, as `name` and what is wrong.
    var unknownValues: [String] { get }
}

extension SignedFact {
    /// ``signedAt`` as a date.
    public var signedDate: Date { signedAt.date }
}

/// A fact that is decoded from a payload and keeps the text it came from.
package protocol DecodedFact: SignedFact {
    /// Decodes a payload.
    ///
    /// - Parameters:
    ///   - payload: The JSON object as the App Store names its members. Unknown members are passed over
    ///     (they stay in the source); unknown words and numbers are kept as they are.
    ///   - source: Where the payload comes from.
    /// - Throws: ``PayloadError`` where a member that must be there is missing, or is there and cannot be what it
    ///   should be. Of transactions and renewal infos any other member that cannot be read counts as absent and is
    ///   among ``SignedFact/unknownValues``, so that it never costs what stands beside it.
    init(payload: JSONValue, source: EvidenceSource) throws(PayloadError)

    /// The text it was decoded from.
    var source: EvidenceSource { get }
}

extension DecodedFact {
    /// The bytes of the JSON object it was decoded from, as they were signed.
    public var jsonRepresentation: [UInt8] { source.payload }

    /// The compact JWS it was decoded from; `nil` where nobody signed it.
    public var jwsRepresentation: String? { source.jws?.compact }
}

/// The text that a fact was decoded from.
package enum EvidenceSource: Sendable {
    /// A compact JWS.
    case signed(CompactJWS)
    /// The bytes of a JSON object that nobody signed.
    case unsigned([UInt8])

    /// The compact JWS, if there is one.
    package var jws: CompactJWS? {
        if case .signed(let jws) = self { jws } else { nil }
    }

    /// The bytes of the JSON object.
    package var payload: [UInt8] {
        switch self {
        case .signed(let jws): jws.payloadContent ?? []
        case .unsigned(let bytes): bytes
        }
    }
}

/// Why a payload is not what it should be.
package struct PayloadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The member at fault, by its name in the payload.
    package let member: String
    /// What is wrong with it.
    package let problem: String

    init(_ member: String, _ problem: String) {
        self.member = member
        self.problem = problem
    }

    /// The member and its problem, in one phrase.
    package var description: String { "\(member) \(problem)" }
}
