import FoundationEssentials
import Storekeeper

extension World {
    /// Completes the purchase of a subscription.
    ///
    /// - Returns: The transaction of the purchase. If a change waits for the end of the period, returns the transaction
    ///   of the current period.
    mutating func subscribe(
        to product: RowIndex<ProductTerms>, download: RowIndex<Download>, request: PurchaseRequest,
        offers: PurchaseOffers,
        transaction: RowIndex<TransactionState>?
    ) -> RowIndex<TransactionState> {
        let plan = request.plan
        let token = place(ofToken: request.appAccountToken)
        markRedeemed(offers.first, download: download)
        markRedeemed(offers.second, download: download)
        guard let place = ownSubscription(to: product, download: download) else {
            return begin(
                product, plan: plan, token: token, offers: offers, download: download, request,
                transaction: transaction)
        }
        if let token { subscriptions[place].token = token }
        let service = subscriptions[place].service
        switch service.phase {
        case .active, .grace:
            // If the request names no billing plan, the customer's current product keeps its plan.
            let plan = request.billingPlan == nil && service.product == product ? service.plan : plan
            return change(place, to: product, plan: plan, offer: offers.first, transaction: transaction)
        case .retry:
            if service.product == product, service.plan == plan, request.offer == nil {
                return payOverdueRenewal(of: place, transaction: transaction)
            }
            // The customer pays for a new purchase, and the overdue payment is dropped.
            return resume(place, with: product, plan: plan, offers: offers, request, transaction: transaction)
        case .expired, .revoked:
            return resume(place, with: product, plan: plan, offers: offers, request, transaction: transaction)
        }
    }

    /// Begins the first subscription of a customer in a group.
    private mutating func begin(
        _ product: RowIndex<ProductTerms>, plan: Plan, token: RowIndex<UUID>?, offers: PurchaseOffers,
        download: RowIndex<Download>, _ request: PurchaseRequest, transaction: RowIndex<TransactionState>?
    ) -> RowIndex<TransactionState> {
        let app = downloads[download].app
        let terms = apps[app].terms[product]
        let transaction = transaction ?? newTransaction(of: product, download: download)
        let start = request.purchaseDate ?? now
        var subscription = Subscription(
            download: download, account: downloads[download].account, app: app,
            group: terms.group ?? apps[app].groups.startIndex, sharedFrom: nil, original: transaction,
            product: product, period: terms.period, at: start)
        subscription.token = token
        subscription.service.nextPlan = plan
        subscription.standardPrice = listPrice(of: product, plan: plan, app: app)
        subscription.setOffers(offers, of: apps[app])
        let place = subscriptions.append(subscription)
        downloads[download].subscriptions.append(place)
        beginPeriod(place, at: start, isRenewal: false, kind: .subscribed, transaction: transaction)
        catchUp(place, with: request)
        return transaction
    }

    /// Pays the overdue renewal of a subscription in billing retry, after the customer has bought the same product
    /// again.
    private mutating func payOverdueRenewal(
        of place: RowIndex<Subscription>, transaction: RowIndex<TransactionState>?
    ) -> RowIndex<TransactionState> {
        let service = subscriptions[place].service
        let transaction =
            transaction ?? newTransaction(of: service.product, download: subscriptions[place].download)
        subscriptions[place].service.nextProduct = service.product
        subscriptions[place].service.nextPlan = service.plan
        recover(place, transaction: transaction)
        reschedule(place)
        return transaction
    }

    /// Resumes a subscription that has ended or is in billing retry.
    private mutating func resume(
        _ place: RowIndex<Subscription>, with product: RowIndex<ProductTerms>, plan: Plan, offers: PurchaseOffers,
        _ request: PurchaseRequest, transaction: RowIndex<TransactionState>?
    ) -> RowIndex<TransactionState> {
        var subscription = subscriptions[place]
        let transaction = transaction ?? newTransaction(of: product, download: subscription.download)
        // The subscription may have continued between the request and its approval. The new period must not begin
        // before the paid time ends.
        let start = request.purchaseDate.map { min(now, max($0, subscription.paidUntil)) } ?? now
        // Only renewals and changes of plan keep a token. A new purchase outside of the app has no token.
        subscription.token = self.place(ofToken: request.appAccountToken)
        subscription.service.autoRenews = true
        subscription.service.nextProduct = product
        subscription.service.nextPlan = plan
        subscription.service.commitmentRenews = true
        subscription.service.commitmentPeriod = 0
        // The customer does not keep the price that they paid before the lapse.
        subscription.standardPrice = listPrice(of: product, plan: plan, app: subscription.app)
        subscription.clearPriceChanges()
        subscription.nextCharge = nil
        subscription.clearOffers()
        subscription.setOffers(offers, of: apps[subscription.app])
        subscriptions[place] = subscription
        beginPeriod(place, at: start, isRenewal: false, kind: .resubscribed, transaction: transaction)
        catchUp(place, with: request)
        return transaction
    }

    /// After a purchase dated in the past, processes all events since this date: renewals and ends of grace periods and
    /// billing retry.
    private mutating func catchUp(_ place: RowIndex<Subscription>, with request: PurchaseRequest) {
        if request.purchaseDate != nil, !request.renewsUntilNow { setRenewal(on: false, of: place) }
        var rounds = 0
        while let next = due(of: place), next.at <= now, rounds < Self.renewalLimit {
            processPeriodEnd(of: place)
            rounds += 1
        }
        reschedule(place)
    }

    // MARK: Renewal on and off

    /// Turns renewal on or off.
    ///
    /// During a grace period or billing retry, turning renewal off ends the subscription at once.
    ///
    /// The payments of a commitment continue, and are retried, whatever the customer chooses for the time after the
    /// commitment.
    mutating func setRenewal(on isOn: Bool, of place: RowIndex<Subscription>) {
        let subscription = subscriptions[place]
        let service = subscription.service
        if service.plan == .monthly, service.phase == .active || service.phase == .retry {
            guard service.commitmentRenews != isOn else { return }
            subscriptions[place].service.commitmentRenews = isOn
            // The subscription continues until the last payment of the commitment, whatever the customer has chosen for
            // the time after the commitment.
            subscriptions[place].service.autoRenews = isOn || service.commitmentPeriod < Plan.paymentsOfCommitment
        } else {
            guard service.autoRenews != isOn else { return }
            subscriptions[place].service.autoRenews = isOn
        }
        if isOn { askAgain(place) }
        let kind: HappeningKind = isOn ? .autoRenewEnabled : .autoRenewDisabled
        log(kind, of: place)
        shareChange(of: place, kind: kind)
        if !subscriptions[place].service.autoRenews, subscription.isInBillingRetry {
            subscriptions[place].service.graceEndsAt = nil
            end(place, as: .expiredVoluntarily)
        }
        if isOn { announceIncrease(of: place) }
        reschedule(place)
    }
}
