import Storekeeper

extension World {
    /// Changes the price of a product, now for new customers and at the next renewal for subscribers.
    mutating func changePrice(of product: Int32, app: Int32, to price: Int64, consent: PriceConsent)
        throws(SimulatorError)
    {
        guard (0...Int64.max / 1_000_000).contains(price) else {
            throw SimulatorError(.invalidValue, "a price of \(price) milliunits is out of bounds")
        }
        let period = apps[Int(app)].terms[Int(product)].period
        apps[Int(app)].terms[Int(product)].price = price
        tell(.catalogChanged, note: "\(apps[Int(app)].product(product).id) costs \(Milliunits.text(price)) from now on")
        guard consent != .preserved else { return }
        for place in lines.indices.map(Int32.init) {
            let line = lines[Int(place)]
            guard line.app == app, line.product == product, line.nextProduct == product, line.plan == .upFront,
                line.sharedFrom == nil, line.isInService, let old = line.standardPrice
            else { continue }
            if price <= old {
                lines[Int(place)].standardPrice = price
                lines[Int(place)].priceIncrease = .none
                signRenewal(of: place)
                continue
            }
            let needsConsent =
                consent == .required
                || consent == .automatic
                    && needsAgreement(from: old, to: price, period: period, since: line.lastIncreaseAt)
            raise(place, to: price, needsConsent: needsConsent)
        }
    }

    /// Whether subscribers must agree: more than half as much again and more than 5 a period (50 a year), or a second
    /// increase within a year; the storefront's currency counts as US dollars.
    ///
    /// - SeeAlso: Apple, "App Store Connect: Manage pricing for auto-renewable subscriptions".
    private func needsAgreement(from old: Int64, to new: Int64, period: PeriodLength, since last: Instant?) -> Bool {
        if let last, now.milliseconds(since: last) < 365 * 86_400_000 { return true }
        return new - old > old / 2 && new - old > (period == .year ? 50_000 : 5000)
    }

    private mutating func raise(_ place: Int32, to price: Int64, needsConsent: Bool) {
        lines[Int(place)].increasedPrice = price
        lines[Int(place)].lastIncreaseAt = now
        lines[Int(place)].priceIncrease = needsConsent ? .pending : .agreed
        tell(needsConsent ? .priceIncreasePending : .priceIncreaseAccepted, of: place)
    }

    /// Asks for consent, again if it was asked before.
    mutating func requestConsent(of place: Int32) throws(SimulatorError) {
        let line = lines[Int(place)]
        guard line.sharedFrom == nil, line.isInService, line.autoRenews else {
            throw SimulatorError(.invalidAction, "only who is about to renew can be asked to agree to a price")
        }
        let price = line.increasedPrice ?? listPrice(of: line.product, plan: line.plan, app: line.app)
        raise(place, to: price ?? 0, needsConsent: true)
        lines[Int(place)].increasedPrice = price
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
