import Storekeeper

extension World {
    /// Returns the price of a product for a new customer, in milliunits.
    func listPrice(of product: RowIndex<ProductTerms>, plan: Plan, app: RowIndex<App>) -> Int64? {
        let terms = apps[app].terms[product]
        return plan == .monthly ? terms.monthlyPlan?.price ?? nil : terms.price
    }

    /// Returns the offer of a subscription's next period.
    ///
    /// An offer of another product or billing plan waits until the subscription moves to this product or plan.
    func nextOffer(of subscription: Subscription) -> RowIndex<OfferTerms>? {
        let app = apps[subscription.app]
        guard subscription.offerPeriodsLeft > 0, let offer = subscription.offer,
            app.offers[offer].product == subscription.followingProduct,
            app.offers[offer].plan == subscription.followingPlan
        else { return nil }
        return offer
    }

    /// Returns the price of a subscription's next period, in milliunits.
    ///
    /// This is the price of the period's offer. Without an offer, it is the price of the Advanced Commerce items or,
    /// without items, of the product.
    func nextPrice(of subscription: Subscription) -> Int64? {
        if let offer = nextOffer(of: subscription) { return apps[subscription.app].offers[offer].price }
        if let price = nextCommerce(of: subscription)?.price { return price }
        let (product, plan) = (subscription.followingProduct, subscription.followingPlan)
        if product == subscription.service.product, plan == subscription.service.plan {
            return subscription.isCommitted ? subscription.standardPrice : subscription.followingPrice
        }
        return listPrice(of: product, plan: plan, app: subscription.app)
    }

    // MARK: Changes

    /// Changes the price of a product, now for new customers and at the next renewal for subscribers.
    ///
    /// - Parameter plan: The billing plan. For a monthly plan with a commitment, subscribers pay the new price from the
    ///   next commitment on.
    mutating func changePrice(
        of product: RowIndex<ProductTerms>, app: RowIndex<App>, plan: Plan, to price: Int64, consent: PriceConsent
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
                subscription.sharedFrom == nil, subscription.isInService || subscription.isInBillingRetry,
                let old = subscription.standardPrice
            else { continue }
            if price <= old {
                lowerPrice(of: place, to: price)
                continue
            }
            if let announced = subscription.increasedPrice, price <= announced {
                // A price increase is already planned, and the new price is not higher than the planned one.
                subscriptions[place].increasedPrice = price
                issueRenewalInfo(of: place)
                continue
            }
            let needsConsent =
                consent == .required || consent == .automatic && needsAgreement(of: subscription, to: price)
            raisePrice(of: place, to: price, needsConsent: needsConsent)
        }
    }

    /// Returns whether a subscriber must consent to a price increase.
    ///
    /// Consent is required for an increase of more than 50 % that is also more than 5 US dollars a period, or 50 US
    /// dollars for a period of a year. A second increase within a year always requires consent. Every currency counts
    /// as US dollars, and a commitment counts as a year.
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

    private mutating func lowerPrice(of place: RowIndex<Subscription>, to price: Int64) {
        subscriptions[place].clearPriceChanges()
        if subscriptions[place].service.plan == .monthly {
            subscriptions[place].nextCommitmentPrice = price
        } else {
            subscriptions[place].standardPrice = price
        }
        issueRenewalInfo(of: place)
    }

    /// Announces a higher price to a subscriber who is about to renew, or requests the subscriber's consent.
    ///
    /// A subscriber who is not about to renew is informed after deciding to renew.
    private mutating func raisePrice(of place: RowIndex<Subscription>, to price: Int64?, needsConsent: Bool) {
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
        if needsConsent { askedForConsent.append(place) }
        log(needsConsent ? .priceIncreasePending : .priceIncreaseAccepted, of: place)
    }

    /// Announces a pending price increase to a customer who has decided to continue.
    mutating func announceIncrease(of place: RowIndex<Subscription>) {
        let subscription = subscriptions[place]
        guard subscription.unannouncedIncrease != .none, subscription.isAboutToRenew else { return }
        raisePrice(
            of: place, to: subscription.increasedPrice, needsConsent: subscription.unannouncedIncrease == .pending)
    }

    // MARK: Consent

    /// Requests consent to a price increase, even if it was already requested.
    mutating func requestConsent(of place: RowIndex<Subscription>) throws(SimulatorError) {
        let subscription = subscriptions[place]
        guard subscription.isAboutToRenew else {
            throw SimulatorError(
                .invalidAction, "price consent can be requested only from subscribers who will renew the same product")
        }
        let service = subscription.service
        let price =
            subscription.increasedPrice
            ?? listPrice(of: service.product, plan: service.plan, app: subscription.app)
        raisePrice(of: place, to: price, needsConsent: true)
    }

    /// Asks for consent again if the customer has refused a higher price and now decides to continue.
    mutating func askAgain(_ place: RowIndex<Subscription>) {
        if subscriptions[place].priceIncrease == .declined { subscriptions[place].priceIncrease = .pending }
    }

    mutating func answerConsent(_ agrees: Bool, of place: RowIndex<Subscription>) throws(SimulatorError) {
        guard subscriptions[place].priceIncrease == .pending else {
            throw SimulatorError(.invalidAction, "no consent to a price increase was requested")
        }
        if agrees {
            subscriptions[place].priceIncrease = .agreed
            log(.priceIncreaseAccepted, of: place)
            return
        }
        subscriptions[place].priceIncrease = .declined
        log(.priceIncreaseDeclined, of: place, issuesRenewalInfo: false)
        setRenewal(on: false, of: place)
    }
}
