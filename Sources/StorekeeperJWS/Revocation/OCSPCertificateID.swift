import Crypto
import StorekeeperEngine
import SwiftASN1
import X509

/// How a question names the certificate that it is about: by its number and its issuer.
///
/// - SeeAlso: RFC 6960, section 4.1.1, "ASN.1 Specification of the OCSP Request".
struct OCSPCertificateID: Hashable, Sendable {
    /// The digests by which a certificate can be named.
    enum Digest: Hashable, Sendable, CaseIterable {
        /// SHA-1, which is no signature here: two issuers with equal digests would have to be certified first.
        ///
        /// Every responder knows it; some that sign their answers ahead of time know nothing else.
        case sha1
        case sha256

        /// How DER names the digest.
        var algorithm: ASN1ObjectIdentifier {
            switch self {
            case .sha1: [1, 3, 14, 3, 2, 26]
            case .sha256: [2, 16, 840, 1, 101, 3, 4, 2, 1]
            }
        }

        /// The digest of some bytes.
        func hash(of bytes: [UInt8]) -> [UInt8] {
            switch self {
            case .sha1: Array(Insecure.SHA1.hash(data: bytes))
            case .sha256: Array(SHA256.hash(data: bytes))
            }
        }

        /// The digest of a certificate's key.
        func keyHash(of certificate: Certificate) -> [UInt8] {
            hash(of: Array(certificate.publicKey.subjectPublicKeyInfoBytes))
        }
    }

    /// With which digest the issuer is named.
    let digest: Digest
    /// The digest of the issuer's name, as it stands in the certificate.
    let issuerNameHash: [UInt8]
    /// The digest of the issuer's key.
    let issuerKeyHash: [UInt8]
    /// The certificate's number, as DER has it.
    let serialNumber: [UInt8]

    /// Names a certificate.
    ///
    /// - Parameters:
    ///   - der: The certificate.
    ///   - issuer: Who signed it.
    ///   - digest: With which digest the issuer is named.
    /// - Returns: `nil` where the bytes do not have the parts of a certificate.
    init?(of der: [UInt8], issuedBy issuer: Certificate, digest: Digest) {
        guard let certificate = try? DER.parse(der), case .constructed(let parts) = certificate.content,
            let signed = parts.first(where: { _ in true }), case .constructed(let fields) = signed.content
        else { return nil }
        // An optional version stands before the number; the algorithm follows it, then the issuer's name.
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
    /// Reads a name; `nil` if it is made with an unknown digest.
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

    /// The name of another certificate of the same issuer.
    func numbered(_ serialNumber: [UInt8]) -> OCSPCertificateID {
        OCSPCertificateID(
            digest: digest, issuerNameHash: issuerNameHash, issuerKeyHash: issuerKeyHash, serialNumber: serialNumber)
    }

    /// Writes the name.
    func serialize(into serializer: inout DER.Serializer) throws {
        try serializer.appendConstructedNode(identifier: .sequence) { serializer in
            try DERAlgorithm(digest.algorithm).serialize(into: &serializer)
            try serializer.serialize(ASN1OctetString(contentBytes: issuerNameHash[...]))
            try serializer.serialize(ASN1OctetString(contentBytes: issuerKeyHash[...]))
            serializer.appendPrimitiveNode(identifier: .integer) { $0.append(contentsOf: serialNumber) }
        }
    }
}

/// The identifier of an algorithm without its parameters, which the algorithms used here do not have.
struct DERAlgorithm {
    /// Which algorithm.
    let identifier: ASN1ObjectIdentifier

    init(_ identifier: ASN1ObjectIdentifier) { self.identifier = identifier }

    init(derEncoded nodes: inout ASN1NodeCollection.Iterator) throws {
        guard let node = nodes.next() else {
            throw ASN1Error.invalidASN1Object(reason: "the identifier of an algorithm is missing")
        }
        identifier = try DER.sequence(node, identifier: .sequence) { nodes in
            let identifier = try ASN1ObjectIdentifier(derEncoded: &nodes)
            // Whatever stands for the parameters, a NULL or nothing.
            _ = nodes.next()
            return identifier
        }
    }

    /// Writes the identifier with NULL for its parameters, as digests have it.
    func serialize(into serializer: inout DER.Serializer) throws {
        try serializer.appendConstructedNode(identifier: .sequence) { serializer in
            try serializer.serialize(identifier)
            try serializer.serialize(ASN1Null())
        }
    }
}
