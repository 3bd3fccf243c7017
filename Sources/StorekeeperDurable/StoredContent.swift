package import Storekeeper

/// A JWS as it is stored in database columns: the header, which many JWS share, and the decoded payload and signature.
///
/// base64url without padding has exactly one text for each sequence of bytes, so the original text of the JWS can be
/// restored exactly.
package struct StoredContent: Sendable {
    package let header: CompactJWS.HeaderSegment
    package let payload: [UInt8]
    package let signature: Signature

    package enum Signature: Sendable {
        case content([UInt8])
        /// The text of a signature that is not base64url, stored unchanged.
        case verbatim([UInt8])

        /// The bytes that are stored in the database column.
        package var bytes: [UInt8] {
            switch self {
            case .content(let bytes), .verbatim(let bytes): bytes
            }
        }
    }

    /// Creates the stored form from the parts of a JWS.
    package init(header: CompactJWS.HeaderSegment, payload: [UInt8], signature: Signature) {
        self.header = header
        self.payload = payload
        self.signature = signature
    }

    /// Creates the stored form of a fact's JWS.
    package init(_ fact: VerifiedFact) throws(VaultError) {
        guard let payload = fact.jws.payloadContent else {
            throw VaultError(.invalidRequest, "the payload of a fact is not base64url; such a fact cannot be verified")
        }
        header = fact.jws.header
        self.payload = payload
        signature = fact.jws.signatureContent.map(Signature.content) ?? .verbatim(fact.jws.signature)
    }

    /// The digest that identifies the payload.
    package var digest: [UInt8] { Digests.sha256(payload) }

    private var jws: CompactJWS {
        switch signature {
        case .content(let content): CompactJWS(header: header, payloadContent: payload, signatureContent: content)
        case .verbatim(let text): CompactJWS(header: header, payloadContent: payload, signature: text)
        }
    }

    package func restored() throws(VaultError) -> VerifiedFact { try VerifiedFact(restoring: jws) }
}
