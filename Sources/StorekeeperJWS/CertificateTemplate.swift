import Crypto
import FoundationEssentials
import StorekeeperEngine
import SwiftASN1
import X509

/// Creates the certificates of a ``LocalAuthority``.
///
/// As strict verifiers require, the certificates have key identifiers, their basic constraints are critical, and the
/// App Store's marker extensions are not critical.
enum CertificateTemplate {
    static func root(
        name: String, key: P384.Signing.PrivateKey, shape: LocalAuthority.Shape
    ) throws -> Certificate {
        let publicKey = Certificate.PublicKey(key.publicKey)
        let subject = try subject(name)
        return try certificate(
            publicKey, validity: shape.rootValidity, issuer: subject, subject: subject, signedBy: key,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: shape.rootPathLength))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                SubjectKeyIdentifier(hash: publicKey)
            })
    }

    static func intermediate(
        name: String, key: P384.Signing.PrivateKey, rootKey: P384.Signing.PrivateKey, root: Certificate,
        shape: LocalAuthority.Shape
    ) throws -> Certificate {
        let publicKey = Certificate.PublicKey(key.publicKey)
        var extensions = try Certificate.Extensions {
            Critical(
                shape.intermediateIsAuthority
                    ? BasicConstraints.isCertificateAuthority(maxPathLength: 0) : .notCertificateAuthority)
            Critical(
                shape.intermediateMaySignCertificates
                    ? KeyUsage(keyCertSign: true, cRLSign: true) : KeyUsage(digitalSignature: true))
            SubjectKeyIdentifier(hash: publicKey)
            try authorityKeyIdentifier(of: root)
        }
        if let responder = shape.responder { try extensions.append(access(to: responder)) }
        if shape.intermediateIsMarked { try extensions.append(marker(ChainCertificate.Marker.intermediate)) }
        return try certificate(
            publicKey, validity: shape.intermediateValidity, issuer: root.subject,
            subject: subject("\(name) Intermediate"), signedBy: rootKey, extensions: extensions)
    }

    static func leaf(
        name: String, key: Certificate.PublicKey, issuerKey: P384.Signing.PrivateKey, issuer: Certificate,
        shape: LocalAuthority.Shape
    ) throws -> Certificate {
        var extensions = try Certificate.Extensions {
            Critical(
                shape.leafIsAuthority
                    ? BasicConstraints.isCertificateAuthority(maxPathLength: nil) : .notCertificateAuthority)
            Critical(shape.leafMaySign ? KeyUsage(digitalSignature: true) : KeyUsage(keyAgreement: true))
            SubjectKeyIdentifier(hash: key)
            try authorityKeyIdentifier(of: issuer)
        }
        if let responder = shape.responder { try extensions.append(access(to: responder)) }
        if shape.leafIsMarked { try extensions.append(marker(ChainCertificate.Marker.leaf)) }
        if shape.leafHasUnknownCriticalExtension {
            try extensions.append(
                Certificate.Extension(oid: [1, 3, 6, 1, 4, 1, 32_473, 1], critical: true, value: null[...]))
        }
        return try certificate(
            key, validity: shape.leafValidity,
            issuer: shape.leafIssuerName.map(subject) ?? issuer.subject, subject: subject("\(name) Signing"),
            signedBy: issuerKey, extensions: extensions)
    }

    /// Returns the certificate of a separate OCSP responder, signed by the issuer.
    ///
    /// - Parameter mayAnswer: Whether the certificate permits its owner to sign OCSP responses.
    static func responder(
        name: String, key: Certificate.PublicKey, issuerKey: P384.Signing.PrivateKey, issuer: Certificate,
        mayAnswer: Bool, validThrough end: Instant
    ) throws -> Certificate {
        let extensions = try Certificate.Extensions {
            Critical(BasicConstraints.notCertificateAuthority)
            Critical(KeyUsage(digitalSignature: true))
            try ExtendedKeyUsage([mayAnswer ? .ocspSigning : .clientAuth])
            try authorityKeyIdentifier(of: issuer)
        }
        return try certificate(
            key, validity: LocalAuthority.defaultValidity.lowerBound...end, issuer: issuer.subject,
            subject: subject(name), signedBy: issuerKey, extensions: extensions)
    }

    private static func access(to responder: String) throws -> Certificate.Extension {
        try Certificate.Extension(
            AuthorityInformationAccess([.init(method: .ocspServer, location: .uniformResourceIdentifier(responder))]),
            critical: false)
    }

    static func der(_ certificate: Certificate) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }

    /// The DER encoding of the ASN.1 value NULL.
    private static let null: [UInt8] = [0x05, 0x00]

    private static func certificate(
        _ key: Certificate.PublicKey, validity: ClosedRange<Instant>, issuer: DistinguishedName,
        subject: DistinguishedName, signedBy issuerKey: P384.Signing.PrivateKey, extensions: Certificate.Extensions
    ) throws -> Certificate {
        try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key,
            notValidBefore: validity.lowerBound.date, notValidAfter: validity.upperBound.date, issuer: issuer,
            subject: subject, signatureAlgorithm: .ecdsaWithSHA384, extensions: extensions,
            issuerPrivateKey: Certificate.PrivateKey(issuerKey))
    }

    private static func subject(_ name: String) throws -> DistinguishedName {
        try DistinguishedName {
            CommonName(name)
            OrganizationName("Storekeeper")
        }
    }

    private static func marker(_ oid: ASN1ObjectIdentifier) -> Certificate.Extension {
        Certificate.Extension(oid: oid, critical: false, value: null[...])
    }

    private static func authorityKeyIdentifier(of issuer: Certificate) throws -> AuthorityKeyIdentifier {
        AuthorityKeyIdentifier(keyIdentifier: try issuer.extensions.subjectKeyIdentifier?.keyIdentifier)
    }
}
