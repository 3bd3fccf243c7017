import Crypto
import StorekeeperEngine
import SwiftASN1
import X509

/// How a question names the certificate that it is about: by its number and its issuer.
///
/// - SeeAlso: RFC 6960, section 4.1.1, "ASN.1 Specification of the OCSP Request".
struct OCSPCertificateID: Hashable, Sendable {
    /// SHA-1, which is no signature here: two issuers with equal digests would have to be certified first.
    ///
    /// Responders that sign their answers ahead of time know certificates by this digest only.
    static let algorithm: ASN1ObjectIdentifier = [1, 3, 14, 3, 2, 26]

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
    /// - Returns: `nil` where the bytes do not have the parts of a certificate.
    init?(of der: [UInt8], issuedBy issuer: Certificate) {
        guard let certificate = try? DER.parse(der), case .constructed(let parts) = certificate.content,
            let signed = parts.first(where: { _ in true }), case .constructed(let fields) = signed.content
        else { return nil }
        // An optional version stands before the number; the algorithm follows it, then the issuer's name.
        let rest = Array(fields.drop { $0.identifier == Self.version })
        guard rest.count > 2, case .primitive(let number) = rest[0].content else { return nil }
        issuerNameHash = Array(Insecure.SHA1.hash(data: Array(rest[2].encodedBytes)))
        issuerKeyHash = Self.hash(of: issuer)
        serialNumber = Array(number)
    }

    /// The digest of a certificate's key.
    static func hash(of certificate: Certificate) -> [UInt8] {
        Array(Insecure.SHA1.hash(data: Array(certificate.publicKey.subjectPublicKeyInfoBytes)))
    }

    private static let version = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
}

extension OCSPCertificateID {
    /// Reads a name; `nil` where it is made with another algorithm.
    static func read(_ node: ASN1Node) throws -> OCSPCertificateID? {
        try DER.sequence(node, identifier: .sequence) { nodes in
            let algorithm = try DERAlgorithm(derEncoded: &nodes)
            let name = try ASN1OctetString(derEncoded: &nodes)
            let key = try ASN1OctetString(derEncoded: &nodes)
            guard let number = nodes.next(), number.identifier == .integer,
                case .primitive(let bytes) = number.content
            else { throw ASN1Error.invalidASN1Object(reason: "a serial number is missing") }
            guard algorithm.identifier == Self.algorithm else { return nil }
            return OCSPCertificateID(
                issuerNameHash: Array(name.bytes), issuerKeyHash: Array(key.bytes), serialNumber: Array(bytes))
        }
    }

    private init(issuerNameHash: [UInt8], issuerKeyHash: [UInt8], serialNumber: [UInt8]) {
        self.issuerNameHash = issuerNameHash
        self.issuerKeyHash = issuerKeyHash
        self.serialNumber = serialNumber
    }

    /// The name of another certificate of the same issuer.
    func numbered(_ serialNumber: [UInt8]) -> OCSPCertificateID {
        OCSPCertificateID(issuerNameHash: issuerNameHash, issuerKeyHash: issuerKeyHash, serialNumber: serialNumber)
    }

    /// Writes the name.
    func serialize(into serializer: inout DER.Serializer) throws {
        try serializer.appendConstructedNode(identifier: .sequence) { serializer in
            try DERAlgorithm(Self.algorithm).serialize(into: &serializer)
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
