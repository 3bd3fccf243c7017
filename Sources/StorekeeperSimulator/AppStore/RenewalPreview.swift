public import Storekeeper

/// The future of a subscription if nobody does anything and all payments succeed.
public struct RenewalPreview: Hashable, Sendable {
    /// A period that is to come.
    public struct Period: Hashable, Sendable {
        /// The product.
        public let productID: Product.ID
        /// When it begins.
        public let startsAt: Instant
        /// When it ends.
        public let endsAt: Instant
        /// What it costs, in thousandths of the currency's main unit; `nil` where the catalog has no price.
        public let price: Int64?
        /// The currency, ISO 4217.
        public let currency: String
        /// The offer that applies; `nil`: the standard price.
        public let offer: OfferReference?
        /// How the subscription is billed.
        public let billingPlan: BillingPlanType
    }

    /// The periods that are to come, in order.
    public let periods: [Period]
    /// When service ends if it does not go on after ``periods``; `nil` where more periods follow.
    public let endsAt: Instant?
    /// Why it ends, where it does.
    public let endReason: ExpirationReason?
    /// When the grace period ends, where the subscription is in it.
    public let gracePeriodEndsAt: Instant?
    /// When payments are no longer tried, where the subscription is in grace or billing retry.
    public let billingRetryEndsAt: Instant?
}

extension SimulatedAppStore {
    /// Foretells how the subscription of a transaction goes on.
    ///
    /// - Parameters:
    ///   - reference: A transaction of the subscription.
    ///   - count: How many periods to look ahead, at most 1,000.
    ///   - app: The bundle id of the app; `nil`: the first.
    /// - Throws: ``SimulatorError`` where there is no such transaction, or it is of no subscription.
    public func renewals(
        of reference: TransactionReference, count: Int = 3, app: String? = nil
    ) throws(SimulatorError) -> RenewalPreview {
        try result { world throws(SimulatorError) in
            let subscription = try world.subscription(of: reference, in: try world.app(app))
            return world.preview(of: subscription, count: max(0, min(count, 1000)))
        }
    }
}

extension World {
    /// Foretells how a subscription goes on, by playing on in a copy: the same rules hold as for what happens.
    func preview(of place: Place<Subscription>, count: Int) -> RenewalPreview {
        var world = copyWithWorkingPayments(for: place)
        let before = subscriptions[place]
        var periods: [RenewalPreview.Period] = []
        while periods.count < count, world.subscriptions[place].service.phase == .active, before.sharedFrom == nil {
            let last = world.subscriptions[place]
            world.now = max(world.now, last.service.expiresAt)
            world.processPeriodEnd(of: place)
            let subscription = world.subscriptions[place]
            guard subscription.service.phase == .active,
                subscription.service.startedAt != last.service.startedAt || subscription.current != last.current
            else { break }
            periods.append(world.currentPeriod(of: subscription))
        }
        let end = world.subscriptions[place].service
        let isOver = end.phase == .expired || end.phase == .revoked
        return RenewalPreview(
            periods: periods, endsAt: isOver ? end.lapsedAt ?? end.expiresAt : nil,
            endReason: isOver ? end.expirationIntent.map(ExpirationReason.init(rawValue:)) : nil,
            gracePeriodEndsAt: before.service.phase == .grace ? before.service.graceEndsAt : nil,
            billingRetryEndsAt: before.isInBillingRetry ? before.service.retryEndsAt : nil)
    }

    private func copyWithWorkingPayments(for place: Place<Subscription>) -> World {
        var world = self
        let subscription = subscriptions[place]
        world.accounts[subscription.account].paymentsFail = false
        world.apps[subscription.app].settings.entersBillingRetryOnRenewal = false
        return world
    }

    private func currentPeriod(of subscription: Subscription) -> RenewalPreview.Period {
        let (app, service) = (apps[subscription.app], subscription.service)
        let record = transactions[subscription.current].latest.map { records[$0] }
        return RenewalPreview.Period(
            productID: app.product(service.product).id, startsAt: service.startedAt, endsAt: service.expiresAt,
            price: record?.price, currency: storefront(of: subscription.account).currency,
            offer: subscription.currentOffer.map { place in
                let offer = app.catalogOffer(place)
                return OfferReference(offer.kind, id: offer.id)
            }, billingPlan: service.plan == .monthly ? .monthly : .billedUpfront)
    }
}
