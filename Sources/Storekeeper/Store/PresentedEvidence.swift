/// Evidence as a verifier has left it: what counts, and what is to be reported.
struct PresentedEvidence: Sendable {
    /// What was believed.
    var facts: [VerifiedFact] = []
    /// Transactions that were not believed, whose products come into doubt.
    var doubts: [CheckedEvidence] = []
    /// Why pieces were not believed, with the product where the piece names one.
    var failures: [(error: VerificationError, productID: Product.ID?)] = []
    /// Notifications of which every part was believed, by UUID.
    var notifications: [ServerNotification.ID] = []
    /// How many pieces say nothing about purchases.
    var ignored = 0

    /// Whether nothing was lost of which we could not even say what it was about.
    ///
    /// Only then does silence about a product mean that it was not bought.
    var isLegible: Bool { failures.allSatisfy { $0.productID != nil || $0.error.code == .environmentRefused } }

    /// Verifies compact JWS, away from whatever actor asks for it.
    @concurrent
    static func verifying(_ texts: [String], by verifier: any TransactionVerifier) async -> PresentedEvidence {
        var presented = PresentedEvidence()
        for text in texts { presented.add(verifier.verify(text), by: verifier, isInside: false) }
        return presented
    }

    /// - Parameter isInside: Whether it comes out of a notification; then it must not be another one.
    /// - Returns: Whether it was believed.
    @discardableResult
    private mutating func add(
        _ evidence: CheckedEvidence, by verifier: any TransactionVerifier, isInside: Bool
    ) -> Bool {
        if let fact = VerifiedFact(evidence) {
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
            return open(notification, by: verifier)
        case .notification(let result):
            failures.append((result.error ?? Self.nested, nil))
            return false
        case .unreadable(let error, _):
            failures.append((error, nil))
            return false
        }
    }

    /// Takes the signed parts out of a notification, each verified alone.
    private mutating func open(_ notification: ServerNotification, by verifier: any TransactionVerifier) -> Bool {
        let parts = [notification.signedTransactionInfo, notification.signedRenewalInfo].compactMap { $0 }
        if parts.isEmpty { ignored += 1 }
        var isBelieved = true
        for part in parts where !add(verifier.verify(part), by: verifier, isInside: true) { isBelieved = false }
        if isBelieved, let uuid = notification.uuid { notifications.append(uuid) }
        return isBelieved
    }

    private static let unsigned = VerificationError(.unsignedEvidence, "the evidence bears no signature")
    private static let nested = VerificationError(.malformed, "a notification inside another is no evidence")

    /// Adds what another call has presented.
    mutating func add(_ other: PresentedEvidence) {
        facts += other.facts
        doubts += other.doubts
        failures += other.failures
        notifications += other.notifications
        ignored += other.ignored
    }
}
