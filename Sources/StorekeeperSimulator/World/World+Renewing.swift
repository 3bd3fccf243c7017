import Storekeeper

extension World {
    /// Lets time pass up to an instant.
    mutating func advance(to instant: Instant) throws(SimulatorError) {
        guard instant >= now else {
            throw SimulatorError(.timeRunsForward, "it is \(now) already; time cannot go back to \(instant)")
        }
        try checkNumberOfRenewals(until: instant)
        while let event = queue.peek, event.at <= instant { process(event) }
        now = instant
    }

    /// How often one command may renew a subscription: who asks for more has mistaken the pace.
    static let renewalLimit = 10_000

    /// One command may not renew a subscription without end.
    private func checkNumberOfRenewals(until instant: Instant) throws(SimulatorError) {
        for (place, app) in apps.enumerated() {
            let span = instant.milliseconds(since: now)
            // The shortest there is at this pace: a day of an offer.
            guard let day = PeriodLength(SubscriptionPeriod("P1D")) else { continue }
            let shortest = app.settings.pace.periodEnd(of: day, anchor: now, count: 1).milliseconds(since: now)
            guard shortest > 0, span / shortest > Int64(Self.renewalLimit) else { continue }
            for line in lines where line.app == place && line.isInService {
                let end = app.settings.pace.periodEnd(
                    of: line.anchorPeriod, anchor: max(now, line.expiresAt), count: Self.renewalLimit)
                guard line.autoRenews, end < instant, app.settings.pace.maximumRenewals == nil else { continue }
                throw SimulatorError(
                    .tooManyEvents,
                    "a subscription would renew more than 10,000 times until \(instant); advance in smaller steps")
            }
        }
    }

    private mutating func process(_ event: DueEvent) {
        if event.kind == DueKind.guardianTimeout.rawValue {
            queue.popMin()
            now = max(now, event.at)
            timeOutGuardian(of: event.subject)
            return
        }
        guard lines[Int(event.line)].stamp == event.stamp else {
            queue.popMin()
            return
        }
        now = max(now, event.at)
        periodEnds(event.line)
        lines[Int(event.line)].stamp &+= 1
        let next = due(of: event.line)
        // The next renewal takes the place of this one, unless something was put in front of it meanwhile.
        if queue.peek == event {
            if let next { queue.replaceMin(next) } else { queue.popMin() }
        } else if let next {
            queue.push(next)
        }
    }

    /// What happens at the end of a period, of a grace period or of billing retry.
    mutating func periodEnds(_ place: Int32) {
        switch lines[Int(place)].phase {
        case .active: renewOrEnd(place)
        case .grace:
            if chargesAgain(place) { return }
            guard now >= lines[Int(place)].graceEndsAt ?? now else { return }
            lines[Int(place)].phase = .retry
            tell(.graceEnded, of: place)
            share(changeOf: place, kind: .graceEnded)
        case .retry:
            if chargesAgain(place) { return }
            guard now >= lines[Int(place)].retryEndsAt ?? now else { return }
            end(place, as: .expiredInBillingRetry)
        case .expired, .revoked: break
        }
    }

    private mutating func renewOrEnd(_ place: Int32) {
        let line = lines[Int(place)]
        let isEarly = now < line.expiresAt
        if let ending = ending(of: line) {
            if isEarly { lines[Int(place)].hasTriedEarly = true } else { end(place, as: ending) }
        } else if paymentFails(for: line) {
            if isEarly { lines[Int(place)].hasTriedEarly = true } else { failPayment(of: place) }
        } else {
            beginPeriod(place, at: line.expiresAt, isRenewal: true, kind: .renewed)
        }
    }

    /// Why a subscription does not go on; `nil` where it does, if it is paid.
    private func ending(of line: SubscriptionLine) -> HappeningKind? {
        if !line.autoRenews { return line.priceIncrease == .declined ? .expiredByPriceIncrease : .expiredVoluntarily }
        // Nobody has to agree to a price that they will not pay: the payments of a commitment go on at its own, and a
        // product chosen meanwhile has another.
        let isAffected = !line.isCommitted && line.followingProduct == line.product && line.followingPlan == line.plan
        if line.priceIncrease == .pending, isAffected { return .expiredByPriceIncrease }
        if !apps[Int(line.app)].terms[Int(line.followingProduct)].isForSale { return .expiredNotForSale }
        if let limit = apps[Int(line.app)].settings.pace.maximumRenewals, line.renewals >= limit {
            return .expiredVoluntarily
        }
        return nil
    }

