/// Signed evidence that was verified, with its signature: a transaction, a renewal info, an app transaction, or a
/// notification with the App Store's state of a subscription.
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
        /// A notification, with the App Store's state of a subscription that it contains.
        indirect case notification(ServerNotification, ReportedStatus)
        /// The data about a download of the app, with the chain under which its owner is recorded.
        indirect case appTransaction(AppTransaction, ChainID)
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
    /// The result is `nil` if the verifier refuses the text, or if the text is a notification without the state of a
    /// subscription or an app transaction without an id; ``TransactionVerifier/verify(_:)`` returns the reason.
    ///
    /// - Parameters:
    ///   - jws: The text.
    ///   - verifier: The trusted verifier.
    public init?(_ jws: String, verifiedBy verifier: some TransactionVerifier) {
        self.init(verifier.verify(jws))
        // A faulty verifier could return the evidence of another text.
        guard self.jws == CompactJWS(jws) else { return nil }
    }

    /// Creates a fact from a verifier's result; `nil` unless the result is verified, signed evidence that can be stored.
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
        case .notification(.verified(let notification)):
            guard let jws = notification.source.jws, let status = ReportedStatus(notification) else { return nil }
            self.init(content: .notification(notification, status), jws: jws)
        case .appTransaction(.verified(let appTransaction)):
            guard let jws = appTransaction.source.jws, !appTransaction.hasSharedID,
                let chain = ChainID(appTransaction)
            else { return nil }
            self.init(content: .appTransaction(appTransaction, chain), jws: jws)
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
        case .notification:
            let notification = try ServerNotification(payload: document.root, source: .signed(jws))
            guard let status = ReportedStatus(notification) else {
                throw PayloadError("data.status", "is missing, or names no subscription")
            }
            content = .notification(notification, status)
        case .appTransaction:
            let appTransaction = try AppTransaction(payload: document.root, source: .signed(jws))
            guard let chain = ChainID(appTransaction) else { throw PayloadError("appTransactionId", "is missing") }
            content = .appTransaction(appTransaction, chain)
        case nil: throw PayloadError("payload", "is no evidence of the App Store")
        }
        self.init(content: content, jws: jws)
    }

    private init(content: Content, jws: CompactJWS) {
        storage = Storage(content: content, jws: jws)
    }

    /// Returns whether two facts are the same object in memory, without reading their content.
    package func isIdentical(to other: VerifiedFact) -> Bool { storage === other.storage }

    /// The transaction; `nil` for other evidence.
    public var transaction: Transaction? {
        if case .transaction(let transaction) = content { transaction } else { nil }
    }

    /// The renewal info; `nil` for other evidence.
    public var renewalInfo: RenewalInfo? {
        if case .renewalInfo(let info) = content { info } else { nil }
    }

    /// The app transaction; `nil` for other evidence.
    public var appTransaction: AppTransaction? {
        if case .appTransaction(let appTransaction, _) = content { appTransaction } else { nil }
    }

    /// The notification; `nil` for other evidence.
    public var notification: ServerNotification? {
        if case .notification(let notification, _) = content { notification } else { nil }
    }

    /// The purchase that the fact is about, if the fact is not a transaction; `nil` for a transaction, which names its
    /// chain.
    package var purchase: RenewalInfoKey? {
        switch content {
        case .transaction: nil
        case .renewalInfo(let info): RenewalInfoKey(info)
        case .notification(_, let status): RenewalInfoKey(ChainID(status))
        case .appTransaction(_, let chain): RenewalInfoKey(chain)
        }
    }

    /// The chain under which the fact's owner is recorded; `nil` if the fact names none, and belongs to the owner of each
    /// chain of its ``purchase``.
    package var chain: ChainID? {
        switch content {
        case .transaction(let transaction): ChainID(transaction)
        case .appTransaction(_, let chain): chain
        case .renewalInfo, .notification: nil
        }
    }

    /// The original transaction of the purchase that the fact is about; of an app transaction the id of its ``chain``.
    package var originalID: Transaction.ID {
        switch content {
        case .transaction(let transaction): transaction.originalID
        case .renewalInfo(let info): info.originalTransactionID
        case .notification(_, let status): status.originalID
        case .appTransaction(_, let chain): chain.originalID
        }
    }

    /// The product that the fact names.
    package var productID: Product.ID? { transaction?.productID ?? renewalInfo?.currentProductID }

    /// The time of signing.
    package var signedAt: Instant {
        switch content {
        case .transaction(let transaction): transaction.signedAt
        case .renewalInfo(let info): info.signedAt
        case .notification(let notification, _): notification.signedAt
        case .appTransaction(let appTransaction, _): appTransaction.signedAt
        }
    }

    /// The fact as verified evidence.
    package var evidence: CheckedEvidence {
        switch content {
        case .transaction(let transaction): .transaction(.verified(transaction))
        case .renewalInfo(let info): .renewalInfo(.verified(info))
        case .notification(let notification, _): .notification(.verified(notification))
        case .appTransaction(let appTransaction, _): .appTransaction(.verified(appTransaction))
        }
    }
}
