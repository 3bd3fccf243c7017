import FoundationEssentials
import StorekeeperEngine
import SwiftASN1
import X509

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
