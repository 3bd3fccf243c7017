/// A JSON Web Signature in compact form, split but not yet believed.
///
/// The header segment is kept apart, and shared, because of its four kilobytes of certificates that are
/// the same for thousands of items.
///
/// - SeeAlso: RFC 7515, section 7.1, "JWS Compact Serialization".
public struct CompactJWS: Hashable, Sendable {
    /// The text of a header segment.
    public final class HeaderSegment: Hashable, Sendable {
        /// base64url text, in ASCII.
        public let bytes: [UInt8]

        /// Makes a segment from its text.
        public init(bytes: [UInt8]) { self.bytes = bytes }

        /// Whether two segments are the same text.
        public static func == (left: HeaderSegment, right: HeaderSegment) -> Bool {
            left === right || left.bytes == right.bytes
        }

        /// Hashes what equality compares.
        public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
    }

    /// The first segment: algorithm and certificates.
    public var header: HeaderSegment
    /// The second segment: base64url text, in ASCII.
    public let payload: [UInt8]
    /// The third segment: base64url text, in ASCII.
    public let signature: [UInt8]

    /// Splits a text.
    ///
    /// - Parameter text: Three segments joined by dots, none of them empty; anything else gives `nil`.
    ///   Whether a segment is base64url is not looked at here.
    public init?(_ text: some Collection<UInt8>) {
        let separator = UInt8(ascii: ".")
        guard let first = text.firstIndex(of: separator) else { return nil }
        let rest = text[text.index(after: first)...]
        guard let second = rest.firstIndex(of: separator) else { return nil }
        let tail = text[text.index(after: second)...]
        guard first > text.startIndex, second > rest.startIndex, !tail.isEmpty, !tail.contains(separator) else {
            return nil
        }
        header = HeaderSegment(bytes: Array(text[..<first]))
        payload = Array(rest[..<second])
        signature = Array(tail)
    }

    /// Splits a text; see ``init(_:)-(Collection<UInt8>)``.
    public init?(_ text: String) { self.init(Array(text.utf8)) }

    /// The compact text, exactly as it came.
    public var compact: String {
        String(decoding: header.bytes + [UInt8(ascii: ".")] + payload + [UInt8(ascii: ".")] + signature, as: UTF8.self)
    }
}
