import Storekeeper

extension World {
    /// How a move from one product of a group to another is called.
    enum Move { case same, upgrade, downgrade, crossgrade }

    func move(of line: SubscriptionLine, to product: Int32, plan: Plan) -> Move {
        if product == line.product, plan == line.plan { return .same }
        let terms = apps[Int(line.app)].terms
        let (old, new) = (terms[Int(line.product)].level, terms[Int(product)].level)
        return new < old ? .upgrade : new > old ? .downgrade : .crossgrade
    }

    /// Moves a running subscription to another product, at once or at the end of its period.
    ///
    /// - Returns: The number of the transaction: the new one, or the current one where the change waits.
    mutating func change(_ place: Int32, to product: Int32, plan: Plan, offer: Int32?, number: Int32?) -> Int32 {
        let line = lines[Int(place)]
        switch move(of: line, to: product, plan: plan) {
        case .same:
            if line.nextProduct != product || line.nextPlan != plan { withdrawChange(of: place) }
            if let number { transactions[Int(number)].stage = .declined }
            return line.current
        case .upgrade where isImmediate(place, to: product, plan: plan),
            .crossgrade where isImmediate(place, to: product, plan: plan):
            return changeNow(place, to: product, plan: plan, offer: offer, number: number)
        case .upgrade, .downgrade, .crossgrade:
            schedule(product, plan: plan, offer: offer, of: place)
            if let number { transactions[Int(number)].stage = .declined }
            return line.current
        }
    }

    /// Whether a move to another product is made and paid at once.
    func isImmediate(_ place: Int32, to product: Int32, plan: Plan) -> Bool {
        let line = lines[Int(place)]
        // On the day after an early charge the next period is paid: nothing could take its place from an earlier date.
        guard line.startedAt <= now else { return false }
        return switch move(of: line, to: product, plan: plan) {
        case .upgrade: true
        case .crossgrade: isSameDuration(line, product, plan)
        case .same, .downgrade: false
        }
    }

    private func isSameDuration(_ line: SubscriptionLine, _ product: Int32, _ plan: Plan) -> Bool {
        let terms = apps[Int(line.app)].terms
        return terms[Int(line.product)].period == terms[Int(product)].period && plan == line.plan && plan == .upFront
    }

    /// The new product at once; the rest of the old period is paid back.
    private mutating func changeNow(_ place: Int32, to product: Int32, plan: Plan, offer: Int32?, number: Int32?)
        -> Int32
    {
        let old = lines[Int(place)].current
        let renewed = lines[Int(place)].autoRenews
        let transaction = number ?? newTransaction(of: product, download: lines[Int(place)].download)
        let app = lines[Int(place)].app
        let proration = unusedShare(of: lines[Int(place)])
        lines[Int(place)].autoRenews = true
        lines[Int(place)].commitmentRenews = true
        lines[Int(place)].commitmentPeriod = 0
        lines[Int(place)].nextProduct = product
        lines[Int(place)].nextPlan = plan
        lines[Int(place)].nextCharge = nil
        // Whatever was to come is discarded with the old product.
        lines[Int(place)].dropOffers()
        lines[Int(place)].use(offer, of: apps[Int(app)])
        if let proration { prorations.append(Proration(transaction: old, amount: proration, at: now)) }
        beginPeriod(
            place, at: now, isRenewal: false, kind: offer == nil ? .upgraded : .offerRedeemedWithUpgrade,
            number: transaction)
        supersede(old, in: place)
        if !renewed { tell(.autoRenewEnabled, of: place) }
        reschedule(place)
        return transaction
    }

    /// Signs the transaction of the old product again, as upgraded.
    mutating func supersede(_ old: Int32, in place: Int32) {
        guard let record = resign(old, { $0.flags.insert(.isUpgraded) }) else { return }
        tell(.superseded, of: place, transaction: record, signsRenewal: false)
    }

    /// What of a period's price was not used, rounded down to the milliunit; `nil` where it has no price.
    private func unusedShare(of line: SubscriptionLine) -> Int64? {
        guard let latest = transactions[Int(line.current)].latest, let price = records[Int(latest)].price else {
            return nil
        }
        let whole = line.expiresAt.milliseconds(since: line.startedAt)
        let rest = max(0, line.expiresAt.milliseconds(since: max(now, line.startedAt)))
        guard whole > 0, price > 0 else { return 0 }
        // Never above the price, because the rest is never above the whole.
        return whole.dividingFullWidth(price.multipliedFullWidth(by: min(rest, whole))).quotient
    }

    /// Another product at the next renewal.
    private mutating func schedule(_ product: Int32, plan: Plan, offer: Int32?, of place: Int32) {
        let renewed = lines[Int(place)].autoRenews
        lines[Int(place)].nextProduct = product
        lines[Int(place)].nextPlan = plan
        lines[Int(place)].autoRenews = true
        lines[Int(place)].commitmentRenews = true
        if offer != nil {
            lines[Int(place)].dropOffers()
            lines[Int(place)].use(offer, of: apps[Int(lines[Int(place)].app)])
        }
        tell(offer == nil ? .changeScheduled : .offerRedeemedWithDowngrade, of: place)
        if !renewed { tell(.autoRenewEnabled, of: place) }
        share(changeOf: place, kind: .autoRenewEnabled)
        reschedule(place)
    }

    /// The customer stays with the current product after all.
    mutating func withdrawChange(of place: Int32) {
        lines[Int(place)].nextProduct = lines[Int(place)].product
        lines[Int(place)].nextPlan = lines[Int(place)].plan
        tell(.changeWithdrawn, of: place)
        share(changeOf: place, kind: .autoRenewEnabled)
        tellIncrease(of: place)
        reschedule(place)
    }
}

/// What a customer got back for the rest of a period that an upgrade cut short; no signed text says so.
struct Proration: Sendable {
    let transaction: Int32
    /// Milliunits.
    let amount: Int64
    let at: Instant
}
