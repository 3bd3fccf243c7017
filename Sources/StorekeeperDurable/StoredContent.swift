package import Storekeeper

/// A signed text as columns: its header stands once for all facts, payload and signature as the bytes that their
/// base64url texts mean.
///
/// base64url without padding has one text for each content, so that the signed text can be put together again.
package struct StoredContent: Sendable {
    package let header: CompactJWS.HeaderSegment
    package let payload: [UInt8]
    package let signature: Signature

    package enum Signature: Sendable {
        case content([UInt8])
        /// What is no base64url is kept as it came.
        case verbatim([UInt8])

        /// The bytes of the column.
        package var bytes: [UInt8] {
            switch self {
            case .content(let bytes), .verbatim(let bytes): bytes
            }
        }
    }

    /// Makes the columns of what they hold.
    package init(header: CompactJWS.HeaderSegment, payload: [UInt8], signature: Signature) {
        self.header = header
        self.payload = payload
        self.signature = signature
    }

    /// Takes the columns of a fact.
    package init(_ fact: VerifiedFact) throws(VaultError) {
        guard let payload = fact.jws.payloadContent else {
            throw VaultError(.invalidRequest, "the payload of a fact is no base64url; such a fact cannot be verified")
        }
        header = fact.jws.header
        self.payload = payload
        signature = fact.jws.signatureContent.map(Signature.content) ?? .verbatim(fact.jws.signature)
    }

    /// What tells two payloads apart.
    package var digest: [UInt8] { Digests.sha256(payload) }

    private var jws: CompactJWS {
        switch signature {
        case .content(let content): CompactJWS(header: header, payloadContent: payload, signatureContent: content)
        case .verbatim(let text): CompactJWS(header: header, payloadContent: payload, signature: text)
        }
    }

    package func restored() throws(VaultError) -> VerifiedFact { try VerifiedFact(restoring: jws) }
}
