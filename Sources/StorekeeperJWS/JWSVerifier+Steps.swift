import StorekeeperEngine

extension JWSVerifier {
    /// Verifies one item.
    ///
    /// - Parameters:
    ///   - addressee: The app, environment and kind that the item must match.
    ///   - recent: The certificate chain of the previous item, if any. The call sets it to the certificate chain of
    ///     this item, or to `nil` if this item has no verified certificate chain.
    func verify(
        _ item: CompactJWS, for addressee: ItemRequirements, recent: inout VerifiedChain?
    ) -> CheckedEvidence {
        var jws = item
        if let chain = recent, chain.header != jws.header { recent = nil }
        if recent == nil { recent = cache.chain(for: jws.header) }
        // Items with the same header share one array with the header's bytes, because a header has about four
        // kilobytes.
        if let recent { jws.header = recent.header }
        let payload = EvidencePayload(jws)
        do throws(VerificationError) {
            let chain = try checkSignature(of: jws, payload, chain: &recent)
            if let fault = addressee.under(chain).fault(in: payload.content) { throw fault }
            return payload.evidence(nil)
        } catch {
            return payload.evidence(error)
        }
    }

    /// Returns the verified certificate chain that signed an item.
    ///
    /// - Throws: The first fault of the item's text, certificate chain or signature, in the order that the command
    ///   line's contract fixes.
    func checkSignature(
        of jws: CompactJWS, _ payload: EvidencePayload, chain known: inout VerifiedChain?
    ) throws(VerificationError) -> VerifiedChain {
        // A header or payload that cannot be read is reported before all other faults.
        let header = known == nil ? try JWSHeader(segment: jws.header.bytes) : nil
        if let fault = payload.fault { throw fault }
        guard let signature = Base64URL.decode(jws.signature) else {
            throw VerificationError(.malformed, "the signature is not base64url without padding")
        }
        guard let signedAt = payload.signedAt else {
            throw VerificationError(.malformed, "the payload has no usable date")
        }

        let chain: VerifiedChain
        if let known {
            chain = known
        } else if let header {
            chain = try self.chain(of: header, segment: jws.header)
        } else {
            throw .untrusted("there is no header")
        }
        guard chain.isValid(at: signedAt) else {
            throw VerificationError(
                .certificateNotValidAtSigning, "a certificate was expired or not yet valid when the item was signed")
        }
        let status = chain.certificates.flatMap { configuration.revocation?.status(of: $0, at: signedAt) }
        switch status {
        case .good, nil: break
        case .revoked: throw VerificationError(.certificateRevoked, "a certificate was revoked")
        case .unknown:
            throw VerificationError(
                .revocationUnknown, "it is not known whether a certificate was revoked: try again later")
        }
        guard chain.signed(payload: jws.payload, signature: signature) else {
            throw VerificationError(.invalidSignature, "the signature does not belong to this content")
        }
        if known == nil {
            cache.insert(chain)
            known = chain
        }
        return chain
    }

    /// Returns the trusted certificates of a header.
    ///
    /// A header must contain the three certificates of a certificate chain, or a single certificate that equals, byte
    /// for byte, a certificate of Xcode among the roots.
    ///
    /// - Throws: ``VerificationError`` with the code of ``JWSHeader/refusal``, `chainLength`, `untrustedChain` or
    ///   `missingMarker`.
    func chain(
        of header: JWSHeader, segment: CompactJWS.HeaderSegment
    ) throws(VerificationError) -> VerifiedChain {
        if let refusal = header.refusal { throw refusal }
        let certificates = header.certificates
        guard certificates.count == 3 else {
            let named = configuration.roots.first { $0.isXcodeCertificate && [$0.der] == certificates }
            if let named, trustsXcodeCertificates {
                return try VerifiedChain(header: segment, xcodeCertificate: named)
            }
            throw VerificationError(.chainLength, Self.lengthFault(certificates.count, isNamed: named != nil))
        }
        return try VerifiedChain(header: segment, certificates: certificates, roots: roots, known: cache)
    }

    private static func lengthFault(_ count: Int, isNamed: Bool) -> String {
        let fault = "the header has \(count) certificates instead of 3"
        if isNamed {
            return fault
                + ": Xcode's certificate counts only if the environment Xcode is accepted, and Production is not"
        }
        guard count == 1 else { return fault }
        return fault + ": for evidence from Xcode, trust its certificate and accept the environment Xcode"
    }
}