    func paymentFails(for line: SubscriptionLine) -> Bool {
        accounts[Int(line.account)].paymentsFail || apps[Int(line.app)].settings.entersBillingRetryOnRenewal
    }

    /// Ends a subscription.
    mutating func end(_ place: Int32, as kind: HappeningKind) {
        lines[Int(place)].phase = .expired
        lines[Int(place)].lapsedAt = now
        lines[Int(place)].autoRenews = false
        // Whatever ends a subscription ends its commitment, and none follows.
        lines[Int(place)].commitmentRenews = false
        lines[Int(place)].nextCharge = nil
        lines[Int(place)].dropOffers()
        lines[Int(place)].expirationIntent =
            switch kind {
            case .expiredInBillingRetry: ExpirationReason.billingError.rawValue
            case .expiredByPriceIncrease: ExpirationReason.didNotConsentToPriceIncrease.rawValue
            case .expiredNotForSale: ExpirationReason.productUnavailable.rawValue
            default: ExpirationReason.autoRenewDisabled.rawValue
            }
        tell(kind, of: place)
        share(changeOf: place, kind: kind)
    }

    // MARK: Billing

    /// A renewal was not paid: a grace period begins, or service stops.
    mutating func failPayment(of place: Int32) {
        let line = lines[Int(place)]
        let settings = apps[Int(line.app)].settings
        let isCommitment = line.plan == .monthly
        lines[Int(place)].expirationIntent = ExpirationReason.billingError.rawValue
        lines[Int(place)].retryEndsAt = line.expiresAt.adding(
            milliseconds: settings.pace.retryLength(isCommitment: isCommitment))
        lines[Int(place)].nextCharge = settings.retriesDaily ? now.adding(milliseconds: day(line)) : nil
        let kind: HappeningKind
        if let length = settings.gracePeriod, !isCommitment, settings.gracePeriodFollowsFreeOffers || !line.isFree {
            let period = apps[Int(line.app)].terms[Int(line.product)].period
            lines[Int(place)].phase = .grace
            lines[Int(place)].graceEndsAt = line.expiresAt.adding(
                milliseconds: settings.pace.graceLength(of: period, setting: length))
            kind = .graceStarted
        } else {
            lines[Int(place)].phase = .retry
            kind = .billingRetryStarted
        }
        tell(kind, of: place)
        share(changeOf: place, kind: kind)
    }

    /// A day at the app's pace, in milliseconds.
    func day(_ line: SubscriptionLine) -> Int64 { apps[Int(line.app)].settings.pace.scaled(86_400_000) }

    /// Where renewals are charged again every day: does so when it is time.
    ///
    /// - Returns: Whether nothing else is to be done now.
    private mutating func chargesAgain(_ place: Int32) -> Bool {
        let line = lines[Int(place)]
        guard let next = line.nextCharge, now >= next else { return false }
        // The end of grace or retry itself counts as after it.
        if line.phase == .retry, now >= line.retryEndsAt ?? now { return false }
        if line.phase == .grace, now >= line.graceEndsAt ?? now { return false }
        let isLucky = random.happens(apps[Int(line.app)].settings.recoveryChance)
        if paymentFails(for: line), !isLucky {
            lines[Int(place)].nextCharge = next.adding(milliseconds: day(line))
        } else {
            recover(place)
        }
        return true
    }

    /// A payment succeeds at last: inside grace the next period follows the last one, after it begins now.
    ///
    /// - Parameter number: The number of the transaction, where it has one already.
    mutating func recover(_ place: Int32, number: Int32? = nil) {
        let line = lines[Int(place)]
        let start = line.phase == .grace ? line.expiresAt : now
        lines[Int(place)].nextCharge = nil
        beginPeriod(place, at: start, isRenewal: true, kind: .recovered, number: number)
    }
}

extension SubscriptionLine {
    /// Forgets the offers of periods that will not come.
    mutating func dropOffers() {
        offer = nil
        offerPeriodsLeft = 0
        queuedOffer = nil
    }
}
