import FoundationEssentials
import StorekeeperEngine
import SwiftASN1
import X509

/// The response of an OCSP responder about certificates, with its signature.
///
/// - SeeAlso: RFC 6960, section 4.2.1, "ASN.1 Specification of the OCSP Response".
struct OCSPResponse: Sendable {
    /// The signer that the response names.
    enum Responder: Hashable, Sendable {
        case named(DistinguishedName)
        /// The SHA-1 digest of the key.
        case withKey([UInt8])
    }

    /// The status of one certificate.
    struct Single: Sendable {
        let id: OCSPCertificateID?
        let status: OCSPStatus
        let thisUpdate: Instant
        let nextUpdate: Instant?
    }

    /// The signed bytes, as DER.
    let signedBytes: [UInt8]
    /// The signer that the response names.
    let responder: Responder
    /// The statuses, one for each certificate.
    let singles: [Single]
    /// The signature algorithm.
    let algorithm: ASN1ObjectIdentifier
    /// The signature.
    let signature: [UInt8]
    /// The certificates in the response; one of them may be the signer's certificate.
    let certificates: [[UInt8]]

    static let basic: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 48, 1, 1]

    /// Reads a response.
    ///
    /// - Throws: ``OCSPError`` with `refused` if the responder refuses to answer, and with `malformed` if the bytes are
    ///   not an OCSP response.
    init(der: [UInt8]) throws(OCSPError) {
        let envelope: (status: Int, content: [UInt8]?)
        do { envelope = try Self.envelope(DER.parse(der)) } catch { throw Self.malformed(error) }
        guard envelope.status == 0 else {
            throw OCSPError(
                .refused, "the responder refuses to answer, with status \(envelope.status): try again later")
        }
        do {
            guard let content = envelope.content else {
                throw ASN1Error.invalidASN1Object(reason: "the response is empty")
            }
            self = try Self.response(DER.parse(content))
        } catch { throw Self.malformed(error) }
    }

    private static func malformed(_ cause: any Error) -> OCSPError {
        OCSPError(.malformed, "the answer is not DER of an OCSP response", cause: cause)
    }

    private init(
        _ content: Content, signedBytes: [UInt8], algorithm: DERAlgorithm, signature: [UInt8], certificates: [[UInt8]]
    ) {
        self.signedBytes = signedBytes
        responder = content.responder
        singles = content.singles
        self.algorithm = algorithm.identifier
        self.signature = signature
        self.certificates = certificates
    }

    // MARK: Reading

    private typealias Content = (responder: Responder, singles: [Single])

    private static func envelope(_ node: ASN1Node) throws -> (status: Int, content: [UInt8]?) {
        try DER.sequence(node, identifier: .sequence) { nodes in
            guard let status = nodes.next(), status.identifier == .enumerated,
                case .primitive(let number) = status.content, number.count == 1, let word = number.first
            else { throw ASN1Error.invalidASN1Object(reason: "a response has no status") }
            let content = try DER.optionalExplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) { node in
                try DER.sequence(node, identifier: .sequence) { nodes in
                    let type = try ASN1ObjectIdentifier(derEncoded: &nodes)
                    guard type == basic else {
                        throw ASN1Error.invalidASN1Object(reason: "a response is of the unknown type \(type)")
                    }
                    return Array(try ASN1OctetString(derEncoded: &nodes).bytes)
                }
            }
            return (Int(word), content)
        }
    }

    private static func response(_ node: ASN1Node) throws -> OCSPResponse {
        try DER.sequence(node, identifier: .sequence) { nodes in
            guard let signed = nodes.next() else {
                throw ASN1Error.invalidASN1Object(reason: "a response holds no certificate status")
            }
            let algorithm = try DERAlgorithm(derEncoded: &nodes)
            let signature = try ASN1BitString(derEncoded: &nodes)
            let certificates = try DER.optionalExplicitlyTagged(
                &nodes, tagNumber: 0, tagClass: .contextSpecific
            ) { node -> [[UInt8]] in
                guard node.identifier == .sequence, case .constructed(let certificates) = node.content else {
                    throw ASN1Error.invalidASN1Object(reason: "the certificates of a response are not a list")
                }
                return certificates.map { Array($0.encodedBytes) }
            }
            guard signature.paddingBits == 0 else {
                throw ASN1Error.invalidASN1Object(reason: "a signature is not whole bytes")
            }
            return OCSPResponse(
                try content(signed), signedBytes: Array(signed.encodedBytes), algorithm: algorithm,
                signature: Array(signature.bytes), certificates: certificates ?? [])
        }
    }

    private static func content(_ node: ASN1Node) throws -> Content {
        try DER.sequence(node, identifier: .sequence) { nodes in
            _ = try DER.optionalExplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) { node in
                // The number 0 means version 1, which a strict encoder omits.
                guard case .primitive(let version) = node.content, version.elementsEqual([0]) else {
                    throw ASN1Error.invalidASN1Object(reason: "a response is of an unknown version")
                }
            }
            let name = try DER.optionalExplicitlyTagged(&nodes, tagNumber: 1, tagClass: .contextSpecific) { node in
                Responder.named(try DistinguishedName(derEncoded: node))
            }
            let key = try DER.optionalExplicitlyTagged(&nodes, tagNumber: 2, tagClass: .contextSpecific) { node in
                Responder.withKey(Array(try ASN1OctetString(derEncoded: node).bytes))
            }
            guard let responder = name ?? key, name == nil || key == nil else {
                throw ASN1Error.invalidASN1Object(reason: "a response does not name one responder")
            }
            _ = try GeneralizedTime(derEncoded: &nodes)
            guard let list = nodes.next(), list.identifier == .sequence, case .constructed(let answers) = list.content
            else { throw ASN1Error.invalidASN1Object(reason: "a response has no list of answers") }
            let singles = try answers.map(single)
            try refuseCriticalExtensions(&nodes)
            return (responder, singles)
        }
    }

    private static func single(_ node: ASN1Node) throws -> Single {
        try DER.sequence(node, identifier: .sequence) { nodes in
            guard let name = nodes.next(), let word = nodes.next() else {
                throw ASN1Error.invalidASN1Object(reason: "an answer is cut short")
            }
            let id = try OCSPCertificateID.read(name)
            let status = try OCSPStatus(word)
            let thisUpdate = try Instant(GeneralizedTime(derEncoded: &nodes))
            let nextUpdate = try DER.optionalExplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) {
                node in
                try Instant(GeneralizedTime(derEncoded: node))
            }
            try refuseCriticalExtensions(&nodes)
            return Single(id: id, status: status, thisUpdate: thisUpdate, nextUpdate: nextUpdate)
        }
    }

    /// Skips the extensions, and throws if an extension is critical.
    private static func refuseCriticalExtensions(_ nodes: inout ASN1NodeCollection.Iterator) throws {
        try DER.optionalExplicitlyTagged(&nodes, tagNumber: 1, tagClass: .contextSpecific) { node in
            guard case .constructed(let extensions) = node.content else {
                throw ASN1Error.invalidASN1Object(reason: "the extensions are not a list")
            }
            for field in extensions {
                guard case .constructed(let parts) = field.content else {
                    throw ASN1Error.invalidASN1Object(reason: "an extension has no parts")
                }
                guard !parts.contains(where: { $0.identifier == .boolean }) else {
                    throw ASN1Error.invalidASN1Object(reason: "a critical extension is not understood")
                }
            }
        }
    }
}

