/// A signed transaction or renewal info that a verifier has believed, with its signature.
///
/// The type is the proof: what was not verified, or bears no signature, cannot become one, so that a vault never
/// holds anything else.
public struct VerifiedFact: Sendable {
    /// What was signed.
    package enum Content: Sendable {
        /// A purchase or a renewal.
        case transaction(Transaction)
        /// What is intended for a subscription.
        ///
        /// Kept apart in memory: it is large, and of a thousand facts a handful.
        indirect case renewalInfo(RenewalInfo)
    }

    /// One object, so that a fact on its way through the threads counts one reference and not those of all it holds.
    private final class Storage: Sendable {
        let content: Content
        let jws: CompactJWS

        init(content: Content, jws: CompactJWS) {
            self.content = content
            self.jws = jws
        }
    }

    private let storage: Storage

    /// What was signed.
    package var content: Content { storage.content }
    /// The signed text.
    package var jws: CompactJWS { storage.jws }
    /// The signed text, a compact JWS.
    public var jwsRepresentation: String { storage.jws.compact }

    /// Takes a fact from what a verifier found; `nil` for what it did not believe and for other kinds of evidence.
    public init?(_ evidence: CheckedEvidence) {
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

    /// Reads back what a vault has stored, without looking at the signature again.
    ///
    /// `nil` where the payload is no JSON.
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

    /// Whether it is the same fact in memory, told without reading any of it.
    package func isIdentical(to other: VerifiedFact) -> Bool { storage === other.storage }

    /// The transaction; `nil` for a renewal info.
    public var transaction: Transaction? {
        if case .transaction(let transaction) = content { transaction } else { nil }
    }

    /// The renewal info; `nil` for a transaction.
    public var renewalInfo: RenewalInfo? {
        if case .renewalInfo(let info) = content { info } else { nil }
    }

    /// When the App Store signed it.
    package var signedAt: Instant {
        switch content {
        case .transaction(let transaction): transaction.signedAt
        case .renewalInfo(let info): info.signedAt
        }
    }

    /// The evidence it was made of.
    package var evidence: CheckedEvidence {
        switch content {
        case .transaction(let transaction): .transaction(.verified(transaction))
        case .renewalInfo(let info): .renewalInfo(.verified(info))
        }
    }
}
