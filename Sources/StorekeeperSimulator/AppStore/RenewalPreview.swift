public import Storekeeper

/// The future of a subscription if the customer changes nothing and all payments succeed.
public struct RenewalPreview: Hashable, Sendable {
    /// A future period.
    public struct Period: Hashable, Sendable {
        /// The product.
        public let productID: Product.ID
        /// The start of the period.
        public let startsAt: Instant
        /// The end of the period.
        public let endsAt: Instant
        /// The price, in thousandths of the currency's main unit; `nil` if the catalog has no price.
        public let price: Int64?
        /// The currency of the price as an ISO 4217 code.
        public let currency: String
        /// The offer that applies; `nil` for the standard price.
        public let offer: OfferReference?
        /// The billing plan of the period.
        public let billingPlan: BillingPlanType
    }

    /// The future periods, in order.
    public let periods: [Period]
    /// The end of service after the last of the ``periods``; `nil` if more periods follow.
    public let endsAt: Instant?
    /// The reason why service ends; `nil` if more periods follow.
    public let endReason: ExpirationReason?
    /// The end of the grace period; `nil` if the subscription is not in a grace period.
    public let gracePeriodEndsAt: Instant?
    /// The instant at which payment retries stop; `nil` if the subscription is neither in a grace period nor in billing
    /// retry.
    public let billingRetryEndsAt: Instant?

    /// A preview without a prediction.
    static let none = RenewalPreview(
        periods: [], endsAt: nil, endReason: nil, gracePeriodEndsAt: nil, billingRetryEndsAt: nil)
}

extension SimulatedAppStore {
    /// Predicts how the subscription of a transaction continues.
    ///
    /// - Parameters:
    ///   - reference: A transaction of the subscription.
    ///   - count: The number of future periods to predict, at most 1,000.
    ///   - app: The bundle id of the app; `nil` for the first app.
    /// - Throws: ``SimulatorError`` if the transaction does not exist, or does not belong to a subscription.
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
    /// Predicts how a subscription continues by advancing time in a copy of the world (the state of the store).
    func preview(of place: RowIndex<Subscription>, count: Int) -> RenewalPreview {
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

    private func copyWithWorkingPayments(for place: RowIndex<Subscription>) -> World {
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
                var reference = OfferReference(offer.kind, id: offer.id)
                reference.isRetention = app.offers[place].isRetention
                return reference
            }, billingPlan: service.plan == .monthly ? .monthly : .billedUpfront)
    }
}
