/// A JSON Web Signature in compact form, split into its segments but not yet verified.
///
/// The header segment is a shared object, because thousands of JWS have the same header with four kilobytes of
/// certificates.
///
/// - SeeAlso: RFC 7515, section 7.1, "JWS Compact Serialization".
public struct CompactJWS: Hashable, Sendable {
    /// The base64url text of a header, which several JWS can share.
    package final class HeaderSegment: Hashable, Sendable {
        /// The base64url text, in ASCII.
        package let bytes: [UInt8]

        /// Creates a segment from its text.
        package init(bytes: [UInt8]) { self.bytes = bytes }

        /// Returns whether two segments have the same text.
        package static func == (left: HeaderSegment, right: HeaderSegment) -> Bool {
            if left === right { return true }
            let (leftBytes, rightBytes) = (left.bytes, right.bytes)
            // The first 512 bytes are compared first, because headers with certificates of the same issuer usually
            // differ there.
            return ByteScan.areEqual(leftBytes.span.extracting(first: 512), rightBytes.span.extracting(first: 512))
                && ByteScan.areEqual(leftBytes.span, rightBytes.span)
        }

        /// Hashes the text.
        package func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
    }

    /// The first segment, which contains the algorithm and the certificates.
    package var header: HeaderSegment
    /// The second segment: base64url text, in ASCII.
    package var payload: [UInt8] { storedPayload.text }
    /// The decoded second segment; `nil` if it is not valid base64url.
    package var payloadContent: [UInt8]? { storedPayload.content }
    /// The third segment: base64url text, in ASCII.
    package var signature: [UInt8] { storedSignature.text }
    /// The decoded third segment; `nil` if it is not valid base64url.
    package var signatureContent: [UInt8]? { storedSignature.content }

    /// A segment, stored as base64url text or as decoded content.
    ///
    /// A segment is stored in the form that the initializer received. A vault stores decoded content, so that reading
    /// thousands of JWS from a vault creates no base64url text.
    private enum Segment: Equatable, Sendable {
        case text([UInt8])
        case content([UInt8])

        var text: [UInt8] {
            switch self {
            case .text(let text): text
            case .content(let content): Base64URL.encodedBytes(content)
            }
        }

        var content: [UInt8]? {
            switch self {
            case .text(let text): Base64URL.decode(text)
            case .content(let content): content
            }
        }

        static func == (left: Segment, right: Segment) -> Bool {
            // Each content has exactly one base64url text, so that two texts are equal if and only if their contents
            // are equal.
            if case .content(let own) = left, case .content(let other) = right { return own == other }
            return left.text == right.text
        }
    }

    private let storedPayload: Segment
    private let storedSignature: Segment

    /// Creates a JWS from segments that a vault has stored.
    ///
    /// - Parameters:
    ///   - header: The first segment.
    ///   - payloadContent: The decoded second segment.
    ///   - signatureContent: The decoded third segment.
    package init(header: HeaderSegment, payloadContent: [UInt8], signatureContent: [UInt8]) {
        self.header = header
        storedPayload = .content(payloadContent)
        storedSignature = .content(signatureContent)
    }

    /// Creates a JWS from segments that a vault has stored, with a signature that is not decoded.
    ///
    /// - Parameters:
    ///   - header: The first segment.
    ///   - payloadContent: The decoded second segment.
    ///   - signature: The third segment: base64url text, in ASCII.
    package init(header: HeaderSegment, payloadContent: [UInt8], signature: [UInt8]) {
        self.header = header
        storedPayload = .content(payloadContent)
        storedSignature = .text(signature)
    }

    /// Creates a JWS by splitting a compact text at its dots.
    ///
    /// - Parameter text: Three segments joined by dots; the initializer returns `nil` for any other text, and if a
    ///   segment is empty. The initializer does not check whether a segment is valid base64url.
    public init?(_ text: some Collection<UInt8>) {
        var header: HeaderSegment?
        self.init(text, after: &header)
    }

    /// Creates a JWS by splitting a compact text, and reuses the header object of the previous text if the headers are
    /// equal.
    ///
    /// - Parameter header: The header of the previous text, if any; the initializer replaces it by the header of this
    ///   text.
    package init?(_ text: some Collection<UInt8>, after header: inout HeaderSegment?) {
        let split =
            text.withContiguousStorageIfAvailable { Self(splitting: $0.span, after: &header) }
            ?? Self(splitting: Array(text).span, after: &header)
        guard let split else { return nil }
        self = split
    }

    private init?(splitting text: Span<UInt8>, after header: inout HeaderSegment?) {
        func bytes(_ range: Range<Int>) -> [UInt8] { text.extracting(range).withUnsafeBufferPointer { Array($0) } }
        let separator = UInt8(ascii: ".")
        if header.map({ Self.begins(text, with: $0) }) != true {
            guard let end = ByteScan.firstIndex(of: separator, in: text), end > 0 else { return nil }
            header = HeaderSegment(bytes: bytes(0..<end))
        }
        guard let header else { return nil }
        let start = header.bytes.count + 1
        guard let end = ByteScan.firstIndex(of: separator, in: text, from: start), end > start,
            end + 1 < text.count, ByteScan.firstIndex(of: separator, in: text, from: end + 1) == nil
        else { return nil }
        self.header = header
        storedPayload = .text(bytes(start..<end))
        storedSignature = .text(bytes(end + 1..<text.count))
    }

    /// Returns whether a text begins with a header segment and a dot.
    private static func begins(_ text: Span<UInt8>, with header: HeaderSegment) -> Bool {
        let known = header.bytes
        return known.count < text.count && text[known.count] == UInt8(ascii: ".")
            && ByteScan.areEqual(text.extracting(first: known.count), known.span)
    }

    /// Creates a JWS by splitting a compact text; see ``init(_:)-(Collection<UInt8>)``.
    public init?(_ text: String) { self.init(text.utf8) }

    /// The compact text, exactly as it was received.
    public var compact: String {
        String(decoding: header.bytes + [UInt8(ascii: ".")] + payload + [UInt8(ascii: ".")] + signature, as: UTF8.self)
    }

    /// Returns whether two JWS have the same compact text.
    public static func == (left: CompactJWS, right: CompactJWS) -> Bool {
        left.header == right.header && left.storedSignature == right.storedSignature
            && left.storedPayload == right.storedPayload
    }

    /// Hashes the payload and the signature, but not the header, which is the same for thousands of JWS.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(signature)
        hasher.combine(payload)
    }
}
