/// The results of verifying pieces of evidence: facts, and failures to report.
struct VerificationBatch: Sendable {
    /// The verified facts.
    var facts: [VerifiedFact] = []
    /// Transactions that failed verification; their products become doubtful.
    var doubts: [CheckedEvidence] = []
    /// The verification errors, each with the product if the piece of evidence names it.
    var failures: [(error: VerificationError, productID: Product.ID?)] = []
    /// The UUIDs of the verified notifications whose transaction and renewal info were verified, too.
    var notifications: [ServerNotification.ID] = []
    /// The number of pieces of evidence that are not stored.
    var ignored = 0

    /// Whether every piece of evidence that failed verification names its product.
    ///
    /// If a failed piece names no product, a missing transaction does not mean that a product was not bought. Failures
    /// with `environmentRefused` do not matter for this property.
    var isReadable: Bool { failures.allSatisfy { $0.productID != nil || $0.error.code == .environmentRefused } }

    /// Verifies texts in compact JWS format, without blocking the calling actor.
    @concurrent
    static func verifying(_ texts: [String], by verifier: any TransactionVerifier) async -> VerificationBatch {
        var presented = VerificationBatch()
        for text in texts { presented.add(verifier.verify(text), by: verifier, isInside: false) }
        return presented
    }

    /// - Parameter isInside: Whether the evidence comes from a notification, so that it must not be a notification
    ///   itself.
    /// - Returns: Whether the evidence was verified.
    @discardableResult
    private mutating func add(
        _ evidence: CheckedEvidence, by verifier: any TransactionVerifier, isInside: Bool
    ) -> Bool {
        let fact = VerifiedFact(evidence)
        if let fact, fact.notification == nil {
            facts.append(fact)
            return true
        }
        switch evidence {
        case .transaction(let result):
            doubts.append(evidence)
            failures.append((result.error ?? Self.unsigned, result.unsafePayloadValue.productID))
            return false
        case .renewalInfo(let result):
            failures.append((result.error ?? Self.unsigned, result.unsafePayloadValue.currentProductID))
            return false
        case .appTransaction(let result):
            if let error = result.error { failures.append((error, nil)) } else { ignored += 1 }
            return result.error == nil
        case .notification(.verified(let notification)) where !isInside:
            return open(notification, fact, by: verifier)
        case .notification(let result):
            failures.append((result.error ?? Self.nested, nil))
            return false
        case .unreadable(let error, _):
            failures.append((error, nil))
            return false
        }
    }

    /// Verifies and adds the signed transaction and renewal info of a notification.
    ///
    /// - Parameter fact: The notification as a fact, if it contains the App Store's state of a subscription.
    /// - Returns: Whether both were verified, as far as the notification contains them.
    private mutating func open(
        _ notification: ServerNotification, _ fact: VerifiedFact?, by verifier: any TransactionVerifier
    ) -> Bool {
        let parts = [notification.signedTransactionInfo, notification.signedRenewalInfo].compactMap { $0 }
        if parts.isEmpty { ignored += 1 }
        var isBelieved = true
        for part in parts where !add(verifier.verify(part), by: verifier, isInside: true) { isBelieved = false }
        guard isBelieved else { return false }
        if let fact { facts.append(fact) }
        if let uuid = notification.uuid { notifications.append(uuid) }
        return true
    }

    private static let unsigned = VerificationError(.unsignedEvidence, "the evidence has no signature")
    private static let nested = VerificationError(.malformed, "a notification inside another is not evidence")

    /// Adds the results of another batch.
    mutating func add(_ other: VerificationBatch) {
        facts += other.facts
        doubts += other.doubts
        failures += other.failures
        notifications += other.notifications
        ignored += other.ignored
    }
}
