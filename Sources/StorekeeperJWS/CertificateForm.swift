import SwiftASN1

/// Properties of a certificate's DER encoding that the parsed certificate does not expose.
///
/// A certificate names its signature algorithm twice, once inside the signed part and once outside, and a verifier uses
/// only the outer name. RFC 5280 requires the two names to be equal, so that an attacker cannot make a verifier use
/// another algorithm than the one in the signed part.
///
/// - SeeAlso: RFC 5280, sections 4.1.1.2 "signatureAlgorithm", 4.1.2.3 "Signature" and 4.1.2.9 "Extensions".
struct CertificateForm {
    /// Whether the signed part and the outer part name the same signature algorithm and parameters, byte for byte.
    let namesOneSignatureAlgorithm: Bool
    /// Whether the signature consists of whole bytes, as every valid signature does.
    ///
    /// The parser also accepts a signature that ends with unused zero bits. Without this check, certificates with
    /// different bytes could have the same signature.
    let signatureIsWholeBytes: Bool
    /// Whether the certificate has an extensions field, even an empty one.
    let hasExtensions: Bool
    /// The issuer's name, as DER.
    let issuer: ArraySlice<UInt8>
    /// The serial number, as DER.
    let serialNumber: ArraySlice<UInt8>

    private static let version = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
    private static let extensions = ASN1Identifier(tagWithNumber: 3, tagClass: .contextSpecific)

    /// Reads the properties of a certificate; `nil` if the bytes lack a required part of a certificate.
    init?(der: [UInt8]) {
        guard let certificate = try? DER.parse(der) else { return nil }
        let parts = Self.parts(of: certificate)
        guard parts.count == 3 else { return nil }
        let signed = Self.parts(of: parts[0])
        // An optional version and the serial number precede the algorithm.
        let serialAndRest = signed.drop { $0.identifier == Self.version }
        guard let serial = serialAndRest.first, let inner = serialAndRest.dropFirst().first,
            let issuer = serialAndRest.dropFirst(2).first
        else { return nil }
        serialNumber = serial.encodedBytes
        self.issuer = issuer.encodedBytes
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
