import Storekeeper

extension World {
    /// Advances time to an instant.
    mutating func advance(to instant: Instant) throws(SimulatorError) {
        guard instant >= now else {
            throw SimulatorError(.timeRunsForward, "the time is already \(now); it cannot go back to \(instant)")
        }
        try checkNumberOfRenewals(until: instant)
        while let event = queue.peek, event.at <= instant { process(event) }
        now = instant
    }

    /// The maximum number of renewals of one subscription in one command.
    ///
    /// More renewals would mean that the pace was chosen by mistake.
    static let renewalLimit = 10_000

    /// Checks that a command does not renew a subscription too often.
    private func checkNumberOfRenewals(until instant: Instant) throws(SimulatorError) {
        for place in apps.indices {
            let pace = apps[place].settings.pace
            let span = instant.milliseconds(since: now)
            // The shortest possible period at this pace is an offer's period of one day.
            let shortest = pace.periodEnd(of: .day, anchor: now, count: 1).milliseconds(since: now)
            guard shortest > 0, span / shortest > Int64(Self.renewalLimit), pace.maximumRenewals == nil else {
                continue
            }
            for subscription in subscriptions where subscription.app == place && subscription.isInService {
                let end = pace.periodEnd(
                    of: subscription.anchorPeriod, anchor: max(now, subscription.service.expiresAt),
                    count: Self.renewalLimit)
                guard subscription.service.autoRenews, end < instant else { continue }
                throw SimulatorError(
                    .tooManyEvents,
                    "a subscription would renew more than 10,000 times until \(instant); advance in smaller steps")
            }
        }
    }

    private mutating func process(_ event: DueEvent) {
        switch event.subject {
        case .askToBuy(let transaction):
            queue.popMin()
            now = max(now, event.at)
            timeOutAskToBuy(transaction)
        case .subscription(let place, let stamp):
            guard subscriptions[place].stamp == stamp else {
                queue.popMin()
                return
            }
            now = max(now, event.at)
            processPeriodEnd(of: place)
            subscriptions[place].stamp &+= 1
            let next = due(of: place)
            // The next renewal replaces this event at the head of the queue, unless another event is now at the head.
            if queue.peek == event {
                if let next { queue.replaceMin(next) } else { queue.popMin() }
            } else if let next {
                queue.push(next)
            }
        }
    }

    /// The next instant at which time alone causes an event; `nil` if no event is scheduled.
    var nextEvent: Instant? { nextDue.map { max($0.at, now) } }

    /// The next event that time alone causes; `nil` if no event is scheduled.
    var nextDue: DueEvent? {
        // Invalid events stay in the queue until they are due, so skip them in a copy of the queue.
        var queue = queue
        while let event = queue.peek {
            if isValid(event) { return event }
            queue.popMin()
        }
        return nil
    }

    /// Removes invalid events at the head of the queue, so that ``nextEvent`` needs no copy of the queue.
    mutating func removeVoidEvents() {
        while let event = queue.peek, !isValid(event) { queue.popMin() }
    }

    private func isValid(_ event: DueEvent) -> Bool {
        switch event.subject {
        case .askToBuy(let transaction): waiting[transaction] != nil
        case .subscription(let place, let stamp): subscriptions[place].stamp == stamp
        }
    }

    /// Processes the end of a period, of a grace period or of billing retry.
    mutating func processPeriodEnd(of place: RowIndex<Subscription>) {
        switch subscriptions[place].service.phase {
        case .active: renewOrEnd(place)
        case .grace:
            if chargeAgain(place) { return }
            guard now >= subscriptions[place].service.graceEndsAt ?? now else { return }
            subscriptions[place].service.phase = .retry
            log(.graceEnded, of: place)
            shareChange(of: place, kind: .graceEnded)
        case .retry:
            if chargeAgain(place) { return }
            guard now >= subscriptions[place].service.retryEndsAt ?? now else { return }
            end(place, as: .expiredInBillingRetry)
        case .expired, .revoked: break
        }
    }

    private mutating func renewOrEnd(_ place: RowIndex<Subscription>) {
        let subscription = subscriptions[place]
        let isEarly = now < subscription.service.expiresAt
        if let ending = ending(of: subscription) {
            if isEarly { subscriptions[place].hasTriedEarly = true } else { end(place, as: ending) }
        } else if paymentFails(for: subscription) {
            if isEarly { subscriptions[place].hasTriedEarly = true } else { failPayment(of: place) }
        } else {
            beginPeriod(place, at: subscription.service.expiresAt, isRenewal: true, kind: .renewed)
        }
    }

