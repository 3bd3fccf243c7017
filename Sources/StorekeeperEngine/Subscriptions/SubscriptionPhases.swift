/// A phase of a subscription transaction, from its purchase on, while it is the current one.
struct SubscriptionPhase: Equatable, Sendable {
    /// The beginning of the phase.
    var from: Instant
    var state: RenewalState
    var access: AccessState

    /// The meaning of a phase for access.
    enum AccessState: Equatable, Sendable {
        case entitled(EntitlementAnswer.EntitledReason)
        case lapsed(EntitlementAnswer.LapsedReason)
    }
}

/// The rules of a single subscription transaction.
struct SubscriptionPhases {
    let policy: EntitlementPolicy

    /// Finds the phases of a transaction, in order, the first from its beginning on.
    ///
    /// - Parameters:
    ///   - beginning: The instant from which it is the current one.
    ///   - end: The instant until which it is current; no phase begins later.
    ///   - outlook: The outlook of the renewal infos that apply to this transaction.
    ///   - phases: Receives the phases; its content is replaced.
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
            // Another transaction takes over before anything can lapse.
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
    /// The instant of the App Store's first attempt to renew it.
    fileprivate var renewalFirstTriedAt: Instant { subscriptionPeriodEnd.adding(days: -1) }

    /// The reason of the lapse that a revocation of this transaction causes.
    package var revocationLapse: EntitlementAnswer.LapsedReason {
        if revocationType == .assignmentRevocation { return .assignmentEnded }
        if ownershipType == .familyShared || revocationType == .familyRevocation { return .familySharingEnded }
        return .refunded
    }
}

extension RenewalInfo {
    /// Returns the info if it can report the failed renewal that follows a transaction; else `nil`.
    ///
    /// The App Store first tries to bill 24 hours before the period ends. An info that was signed earlier describes the
    /// renewal before: a recovery in grace backdates its period to the end of the one before it.
    func ofFailedRenewal(after transaction: Transaction) -> RenewalInfo? {
        signedAt >= transaction.renewalFirstTriedAt ? self : nil
    }

    /// Returns whether a later signature makes it count where an equal earlier info does not: for the period of a
    /// transaction, or for how its renewal failed.
    package func countsForMore(than earlier: RenewalInfo, of transaction: Transaction) -> Bool {
        [transaction.purchasedAt, transaction.renewalFirstTriedAt].contains { earlier.signedAt < $0 && $0 <= signedAt }
    }

    /// Whether auto-renewal is off and billing is not retried, or, if retry is absent, the customer turned auto-renewal
    /// off: the customer gave up.
    var indicatesGivenUp: Bool {
        autoRenewStatus == .off && !(billingRetryFlag ?? (expirationReason != .autoRenewDisabled))
    }
}
