import Storekeeper

extension World {
    /// Whether a customer is eligible for an introductory offer in a group: never had one, and has no running
    /// subscription in it.
    func isEligibleForIntroductoryOffer(group: RowIndex<SubscriptionGroup>?, download: RowIndex<Download>) -> Bool {
        let app = app(of: download)
        for place in downloads[download].subscriptions
        where subscriptions[place].group == group && subscriptions[place].isInService {
            return false
        }
        return !transactions(of: download).contains { place in
            let state = transactions[place]
            guard !state.isDeleted, let latest = state.latest, let offer = records[latest].offer else {
                return false
            }
            return app.offers[offer].kind == .introductory && app.terms[state.product].group == group
        }
    }

    /// Returns the offers of a purchase.
    ///
    /// - Throws: `PurchaseError` if the customer is not eligible for the requested one.
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
            request.billingPlan == .monthly ? terms.monthlyPlan?.introductoryOffer : terms.introductoryOffer
        let isEligible =
            request.introductoryEligibility ?? isEligibleForIntroductoryOffer(group: terms.group, download: download)
        guard let reference = request.offer else {
            return PurchaseOffers(first: isEligible ? introductory : nil)
        }
        let offer = try offer(reference, of: product, app: app)
        let isAllowed =
            reference.kind == .introductory
            ? isEligible
            : self.isEligible(
                for: offer, subscription: ownSubscription(to: product, download: download), download: download)
        guard isAllowed else { throw PurchaseError(.ineligibleForOffer, "the customer is not eligible for the offer") }
        if reference.kind == .code, app.offers[offer].isStackable, isEligible, let introductory {
            return PurchaseOffers(first: introductory, second: offer)
        }
        return PurchaseOffers(first: offer)
    }

    private func offer(
        _ reference: OfferReference, of product: RowIndex<ProductTerms>, app: App
    ) throws(PurchaseError) -> RowIndex<OfferTerms> {
        guard let offer = app.offer(reference, of: product) else {
            throw PurchaseError(
                .invalidOfferIdentifier,
                "the product has no such offer: \(reference.id?.rawValue ?? reference.kind.rawValue)")
        }
        return offer
    }

    /// Returns the offer of a one-time purchase: only codes give one, each customer one of each.
    ///
    /// The eligibility of codes depends on subscriptions, which do not apply here.
    private func codeOffer(
        _ reference: OfferReference, of product: RowIndex<ProductTerms>, download: RowIndex<Download>
    ) throws(PurchaseError) -> RowIndex<OfferTerms> {
        guard reference.kind == .code else {
            throw PurchaseError(
                .invalidOfferIdentifier,
                "the product has no such offer: \(reference.id?.rawValue ?? reference.kind.rawValue)")
        }
        let offer = try offer(reference, of: product, app: app(of: download))
        guard !downloads[download].redeemedCodes.contains(offer) else {
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
        switch app.offers[offer].kind {
        case .introductory: return false
        case .promotional: return subscription != nil
        // Only the customers whose renewal info names the offers.
        case .winBack: return subscription.map { eligibleWinBackOffers(of: $0).contains(offer) } ?? false
        case .code:
            if downloads[download].redeemedCodes.contains(offer) { return false }
            if let subscription, subscription.isInService,
                planChange(of: subscription, to: app.offers[offer].product, plan: .upFront) == .downgrade
            {
                return false
            }
            let eligibility = app.catalogOffer(offer).eligibility
            let own: SubscriptionOffer.CustomerEligibility =
                subscription.map { $0.isInService || $0.service.phase == .retry ? .existing : .expired } ?? .new
            return eligibility.isEmpty || eligibility.contains(own)
        }
    }

    /// Gives a running subscription an offer for its next renewal.
    mutating func redeem(_ reference: OfferReference, on place: RowIndex<Subscription>) throws(PurchaseError) {
        let subscription = subscriptions[place]
        let app = apps[subscription.app]
        let offer = try offer(reference, of: subscription.service.product, app: app)
        guard reference.kind != .introductory,
            isEligible(for: offer, subscription: place, download: subscription.download)
        else { throw PurchaseError(.ineligibleForOffer, "the customer is not eligible for the offer") }
        guard subscription.queuedOffer == nil else {
            throw PurchaseError(.ineligibleForOffer, "another offer is already queued")
        }
        markRedeemed(offer, download: subscription.download)
        if subscription.offerPeriodsLeft > 0 {
            subscriptions[place].queuedOffer = offer
        } else {
            subscriptions[place].setOffers(PurchaseOffers(first: offer), of: app)
        }
        let wasOff = !subscription.service.autoRenews
        subscriptions[place].service.autoRenews = true
        log(.offerRedeemed, of: place)
        if wasOff { log(.autoRenewEnabled, of: place) }
        shareChange(of: place, kind: .autoRenewEnabled)
        announceIncrease(of: place)
        reschedule(place)
    }

    /// Marks an offer by code as redeemed, because each customer can redeem it only once.
    mutating func markRedeemed(_ offer: RowIndex<OfferTerms>?, download: RowIndex<Download>) {
        guard let offer, apps[downloads[download].app].offers[offer].kind == .code else { return }
        downloads[download].redeemedCodes.insert(offer)
    }

    /// Returns the win-back offers of the last product for which a customer who paid and left is eligible, the cheapest
    /// first.
    ///
    /// A customer who was refunded, or is in grace or billing retry, has not left; an offer that the testing file turns
    /// off is not available to anyone.
    func eligibleWinBackOffers(of subscription: Subscription) -> [RowIndex<OfferTerms>] {
        guard subscription.service.phase == .expired, !subscription.service.autoRenews, subscription.paidPeriods > 0,
            subscription.sharedFrom == nil
        else { return [] }
        let app = apps[subscription.app]
        var eligible: [(price: Int64, offer: RowIndex<OfferTerms>)] = []
        for place in app.offers.indices {
            let terms = app.offers[place]
            guard terms.product == subscription.service.product, terms.kind == .winBack,
                app.catalogOffer(place).isEligible != false
            else { continue }
            let (price, overflow) = (terms.price ?? 0).multipliedReportingOverflow(by: Int64(terms.payments))
            eligible.append((overflow ? .max : price, place))
        }
        return eligible.sorted { ($0.price, $0.offer) < ($1.price, $1.offer) }.map(\.offer)
    }
}
