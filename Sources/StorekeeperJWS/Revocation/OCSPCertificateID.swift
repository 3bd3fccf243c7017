import Crypto
import StorekeeperEngine
import SwiftASN1
import X509

/// Identifies the certificate that a request is about, by serial number and issuer.
///
/// - SeeAlso: RFC 6960, section 4.1.1, "ASN.1 Specification of the OCSP Request".
struct OCSPCertificateID: Hashable, Sendable {
    /// The digests with which the issuer of a certificate can be identified.
    enum Digest: Hashable, Sendable, CaseIterable {
        /// The digest SHA-1.
        ///
        /// SHA-1 is safe for this purpose, because it is not used for a signature: an attacker would need two certified
        /// issuers with the same digest. Every responder supports SHA-1. Some responders that sign their responses in
        /// advance support no other digest.
        case sha1
        case sha256

        /// The object identifier of the digest.
        var algorithm: ASN1ObjectIdentifier {
            switch self {
            case .sha1: [1, 3, 14, 3, 2, 26]
            case .sha256: [2, 16, 840, 1, 101, 3, 4, 2, 1]
            }
        }

        /// Returns the digest of some bytes.
        func hash(of bytes: [UInt8]) -> [UInt8] {
            switch self {
            case .sha1: Array(Insecure.SHA1.hash(data: bytes))
            case .sha256: Array(SHA256.hash(data: bytes))
            }
        }

        /// Returns the digest of a certificate's key.
        func keyHash(of certificate: Certificate) -> [UInt8] {
            hash(of: Array(certificate.publicKey.subjectPublicKeyInfoBytes))
        }
    }

    /// The digest that identifies the issuer.
    let digest: Digest
    /// The digest of the issuer's name, as encoded in the certificate.
    let issuerNameHash: [UInt8]
    /// The digest of the issuer's key.
    let issuerKeyHash: [UInt8]
    /// The certificate's serial number, as encoded in DER.
    let serialNumber: [UInt8]

    /// Creates the id of a certificate.
    ///
    /// - Parameters:
    ///   - der: The certificate.
    ///   - issuer: The certificate of its issuer.
    ///   - digest: The digest that identifies the issuer.
    /// - Returns: `nil` if the bytes lack a required part of a certificate.
    init?(of der: [UInt8], issuedBy issuer: Certificate, digest: Digest) {
        guard let certificate = try? DER.parse(der), case .constructed(let parts) = certificate.content,
            let signed = parts.first(where: { _ in true }), case .constructed(let fields) = signed.content
        else { return nil }
        // An optional version precedes the serial number. The signature algorithm and the issuer's name follow the
        // number.
        let rest = Array(fields.drop { $0.identifier == Self.version })
        guard rest.count > 2, case .primitive(let number) = rest[0].content else { return nil }
        self.digest = digest
        issuerNameHash = digest.hash(of: Array(rest[2].encodedBytes))
        issuerKeyHash = digest.keyHash(of: issuer)
        serialNumber = Array(number)
    }

    private static let version = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
}

extension OCSPCertificateID {
    /// Reads an id; `nil` if its digest is unknown.
    static func read(_ node: ASN1Node) throws -> OCSPCertificateID? {
        try DER.sequence(node, identifier: .sequence) { nodes in
            let algorithm = try DERAlgorithm(derEncoded: &nodes)
            let name = try ASN1OctetString(derEncoded: &nodes)
            let key = try ASN1OctetString(derEncoded: &nodes)
            guard let number = nodes.next(), number.identifier == .integer,
                case .primitive(let bytes) = number.content
            else { throw ASN1Error.invalidASN1Object(reason: "a serial number is missing") }
            guard let digest = Digest.allCases.first(where: { $0.algorithm == algorithm.identifier }) else {
                return nil
            }
            return OCSPCertificateID(
                digest: digest, issuerNameHash: Array(name.bytes), issuerKeyHash: Array(key.bytes),
                serialNumber: Array(bytes))
        }
    }

    private init(digest: Digest, issuerNameHash: [UInt8], issuerKeyHash: [UInt8], serialNumber: [UInt8]) {
        self.digest = digest
        self.issuerNameHash = issuerNameHash
        self.issuerKeyHash = issuerKeyHash
        self.serialNumber = serialNumber
    }

    /// Returns the id of another certificate of the same issuer.
    func numbered(_ serialNumber: [UInt8]) -> OCSPCertificateID {
        OCSPCertificateID(
            digest: digest, issuerNameHash: issuerNameHash, issuerKeyHash: issuerKeyHash, serialNumber: serialNumber)
    }

    /// Writes the id.
    func serialize(into serializer: inout DER.Serializer) throws {
        try serializer.appendConstructedNode(identifier: .sequence) { serializer in
            try DERAlgorithm(digest.algorithm).serialize(into: &serializer)
            try serializer.serialize(ASN1OctetString(contentBytes: issuerNameHash[...]))
            try serializer.serialize(ASN1OctetString(contentBytes: issuerKeyHash[...]))
            serializer.appendPrimitiveNode(identifier: .integer) { $0.append(contentsOf: serialNumber) }
        }
    }
}

/// An algorithm identifier, read without the algorithm's parameters.
///
/// The algorithms in OCSP requests and responses have no parameters that a reader needs.
struct DERAlgorithm {
    /// The object identifier of the algorithm.
    let identifier: ASN1ObjectIdentifier

    init(_ identifier: ASN1ObjectIdentifier) { self.identifier = identifier }

    init(derEncoded nodes: inout ASN1NodeCollection.Iterator) throws {
        guard let node = nodes.next() else {
            throw ASN1Error.invalidASN1Object(reason: "the identifier of an algorithm is missing")
        }
        identifier = try DER.sequence(node, identifier: .sequence) { nodes in
            let identifier = try ASN1ObjectIdentifier(derEncoded: &nodes)
            // Skips the parameters, which are NULL or absent.
            _ = nodes.next()
            return identifier
        }
    }

    /// Writes the identifier with NULL parameters, which digest algorithms require.
    func serialize(into serializer: inout DER.Serializer) throws {
        try serializer.appendConstructedNode(identifier: .sequence) { serializer in
            try serializer.serialize(identifier)
            try serializer.serialize(ASN1Null())
        }
    }
}
