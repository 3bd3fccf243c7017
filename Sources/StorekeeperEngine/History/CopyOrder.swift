package import FoundationEssentials

/// Which of two copies of one fact is right.
///
/// The copy signed later. Copies signed at the same millisecond are told apart by their content, the
/// more restrictive first, so that the order of arrival never decides.
///
/// - SeeAlso: Apple, "App Store Server API: signedDate".
package enum CopyOrder {
    /// Whether a copy of a transaction takes the place of another.
    package static func supersedes(_ new: Transaction, _ old: Transaction) -> Bool {
        if new.signedAt != old.signedAt { return new.signedAt > old.signedAt }
        if (new.revokedAt == nil) != (old.revokedAt == nil) { return new.revokedAt != nil }
        if let newDate = new.revokedAt, let oldDate = old.revokedAt, newDate != oldDate { return newDate < oldDate }
        let (newShare, oldShare) = (new.revocationPercentage ?? 100_000, old.revocationPercentage ?? 100_000)
        if newShare != oldShare { return newShare > oldShare }
        if new.isUpgraded != old.isUpgraded { return new.isUpgraded }
        // A subscription without an expiry gives no access at all, so none is the earliest.
        let (newEnd, oldEnd) = (new.expiresAt ?? .distantPast, old.expiresAt ?? .distantPast)
        if newEnd != oldEnd { return newEnd < oldEnd }
        return hasGreaterPayload(new.source, old.source)
    }

    /// Whether a copy of a renewal info takes the place of another.
    ///
    /// Among equals the one that gives less: given up, no grace or a shorter one, no retry, no renewal.
    package static func supersedes(_ new: RenewalInfo, _ old: RenewalInfo) -> Bool {
        if new.signedAt != old.signedAt { return new.signedAt > old.signedAt }
        if new.saysGivenUp != old.saysGivenUp { return new.saysGivenUp }
        let (newGrace, oldGrace) = (
            new.gracePeriodExpiresAt ?? .distantPast, old.gracePeriodExpiresAt ?? .distantPast
        )
        if newGrace != oldGrace { return newGrace < oldGrace }
        if new.isInBillingRetry != old.isInBillingRetry { return !new.isInBillingRetry }
        if new.willAutoRenew != old.willAutoRenew { return !new.willAutoRenew }
        return hasGreaterPayload(new.source, old.source)
    }

    /// Whether an account token takes the place of another of its chain; of two signed at once the greater text does.
    package static func supersedes(
        _ new: (token: UUID, signedAt: Instant), _ old: (token: UUID, signedAt: Instant)
    ) -> Bool {
        new.signedAt == old.signedAt ? new.token.uuidString > old.token.uuidString : new.signedAt > old.signedAt
    }

    private static func hasGreaterPayload(_ new: EvidenceSource, _ old: EvidenceSource) -> Bool {
        old.payload.lexicographicallyPrecedes(new.payload)
    }
}
