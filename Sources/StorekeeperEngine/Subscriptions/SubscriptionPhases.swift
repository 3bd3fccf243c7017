/// A phase of the time during which a subscription transaction is the current transaction of its chain.
struct SubscriptionPhase: Equatable, Sendable {
    /// The beginning of the phase.
    var from: Instant
    var state: RenewalState
    var access: AccessState

    /// Access or the loss of access during a phase, with the reason.
    enum AccessState: Equatable, Sendable {
        case entitled(EntitlementAnswer.EntitledReason)
        case lapsed(EntitlementAnswer.LapsedReason)
    }
}

/// The rules that divide the time of a single subscription transaction into phases.
struct SubscriptionPhases {
    let policy: EntitlementPolicy

    /// Finds the phases of a transaction in order of time; the first phase begins with the transaction.
    ///
    /// - Parameters:
    ///   - beginning: The instant from which the transaction is the current one.
    ///   - end: The instant until which the transaction is the current one, exclusive; all phases begin earlier.
    ///   - outlook: The renewal info and the grace period that apply to this transaction.
    ///   - phases: The array whose content is replaced by the phases.
    func find(
        of fact: TransactionFact, from beginning: Instant, to end: Instant, outlook: RenewalOutlook?,
        in phases: inout [SubscriptionPhase]
    ) {
        let expiry = fact.periodEnd
        phases.removeAll(keepingCapacity: true)
        func add(_ state: RenewalState, _ standing: SubscriptionPhase.AccessState, from instant: Instant) {
            let from = max(instant, beginning)
            while let last = phases.last, last.from >= from { phases.removeLast() }
            phases.append(SubscriptionPhase(from: from, state: state, access: standing))
        }
        add(.subscribed, .entitled(.active), from: beginning)
        if expiry >= end {
            // The next transaction becomes the current one before the period ends, so access does not lapse.
        } else if fact.isUpgraded {
            add(.expired, .lapsed(.upgraded), from: expiry)
        } else {
            for phase in afterExpiry(of: fact, outlook: outlook) { add(phase.state, phase.access, from: phase.from) }
        }
        if let revokedAt = fact.revokedAt {
            let from = max(revokedAt, beginning)
            phases.removeAll { $0.from >= from }
            add(.revoked, .lapsed(fact.transaction.revocationLapse), from: from)
        }
        while let last = phases.last, last.from >= end { phases.removeLast() }
    }

    private func afterExpiry(of fact: TransactionFact, outlook: RenewalOutlook?) -> [SubscriptionPhase] {
        let expiry = fact.periodEnd
        let info = outlook?.info.renewalInfo
        var phases: [SubscriptionPhase] = []
        var end = expiry
        if let graceEnd = outlook?.graceEnd {
            phases.append(
                SubscriptionPhase(
                    from: expiry, state: .inGracePeriod,
                    access: policy.gracePeriodEntitles ? .entitled(.gracePeriod) : .lapsed(.billingRetry)))
            end = graceEnd
        }
        let failure = info?.ofFailedRenewal(after: fact.transaction)
        if failure?.isInBillingRetry == true, fact.transaction.billingRetryEnd > end {
            phases.append(
                SubscriptionPhase(
                    from: end, state: .inBillingRetryPeriod,
                    access: policy.billingRetryEntitles ? .entitled(.gracePeriod) : .lapsed(.billingRetry)))
            end = fact.transaction.billingRetryEnd
        }
        if phases.isEmpty, let info, info.willAutoRenew, failure?.expirationReason == nil, policy.renewalLeeway > .zero
        {
            phases.append(
                SubscriptionPhase(from: expiry, state: .expired, access: .entitled(.renewalLeeway)))
            end = expiry.advanced(by: policy.renewalLeeway)
        }
        phases.append(SubscriptionPhase(from: end, state: .expired, access: .lapsed(.expired)))
        return phases
    }
}

extension Transaction {
    /// The instant of the App Store's first attempt to renew the transaction.
    fileprivate var renewalFirstTriedAt: Instant { subscriptionPeriodEnd.adding(days: -1) }

    /// The reason for the lapse that a revocation of this transaction causes.
    package var revocationLapse: EntitlementAnswer.LapsedReason {
        if revocationType == .assignmentRevocation { return .assignmentEnded }
        if ownershipType == .familyShared || revocationType == .familyRevocation { return .familySharingEnded }
        return .refunded
    }
}

extension RenewalInfo {
    /// Returns the info if it can report the failure of the renewal that follows a transaction; `nil` if it cannot.
    ///
    /// The App Store first tries to bill 24 hours before the period ends. An info that was signed earlier reports the
    /// failure of the previous renewal. Such an info may nevertheless apply to this transaction, because a renewal that
    /// succeeds in a grace period is backdated to the end of the previous period.
    func ofFailedRenewal(after transaction: Transaction) -> RenewalInfo? {
        signedAt >= transaction.renewalFirstTriedAt ? self : nil
    }

    /// Returns whether this info can apply to a transaction in cases in which an earlier info with equal values cannot.
    ///
    /// An info can be about the period of a transaction if it was signed at or after the purchase. An info can report
    /// that the renewal failed if it was signed at or after the first attempt to renew. Therefore this info can apply
    /// in more cases than the earlier info if the purchase or the first attempt is between the signing times of the two
    /// infos.
    package func countsForMore(than earlier: RenewalInfo, of transaction: Transaction) -> Bool {
        [transaction.purchasedAt, transaction.renewalFirstTriedAt].contains { earlier.signedAt < $0 && $0 <= signedAt }
    }

    /// Whether the customer gave up the subscription: auto-renewal is off, and billing is not retried.
    ///
    /// If the info does not say whether billing is retried, the expiration reason must be that the customer turned
    /// auto-renewal off.
    var indicatesGivenUp: Bool {
        autoRenewStatus == .off && !(billingRetryFlag ?? (expirationReason != .autoRenewDisabled))
    }
}
