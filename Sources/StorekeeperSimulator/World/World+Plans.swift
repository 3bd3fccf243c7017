import Storekeeper

extension World {
    /// The kind of a change from one product of a group to another.
    enum PlanChange { case same, upgrade, downgrade, crossgrade }

    func planChange(of subscription: Subscription, to product: RowIndex<ProductTerms>, plan: Plan) -> PlanChange {
        if product == subscription.service.product, plan == subscription.service.plan { return .same }
        let terms = apps[subscription.app].terms
        let (old, new) = (terms[subscription.service.product].level, terms[product].level)
        return new < old ? .upgrade : new > old ? .downgrade : .crossgrade
    }

    /// Moves an active subscription to another product, at once or at the end of its period.
    ///
    /// - Returns: The new transaction. If the change waits for the end of the period, returns the current transaction.
    mutating func change(
        _ place: RowIndex<Subscription>, to product: RowIndex<ProductTerms>, plan: Plan, offer: RowIndex<OfferTerms>?,
        transaction: RowIndex<TransactionState>?
    ) -> RowIndex<TransactionState> {
        let subscription = subscriptions[place]
        if isImmediate(place, to: product, plan: plan) {
            return changeNow(place, to: product, plan: plan, offer: offer, transaction: transaction)
        }
        if planChange(of: subscription, to: product, plan: plan) != .same {
            schedule(product, plan: plan, offer: offer, of: place)
        } else if subscription.service.nextProduct != product || subscription.service.nextPlan != plan {
            withdrawChange(of: place)
        }
        if let transaction { transactions[transaction].stage = .declined }
        return subscription.current
    }

    /// Returns whether a change to another product takes effect at once and is paid at once.
    func isImmediate(_ place: RowIndex<Subscription>, to product: RowIndex<ProductTerms>, plan: Plan) -> Bool {
        let subscription = subscriptions[place]
        // After an early charge, the paid next period has not begun yet. A change at the current time would begin
        // before the period that the change replaces.
        guard subscription.service.startedAt <= now else { return false }
        return switch planChange(of: subscription, to: product, plan: plan) {
        case .upgrade: true
        case .crossgrade: isSameDuration(subscription, product, plan)
        case .same, .downgrade: false
        }
    }

    private func isSameDuration(_ subscription: Subscription, _ product: RowIndex<ProductTerms>, _ plan: Plan) -> Bool {
        let (terms, service) = (apps[subscription.app].terms, subscription.service)
        return terms[service.product].period == terms[product].period && plan == service.plan && plan == .upFront
    }

    /// Begins the new product at once; the rest of the old period is refunded.
    private mutating func changeNow(
        _ place: RowIndex<Subscription>, to product: RowIndex<ProductTerms>, plan: Plan, offer: RowIndex<OfferTerms>?,
        transaction: RowIndex<TransactionState>?
    ) -> RowIndex<TransactionState> {
        var subscription = subscriptions[place]
        let old = subscription.current
        let additions = seats[place]?.additions ?? []
        let renewed = subscription.willContinue
        let transaction = transaction ?? newTransaction(of: product, download: subscription.download)
        let proration = unusedShare(of: subscription)
        subscription.service.autoRenews = true
        subscription.service.commitmentRenews = true
        subscription.service.commitmentPeriod = 0
        subscription.service.nextProduct = product
        subscription.service.nextPlan = plan
        subscription.nextCharge = nil
        // Planned changes are discarded with the old product.
        subscription.clearOffers()
        subscription.setOffers(PurchaseOffers(first: offer), of: apps[subscription.app])
        subscriptions[place] = subscription
        if let proration { prorations.append(Proration(transaction: old, amount: proration, at: now)) }
        beginPeriod(
            place, at: now, isRenewal: false, kind: offer == nil ? .upgraded : .offerRedeemedWithUpgrade,
            transaction: transaction)
        supersede(old, in: place)
        for addition in additions { reissue(addition) { $0.flags.insert(.isUpgraded) } }
        if !renewed { log(.autoRenewEnabled, of: place) }
        reschedule(place)
        return transaction
    }

    /// Signs the transaction of the old product again, marked as upgraded.
    mutating func supersede(_ old: RowIndex<TransactionState>, in place: RowIndex<Subscription>) {
        guard let record = reissue(old, { $0.flags.insert(.isUpgraded) }) else { return }
        log(.superseded, of: place, record: record, issuesRenewalInfo: false)
    }

    /// Returns the unused share of the current period's price, rounded down to the milliunit; `nil` if the period has
    /// no price.
    private func unusedShare(of subscription: Subscription) -> Int64? {
        guard let latest = transactions[subscription.current].latest, let price = records[latest].price else {
            return nil
        }
        let (start, end) = (subscription.service.startedAt, subscription.service.expiresAt)
        let whole = end.milliseconds(since: start)
        let rest = max(0, end.milliseconds(since: max(now, start)))
        guard whole > 0, price > 0 else { return 0 }
        // The quotient cannot overflow, because the unused time is at most the whole period. The amount is therefore at
        // most the price.
        return whole.dividingFullWidth(price.multipliedFullWidth(by: min(rest, whole))).quotient
    }

    /// Chooses another product for the next renewal.
    private mutating func schedule(
        _ product: RowIndex<ProductTerms>, plan: Plan, offer: RowIndex<OfferTerms>?, of place: RowIndex<Subscription>
    ) {
        var subscription = subscriptions[place]
        let renewed = subscription.willContinue
        if offer != nil {
            subscription.clearOffers()
            subscription.setOffers(PurchaseOffers(first: offer), of: apps[subscription.app])
        } else if subscription.service.nextProduct != product || subscription.service.nextPlan != plan {
            clearOffersOfAbandonedChange(of: &subscription)
        }
        subscription.service.nextProduct = product
        subscription.service.nextPlan = plan
        subscription.service.autoRenews = true
        subscription.service.commitmentRenews = true
        subscriptions[place] = subscription
        log(offer == nil ? .changeScheduled : .offerRedeemedWithDowngrade, of: place)
        if !renewed { log(.autoRenewEnabled, of: place) }
        shareChange(of: place, kind: .autoRenewEnabled)
        reschedule(place)
    }

    /// Removes the offer of a scheduled change that is withdrawn or replaced.
    ///
    /// An offer of the current product and plan stays, because it still applies.
    private func clearOffersOfAbandonedChange(of subscription: inout Subscription) {
        guard let offer = subscription.offer else { return }
        let terms = apps[subscription.app].offers[offer]
        if terms.product != subscription.service.product || terms.plan != subscription.service.plan {
            subscription.clearOffers()
        }
    }

    /// Withdraws a scheduled change.
    mutating func withdrawChange(of place: RowIndex<Subscription>) {
        var subscription = subscriptions[place]
        clearOffersOfAbandonedChange(of: &subscription)
        subscription.service.nextProduct = subscription.service.product
        subscription.service.nextPlan = subscription.service.plan
        subscriptions[place] = subscription
        askAgain(place)
        log(.changeWithdrawn, of: place)
        shareChange(of: place, kind: .autoRenewEnabled)
        announceIncrease(of: place)
        reschedule(place)
    }
}
