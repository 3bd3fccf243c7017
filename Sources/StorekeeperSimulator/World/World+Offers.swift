import Storekeeper

/// The offers of a purchase: the first, and the one that is stacked behind it.
struct SettledOffers: Sendable {
    var first: Int32?
    var second: Int32?

    static let none = SettledOffers()
}

extension World {
    /// Whether a customer may have an introductory offer in a group: never had one, and no subscription of it runs.
    func isEligibleForIntroductoryOffer(group: Int32?, download: Int32) -> Bool {
        let app = apps[Int(downloads[Int(download)].app)]
        for place in downloads[Int(download)].lines
        where lines[Int(place)].group == group && lines[Int(place)].isInService {
            return false
        }
        return !numbers(of: download).contains { number in
            let state = transactions[Int(number)]
            guard !state.isDeleted, let latest = state.latest, let offer = records[Int(latest)].offer else {
                return false
            }
            return app.offerTerms[Int(offer)].kind == .introductory && app.terms[Int(state.product)].group == group
        }
    }

    /// The offers that a purchase gets.
    ///
    /// - Throws: `PurchaseError` where the customer asked for one that they may not have.
    func settleOffers(
        _ request: PurchaseRequest, product: Int32, download: Int32
    ) throws(PurchaseError) -> SettledOffers {
        let app = apps[Int(downloads[Int(download)].app)]
        let terms = app.terms[Int(product)]
        guard terms.kind == .autoRenewable else {
            return try request.offer.map { reference throws(PurchaseError) in
                try settleCode(reference, product: product, download: download)
            } ?? .none
        }
        let introductory =
            request.billingPlan == .monthly ? terms.monthlyPlan?.introductoryOffer : terms.introductoryOffer
        let isEligible =
            request.introductoryEligibility ?? isEligibleForIntroductoryOffer(group: terms.group, download: download)
        guard let reference = request.offer else {
            return SettledOffers(first: isEligible ? introductory : nil)
        }
        guard let offer = app.offer(reference, of: product) else {
            throw PurchaseError(
                .invalidOfferIdentifier, "the product has no such offer: \(reference.id ?? reference.kind.rawValue)")
        }
        let isAllowed =
            reference.kind == .introductory
            ? isEligible : mayHave(offer, line: ownLine(of: product, download: download), download: download)
        guard isAllowed else { throw PurchaseError(.ineligibleForOffer, "the customer may not have the offer") }
        if reference.kind == .code, app.offerTerms[Int(offer)].isStackable, isEligible, let introductory {
            return SettledOffers(first: introductory, second: offer)
        }
        return SettledOffers(first: offer)
    }

    /// The offer of a purchase that is made once: only codes give one, each customer one of each.
    ///
    /// Whom a code is for counts subscriptions, of which there are none here.
    private func settleCode(
        _ reference: OfferReference, product: Int32, download: Int32
    ) throws(PurchaseError) -> SettledOffers {
        guard reference.kind == .code,
            let offer = apps[Int(downloads[Int(download)].app)].offer(reference, of: product)
        else {
            throw PurchaseError(
                .invalidOfferIdentifier, "the product has no such offer: \(reference.id ?? reference.kind.rawValue)")
        }
        guard !downloads[Int(download)].redeemedCodes.contains(offer) else {
            throw PurchaseError(.ineligibleForOffer, "the customer has redeemed the code already")
        }
        return SettledOffers(first: offer)
    }

    /// Whether a customer may have an offer that is not introductory.
    private func mayHave(_ offer: Int32, line place: Int32?, download: Int32) -> Bool {
        let app = apps[Int(downloads[Int(download)].app)]
        let line = place.map { lines[Int($0)] }
        switch app.offerTerms[Int(offer)].kind {
        case .introductory: return false
        case .promotional: return line != nil
        // Whom the renewal info names them to, and nobody else.
        case .winBack: return line.map { eligibleWinBackOffers(of: $0).contains(offer) } ?? false
        case .code:
            if downloads[Int(download)].redeemedCodes.contains(offer) { return false }
            if let line, line.isInService,
                move(of: line, to: app.offerTerms[Int(offer)].product, plan: .upFront) == .downgrade
            {
                return false
            }
            let eligibility = app.offers[Int(offer)].eligibility
            let own: SubscriptionOffer.CustomerEligibility =
                line.map { $0.isInService || $0.phase == .retry ? .existing : .expired } ?? .new
            return eligibility.isEmpty || eligibility.contains(own)
        }
    }

    /// Gives a running subscription an offer for its next renewal.
    mutating func redeem(_ reference: OfferReference, on place: Int32) throws(PurchaseError) {
        let line = lines[Int(place)]
        let app = apps[Int(line.app)]
        guard let offer = app.offer(reference, of: line.product) else {
            throw PurchaseError(
                .invalidOfferIdentifier, "the product has no such offer: \(reference.id ?? reference.kind.rawValue)")
        }
        guard reference.kind != .introductory, mayHave(offer, line: place, download: line.download) else {
            throw PurchaseError(.ineligibleForOffer, "the customer may not have the offer")
        }
        guard line.queuedOffer == nil else {
            throw PurchaseError(.ineligibleForOffer, "another offer waits already")
        }
        noteRedemption(of: offer, download: line.download)
        if line.offerPeriodsLeft > 0 {
            lines[Int(place)].queuedOffer = offer
        } else {
            lines[Int(place)].use(offer, of: app)
        }
        let wasOff = !line.autoRenews
        lines[Int(place)].autoRenews = true
        tell(.offerRedeemed, of: place)
        if wasOff { tell(.autoRenewEnabled, of: place) }
        share(changeOf: place, kind: .autoRenewEnabled)
        tellIncrease(of: place)
        reschedule(place)
    }

    /// Codes can be redeemed once.
    mutating func noteRedemption(of offer: Int32?, download: Int32) {
        guard let offer, apps[Int(downloads[Int(download)].app)].offerTerms[Int(offer)].kind == .code else { return }
        downloads[Int(download)].redeemedCodes.insert(offer)
    }

    /// The win-back offers of the last product that a customer may have who paid and left, the cheapest first.
    ///
    /// Who was refunded, is in grace or in billing retry has not left; an offer that the testing file switches off is
    /// nobody's.
    func eligibleWinBackOffers(of line: SubscriptionLine) -> [Int32] {
        guard line.phase == .expired, !line.autoRenews, line.paidPeriods > 0, line.sharedFrom == nil else { return [] }
        let app = apps[Int(line.app)]
        var eligible: [(price: Int64, offer: Int32)] = []
        for index in app.offers.indices where app.offerTerms[index].product == line.product {
            let terms = app.offerTerms[index]
            guard terms.kind == .winBack, app.offers[index].isEligible != false else { continue }
            let (price, overflow) = (terms.price ?? 0).multipliedReportingOverflow(by: Int64(terms.payments))
            eligible.append((overflow ? .max : price, Int32(index)))
        }
        return eligible.sorted { ($0.price, $0.offer) < ($1.price, $1.offer) }.map(\.offer)
    }
}
