public import StorekeeperEngine

extension JWSVerifier {
    /// Verifies a compact JWS that must be a transaction.
    ///
    /// - Returns: The transaction, trusted or not.
    /// - Throws: `VerificationError` if no transaction could be decoded; a good item of another kind is `malformed`.
    public func transaction(_ jws: String) throws(VerificationError) -> VerificationResult<Transaction> {
        let evidence = verify(jws)
        guard case .transaction(let result) = evidence else { throw Self.another(evidence, than: .transaction) }
        return result
    }

    /// Verifies a compact JWS that must be a renewal info.
    ///
    /// - Returns: The renewal info, trusted or not.
    /// - Throws: `VerificationError` as ``transaction(_:)`` does.
    public func renewalInfo(_ jws: String) throws(VerificationError) -> VerificationResult<RenewalInfo> {
        let evidence = verify(jws)
        guard case .renewalInfo(let result) = evidence else { throw Self.another(evidence, than: .renewalInfo) }
        return result
    }

    /// Verifies a compact JWS that must be an app transaction.
    ///
    /// - Returns: The app transaction, trusted or not.
    /// - Throws: `VerificationError` as ``transaction(_:)`` does.
    public func appTransaction(_ jws: String) throws(VerificationError) -> VerificationResult<AppTransaction> {
        let evidence = verify(jws)
        guard case .appTransaction(let result) = evidence else { throw Self.another(evidence, than: .appTransaction) }
        return result
    }

    /// Verifies the compact JWS of a notification, its `signedPayload`.
    ///
    /// - Returns: The notification, trusted or not. The signed parts inside are not verified: see ``contents(of:)``.
    /// - Throws: `VerificationError` as ``transaction(_:)`` does.
    public func notification(_ jws: String) throws(VerificationError) -> VerificationResult<ServerNotification> {
        let evidence = verify(jws)
        guard case .notification(let result) = evidence else { throw Self.another(evidence, than: .notification) }
        return result
    }

    private static func another(_ evidence: CheckedEvidence, than kind: EvidenceKind) -> VerificationError {
        evidence.error ?? VerificationError(.malformed, "the item is not of the kind \(kind.rawValue)")
    }

    /// Verifies the signed parts inside a notification.
    ///
    /// A part must be of the kind its member declares, about the app of the notification (`bundleMismatch`), and from
    /// the same environment (`environmentRefused`); otherwise a notification could contain an authentic part of a
    /// purchase made elsewhere.
    ///
    /// - Parameter notification: A verified notification: its own statements are trusted here.
    /// - Returns: The transaction, the renewal info and the app transaction, in this order, as far as they are present.
    public func contents(of notification: ServerNotification) -> [CheckedEvidence] {
        var inner = addressee
        inner.outerBundleID = notification.bundleID
        inner.environments = configuration.environments.intersection([notification.environment])
        let parts: [(String?, EvidenceKind)] = [
            (notification.signedTransactionInfo, .transaction), (notification.signedRenewalInfo, .renewalInfo),
            (notification.signedAppTransactionInfo, .appTransaction),
        ]
        var recent: VerifiedChain?
        var contents: [CheckedEvidence] = []
        for case (let text?, let kind) in parts {
            guard let jws = CompactJWS(text) else {
                contents.append(.unreadable(Self.notThreeSegments, payload: nil))
                continue
            }
            inner.kind = kind
            contents.append(verify(jws, for: inner, recent: &recent))
        }
        return contents
    }
}
