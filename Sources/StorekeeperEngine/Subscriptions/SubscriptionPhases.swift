/// A phase of the time during which a subscription transaction is the current transaction of its chain.
struct SubscriptionPhase: Equatable, Sendable {
    /// The beginning of the phase.
    var from: Instant
    var state: RenewalState
    var access: AccessState
    /// The renewal info that holds during the phase.
    var info: RenewalInfoFact?
    /// The renewal info whose statements about a failed renewal hold during the phase; `nil` before the expiry.
    var failure: RenewalInfoFact?

    /// Access or the loss of access during a phase, with the reason.
    enum AccessState: Equatable, Sendable {
        case entitled(EntitlementAnswer.EntitledReason)
        case lapsed(EntitlementAnswer.LapsedReason)

        var isEntitled: Bool { lapsedReason == nil }
        var lapsedReason: EntitlementAnswer.LapsedReason? { if case .lapsed(let reason) = self { reason } else { nil } }
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
    ///   - course: The renewal infos that apply to this transaction.
    ///   - isReplaced: Whether another line of service replaces the line of the transaction.
    ///   - phases: The array whose content is replaced by the phases.
    func find(
        of fact: TransactionFact, from beginning: Instant, to end: Instant, course: RenewalCourse?, isReplaced: Bool,
        in phases: inout [SubscriptionPhase]
    ) {
        let expiry = fact.periodEnd
        phases.removeAll(keepingCapacity: true)
        // Until the line of service in the bundle is known, the period continues, as after an upgrade.
        let awaitsBundle =
            fact.revokedAt != nil && fact.transaction.revocationReason == .upgradedToBundle && !isReplaced
        /// Adds the phases of one step, which lasts until the next one.
        func addPhases(_ step: RenewalCourse.Step, until next: Instant) {
            guard step.from < end, next > beginning else { return }
            var from = max(step.from, beginning)
            /// Adds a phase, which ends at a limit or with the step.
            func add(_ state: RenewalState, _ access: SubscriptionPhase.AccessState, until limit: Instant) {
                guard from < min(limit, next, end) else { return }
                phases.append(
                    SubscriptionPhase(
                        from: from, state: state, access: access, info: step.info, failure: step.failure))
                from = limit
            }
            if step.from < expiry {
                add(.subscribed, .entitled(.active), until: next)
            } else if fact.isUpgraded {
                add(.expired, .lapsed(.upgraded), until: next)
            } else if awaitsBundle {
                add(.expired, .lapsed(.movedToBundle), until: next)
            } else {
                addPhasesAfterExpiry(of: fact, step, add)
            }
        }
        if let steps = course?.steps {
            for (index, step) in steps.enumerated() {
                addPhases(step, until: index + 1 < steps.count ? steps[index + 1].from : .distantFuture)
            }
        } else {
            addPhases(RenewalCourse.Step(from: .distantPast), until: expiry)
            addPhases(RenewalCourse.Step(from: expiry), until: .distantFuture)
        }
        if let revokedAt = fact.revokedAt, !awaitsBundle, case let from = max(revokedAt, beginning), from < end {
            markRevoked(from: from, fact.transaction.revocationLapse(isReplaced: isReplaced), &phases)
        }
    }

    /// Adds the phases of one step after the end of a transaction's period.
    private func addPhasesAfterExpiry(
        of fact: TransactionFact, _ step: RenewalCourse.Step,
        _ add: (RenewalState, SubscriptionPhase.AccessState, _ limit: Instant) -> Void
    ) {
        let failure = step.failure?.renewalInfo
        if let graceEnd = step.graceEnd {
            add(
                .inGracePeriod, policy.gracePeriodEntitles ? .entitled(.gracePeriod) : .lapsed(.billingRetry), graceEnd)
        }
        if failure?.isInBillingRetry == true {
            add(
                .inBillingRetryPeriod,
                policy.billingRetryEntitles ? .entitled(.gracePeriod) : .lapsed(.billingRetry),
                fact.transaction.billingRetryEnd)
        }
        if failure?.reportsFailure(of: fact) != true, step.info?.renewalInfo.willAutoRenew == true {
            add(.expired, .entitled(.renewalLeeway), fact.periodEnd.advanced(by: policy.renewalLeeway))
        }
        add(.expired, .lapsed(.expired), .distantFuture)
    }

    /// Marks the phases from a revocation on as revoked.
    private func markRevoked(
        from instant: Instant, _ reason: EntitlementAnswer.LapsedReason, _ phases: inout [SubscriptionPhase]
    ) {
        guard let first = phases.lastIndex(where: { $0.from <= instant }) else { return }
        if phases[first].from < instant {
            phases.insert(phases[first], at: first + 1)
            phases[first + 1].from = instant
        }
        for index in phases.indices where phases[index].from >= instant {
            phases[index].state = .revoked
            phases[index].access = .lapsed(reason)
        }
    }
}

extension Transaction {
    /// The instant of the App Store's first attempt to renew the transaction.
    var renewalFirstTriedAt: Instant { subscriptionPeriodEnd.adding(days: -1) }

    /// Returns the reason for the lapse that a revocation of this transaction causes.
    ///
    /// - Parameter isReplaced: Whether another line of service names this transaction's line as the previous one.
    package func revocationLapse(isReplaced: Bool = false) -> EntitlementAnswer.LapsedReason {
        if isReplaced || revocationReason == .upgradedToBundle { return .movedToBundle }
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

    /// The end of the grace period that the info names; `nil` if it names none, or if the customer gave up.
    var gracePeriodEnd: Instant? { indicatesGivenUp ? nil : gracePeriodExpiresAt }

    /// Returns whether the info says that the renewal after a transaction failed.
    func reportsFailure(of fact: TransactionFact) -> Bool {
        isInBillingRetry || expirationReason != nil || namesGracePeriod(after: fact)
    }

    /// Returns whether the info names the end of a grace period that follows a transaction.
    func namesGracePeriod(after fact: TransactionFact) -> Bool {
        gracePeriodExpiresAt.map { $0 > fact.periodEnd } ?? false
    }

    /// Whether the customer gave up the subscription: auto-renewal is off, and billing is not retried.
    ///
    /// If the info does not say whether billing is retried, the expiration reason must be that the customer turned
    /// auto-renewal off.
    var indicatesGivenUp: Bool {
        autoRenewStatus == .off && !(billingRetryFlag ?? (expirationReason != .autoRenewDisabled))
    }
}
