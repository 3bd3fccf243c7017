import Storekeeper

extension World {
    /// Returns whether a customer is eligible for an introductory offer in a group.
    func isEligibleForIntroductoryOffer(group: RowIndex<SubscriptionGroup>?, download: RowIndex<Download>) -> Bool {
        let app = app(of: download)
        var standing = OfferStanding()
        let places = downloads[download].subscriptions.filter { subscriptions[$0].group == group }
        if let own = places.first(where: { subscriptions[$0].sharedFrom == nil }) {
            standing = OfferStanding(of: subscriptions[own])
        }
        standing.isInService = places.contains { subscriptions[$0].isInService }
        standing.hasUsedIntroductoryOffer = transactions(of: download).contains { place in
            let state = transactions[place]
            guard !state.isDeleted, let latest = state.latest, let offer = records[latest].offer else {
                return false
            }
            return app.offers[offer].kind == .introductory && app.terms[state.product].group == group
        }
        return OfferRule.introductory(standing).isEligible
    }

    /// Returns the offers of a purchase.
    ///
    /// - Throws: `PurchaseError` if the customer is not eligible for the requested offer.
    func offers(
        for request: PurchaseRequest, product: RowIndex<ProductTerms>, download: RowIndex<Download>
    ) throws(PurchaseError) -> PurchaseOffers {
        let app = app(of: download)
        let terms = app.terms[product]
        guard terms.kind == .autoRenewable else {
            guard let reference = request.offer else { return .none }
            return PurchaseOffers(first: try codeOffer(reference, of: product, download: download))
        }
        let introductory =
            request.plan == .monthly ? terms.monthlyPlan?.introductoryOffer : terms.introductoryOffer
        let isEligible =
            request.introductoryEligibility ?? isEligibleForIntroductoryOffer(group: terms.group, download: download)
        guard let reference = request.offer else {
            return PurchaseOffers(first: isEligible ? introductory : nil)
        }
        let offer = try offer(reference, of: product, plan: request.plan, app: app)
        let isAllowed =
            reference.kind == .introductory
            ? isEligible
            : !reference.isRetention
                && self.isEligible(
                    for: offer, subscription: ownSubscription(to: product, download: download), download: download)
        guard isAllowed else { throw PurchaseError(.ineligibleForOffer, "the customer is not eligible for the offer") }
        if reference.kind == .code, app.offers[offer].isStackable, isEligible, let introductory {
            return PurchaseOffers(first: introductory, second: offer)
        }
        return PurchaseOffers(first: offer)
    }

    private func offer(
        _ reference: OfferReference, of product: RowIndex<ProductTerms>, plan: Plan, app: App
    ) throws(PurchaseError) -> RowIndex<OfferTerms> {
        guard let offer = app.offer(reference, of: product, plan: plan) else {
            throw PurchaseError(
                .invalidOfferIdentifier,
                "the product has no such offer\(plan == .monthly ? " for monthly payments" : ""): "
                    + (reference.id?.rawValue ?? reference.kind.rawValue))
        }
        return offer
    }

    /// Returns the offer of a one-time purchase.
    ///
    /// Such an offer is always redeemed by code, once by each customer.
    ///
    /// The eligibility rules for the codes of subscriptions do not apply, because these rules depend on a subscription.
    private func codeOffer(
        _ reference: OfferReference, of product: RowIndex<ProductTerms>, download: RowIndex<Download>
    ) throws(PurchaseError) -> RowIndex<OfferTerms> {
        guard reference.kind == .code else {
            throw PurchaseError(
                .invalidOfferIdentifier,
                "the product has no such offer: \(reference.id?.rawValue ?? reference.kind.rawValue)")
        }
        let offer = try offer(reference, of: product, plan: .upFront, app: app(of: download))
        guard OfferRule.oneTimeCode(isRedeemed: downloads[download].redeemedCodes.contains(offer)).isEligible else {
            throw PurchaseError(.ineligibleForOffer, "the customer has already redeemed the code")
        }
        return offer
    }

    /// Returns whether a customer is eligible for an offer that is not introductory.
    private func isEligible(
        for offer: RowIndex<OfferTerms>, subscription place: RowIndex<Subscription>?, download: RowIndex<Download>
    ) -> Bool {
        let app = app(of: download)
        let subscription = place.map { subscriptions[$0] }
        guard app.offers[offer].kind != .introductory else { return false }
        // A customer may have a win-back offer only if their renewal info names it.
        guard app.offers[offer].kind != .winBack else {
            return subscription.map { eligibleWinBackOffers(of: $0).contains(offer) } ?? false
        }
        var terms = terms(of: offer, app: app, subscription)
        terms.isRedeemed = downloads[download].redeemedCodes.contains(offer)
        return OfferRule.answer(for: terms, subscription.map { OfferStanding(of: $0) } ?? OfferStanding()).isEligible
    }

