/// A signed transaction or renewal info that was verified, with its signature.
///
/// A value of this type proves that its text was verified, because clients can create a fact only with a
/// ``TransactionVerifier``. A vault therefore contains only verified facts.
public struct VerifiedFact: Sendable {
    /// The signed content.
    package enum Content: Sendable {
        /// A purchase or a renewal.
        case transaction(Transaction)
        /// The App Store's data about the next renewal of a subscription.
        ///
        /// A renewal info is stored separately in memory, because it is large, and only a few facts in a thousand are
        /// renewal infos.
        indirect case renewalInfo(RenewalInfo)
    }

    /// Stores all values of a fact in one object, so that copying a fact retains only one reference.
    private final class Storage: Sendable {
        let content: Content
        let jws: CompactJWS

        init(content: Content, jws: CompactJWS) {
            self.content = content
            self.jws = jws
        }
    }

    private let storage: Storage

    /// The signed content.
    package var content: Content { storage.content }
    /// The signed text.
    package var jws: CompactJWS { storage.jws }
    /// The signed text, a compact JWS.
    public var jwsRepresentation: String { storage.jws.compact }

    /// Creates a fact by verifying a compact JWS.
    ///
    /// The result is `nil` if the verifier refuses the text, or if the text is neither a transaction nor a renewal
    /// info; ``TransactionVerifier/verify(_:)`` returns the reason.
    ///
    /// - Parameters:
    ///   - jws: The text.
    ///   - verifier: The trusted verifier.
    public init?(_ jws: String, verifiedBy verifier: some TransactionVerifier) {
        self.init(verifier.verify(jws))
        // A faulty verifier could return the evidence of another text.
        guard self.jws == CompactJWS(jws) else { return nil }
    }

    /// Creates a fact from a verifier's result; `nil` unless the result is a verified, signed transaction or renewal
    /// info.
    ///
    /// This initializer is not public, because any payload can be wrapped as ``VerificationResult/verified(_:)``.
    package init?(_ evidence: CheckedEvidence) {
        switch evidence {
        case .transaction(.verified(let transaction)):
            guard let jws = transaction.source.jws else { return nil }
            self.init(content: .transaction(transaction), jws: jws)
        case .renewalInfo(.verified(let info)):
            guard let jws = info.source.jws else { return nil }
            self.init(content: .renewalInfo(info), jws: jws)
        default: return nil
        }
    }

    /// Decodes a stored fact, without verifying the signature again.
    ///
    /// The result is `nil` if the payload is not JSON.
    package init?(stored jws: CompactJWS) throws(PayloadError) {
        guard let bytes = jws.payloadContent, let document = try? JSONReader().read(bytes) else { return nil }
        let content: Content
        switch EvidenceKind(payload: document.root) {
        case .transaction:
            content = .transaction(try Transaction(payload: document.root, source: .signed(jws)))
        case .renewalInfo:
            content = .renewalInfo(try RenewalInfo(payload: document.root, source: .signed(jws)))
        case .appTransaction, .notification, nil:
            throw PayloadError("payload", "is neither a transaction nor a renewal info")
        }
        self.init(content: content, jws: jws)
    }

    private init(content: Content, jws: CompactJWS) {
        storage = Storage(content: content, jws: jws)
    }

    /// Returns whether two facts are the same object in memory, without reading their content.
    package func isIdentical(to other: VerifiedFact) -> Bool { storage === other.storage }

    /// The transaction; `nil` for a renewal info.
    public var transaction: Transaction? {
        if case .transaction(let transaction) = content { transaction } else { nil }
    }

    /// The renewal info; `nil` for a transaction.
    public var renewalInfo: RenewalInfo? {
        if case .renewalInfo(let info) = content { info } else { nil }
    }

    /// The time of signing.
    package var signedAt: Instant {
        switch content {
        case .transaction(let transaction): transaction.signedAt
        case .renewalInfo(let info): info.signedAt
        }
    }

    /// The fact as verified evidence.
    package var evidence: CheckedEvidence {
        switch content {
        case .transaction(let transaction): .transaction(.verified(transaction))
        case .renewalInfo(let info): .renewalInfo(.verified(info))
        }
    }
}
