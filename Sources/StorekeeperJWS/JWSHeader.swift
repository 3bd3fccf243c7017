import StorekeeperEngine

/// The header of a compact JWS, read but not yet verified.
struct JWSHeader {
    /// The maximum size of a decoded header in bytes.
    static let maximumSize = 64 << 10

    /// The members that a header must not have, because they tell a verifier to use another key or to change the signed
    /// bytes.
    ///
    /// - SeeAlso: RFC 7515, section 4.1, "Registered Header Parameter Names"; RFC 7797, section 3.
    private static let forbiddenMembers = ["crit", "b64", "zip", "jku", "jwk", "x5u"]

    /// The certificates of `x5c` as DER, not yet parsed.
    let certificates: [[UInt8]]
    /// The reason why the header is refused although it can be read.
    let refusal: VerificationError?

    /// Reads a header segment.
    ///
    /// - Throws: ``VerificationError`` with `malformed` if the segment cannot be read.
    init(segment: [UInt8]) throws(VerificationError) {
        let object = try Segment.header.object(segment)
        guard let x5c = object["x5c"] else { throw Self.malformed("the header has no certificates (x5c)") }
        guard let array = x5c.array else { throw Self.malformed("the header's x5c is not an array") }
        var certificates: [[UInt8]] = []
        for element in array {
            guard let text = element.string else {
                throw Self.malformed("the header's x5c holds something but strings")
            }
            guard let der = StandardBase64.decode(text.utf8) else {
                throw Self.malformed("the header's x5c holds a string that is not standard base64 with padding")
            }
            certificates.append(der)
        }
        self.certificates = certificates
        refusal = Self.refusal(of: object)
    }

    private static func refusal(of object: JSONObject) -> VerificationError? {
        guard object["alg"]?.string == "ES256" else {
            return VerificationError(.unsupportedAlgorithm, "the header does not ask for the algorithm ES256")
        }
        for name in forbiddenMembers where object.contains(where: { $0.hasName(name) }) {
            return VerificationError(.forbiddenHeader, "the header has the member \(name)")
        }
        return nil
    }

    private static func malformed(_ message: String) -> VerificationError { VerificationError(.malformed, message) }
}

/// The segments of a compact JWS that contain a JSON object.
enum Segment: String {
    case header, payload

    /// The maximum size of the decoded segment in bytes.
    private var maximumSize: Int {
        switch self {
        case .header: JWSHeader.maximumSize
        case .payload: EvidencePayload.maximumSize
        }
    }

    /// Decodes a segment and reads its JSON.
    ///
    /// - Throws: ``VerificationError`` with `malformed`.
    func document(_ segment: [UInt8]) throws(VerificationError) -> JSONDocument {
        // The length of the text is checked before the text is decoded.
        guard segment.count / 4 * 3 <= maximumSize else {
            throw VerificationError(.malformed, "the \(rawValue) has more than \(maximumSize) bytes")
        }
        guard let bytes = Base64URL.decode(segment) else {
            throw VerificationError(.malformed, "the \(rawValue) is not base64url without padding")
        }
        do {
            return try JSONReader(maximumDepth: 64, maximumSize: maximumSize).read(bytes)
        } catch {
            throw VerificationError(.malformed, "the \(rawValue) is not JSON: \(error)")
        }
    }

    /// Decodes a segment that is a JSON object.
    ///
    /// - Throws: ``VerificationError`` with `malformed`.
    func object(_ segment: [UInt8]) throws(VerificationError) -> JSONObject {
        guard let object = try document(segment).root.object else {
            throw VerificationError(.malformed, "the \(rawValue) is not a JSON object")
        }
        return object
    }
}
