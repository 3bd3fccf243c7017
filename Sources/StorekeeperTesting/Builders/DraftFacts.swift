public import Storekeeper

extension TransactionDraft {
    /// The payload as a compact JWS with a fake signature.
    ///
    /// Only ``DraftVerifier`` accepts this text.
    public var fakeJWS: String { FakeJWS.text(of: payload) }

    /// Returns the fact that a vault would receive if the draft had been verified.
    ///
    /// - Throws: `VerificationError` if ``DraftVerifier`` refuses the payload.
    public func verifiedFact() throws -> VerifiedFact { try FakeJWS.fact(of: payload) }
}

extension RenewalInfoDraft {
    /// The payload as a compact JWS with a fake signature.
    ///
    /// Only ``DraftVerifier`` accepts this text.
    public var fakeJWS: String { FakeJWS.text(of: payload) }

    /// Returns the fact that a vault would receive if the draft had been verified.
    ///
    /// - Throws: `VerificationError` if ``DraftVerifier`` refuses the payload.
    public func verifiedFact() throws -> VerifiedFact { try FakeJWS.fact(of: payload) }
}

extension AppTransactionDraft {
    /// The payload as a compact JWS with a fake signature.
    ///
    /// Only ``DraftVerifier`` accepts this text.
    public var fakeJWS: String { FakeJWS.text(of: payload) }

    /// Returns the fact that a vault would receive if the draft had been verified.
    ///
    /// - Throws: `VerificationError` if ``DraftVerifier`` refuses the payload, or if the draft has no
    ///   ``appTransactionID``.
    public func verifiedFact() throws -> VerifiedFact { try FakeJWS.fact(of: payload) }
}

extension NotificationDraft {
    /// The payload as a compact JWS with a fake signature.
    ///
    /// Only ``DraftVerifier`` accepts this text.
    public var fakeJWS: String { FakeJWS.text(of: payload) }

    /// Returns the fact that a vault would receive if the draft had been verified: the App Store's state of the
    /// subscription, without the evidence inside the notification.
    ///
    /// - Throws: `VerificationError` if ``DraftVerifier`` refuses the payload, or if the draft has no ``status``.
    public func verifiedFact() throws -> VerifiedFact { try FakeJWS.fact(of: payload) }
}

/// Creates texts in the format of a compact JWS, with a checksum instead of a signature.
enum FakeJWS {
    private static let header = Base64URL.encode(#"{"alg":"ES256"}"#.utf8)

    static func text(of payload: [UInt8]) -> String {
        "\(header).\(Base64URL.encode(payload)).\(Base64URL.encode(signature(of: payload)))"
    }

    /// Returns a checksum of 64 bytes, which depends on every byte of the payload.
    static func signature(of payload: [UInt8]) -> [UInt8] {
        var state = UInt64(payload.count)
        for byte in payload {
            var mixer = SplitMix64(seed: state ^ UInt64(byte))
            state = mixer.next()
        }
        var mixer = SplitMix64(seed: state)
        return (0..<8).flatMap { _ in withUnsafeBytes(of: mixer.next().bigEndian, Array.init) }
    }

    static func fact(of payload: [UInt8]) throws -> VerifiedFact {
        let evidence = DraftVerifier().verify(text(of: payload))
        guard let fact = VerifiedFact(evidence) else {
            throw evidence.error ?? VerificationError(.malformed, "the draft cannot be stored")
        }
        return fact
    }
}

/// A verifier for tests, which accepts only the fake signatures of drafts.
///
/// Anyone can make a fake signature, so a fake signature does not prove that the App Store signed the evidence. The
/// verifier detects a changed byte of the payload.
public struct DraftVerifier: TransactionVerifier {
    /// The environments whose evidence is accepted.
    public let environments: Set<AppStore.Environment>

    /// Whether environments that ``environments`` does not name are accepted, too, as a draft may have any.
    private let acceptsOthers: Bool

    /// Creates a verifier that accepts the evidence of every environment.
    public init() { (environments, acceptsOthers) = (AppStore.Environment.known, true) }

    /// Creates a verifier that accepts the evidence of given environments.
    public init(environments: Set<AppStore.Environment>) {
        (self.environments, acceptsOthers) = (environments, false)
    }

    /// Verifies the fake signature of a draft.
    public func verify(_ jws: String) -> CheckedEvidence {
        guard let compact = CompactJWS(jws), let payload = Base64URL.decode(compact.payload),
            let document = try? JSONReader().read(payload)
        else { return .unreadable(VerificationError(.malformed, "it is not a compact JWS of JSON"), payload: nil) }
        let isGood = Base64URL.decode(compact.signature) == FakeJWS.signature(of: payload)
        let error = isGood ? nil : VerificationError(.invalidSignature, "the signature does not belong to this content")
        let source = EvidenceSource.signed(compact)
        do throws(PayloadError) {
            switch EvidenceKind(payload: document.root) {
            case .transaction:
                return .transaction(result(try Transaction(payload: document.root, source: source), error))
            case .renewalInfo:
                return .renewalInfo(result(try RenewalInfo(payload: document.root, source: source), error))
            case .appTransaction:
                return .appTransaction(result(try AppTransaction(payload: document.root, source: source), error))
            case .notification:
                return .notification(result(try ServerNotification(payload: document.root, source: source), error))
            case nil:
                return .unreadable(
                    VerificationError(.malformed, "it is no evidence of the App Store"), payload: payload)
            }
        } catch {
            return .unreadable(VerificationError(.malformed, error.description), payload: payload)
        }
    }

    private func result<Payload: SignedFact>(
        _ payload: Payload, _ error: VerificationError?
    ) -> VerificationResult<Payload> {
        if let error { return .unverified(payload, error) }
        guard acceptsOthers || environments.contains(payload.environment) else {
            return .unverified(
                payload, VerificationError(.environmentRefused, "\(payload.environment) is not accepted"))
        }
        return .verified(payload)
    }
}
