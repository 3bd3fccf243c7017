package import FoundationEssentials

/// The rule that decides which of two copies (signed versions) of one fact counts.
///
/// The copy signed later counts. If both were signed at the same millisecond, the more restrictive copy counts, so that
/// the order of arrival has no effect. A signed copy always supersedes a copy from a receipt, whatever their dates.
///
/// - SeeAlso: Apple, "App Store Server API: signedDate".
package enum CopyOrder {
    /// Returns whether a copy of a transaction supersedes another.
    package static func supersedes(_ new: Transaction, _ old: Transaction) -> Bool {
        if new.isFromReceipt != old.isFromReceipt { return old.isFromReceipt }
        if new.signedAt != old.signedAt { return new.signedAt > old.signedAt }
        if (new.revokedAt == nil) != (old.revokedAt == nil) { return new.revokedAt != nil }
        if let newDate = new.revokedAt, let oldDate = old.revokedAt, newDate != oldDate { return newDate < oldDate }
        let (newShare, oldShare) = (new.revocationPercentage ?? 100_000, old.revocationPercentage ?? 100_000)
        if newShare != oldShare { return newShare > oldShare }
        if new.isUpgraded != old.isUpgraded { return new.isUpgraded }
        // A subscription without an expiry gives no access at all, so a missing expiry counts as the earliest possible
        // expiry.
        let (newEnd, oldEnd) = (new.expiresAt ?? .distantPast, old.expiresAt ?? .distantPast)
        if newEnd != oldEnd { return newEnd < oldEnd }
        return hasGreaterPayload(new.source, old.source)
    }

    /// Returns whether a copy of a renewal info supersedes another.
    ///
    /// The copy signed later supersedes the other. If both were signed at the same time, the copy that gives less
    /// access supersedes the other. The copies are compared by these conditions, in this order; a copy that meets a
    /// condition supersedes a copy that does not:
    /// - The customer gave up the subscription.
    /// - The grace period is missing or ends earlier.
    /// - Billing is not retried.
    /// - Auto-renewal is off.
    package static func supersedes(_ new: RenewalInfo, _ old: RenewalInfo) -> Bool {
        if new.signedAt != old.signedAt { return new.signedAt > old.signedAt }
        if new.indicatesGivenUp != old.indicatesGivenUp { return new.indicatesGivenUp }
        let (newGrace, oldGrace) = (
            new.gracePeriodExpiresAt ?? .distantPast, old.gracePeriodExpiresAt ?? .distantPast
        )
        if newGrace != oldGrace { return newGrace < oldGrace }
        if new.isInBillingRetry != old.isInBillingRetry { return !new.isInBillingRetry }
        if new.willAutoRenew != old.willAutoRenew { return !new.willAutoRenew }
        return hasGreaterPayload(new.source, old.source)
    }

    /// Returns whether an account token supersedes another token of its chain.
    ///
    /// The token signed later supersedes the other. If both were signed at the same time, the token that is greater as
    /// text supersedes the other.
    package static func supersedes(
        _ new: (token: UUID, signedAt: Instant), _ old: (token: UUID, signedAt: Instant)
    ) -> Bool {
        new.signedAt == old.signedAt ? new.token.uuidString > old.token.uuidString : new.signedAt > old.signedAt
    }

    private static func hasGreaterPayload(_ new: EvidenceSource, _ old: EvidenceSource) -> Bool {
        old.payload.lexicographicallyPrecedes(new.payload)
    }
}
