import Storekeeper

extension World {
    /// Begins the next period of a subscription after a purchase, a renewal or a recovered payment.
    ///
    /// The period has the product, plan and offer that the subscription stores for its next period.
    ///
    /// - Parameters:
    ///   - place: The subscription.
    ///   - start: The start of the period.
    ///   - isRenewal: Whether the period is an automatic renewal.
    ///   - kind: The kind of happening.
    ///   - transaction: The transaction of the period, if it already exists.
    mutating func beginPeriod(
        _ place: RowIndex<Subscription>, at start: Instant, isRenewal: Bool, kind: HappeningKind,
        transaction: RowIndex<TransactionState>? = nil
    ) {
        var subscription = subscriptions[place]
        let (product, plan) = (subscription.followingProduct, subscription.followingPlan)
        let isChange = product != subscription.service.product || plan != subscription.service.plan
        let price = nextPrice(of: subscription)
        let commerceState = nextCommerce(of: subscription)
        let terms = apps[subscription.app].terms[product]
        let offer = nextOffer(of: subscription)
        let offerLength = offer.flatMap { apps[subscription.app].offers[$0].length }
        let length = offerLength ?? (plan == .monthly ? .month : commerceState?.period ?? terms.period)
        let isFirst = subscription.renewalRecord == nil
        let isWithinCommitment = subscription.isCommitted
        if !isFirst, isNewRun(after: subscription, at: start) { subscription.recentStart = start }
        // A purchase, or a payment after billing retry, restarts the counting of months, even if the new period begins
        // exactly at the end of the last period.
        let isContinued =
            isRenewal && subscription.service.phase != .retry && start == subscription.service.expiresAt
        if isFirst || isChange || !isContinued || length != subscription.anchorPeriod {
            subscription.anchor = start
            subscription.anchorPeriod = length
            subscription.periodsSinceAnchor = 0
        }
        subscription.periodsSinceAnchor += 1
        let end = apps[subscription.app].settings.pace.periodEnd(
            of: length, anchor: subscription.anchor, count: Int(subscription.periodsSinceAnchor))

        if isChange || isFirst {
            subscription.standardPrice = listPrice(of: product, plan: plan, app: subscription.app)
            subscription.clearPriceChanges()
            subscription.lastIncreaseAt = nil
            // An offer of the former product or plan does not apply if the customer later returns to this product or
            // plan.
            if offer == nil { subscription.clearOffers() }
        } else if !isWithinCommitment, offer == nil {
            // A changed price applies from the first period whose price is not determined by an offer.
            subscription.applyPriceChange()
        }
        subscription.service.product = product
        subscription.service.plan = plan
        subscription.service.phase = .active
        subscription.service.startedAt = start
        subscription.service.expiresAt = end
        subscription.service.graceEndsAt = nil
        subscription.service.retryEndsAt = nil
        subscription.service.expirationIntent = nil
        subscription.currentOffer = offer
        subscription.isFree = price == 0
        subscription.hasTriedEarly = false
        if offer != nil {
            subscription.offerPeriodsLeft -= 1
            if subscription.offerPeriodsLeft == 0 { subscription.promoteQueuedOffer(of: apps[subscription.app]) }
        }
        subscription.renewals = isRenewal ? subscription.renewals + 1 : 0
        if price ?? 0 > 0 { subscription.paidPeriods += 1 }
        countCommitment(of: &subscription, isRenewal: isRenewal, isChange: isChange || isFirst)

        let transaction = transaction ?? newTransaction(of: product, download: subscription.download)
        transactions[transaction].stage = .purchased
        if isRenewal, !isFirst, !isChange { link(transaction, renewing: subscription.current) }
        lastWebOrderLineItem += 1
        var record = TransactionRecord(
            transaction: transaction, original: subscription.original, download: subscription.download,
            subscription: place, product: product, storefront: accounts[subscription.account].storefront,
            token: subscription.token, offer: offer, webOrderLineItem: lastWebOrderLineItem,
            flags: isRenewal ? .isRenewal : [], plan: plan, purchasedAt: start, expiresAt: end, signedAt: now,
            price: price)
        if plan == .monthly {
            record.commitmentPeriod = subscription.service.commitmentPeriod
            record.commitmentExpiresAt = subscription.service.commitmentExpiresAt
            record.commitmentPrice = subscription.commitmentPrice
        }
        subscription.current = transaction
        subscriptions[place] = subscription
        if !renewalCommerce.isEmpty {
            commerce[transaction] = commerceState
            renewalCommerce[place] = commerceState
        }
        issue(record)
        log(kind, of: place)
        if subscription.isShared || terms.isShareable { shareNewPeriod(of: place, kind: kind) }
    }

    /// Returns whether service that begins at an instant sets a new `recentStart`, because the customer had no paid
    /// service for 60 days at the app's pace.
    ///
    /// - SeeAlso: Apple, "App Store Server API: recentSubscriptionStartDate".
    func isNewRun(after subscription: Subscription, at start: Instant) -> Bool {
        let limit = apps[subscription.app].settings.pace.scaled(60 * RenewalPace.day)
        return start.milliseconds(since: subscription.paidUntil) >= limit
    }

    /// Returns the next event that time alone causes for a subscription; `nil` for an ended subscription or a family
    /// member's copy.
    func due(of place: RowIndex<Subscription>) -> DueEvent? {
        let subscription = subscriptions[place]
        guard subscription.sharedFrom == nil else { return nil }
        let service = subscription.service
        let at: Instant
        switch service.phase {
        case .active:
            let isEarly =
                service.autoRenews && !subscription.hasTriedEarly && apps[subscription.app].settings.chargesEarly
            at = isEarly ? service.expiresAt.adding(milliseconds: -day(of: subscription)) : service.expiresAt
        case .grace: at = min(service.graceEndsAt ?? service.expiresAt, subscription.nextCharge ?? .distantFuture)
        case .retry: at = min(service.retryEndsAt ?? service.expiresAt, subscription.nextCharge ?? .distantFuture)
        case .expired, .revoked: return nil
        }
        return DueEvent(
            at: max(at, now), account: subscription.account,
            subject: .subscription(place, stamp: subscription.stamp))
    }

    /// Schedules the next event of a subscription, and makes the previously scheduled event invalid.
    mutating func reschedule(_ place: RowIndex<Subscription>) {
        subscriptions[place].stamp &+= 1
        if let event = due(of: place) { queue.push(event) }
    }
}

extension Subscription {
    /// Applies the agreed higher price or the planned lower price from now on.
    fileprivate mutating func applyPriceChange() {
        if priceIncrease == .agreed {
            standardPrice = increasedPrice
            increasedPrice = nil
            priceIncrease = .none
        } else if let lower = nextCommitmentPrice {
            standardPrice = lower
        }
        nextCommitmentPrice = nil
    }
}
