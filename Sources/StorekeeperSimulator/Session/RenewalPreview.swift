public import Storekeeper

/// What is to come of a subscription if nobody does anything and all payments succeed.
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
    /// What is to come of the subscription of a transaction.
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
            let line = try world.line(of: reference, app: try world.app(app))
            return world.preview(of: line, count: max(0, min(count, 1000)))
        }
    }
}

extension SimulatedSession {
    /// What is to come of the subscription of a transaction.
    ///
    /// - Throws: ``SimulatorError`` where there is no such transaction, or it is of no subscription.
    public func renewals(
        ofTransaction identifier: Transaction.ID, count: Int = 3
    ) throws(SimulatorError) -> RenewalPreview {
        try store.renewals(of: .id(identifier), count: count, app: bundleID)
    }
}

extension World {
    /// Plays on in a world of its own: what is foretold follows from the same rules as what happens.
    func preview(of place: Int32, count: Int) -> RenewalPreview {
        var world = copyWithoutTrouble(for: place)
        let before = lines[Int(place)]
        var periods: [RenewalPreview.Period] = []
        while periods.count < count, world.lines[Int(place)].phase == .active, before.sharedFrom == nil {
            let last = world.lines[Int(place)]
            world.now = max(world.now, last.expiresAt)
            world.periodEnds(place)
            let line = world.lines[Int(place)]
            guard line.phase == .active, line.startedAt != last.startedAt || line.current != last.current else { break }
            periods.append(world.previewed(line))
        }
        let end = world.lines[Int(place)]
        let isOver = end.phase == .expired || end.phase == .revoked
        return RenewalPreview(
            periods: periods, endsAt: isOver ? end.lapsedAt ?? end.expiresAt : nil,
            endReason: isOver ? end.expirationIntent.map(ExpirationReason.init(rawValue:)) : nil,
            gracePeriodEndsAt: before.phase == .grace ? before.graceEndsAt : nil,
            billingRetryEndsAt: before.isInBillingRetry ? before.retryEndsAt : nil)
    }

    private func copyWithoutTrouble(for place: Int32) -> World {
        var world = self
        let line = lines[Int(place)]
        world.accounts[Int(line.account)].paymentsFail = false
        world.apps[Int(line.app)].settings.entersBillingRetryOnRenewal = false
        return world
    }

    private func previewed(_ line: SubscriptionLine) -> RenewalPreview.Period {
        let app = apps[Int(line.app)]
        let record = transactions[Int(line.current)].latest.map { records[Int($0)] }
        return RenewalPreview.Period(
            productID: app.product(line.product).id, startsAt: line.startedAt, endsAt: line.expiresAt,
            price: record?.price, currency: storefronts[Int(accounts[Int(line.account)].storefront)].currency,
            offer: line.currentOffer.map { offer in
                OfferReference(app.offers[Int(offer)].kind, id: app.offers[Int(offer)].id)
            }, billingPlan: line.plan == .monthly ? .monthly : .billedUpfront)
    }
}
