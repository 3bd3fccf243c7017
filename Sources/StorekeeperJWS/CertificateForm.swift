import SwiftASN1

/// What the DER of a certificate says that its parsed value does not tell.
///
/// The algorithm of the signature stands twice in a certificate, once under the signature and once beside it;
/// only the one beside it is used. RFC 5280 wants them equal, so that nobody can make a verifier check by
/// another algorithm than the one that was signed.
///
/// - SeeAlso: RFC 5280, sections 4.1.1.2 "signatureAlgorithm", 4.1.2.3 "Signature" and 4.1.2.9 "Extensions".
struct CertificateForm {
    /// Whether both places name the same algorithm, byte for byte, parameters included.
    let namesOneSignatureAlgorithm: Bool
    /// Whether the signature is whole bytes, as every signature is.
    ///
    /// A parser lets bits at its end be called unused where they are zero: then other bytes would be the same
    /// certificate.
    let signatureIsWholeBytes: Bool
    /// Whether there is a field of extensions, be it an empty one.
    let hasExtensions: Bool

    private static let version = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
    private static let extensions = ASN1Identifier(tagWithNumber: 3, tagClass: .contextSpecific)

    /// Looks into a certificate; `nil` where it does not have the parts of one.
    init?(der: [UInt8]) {
        guard let certificate = try? DER.parse(der) else { return nil }
        let parts = Self.parts(of: certificate)
        guard parts.count == 3 else { return nil }
        let signed = Self.parts(of: parts[0])
        // An optional version and the serial number stand before the algorithm.
        let serialAndRest = signed.drop { $0.identifier == Self.version }
        guard let inner = serialAndRest.dropFirst().first else { return nil }
        namesOneSignatureAlgorithm = inner.encodedBytes == parts[1].encodedBytes
        guard case .primitive(let signature) = parts[2].content else { return nil }
        signatureIsWholeBytes = signature.first == 0
        hasExtensions = signed.contains { $0.identifier == Self.extensions }
    }

    private static func parts(of node: ASN1Node) -> [ASN1Node] {
        guard case .constructed(let nodes) = node.content else { return [] }
        return Array(nodes)
    }
}
