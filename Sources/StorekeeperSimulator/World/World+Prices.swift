import Storekeeper

extension World {
    /// What a product costs whoever buys it now, in milliunits.
    func listPrice(of product: Place<ProductTerms>, plan: Plan, app: Place<App>) -> Int64? {
        let terms = apps[app].terms[product]
        return plan == .monthly ? terms.monthlyPlan?.price ?? nil : terms.price
    }

    /// The offer that the next period of a subscription has.
    ///
    /// One that goes with another product waits until that product begins.
    func nextOffer(of subscription: Subscription) -> Place<OfferTerms>? {
        guard subscription.offerPeriodsLeft > 0, let offer = subscription.offer,
            apps[subscription.app].offers[offer].product == subscription.followingProduct
        else { return nil }
        return offer
    }

    /// What the next period of a subscription costs, in milliunits.
    func nextPrice(of subscription: Subscription) -> Int64? {
        if let offer = nextOffer(of: subscription) { return apps[subscription.app].offers[offer].price }
        let (product, plan) = (subscription.followingProduct, subscription.followingPlan)
        if product == subscription.service.product, plan == subscription.service.plan {
            return subscription.isCommitted ? subscription.standardPrice : subscription.followingPrice
        }
        return listPrice(of: product, plan: plan, app: subscription.app)
    }

    // MARK: Changes

    /// Changes the price of a product, now for new customers and at the next renewal for subscribers.
    ///
    /// - Parameter plan: Whose price; that of the monthly payments of a commitment changes with the next commitment.
    mutating func changePrice(
        of product: Place<ProductTerms>, app: Place<App>, plan: Plan, to price: Int64, consent: PriceConsent
    ) throws(SimulatorError) {
        guard (0...Int64.max / 1_000_000).contains(price) else {
            throw SimulatorError(.invalidValue, "a price of \(price) milliunits is out of bounds")
        }
        let id = apps[app].product(product).id
        switch plan {
        case .upFront: apps[app].terms[product].price = price
        case .monthly:
            guard apps[app].terms[product].monthlyPlan != nil else {
                throw SimulatorError(.invalidProductType, "'\(id)' has no monthly billing plan")
            }
            apps[app].terms[product].monthlyPlan?.price = price
            apps[app].terms[product].monthlyPlan?.commitmentPrice = nil
        }
        let unit = plan == .monthly ? " a month" : ""
        log(.catalogChanged, note: "\(id) costs \(Milliunits.text(price))\(unit) from now on")
        guard consent != .preserved else { return }
        for place in subscriptions.indices {
            let subscription = subscriptions[place]
            guard subscription.app == app, subscription.service.product == product, subscription.service.plan == plan,
                subscription.sharedFrom == nil, subscription.isInService, let old = subscription.standardPrice
            else { continue }
            if price <= old {
                lowerPrice(of: place, to: price)
                continue
            }
            let needsConsent =
                consent == .required || consent == .automatic && needsAgreement(of: subscription, to: price)
            raisePrice(of: place, to: price, needsConsent: needsConsent)
        }
    }

    /// Whether a subscriber must agree.
    ///
    /// They must to more than half as much again and more than 5 a period (50 a year), and to a second increase within
    /// a year; the storefront's currency counts as US dollars. A commitment is a year.
    ///
    /// - SeeAlso: Apple, "App Store Connect: Manage pricing for auto-renewable subscriptions".
    private func needsAgreement(of subscription: Subscription, to new: Int64) -> Bool {
        if let last = subscription.lastIncreaseAt, now.milliseconds(since: last) < 365 * RenewalPace.day { return true }
        let service = subscription.service
        let payments = service.plan == .monthly ? Int64(Plan.paymentsOfCommitment) : 1
        let isYear = service.plan == .monthly || apps[subscription.app].terms[service.product].period == .year
        let old = subscription.standardPrice ?? 0
        return new - old > old / 2 && (new - old) * payments > (isYear ? 50_000 : 5000)
    }

    private mutating func lowerPrice(of place: Place<Subscription>, to price: Int64) {
        subscriptions[place].clearPriceChanges()
        if subscriptions[place].service.plan == .monthly {
            subscriptions[place].nextCommitmentPrice = price
        } else {
            subscriptions[place].standardPrice = price
        }
        issueRenewalInfo(of: place)
    }

    /// Announces a higher price to whoever is about to renew, or asks them; to whoever is not it is announced when they
    /// are.
    private mutating func raisePrice(of place: Place<Subscription>, to price: Int64?, needsConsent: Bool) {
        let increase: PriceIncrease = needsConsent ? .pending : .agreed
        subscriptions[place].increasedPrice = price
        guard subscriptions[place].isAboutToRenew else {
            subscriptions[place].priceIncrease = .none
            subscriptions[place].unannouncedIncrease = increase
            issueRenewalInfo(of: place)
            return
        }
        subscriptions[place].unannouncedIncrease = .none
        subscriptions[place].lastIncreaseAt = now
        subscriptions[place].priceIncrease = increase
        log(needsConsent ? .priceIncreasePending : .priceIncreaseAccepted, of: place)
    }

    /// Announces, after a customer has decided to continue, the higher price that they have not heard of.
    mutating func announceIncrease(of place: Place<Subscription>) {
        let subscription = subscriptions[place]
        guard subscription.unannouncedIncrease != .none, subscription.isAboutToRenew else { return }
        raisePrice(
            of: place, to: subscription.increasedPrice, needsConsent: subscription.unannouncedIncrease == .pending)
    }

    // MARK: Consent

    /// Asks for consent, again if it was asked before.
    mutating func requestConsent(of place: Place<Subscription>) throws(SimulatorError) {
        let subscription = subscriptions[place]
        guard subscription.isAboutToRenew else {
            throw SimulatorError(
                .invalidAction, "only who is about to renew the same product can be asked to agree to a price")
        }
        let service = subscription.service
        let price =
            subscription.increasedPrice
            ?? listPrice(of: service.product, plan: service.plan, app: subscription.app)
        raisePrice(of: place, to: price, needsConsent: true)
    }

    mutating func answerConsent(_ agrees: Bool, of place: Place<Subscription>) throws(SimulatorError) {
        guard subscriptions[place].priceIncrease == .pending else {
            throw SimulatorError(.invalidAction, "nobody asked for consent to a price increase")
        }
        if agrees {
            subscriptions[place].priceIncrease = .agreed
            log(.priceIncreaseAccepted, of: place)
            return
        }
        subscriptions[place].priceIncrease = .declined
        log(.priceIncreaseDeclined, of: place, issuesRenewalInfo: false)
        turnRenewal(on: false, of: place)
    }
}
