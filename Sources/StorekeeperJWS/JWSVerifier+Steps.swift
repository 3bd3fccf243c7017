import StorekeeperEngine

extension JWSVerifier {
    /// Verifies one item.
    ///
    /// - Parameters:
    ///   - addressee: The app, environment and kind that the item must match.
    ///   - recent: The chain of the previous item, if any; set to the chain of this one.
    func verify(
        _ item: CompactJWS, for addressee: ItemRequirements, recent: inout VerifiedChain?
    ) -> CheckedEvidence {
        var jws = item
        if let chain = recent, chain.header != jws.header { recent = nil }
        if recent == nil { recent = cache.chain(for: jws.header) }
        // Facts of one chain share the four kilobytes of its header.
        if let recent { jws.header = recent.header }
        let payload = EvidencePayload(jws)
        do throws(VerificationError) {
            try checkSignature(of: jws, payload, chain: &recent)
            if let fault = addressee.fault(in: payload.content) { throw fault }
            return payload.evidence(nil)
        } catch {
            return payload.evidence(error)
        }
    }

    /// Throws the first fault of an item's text, chain or signature, in the order that the command line's contract
    /// fixes.
    func checkSignature(
        of jws: CompactJWS, _ payload: EvidencePayload, chain known: inout VerifiedChain?
    ) throws(VerificationError) {
        // A segment that cannot be read is reported first, whichever segment it is.
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
        } else {
            if let refusal = header?.refusal { throw refusal }
            chain = try VerifiedChain(
                header: jws.header, certificates: header?.certificates ?? [], roots: roots, known: cache)
        }
        guard chain.isValid(at: signedAt) else {
            throw VerificationError(
                .certificateNotValidAtSigning, "a certificate was expired or not yet valid when the item was signed")
        }
        switch configuration.revocation?.status(of: chain.certificates, at: signedAt) {
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
    }
}
