public import StorekeeperEngine

extension JWSVerifier {
    /// Verifies a compact JWS that must be a transaction.
    ///
    /// - Returns: The transaction, trusted or not.
    /// - Throws: `VerificationError` if no transaction could be decoded; for a verified item of another kind, the error
    ///   is `malformed`.
    public func transaction(_ jws: String) throws(VerificationError) -> VerificationResult<Transaction> {
        let evidence = verify(jws)
        guard case .transaction(let result) = evidence else { throw Self.another(evidence, than: .transaction) }
        return result
    }

    /// Verifies a compact JWS that must be a renewal info.
    ///
    /// - Returns: The renewal info, trusted or not.
    /// - Throws: `VerificationError` under the same conditions as ``transaction(_:)``.
    public func renewalInfo(_ jws: String) throws(VerificationError) -> VerificationResult<RenewalInfo> {
        let evidence = verify(jws)
        guard case .renewalInfo(let result) = evidence else { throw Self.another(evidence, than: .renewalInfo) }
        return result
    }

    /// Verifies a compact JWS that must be an app transaction.
    ///
    /// - Returns: The app transaction, trusted or not.
    /// - Throws: `VerificationError` under the same conditions as ``transaction(_:)``.
    public func appTransaction(_ jws: String) throws(VerificationError) -> VerificationResult<AppTransaction> {
        let evidence = verify(jws)
        guard case .appTransaction(let result) = evidence else { throw Self.another(evidence, than: .appTransaction) }
        return result
    }

    /// Verifies the compact JWS of a notification, its `signedPayload`.
    ///
    /// - Returns: The notification, trusted or not. The signed parts inside the notification are not verified by this
    ///   call, but by ``contents(of:)``.
    /// - Throws: `VerificationError` under the same conditions as ``transaction(_:)``.
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
    /// Each part must be of the kind that its member's name announces. It must be about the app of the notification
    /// (`bundleMismatch`) and from the environment of the notification (`environmentRefused`). Without these rules, a
    /// notification could contain a validly signed part about a purchase in another app or environment.
    ///
    /// - Parameter notification: A notification that was verified before; this call trusts its bundle id and
    ///   environment.
    /// - Returns: The transaction, the renewal info and the app transaction, in this order; parts that the notification
    ///   lacks are left out.
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