extension OCSPResponse {
    /// The accepted signature algorithms; algorithms with SHA-1 are not accepted.
    private static let algorithms: [ASN1ObjectIdentifier: Certificate.SignatureAlgorithm] = [
        [1, 2, 840, 10_045, 4, 3, 2]: .ecdsaWithSHA256,
        [1, 2, 840, 10_045, 4, 3, 3]: .ecdsaWithSHA384,
        [1, 2, 840, 10_045, 4, 3, 4]: .ecdsaWithSHA512,
        [1, 2, 840, 113_549, 1, 1, 11]: .sha256WithRSAEncryption,
        [1, 2, 840, 113_549, 1, 1, 12]: .sha384WithRSAEncryption,
        [1, 2, 840, 113_549, 1, 1, 13]: .sha512WithRSAEncryption,
    ]

    /// Checks the signer and the dates of the response, and returns its verdict on a certificate.
    ///
    /// - Parameters:
    ///   - ids: The certificate's ids, one for each digest.
    ///   - issuer: The issuer's certificate.
    ///   - now: The current time.
    ///   - tolerance: The tolerated clock difference, in milliseconds.
    /// - Throws: ``OCSPError`` with `notAuthentic`, `otherCertificate`, `notYetValid` or `stale`.
    func verdict(
        on ids: [OCSPCertificateID], issuedBy issuer: Certificate, at now: Instant, tolerance: Int64
    ) throws(OCSPError) -> OCSPVerdict {
        try checkSignature(issuer: issuer, at: now)
        guard let single = singles.first(where: { $0.id.map(ids.contains) ?? false }) else {
            throw OCSPError(.otherCertificate, "the response is about another certificate than was asked about")
        }
        guard single.thisUpdate <= now.adding(milliseconds: tolerance) else {
            throw OCSPError(.notYetValid, "the response is from the future: look whether the machine's clock is right")
        }
        guard let nextUpdate = single.nextUpdate else {
            throw OCSPError(.stale, "the response does not say until when it may be used")
        }
        guard nextUpdate >= now.adding(milliseconds: -tolerance) else {
            throw OCSPError(.stale, "the response was to be replaced at \(nextUpdate)")
        }
        return OCSPVerdict(status: single.status, thisUpdate: single.thisUpdate, nextUpdate: nextUpdate)
    }

