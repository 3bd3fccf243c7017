import FoundationEssentials
import Storekeeper
import StorekeeperTesting

/// Evidence for tests of the store: compact JWS whose signature is a word.
enum TestEvidence {
    static let genuine = "genuine"

    static func jws(_ payload: [UInt8], signature: String = genuine) -> String {
        Base64URL.encode(Array(#"{"alg":"TEST"}"#.utf8)) + "." + Base64URL.encode(payload) + "."
            + Base64URL.encode(Array(signature.utf8))
    }

    /// A notification that carries signed parts.
    static func notification(
        _ type: String = "DID_RENEW", uuid: String = "0b8f4c1e-0000-4000-8000-000000000001",
        transaction: String? = nil, info: String? = nil, at instant: Instant, signature: String = genuine
    ) -> String {
        var data = #""bundleId":"com.example.game","environment":"Production""#
        if let transaction { data += #","signedTransactionInfo":"\#(transaction)""# }
        if let info { data += #","signedRenewalInfo":"\#(info)""# }
        let text =
            #"{"notificationType":"\#(type)","notificationUUID":"\#(uuid)","version":"2.0","#
            + #""signedDate":\#(instant.millisecondsSince1970),"data":{\#(data)}}"#
        return jws(Array(text.utf8), signature: signature)
    }
}

extension TransactionDraft {
    /// The draft as compact JWS that the test verifier believes.
    var jws: String { TestEvidence.jws(payload) }
    /// The draft as compact JWS that it does not believe.
    var forged: String { TestEvidence.jws(payload, signature: "forged") }
    var key: TransactionKey { TransactionKey(bundleID: bundleID, environment: environment, transactionID: id) }
    var chain: ChainID { ChainID(bundleID: bundleID, environment: environment, originalID: originalID) }

    /// The same, as the purchase of a customer whom the app calls by a token.
    func owned(by token: String) -> TransactionDraft {
        var draft = self
        draft.appAccountToken = token
        return draft
    }
}

extension RenewalInfoDraft {
    /// The draft as compact JWS that the test verifier believes.
    var jws: String { TestEvidence.jws(payload) }
}

/// Believes what bears the word for a signature.
struct TestVerifier: TransactionVerifier {
    func verify(_ text: String) -> CheckedEvidence {
        guard let jws = CompactJWS(text), let payload = Base64URL.decode(jws.payload),
            let document = try? JSONReader().read(payload)
        else { return .unreadable(VerificationError(.malformed, "no JWS"), payload: nil) }
        let isGenuine = Base64URL.decode(jws.signature) == Array(TestEvidence.genuine.utf8)
        let error = VerificationError(.invalidSignature, "the signature is forged")
        let source = EvidenceSource.signed(jws)
        do {
            switch EvidenceKind(payload: document.root) {
            case .transaction:
                let value = try Transaction(payload: document.root, source: source)
                return .transaction(isGenuine ? .verified(value) : .unverified(value, error))
            case .renewalInfo:
                let value = try RenewalInfo(payload: document.root, source: source)
                return .renewalInfo(isGenuine ? .verified(value) : .unverified(value, error))
            case .notification:
                let value = try ServerNotification(payload: document.root, source: source)
                return .notification(isGenuine ? .verified(value) : .unverified(value, error))
            case .appTransaction, nil:
                return .unreadable(
                    VerificationError(.malformed, "not what a test needs"), payload: document.root.sourceText)
            }
        } catch {
            return .unreadable(VerificationError(.malformed, "\(error)"), payload: document.root.sourceText)
        }
    }
}
