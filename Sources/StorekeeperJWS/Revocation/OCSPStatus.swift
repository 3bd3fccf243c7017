public import StorekeeperEngine
import SwiftASN1

/// The status that a responder reports for a certificate.
///
/// - SeeAlso: RFC 6960, section 2.2, "Response".
public enum OCSPStatus: Hashable, Sendable {
    /// The certificate was not revoked.
    case good
    /// The certificate was revoked.
    ///
    /// - Parameters:
    ///   - at: The time of revocation, to the second.
    ///   - reason: The reason as a number of RFC 5280, section 5.3.1, "Reason Code"; `nil` if the response has no
    ///     reason.
    case revoked(at: Instant, reason: Int?)
    /// The responder does not know the certificate.
    case unknown

    private static let goodTag = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
    private static let revokedTag = ASN1Identifier(tagWithNumber: 1, tagClass: .contextSpecific)
    private static let unknownTag = ASN1Identifier(tagWithNumber: 2, tagClass: .contextSpecific)

    init(_ node: ASN1Node) throws {
        switch node.identifier {
        case Self.goodTag: self = .good
        case Self.unknownTag: self = .unknown
        case Self.revokedTag:
            self = try DER.sequence(node, identifier: Self.revokedTag) { nodes in
                let instant = try Instant(GeneralizedTime(derEncoded: &nodes))
                let reason = try DER.optionalExplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) {
                    node in
                    guard node.identifier == .enumerated, case .primitive(let number) = node.content,
                        let reason = number.first, number.count == 1
                    else { throw ASN1Error.invalidASN1Object(reason: "the reason of a revocation is not a number") }
                    return Int(reason)
                }
                return .revoked(at: instant, reason: reason)
            }
        default: throw ASN1Error.unexpectedFieldType(node.identifier)
        }
    }

    func serialize(into serializer: inout DER.Serializer) throws {
        switch self {
        case .good: serializer.appendPrimitiveNode(identifier: Self.goodTag) { _ in }
        case .unknown: serializer.appendPrimitiveNode(identifier: Self.unknownTag) { _ in }
        case .revoked(let instant, let reason):
            try serializer.appendConstructedNode(identifier: Self.revokedTag) { serializer in
                try serializer.serialize(GeneralizedTime(instant))
                guard let reason, let number = UInt8(exactly: reason) else { return }
                serializer.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) { serializer in
                    serializer.appendPrimitiveNode(identifier: .enumerated) { $0.append(number) }
                }
            }
        }
    }
}

extension Instant {
    /// Creates an instant from a DER time, which is in UTC and exact to the second.
    ///
    /// - Throws: `ASN1Error` for a time that does not exist.
    init(_ time: GeneralizedTime) throws {
        func padded(_ number: Int, to width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let date = "\(padded(time.year, to: 4))-\(padded(time.month, to: 2))-\(padded(time.day, to: 2))"
        let clock = "\(padded(time.hours, to: 2)):\(padded(time.minutes, to: 2)):\(padded(time.seconds, to: 2))"
        guard let instant = Instant("\(date)T\(clock)Z") else {
            throw ASN1Error.invalidASN1Object(reason: "a time does not exist")
        }
        self = instant
    }
}

extension GeneralizedTime {
    /// Creates a DER time from an instant, in UTC and to the second.
    ///
    /// - Throws: `ASN1Error` for a year without exactly four digits.
    init(_ instant: Instant) throws {
        let numbers = instant.description.split { !$0.isNumber }.compactMap { Int($0) }
        guard numbers.count == 7, instant.description.utf8.count == 24 else {
            throw ASN1Error.invalidASN1Object(reason: "a time is outside of the calendar")
        }
        try self.init(
            year: numbers[0], month: numbers[1], day: numbers[2], hours: numbers[3], minutes: numbers[4],
            seconds: numbers[5], fractionalSeconds: 0)
    }
}
