package import Storekeeper

/// Makes evidence for tests of the store.
///
/// The evidence is a compact JWS whose signature is the text ``genuine``.
package enum TestEvidence {
    package static let genuine = "genuine"

    package static func jws(_ payload: [UInt8], signature: String = genuine) -> String {
        Base64URL.encode(Array(#"{"alg":"TEST"}"#.utf8)) + "." + Base64URL.encode(payload) + "."
            + Base64URL.encode(Array(signature.utf8))
    }
}

extension TransactionDraft {
    /// The draft as a compact JWS that ``TestVerifier`` accepts.
    package var jws: String { TestEvidence.jws(payload) }
}

extension RenewalInfoDraft {
    /// The draft as a compact JWS that ``TestVerifier`` accepts.
    package var jws: String { TestEvidence.jws(payload) }
}

extension AppTransactionDraft {
    /// The draft as a compact JWS that ``TestVerifier`` accepts.
    package var jws: String { TestEvidence.jws(payload) }
}

/// A verifier that accepts evidence whose signature is ``TestEvidence/genuine``.
package struct TestVerifier: TransactionVerifier {
    package let environments: Set<AppStore.Environment>

    /// Whether environments that ``environments`` does not name are accepted, too.
    private let acceptsOthers: Bool

    package init() { (environments, acceptsOthers) = (AppStore.Environment.known, true) }

    package init(environments: Set<AppStore.Environment>) {
        (self.environments, acceptsOthers) = (environments, false)
    }

    package func verify(_ text: String) -> CheckedEvidence {
        guard let jws = CompactJWS(text), let payload = Base64URL.decode(jws.payload),
            let document = try? JSONReader().read(payload)
        else { return .unreadable(VerificationError(.malformed, "it is not a JWS"), payload: nil) }
        let isGenuine = Base64URL.decode(jws.signature) == Array(TestEvidence.genuine.utf8)
        let error = VerificationError(.invalidSignature, "the signature is forged")
        let source = EvidenceSource.signed(jws)
        do {
            switch EvidenceKind(payload: document.root) {
            case .transaction:
                let value = try Transaction(payload: document.root, source: source)
                return .transaction(result(value, isGenuine ? nil : error))
            case .renewalInfo:
                let value = try RenewalInfo(payload: document.root, source: source)
                return .renewalInfo(result(value, isGenuine ? nil : error))
            case .notification:
                let value = try ServerNotification(payload: document.root, source: source)
                return .notification(isGenuine ? .verified(value) : .unverified(value, error))
            case .appTransaction:
                let value = try AppTransaction(payload: document.root, source: source)
                return .appTransaction(result(value, isGenuine ? nil : error))
            case nil:
                return .unreadable(
                    VerificationError(.malformed, "it is no evidence of the App Store"),
                    payload: document.root.sourceText)
            }
        } catch {
            return .unreadable(VerificationError(.malformed, "\(error)"), payload: document.root.sourceText)
        }
    }

    private func result<Payload: SignedFact>(
        _ payload: Payload, _ error: VerificationError?
    ) -> VerificationResult<Payload> {
        if let error { return .unverified(payload, error) }
        guard acceptsOthers || environments.contains(payload.environment) else {
            return .unverified(payload, VerificationError(.environmentRefused, "the environment is not accepted"))
        }
        return .verified(payload)
    }
}
