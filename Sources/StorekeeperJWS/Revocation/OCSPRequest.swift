import SwiftASN1

/// A request for the status of one certificate.
///
/// The request has no nonce, because large responders sign their responses in advance. Without a nonce, an attacker
/// could replay an old response. A response is therefore trusted only until its own expiration time.
///
/// - SeeAlso: RFC 6960, section 4.1.1; RFC 5019, "The Lightweight Online Certificate Status Protocol (OCSP) Profile".
struct OCSPRequest: Hashable, Sendable {
    /// The certificate.
    let id: OCSPCertificateID

    init(_ id: OCSPCertificateID) { self.id = id }

    /// The request as DER.
    var der: [UInt8] {
        get throws {
            var serializer = DER.Serializer()
            try serializer.appendConstructedNode(identifier: .sequence) { request in
                try request.appendConstructedNode(identifier: .sequence) { content in
                    try content.appendConstructedNode(identifier: .sequence) { list in
                        try list.appendConstructedNode(identifier: .sequence) { single in
                            try id.serialize(into: &single)
                        }
                    }
                }
            }
            return serializer.serializedBytes
        }
    }

    /// Reads a request; if the request is about several certificates, only the first certificate is read.
    ///
    /// - Returns: `nil` if the certificate is identified with a digest other than SHA-1 and SHA-256.
    /// - Throws: The parser's error if the bytes are not a request.
    init?(der: [UInt8]) throws {
        let id = try DER.sequence(DER.parse(der), identifier: .sequence) { parts in
            let content = parts.next()
            // A signature of the request may follow, and is ignored.
            while parts.next() != nil {}
            guard let content, case .constructed(let fields) = content.content,
                let list = fields.first(where: { $0.identifier == .sequence }),
                case .constructed(let questions) = list.content, let question = questions.first(where: { _ in true }),
                case .constructed(let names) = question.content, let name = names.first(where: { _ in true })
            else { throw ASN1Error.invalidASN1Object(reason: "the request asks nothing") }
            return try OCSPCertificateID.read(name)
        }
        guard let id else { return nil }
        self.id = id
    }
}
