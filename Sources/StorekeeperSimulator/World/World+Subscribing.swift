import FoundationEssentials
import Storekeeper

extension World {
    /// Carries out the purchase of a subscription.
    ///
    /// - Returns: The number of its transaction; for a change at the period's end, that of the current one.
    mutating func subscribe(
        to product: Int32, download: Int32, request: PurchaseRequest, offers: SettledOffers, number: Int32?
    ) -> Int32 {
        let plan: Plan = request.billingPlan == .monthly ? .monthly : .upFront
        let token = place(of: request.appAccountToken)
        noteRedemption(of: offers.first, download: download)
        noteRedemption(of: offers.second, download: download)
        guard let place = ownLine(of: product, download: download) else {
            return begin(product, plan: plan, token: token, offers: offers, download: download, request, number: number)
        }
        if let token { lines[Int(place)].token = token }
        switch lines[Int(place)].phase {
        case .active, .grace:
            return change(place, to: product, plan: plan, offer: offers.first, number: number)
        case .retry:
            if lines[Int(place)].product == product, lines[Int(place)].plan == plan, request.offer == nil {
                return payDebt(of: place, number: number)
            }
            // A new purchase pays for itself; what was owed is not asked for any more.
            return resume(place, with: product, plan: plan, offers: offers, request, number: number)
        case .expired, .revoked:
            return resume(place, with: product, plan: plan, offers: offers, request, number: number)
        }
    }

    /// Begins the first subscription of a customer in a group.
    private mutating func begin(
        _ product: Int32, plan: Plan, token: Int32?, offers: SettledOffers, download: Int32, _ request: PurchaseRequest,
        number: Int32?
    ) -> Int32 {
        let app = downloads[Int(download)].app
        let terms = apps[Int(app)].terms[Int(product)]
        let transaction = number ?? newTransaction(of: product, download: download)
        let place = Int32(lines.count)
        let start = request.purchaseDate ?? now
        var line = SubscriptionLine(
            download: download, account: downloads[Int(download)].account, app: app, group: terms.group ?? 0,
            sharedFrom: nil, original: transaction, product: product, period: terms.period, at: start)
        line.token = token
        line.nextPlan = plan
        line.standardPrice = listPrice(of: product, plan: plan, app: app)
        line.use(offers.first, then: offers.second, of: apps[Int(app)])
        lines.append(line)
        downloads[Int(download)].lines.append(place)
        beginPeriod(place, at: start, isRenewal: false, kind: .subscribed, number: transaction)
        catchUp(place, request)
        return transaction
    }

    /// Who buys what the App Store tries to collect for pays that: the renewal comes, late.
    private mutating func payDebt(of place: Int32, number: Int32?) -> Int32 {
        let line = lines[Int(place)]
        let transaction = number ?? newTransaction(of: line.product, download: line.download)
        lines[Int(place)].nextProduct = line.product
        lines[Int(place)].nextPlan = line.plan
        recover(place, number: transaction)
        reschedule(place)
        return transaction
    }

    /// Begins a subscription again that had ended, or that the App Store could not collect for.
    private mutating func resume(
        _ place: Int32, with product: Int32, plan: Plan, offers: SettledOffers, _ request: PurchaseRequest,
        number: Int32?
    ) -> Int32 {
        let app = lines[Int(place)].app
        let transaction = number ?? newTransaction(of: product, download: lines[Int(place)].download)
        // Between a request and its approval the subscription may have gone on.
        let start = request.purchaseDate.map { min(now, max($0, lines[Int(place)].paidUntil)) } ?? now
        lines[Int(place)].autoRenews = true
        lines[Int(place)].nextProduct = product
        lines[Int(place)].nextPlan = plan
        lines[Int(place)].commitmentRenews = true
        lines[Int(place)].commitmentPeriod = 0
        // What the customer paid before the lapse is not kept.
        lines[Int(place)].standardPrice = listPrice(of: product, plan: plan, app: app)
        lines[Int(place)].forgetPriceChanges()
        lines[Int(place)].nextCharge = nil
        lines[Int(place)].dropOffers()
        lines[Int(place)].use(offers.first, then: offers.second, of: apps[Int(app)])
        beginPeriod(place, at: start, isRenewal: false, kind: .resubscribed, number: transaction)
        catchUp(place, request)
        return transaction
    }

    /// After a purchase in the past: all that has fallen due since, renewals and ends of grace and billing retry.
    private mutating func catchUp(_ place: Int32, _ request: PurchaseRequest) {
        if request.purchaseDate != nil, !request.renewsUntilNow { turnRenewal(on: false, of: place) }
        var rounds = 0
        while let next = due(of: place), next.at <= now, rounds < Self.renewalLimit {
            periodEnds(place)
            rounds += 1
        }
        reschedule(place)
    }

    // MARK: Renewal on and off

    /// Turns renewal on or off; during grace and billing retry, off ends the subscription at once.
    mutating func turnRenewal(on isOn: Bool, of place: Int32) {
        let line = lines[Int(place)]
        if line.plan == .monthly, line.phase == .active {
            guard line.commitmentRenews != isOn else { return }
            lines[Int(place)].commitmentRenews = isOn
            // Until the last payment the subscription goes on whatever the customer has chosen for the time after.
            lines[Int(place)].autoRenews = isOn || line.commitmentPeriod < Self.paymentsOfCommitment
        } else {
            guard line.autoRenews != isOn else { return }
            lines[Int(place)].autoRenews = isOn
            // Whoever changes their mind about a refused price is asked again.
            if isOn, line.priceIncrease == .declined { lines[Int(place)].priceIncrease = .pending }
        }
        let kind: HappeningKind = isOn ? .autoRenewEnabled : .autoRenewDisabled
        tell(kind, of: place)
        share(changeOf: place, kind: kind)
        if !isOn, line.isInBillingRetry {
            lines[Int(place)].graceEndsAt = nil
            end(place, as: .expiredVoluntarily)
        }
        if isOn { tellIncrease(of: place) }
        reschedule(place)
    }
}

extension SubscriptionLine {
    /// Forgets prices that were to come.
    mutating func forgetPriceChanges() {
        priceIncrease = .none
        increasedPrice = nil
        untoldIncrease = .none
        nextCommitmentPrice = nil
    }

    /// Takes an offer for the next periods.
    mutating func use(_ offer: Int32?, then queued: Int32? = nil, of app: AppTable) {
        guard let offer else { return }
        self.offer = offer
        queuedOffer = queued
        offerPeriodsLeft = app.offerTerms[Int(offer)].payments
    }
}