    private func terms(of offer: RowIndex<OfferTerms>, app: App, _ subscription: Subscription?) -> OfferRule.Terms {
        var terms = OfferRule.Terms(kind: app.offers[offer].kind)
        terms.eligibility = app.catalogOffer(offer).eligibility
        terms.isSwitchedOff = app.catalogOffer(offer).isEligible == false
        guard let subscription else { return terms }
        let product = app.offers[offer].product
        terms.isDowngrade = planChange(of: subscription, to: product, plan: .upFront) == .downgrade
        terms.isLastProduct = product == subscription.service.product
        return terms
    }

    /// Applies an offer to the next renewal of an active subscription.
    mutating func redeem(_ reference: OfferReference, on place: RowIndex<Subscription>) throws(PurchaseError) {
        var subscription = subscriptions[place]
        let app = apps[subscription.app]
        let offer = try offer(
            reference, of: subscription.service.product, plan: subscription.service.plan, app: app)
        guard reference.kind != .introductory,
            isEligible(for: offer, subscription: place, download: subscription.download)
        else { throw PurchaseError(.ineligibleForOffer, "the customer is not eligible for the offer") }
        // A customer who accepts an offer of the current product stays with this product. Therefore a planned change is
        // withdrawn, together with its offer.
        subscription.service.nextProduct = subscription.service.product
        subscription.service.nextPlan = subscription.service.plan
        let hasOffer = nextOffer(of: subscription) != nil
        guard !hasOffer || subscription.queuedOffer == nil else {
            throw PurchaseError(.ineligibleForOffer, "another offer is already queued")
        }
        markRedeemed(offer, download: subscription.download)
        if hasOffer {
            subscription.queuedOffer = offer
        } else {
            subscription.clearOffers()
            subscription.setOffers(PurchaseOffers(first: offer), of: app)
        }
        let wasOff = !subscription.willContinue
        subscription.service.autoRenews = true
        subscription.service.commitmentRenews = true
        subscriptions[place] = subscription
        askAgain(place)
        log(.offerRedeemed, of: place)
        if wasOff { log(.autoRenewEnabled, of: place) }
        shareChange(of: place, kind: .autoRenewEnabled)
        announceIncrease(of: place)
        reschedule(place)
    }

    /// Marks an offer as redeemed if it is redeemed by code, because each customer can redeem such an offer only once.
    mutating func markRedeemed(_ offer: RowIndex<OfferTerms>?, download: RowIndex<Download>) {
        guard let offer, apps[downloads[download].app].offers[offer].kind == .code else { return }
        downloads[download].redeemedCodes.insert(offer)
    }

    /// Returns the win-back offers for which a customer is eligible, the cheapest first.
    func eligibleWinBackOffers(of subscription: Subscription) -> [RowIndex<OfferTerms>] {
        // Return early, because most subscriptions have not expired.
        guard subscription.service.phase == .expired, subscription.sharedFrom == nil else { return [] }
        let app = apps[subscription.app]
        let standing = OfferStanding(of: subscription)
        var eligible: [(price: Int64, offer: RowIndex<OfferTerms>)] = []
        for place in app.offers.indices where app.offers[place].kind == .winBack {
            guard OfferRule.answer(for: terms(of: place, app: app, subscription), standing).isEligible else { continue }
            let terms = app.offers[place]
            let (price, overflow) = (terms.price ?? 0).multipliedReportingOverflow(by: Int64(terms.payments))
            eligible.append((overflow ? .max : price, place))
        }
        return eligible.sorted { ($0.price, $0.offer) < ($1.price, $1.offer) }.map(\.offer)
    }
}

extension OfferStanding {
    /// Creates the values that determine the offer eligibility of a subscription's customer.
    ///
    /// The caller sets `hasUsedIntroductoryOffer`, because this value depends on all subscriptions of the group.
    fileprivate init(of subscription: Subscription) {
        self.init(
            state: subscription.state, isInService: subscription.isInService,
            hasUsedIntroductoryOffer: false, autoRenews: subscription.service.autoRenews,
            hasPaid: subscription.paidPeriods > 0)
    }
}
