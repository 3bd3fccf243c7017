import Storekeeper

extension World {
    /// Changes the price of a product, now for new customers and at the next renewal for subscribers.
    ///
    /// - Parameter plan: Whose price; that of the monthly payments of a commitment changes with the next commitment.
    mutating func changePrice(
        of product: Int32, app: Int32, plan: Plan, to price: Int64, consent: PriceConsent
    ) throws(SimulatorError) {
        guard (0...Int64.max / 1_000_000).contains(price) else {
            throw SimulatorError(.invalidValue, "a price of \(price) milliunits is out of bounds")
        }
        let id = apps[Int(app)].product(product).id
        switch plan {
        case .upFront: apps[Int(app)].terms[Int(product)].price = price
        case .monthly:
            guard apps[Int(app)].terms[Int(product)].monthlyPlan != nil else {
                throw SimulatorError(.invalidProductType, "'\(id)' has no monthly billing plan")
            }
            apps[Int(app)].terms[Int(product)].monthlyPlan?.price = price
            apps[Int(app)].terms[Int(product)].monthlyPlan?.commitmentPrice = nil
        }
        let unit = plan == .monthly ? " a month" : ""
        tell(.catalogChanged, note: "\(id) costs \(Milliunits.text(price))\(unit) from now on")
        guard consent != .preserved else { return }
        for place in lines.indices.map(Int32.init) {
            let line = lines[Int(place)]
            guard line.app == app, line.product == product, line.plan == plan, line.sharedFrom == nil, line.isInService,
                let old = line.standardPrice
            else { continue }
            if price <= old {
                lower(place, to: price)
                continue
            }
            let needsConsent = consent == .required || consent == .automatic && needsAgreement(of: line, to: price)
            raise(place, to: price, needsConsent: needsConsent)
        }
    }

    /// Whether a subscriber must agree.
    ///
    /// They must to more than half as much again and more than 5 a period (50 a year), and to a second increase within
    /// a year; the storefront's currency counts as US dollars. A commitment is a year.
    ///
    /// - SeeAlso: Apple, "App Store Connect: Manage pricing for auto-renewable subscriptions".
    private func needsAgreement(of line: SubscriptionLine, to new: Int64) -> Bool {
        if let last = line.lastIncreaseAt, now.milliseconds(since: last) < 365 * RenewalPace.day { return true }
        let payments = line.plan == .monthly ? Int64(Self.paymentsOfCommitment) : 1
        let isYear = line.plan == .monthly || apps[Int(line.app)].terms[Int(line.product)].period == .year
        let old = line.standardPrice ?? 0
        return new - old > old / 2 && (new - old) * payments > (isYear ? 50_000 : 5000)
    }

    private mutating func lower(_ place: Int32, to price: Int64) {
        lines[Int(place)].forgetPriceChanges()
        if lines[Int(place)].plan == .monthly {
            lines[Int(place)].nextCommitmentPrice = price
        } else {
            lines[Int(place)].standardPrice = price
        }
        signRenewal(of: place)
    }

    /// Tells whoever is about to renew of a higher price, or asks them; whoever is not will hear of it when they are.
    private mutating func raise(_ place: Int32, to price: Int64?, needsConsent: Bool) {
        let increase: PriceIncrease = needsConsent ? .pending : .agreed
        lines[Int(place)].increasedPrice = price
        guard lines[Int(place)].isAboutToRenew else {
            lines[Int(place)].priceIncrease = .none
            lines[Int(place)].untoldIncrease = increase
            signRenewal(of: place)
            return
        }
        lines[Int(place)].untoldIncrease = .none
        lines[Int(place)].lastIncreaseAt = now
        lines[Int(place)].priceIncrease = increase
        tell(needsConsent ? .priceIncreasePending : .priceIncreaseAccepted, of: place)
    }

    /// After a customer has decided to go on: tells them of the higher price that they were not told of.
    mutating func tellIncrease(of place: Int32) {
        let line = lines[Int(place)]
        guard line.untoldIncrease != .none, line.isAboutToRenew else { return }
        raise(place, to: line.increasedPrice, needsConsent: line.untoldIncrease == .pending)
    }

    /// Asks for consent, again if it was asked before.
    mutating func requestConsent(of place: Int32) throws(SimulatorError) {
        let line = lines[Int(place)]
        guard line.isAboutToRenew else {
            throw SimulatorError(
                .invalidAction, "only who is about to renew the same product can be asked to agree to a price")
        }
        let price = line.increasedPrice ?? listPrice(of: line.product, plan: line.plan, app: line.app)
        raise(place, to: price, needsConsent: true)
    }

    mutating func answerConsent(_ agrees: Bool, of place: Int32) throws(SimulatorError) {
        guard lines[Int(place)].priceIncrease == .pending else {
            throw SimulatorError(.invalidAction, "nobody asked for consent to a price increase")
        }
        if agrees {
            lines[Int(place)].priceIncrease = .agreed
            tell(.priceIncreaseAccepted, of: place)
            return
        }
        lines[Int(place)].priceIncrease = .declined
        tell(.priceIncreaseDeclined, of: place, signsRenewal: false)
        turnRenewal(on: false, of: place)
    }
}

extension Milliunits {
    /// A price as text, such as `9.99`.
    static func text(_ milliunits: Int64) -> String {
        let rest = String(abs(milliunits % 1000))
        var digits = String(repeating: "0", count: 3 - rest.count) + rest
        if digits.hasSuffix("0") { digits.removeLast() }
        return "\(milliunits / 1000).\(digits)"
    }
}
