import Storekeeper

extension World {
    /// Whether a customer may have an introductory offer in a group: never had one, and no subscription of it runs.
    func isEligibleForIntroductoryOffer(group: Place<SubscriptionGroup>?, download: Place<Download>) -> Bool {
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

    /// The offers that a purchase gets.
    ///
    /// - Throws: `PurchaseError` if the customer asked for one that they may not have.
    func offers(
        for request: PurchaseRequest, product: Place<ProductTerms>, download: Place<Download>
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
        guard isAllowed else { throw PurchaseError(.ineligibleForOffer, "the customer may not have the offer") }
        if reference.kind == .code, app.offers[offer].isStackable, isEligible, let introductory {
            return PurchaseOffers(first: introductory, second: offer)
        }
        return PurchaseOffers(first: offer)
    }

    private func offer(
        _ reference: OfferReference, of product: Place<ProductTerms>, app: App
    ) throws(PurchaseError) -> Place<OfferTerms> {
        guard let offer = app.offer(reference, of: product) else {
            throw PurchaseError(
                .invalidOfferIdentifier,
                "the product has no such offer: \(reference.id?.rawValue ?? reference.kind.rawValue)")
        }
        return offer
    }

    /// The offer of a purchase that is made once: only codes give one, each customer one of each.
    ///
    /// Whom a code is for counts subscriptions, of which there are none here.
    private func codeOffer(
        _ reference: OfferReference, of product: Place<ProductTerms>, download: Place<Download>
    ) throws(PurchaseError) -> Place<OfferTerms> {
        guard reference.kind == .code else {
            throw PurchaseError(
                .invalidOfferIdentifier,
                "the product has no such offer: \(reference.id?.rawValue ?? reference.kind.rawValue)")
        }
        let offer = try offer(reference, of: product, app: app(of: download))
        guard !downloads[download].redeemedCodes.contains(offer) else {
            throw PurchaseError(.ineligibleForOffer, "the customer has redeemed the code already")
        }
        return offer
    }

    /// Whether a customer may have an offer that is not introductory.
    private func isEligible(
        for offer: Place<OfferTerms>, subscription place: Place<Subscription>?, download: Place<Download>
    ) -> Bool {
        let app = app(of: download)
        let subscription = place.map { subscriptions[$0] }
        switch app.offers[offer].kind {
        case .introductory: return false
        case .promotional: return subscription != nil
        // Whom the renewal info names them to, and nobody else.
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
    mutating func redeem(_ reference: OfferReference, on place: Place<Subscription>) throws(PurchaseError) {
        let subscription = subscriptions[place]
        let app = apps[subscription.app]
        let offer = try offer(reference, of: subscription.service.product, app: app)
        guard reference.kind != .introductory,
            isEligible(for: offer, subscription: place, download: subscription.download)
        else { throw PurchaseError(.ineligibleForOffer, "the customer may not have the offer") }
        guard subscription.queuedOffer == nil else {
            throw PurchaseError(.ineligibleForOffer, "another offer waits already")
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

    /// Marks an offer as redeemed where it is one by code, which nobody can have twice.
    mutating func markRedeemed(_ offer: Place<OfferTerms>?, download: Place<Download>) {
        guard let offer, apps[downloads[download].app].offers[offer].kind == .code else { return }
        downloads[download].redeemedCodes.insert(offer)
    }

    /// The win-back offers of the last product that a customer may have who paid and left, the cheapest first.
    ///
    /// Who was refunded, is in grace or in billing retry has not left; an offer that the testing file switches off is
    /// no one's.
    func eligibleWinBackOffers(of subscription: Subscription) -> [Place<OfferTerms>] {
        guard subscription.service.phase == .expired, !subscription.service.autoRenews, subscription.paidPeriods > 0,
            subscription.sharedFrom == nil
        else { return [] }
        let app = apps[subscription.app]
        var eligible: [(price: Int64, offer: Place<OfferTerms>)] = []
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