    /// Checks that the response was signed by the issuer, or by a responder that the issuer has certified for this
    /// purpose.
    private func checkSignature(issuer: Certificate, at now: Instant) throws(OCSPError) {
        guard let algorithm = Self.algorithms[algorithm] else {
            throw OCSPError(.notAuthentic, "the response is signed by an algorithm that is not accepted")
        }
        if responder.isIn(issuer), isSigned(by: issuer, algorithm) { return }
        for der in certificates {
            guard let certificate = try? Certificate(derEncoded: der), responder.isIn(certificate),
                certificate.mayAnswer(for: issuer, at: now), isSigned(by: certificate, algorithm)
            else { continue }
            return
        }
        throw OCSPError(
            .notAuthentic, "the response is signed neither by the issuer nor by whom the issuer has named for that")
    }

    private func isSigned(by certificate: Certificate, _ algorithm: Certificate.SignatureAlgorithm) -> Bool {
        certificate.publicKey.isValidSignature(signature, for: signedBytes, signatureAlgorithm: algorithm)
    }
}

extension OCSPResponse.Responder {
    /// Returns whether this responder is the subject of a certificate.
    fileprivate func isIn(_ certificate: Certificate) -> Bool {
        switch self {
        case .named(let name): certificate.subject == name
        case .withKey(let hash): OCSPCertificateID.Digest.sha1.keyHash(of: certificate) == hash
        }
    }
}

extension Certificate {
    /// Returns whether an issuer has certified this certificate's key to sign responses about the issuer's
    /// certificates.
    ///
    /// - SeeAlso: RFC 6960, section 4.2.2.2, "Authorized Responders".
    fileprivate func mayAnswer(for issuer: Certificate, at now: Instant) -> Bool {
        guard self.issuer == issuer.subject, issuer.publicKey.isValidSignature(signature, for: self),
            Instant(notValidBefore) <= now, now <= Instant(notValidAfter),
            (try? extensions.extendedKeyUsage)?.contains(.ocspSigning) == true
        else { return false }
        do { return try extensions.keyUsage?.digitalSignature ?? true } catch { return false }
    }
}

/// The result of a request about a certificate.
struct OCSPVerdict: Hashable, Sendable {
    /// The status.
    let status: OCSPStatus
    /// The time at which the responder knew the status to be correct.
    let thisUpdate: Instant
    /// The time until which the response may be used.
    let nextUpdate: Instant
}
