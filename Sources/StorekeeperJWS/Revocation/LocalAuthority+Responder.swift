import Crypto
public import StorekeeperEngine
import SwiftASN1
import X509

extension LocalAuthority {
    /// Returns an OCSP response that reports whether a certificate of this authority was revoked.
    ///
    /// The authority answers for the leaves under its intermediate and for the intermediate itself. The issuer of the
    /// certificate signs the response. After ``rotated()``, the old and the new authority each answer for their own
    /// certificates.
    ///
    /// - Parameters:
    ///   - request: The request as DER, exactly as it was posted.
    ///   - now: The current time, which becomes the response's `thisUpdate`, to the second.
    ///   - use: The time for which the response may be used.
    ///   - status: The status to report for a certificate.
    /// - Returns: The response, as DER. The response about a certificate of another authority is `unauthorized`, and
    ///   the response to an invalid request is `malformedRequest`. Both of these responses are unsigned, as the
    ///   protocol specifies.
    /// - Throws: Errors of the cryptographic library if it cannot sign, or for a time outside of the years 0 to 9999.
    /// - SeeAlso: RFC 6960, section 2.3, "Exception Cases".
    public func answer(
        ocspRequest request: [UInt8], at now: Instant, usableFor use: Duration = .seconds(43_200),
        status: (IssuedCertificate) -> OCSPStatus = { _ in .good }
    ) throws -> [UInt8] {
        try answer(ocspRequest: request, at: now, usableFor: use, form: ResponseForm(), status: status)
    }

    /// A certificate whose status is requested.
    public struct IssuedCertificate: Hashable, Sendable {
        /// The position of the certificate in its certificate chain.
        public let place: RevocationReport.Place
        /// The serial number, as encoded in DER.
        public let serialNumber: [UInt8]
    }

    /// The form of a response, which tests change to check how a checker treats other forms.
    package struct ResponseForm: Sendable {
        /// The signer of a response.
        package enum Signer: Sendable {
            case issuer
            /// A separate responder whose certificate the issuer has signed; if `mayAnswer` is false, the certificate
            /// does not permit OCSP responses.
            case delegate(mayAnswer: Bool, validThrough: Instant)
            /// A signer with another key that claims to be the issuer.
            case stranger
        }

        package var signer = Signer.issuer
        package var serialNumber: [UInt8]?
        package var hasNextUpdate = true
        /// The age of the response in milliseconds.
        package var age: Int64 = 0
        package var hasCriticalExtension = false
        /// Whether the response names the signer by subject instead of by key.
        package var namesSubject = false

        package init() {}
    }

    package func answer(
        ocspRequest request: [UInt8], at now: Instant, usableFor use: Duration, form: ResponseForm,
        status: (IssuedCertificate) -> OCSPStatus
    ) throws -> [UInt8] {
        guard let asked = try? OCSPRequest(der: request) else { return OCSPResponseWriter.refusal(1) }
        var id = asked.id
        let isLeaf = id.issuerKeyHash == id.digest.keyHash(of: intermediateCertificate)
        guard isLeaf || id.issuerKeyHash == id.digest.keyHash(of: rootCertificate) else {
            return OCSPResponseWriter.refusal(6)
        }
        let said = status(IssuedCertificate(place: isLeaf ? .leaf : .intermediate, serialNumber: id.serialNumber))
        if let serialNumber = form.serialNumber { id = id.numbered(serialNumber) }
        let from = now.adding(milliseconds: -form.age)
        let writer = OCSPResponseWriter(
            id: id, status: said, producedAt: now, thisUpdate: from,
            nextUpdate: form.hasNextUpdate ? from.advanced(by: use) : nil, isExtended: form.hasCriticalExtension)
        let (issuer, key) =
            isLeaf ? (intermediateCertificate, intermediateKey) : (rootCertificate, rootKey)
        switch form.signer {
        case .issuer: return try writer.response(signedBy: key, responder: form.responder(issuer), certificate: nil)
        case .stranger:
            return try writer.response(
                signedBy: P384.Signing.PrivateKey(), responder: form.responder(issuer), certificate: nil)
        case .delegate(let mayAnswer, let end):
            let delegateKey = P384.Signing.PrivateKey()
            let certificate = try CertificateTemplate.responder(
                name: "Responder", key: Certificate.PublicKey(delegateKey.publicKey), issuerKey: key, issuer: issuer,
                mayAnswer: mayAnswer, validThrough: end)
            return try writer.response(
                signedBy: delegateKey, responder: form.responder(certificate),
                certificate: CertificateTemplate.der(certificate))
        }
    }
}