    /// Returns the reason why a subscription will end even if the payment succeeds; `nil` if the subscription will
    /// continue.
    func ending(of subscription: Subscription) -> HappeningKind? {
        let service = subscription.service
        if !service.autoRenews {
            return subscription.priceIncrease == .declined ? .expiredByPriceIncrease : .expiredVoluntarily
        }
        let (product, plan) = (subscription.followingProduct, subscription.followingPlan)
        // Consent is not required for a price that the customer will not pay. The payments of a commitment keep their
        // price, an offer sets another price, and a product that the customer has chosen meanwhile has its own price.
        let isAffected =
            !subscription.isCommitted && product == service.product && plan == service.plan
            && nextOffer(of: subscription) == nil
        if subscription.priceIncrease == .pending, isAffected { return .expiredByPriceIncrease }
        if !apps[subscription.app].terms[product].isForSale { return .expiredNotForSale }
        if let limit = apps[subscription.app].settings.pace.maximumRenewals, subscription.renewals >= limit {
            return .expiredVoluntarily
        }
        return nil
    }

    func paymentFails(for subscription: Subscription) -> Bool {
        accounts[subscription.account].paymentsFail
            || apps[subscription.app].settings.entersBillingRetryOnRenewal
    }

    /// Ends a subscription.
    mutating func end(_ place: RowIndex<Subscription>, as kind: HappeningKind) {
        subscriptions[place].service.phase = .expired
        subscriptions[place].service.lapsedAt = now
        subscriptions[place].service.autoRenews = false
        // The end of a subscription ends its commitment, and no other commitment follows.
        subscriptions[place].service.commitmentRenews = false
        subscriptions[place].nextCharge = nil
        subscriptions[place].clearOffers()
        subscriptions[place].service.expirationIntent =
            switch kind {
            case .expiredInBillingRetry: ExpirationReason.billingError.rawValue
            case .expiredByPriceIncrease: ExpirationReason.didNotConsentToPriceIncrease.rawValue
            case .expiredNotForSale: ExpirationReason.productUnavailable.rawValue
            default: ExpirationReason.autoRenewDisabled.rawValue
            }
        log(kind, of: place)
        shareChange(of: place, kind: kind)
    }

    // MARK: Billing

    /// Begins a grace period after an unpaid renewal, or stops service.
    mutating func failPayment(of place: RowIndex<Subscription>) {
        let subscription = subscriptions[place]
        let settings = apps[subscription.app].settings
        let isCommitment = subscription.service.plan == .monthly
        let end = subscription.service.expiresAt
        subscriptions[place].service.expirationIntent = ExpirationReason.billingError.rawValue
        subscriptions[place].service.retryEndsAt = end.adding(
            milliseconds: settings.pace.retryLength(isCommitment: isCommitment))
        subscriptions[place].nextCharge =
            settings.retriesDaily ? now.adding(milliseconds: day(of: subscription)) : nil
        let kind: HappeningKind
        if let length = settings.gracePeriod, !isCommitment,
            settings.gracePeriodFollowsFreeOffers || !subscription.isFree
        {
            let period = apps[subscription.app].terms[subscription.service.product].period
            subscriptions[place].service.phase = .grace
            subscriptions[place].service.graceEndsAt = end.adding(
                milliseconds: settings.pace.graceLength(of: period, setting: length))
            kind = .graceStarted
        } else {
            subscriptions[place].service.phase = .retry
            kind = .billingRetryStarted
        }
        log(kind, of: place)
        shareChange(of: place, kind: kind)
    }

    /// Returns the length of a day at the pace of the subscription's app, in milliseconds.
    func day(of subscription: Subscription) -> Int64 { apps[subscription.app].settings.pace.scaled(86_400_000) }

    /// Charges again if daily retries are on and a retry is due.
    ///
    /// - Returns: `true` if a charge was attempted; the event then needs no further processing.
    private mutating func chargeAgain(_ place: RowIndex<Subscription>) -> Bool {
        let subscription = subscriptions[place]
        let service = subscription.service
        guard let next = subscription.nextCharge, now >= next else { return false }
        // At the exact end of the grace period or of billing retry, no charge is attempted any more.
        if service.phase == .retry, now >= service.retryEndsAt ?? now { return false }
        if service.phase == .grace, now >= service.graceEndsAt ?? now { return false }
        let recovers = random.happens(apps[subscription.app].settings.recoveryChance)
        if paymentFails(for: subscription), !recovers {
            subscriptions[place].nextCharge = next.adding(milliseconds: day(of: subscription))
        } else {
            recover(place)
        }
        return true
    }

    /// Begins a period because a retried payment has succeeded.
    ///
    /// In a grace period, the new period begins at the end of the last period. In billing retry, it begins now.
    ///
    /// - Parameter transaction: The transaction of the new period, if it already exists.
    mutating func recover(_ place: RowIndex<Subscription>, transaction: RowIndex<TransactionState>? = nil) {
        let service = subscriptions[place].service
        let start = service.phase == .grace ? service.expiresAt : now
        subscriptions[place].nextCharge = nil
        beginPeriod(place, at: start, isRenewal: true, kind: .recovered, transaction: transaction)
        announceIncrease(of: place)
    }
}