extension LocalAuthority.ResponseForm {
    /// Returns the responder id for a certificate: by default the hash of its key, which every client understands.
    fileprivate func responder(_ certificate: Certificate) -> OCSPResponse.Responder {
        namesSubject
            ? .named(certificate.subject) : .withKey(OCSPCertificateID.Digest.sha1.keyHash(of: certificate))
    }
}

/// Writes OCSP responses.
struct OCSPResponseWriter {
    let id: OCSPCertificateID
    let status: OCSPStatus
    let producedAt: Instant
    let thisUpdate: Instant
    let nextUpdate: Instant?
    let isExtended: Bool

    /// Returns an unsigned response that refuses to answer.
    static func refusal(_ status: UInt8) -> [UInt8] {
        var serializer = DER.Serializer()
        serializer.appendConstructedNode(identifier: .sequence) { response in
            response.appendPrimitiveNode(identifier: .enumerated) { $0.append(status) }
        }
        return serializer.serializedBytes
    }

    /// Returns the response as DER.
    func response(
        signedBy key: P384.Signing.PrivateKey, responder: OCSPResponse.Responder, certificate: [UInt8]?
    ) throws -> [UInt8] {
        let content = try content(by: responder)
        let signature = Array(try key.signature(for: content).derRepresentation)
        var basic = DER.Serializer()
        try basic.appendConstructedNode(identifier: .sequence) { basic in
            basic.serializeRawBytes(content)
            try basic.appendConstructedNode(identifier: .sequence) { algorithm in
                // ECDSA with SHA-384, which has no parameters.
                try algorithm.serialize([1, 2, 840, 10_045, 4, 3, 3] as ASN1ObjectIdentifier)
            }
            try basic.serialize(ASN1BitString(bytes: signature[...]))
            guard let certificate else { return }
            basic.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) { certificates in
                certificates.appendConstructedNode(identifier: .sequence) { $0.serializeRawBytes(certificate) }
            }
        }
        let bytes = basic.serializedBytes
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { response in
            response.appendPrimitiveNode(identifier: .enumerated) { $0.append(0) }
            try response.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) { outer in
                try outer.appendConstructedNode(identifier: .sequence) { outer in
                    try outer.serialize(OCSPResponse.basic)
                    try outer.serialize(ASN1OctetString(contentBytes: bytes[...]))
                }
            }
        }
        return serializer.serializedBytes
    }

    /// Returns the part of the response that is signed, as DER.
    private func content(by responder: OCSPResponse.Responder) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { content in
            switch responder {
            case .named(let name):
                try content.serialize(name, explicitlyTaggedWithTagNumber: 1, tagClass: .contextSpecific)
            case .withKey(let hash):
                try content.serialize(
                    ASN1OctetString(contentBytes: hash[...]), explicitlyTaggedWithTagNumber: 2,
                    tagClass: .contextSpecific)
            }
            try content.serialize(GeneralizedTime(producedAt))
            try content.appendConstructedNode(identifier: .sequence) { answers in
                try answers.appendConstructedNode(identifier: .sequence) { answer in
                    try id.serialize(into: &answer)
                    try status.serialize(into: &answer)
                    try answer.serialize(GeneralizedTime(thisUpdate))
                    if let nextUpdate {
                        try answer.serialize(
                            GeneralizedTime(nextUpdate), explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific)
                    }
                }
            }
            guard isExtended else { return }
            try content.serialize(explicitlyTaggedWithTagNumber: 1, tagClass: .contextSpecific) { extensions in
                try extensions.appendConstructedNode(identifier: .sequence) { extensions in
                    try extensions.appendConstructedNode(identifier: .sequence) { field in
                        try field.serialize([1, 3, 6, 1, 4, 1, 32_473, 1] as ASN1ObjectIdentifier)
                        try field.serialize(true)
                        try field.serialize(ASN1OctetString(contentBytes: [0x05, 0x00]))
                    }
                }
            }
        }
        return serializer.serializedBytes
    }
}
