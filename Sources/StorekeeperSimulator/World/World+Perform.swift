import FoundationEssentials
import Storekeeper

extension World {
    /// Performs a command.
    ///
    /// - Returns: The outcome of a command such as a purchase or a change of plan; `nil` for a command without an
    ///   outcome.
    /// - Throws: `SimulatorError` if the command is refused. A refused command changes nothing.
    @discardableResult
    mutating func perform(_ call: SimulatorCall) throws(SimulatorError) -> PurchaseOutcome? {
        let app = try app(call.app)
        switch call.command {
        case .advance(let instant): try advance(to: instant)
        case .createAccount(let name, let storefront): try createAccount(name, storefront: storefront, app: app)
        case .setStorefront(let country, let name): try move(account(name), to: country)
        case .setAppTransaction(let name, let version, let purchasedAt, let isRevoked):
            try setAppTransaction(
                of: download(of: account(name), app: app), version: version, purchasedAt: purchasedAt,
                isRevoked: isRevoked)
        case .createFamily(let name): try createFamily(of: account(name))
        case .joinFamily(let name, let other): try join(account(name), familyOf: account(other))
        case .leaveFamily(let name): try leaveFamily(account(name))
        case .makeOrganizer(let name): try makeOrganizer(account(name))
        case .setPurchaseSharing(let isOn, let name): try setPurchaseSharing(isOn, ofFamilyOf: account(name))
        case .shareProduct(let isOn, let id, let name):
            try setSharing(isOn, of: product(id, in: app), by: account(name), app: app)
        case .buy(let id, let name, let options):
            return try buy(product(id, in: app), by: account(name), app: app, request: options, from: .app)
        case .buyOutsideApp(let id, let name):
            return try buy(
                product(id, in: app), by: account(name), app: app, request: PurchaseRequest(), from: .appStore)
        case .redeemOfferCode(let code, let id, let name):
            let request = PurchaseRequest(offer: OfferReference(.code, id: SubscriptionOffer.ID(code)))
            return try buy(product(id, in: app), by: account(name), app: app, request: request, from: .offerCode)
        case .intendPurchase(let id, let name):
            let (product, account) = (try product(id, in: app), try account(name))
            let download = download(of: account, app: app)
            log(.purchaseIntended, account: account, download: download, note: apps[app].product(product).id.rawValue)
        case .approveAskToBuy(let id): return try answerAskToBuy(true, for: transaction(.id(id), in: app))
        case .declineAskToBuy(let id): return try answerAskToBuy(false, for: transaction(.id(id), in: app))
        case .resolveIssue(let reference): return try resolveIssue(of: transaction(reference, in: app))
        case .finish(let reference): try finish(transaction(reference, in: app))
        case .setAppAccountToken(let token, let reference): try setToken(token, of: transaction(reference, in: app))
        case .deleteTransaction(let reference): try delete(transaction(reference, in: app))
        case .clearTransactions(let name):
            clear(app: app, account: try name.map { name throws(SimulatorError) in try account(name) })
        case .setAutoRenew(let isOn, let reference):
            try setRenewal(on: isOn, ofOwn: subscription(of: reference, in: app))
        case .changePlan(let id, let name, let plan):
            return try changePlan(product(id, in: app), by: account(name), plan: plan, app: app)
        case .applyOffer(let offer, let reference): return try apply(offer, to: subscription(of: reference, in: app))
        case .forceRenewal(let id, let name): try forceRenewal(running(id, by: name, app: app))
        case .expire(let id, let name): try expire(running(id, by: name, app: app))
        case .setPaymentsFail(let fails, let name): accounts[try account(name)].paymentsFail = fails
        case .retryBilling(let reference): try retryBilling(of: subscription(of: reference, in: app))
        case .extendRenewalDate(let reference, let days, let reason, let requestID):
            try extend(subscription(of: reference, in: app), days: days, reason: reason, requestID: requestID)
        case .extendRenewalDates(let id, let days, let reason, let storefronts, let requestID):
            try extendAll(
                product(id, in: app), app: app, days: days, reason: reason, storefronts: storefronts,
                requestID: requestID)
        case .changePrice(let id, let price, let consent, let plan):
            try changePrice(
                of: product(id, in: app), app: app, plan: plan == .monthly ? .monthly : .upFront, to: price,
                consent: consent)
        case .requestPriceConsent(let reference): try requestConsent(of: subscription(of: reference, in: app))
        case .answerPriceConsent(let agrees, let reference):
            try answerConsent(agrees, of: subscription(of: reference, in: app))
        case .setForSale(let isForSale, let id):
            apps[app].terms[try product(id, in: app)].isForSale = isForSale
            log(.catalogChanged, note: "\(id) is \(isForSale ? "for sale again" : "no longer for sale")")
        case .requestRefund(let reference, let reason):
            try requestRefund(of: transaction(reference, in: app), reason: reason)
        case .refund(let reference, let percentage, let reason):
            try refund(transaction(reference, in: app), percentage: percentage, reason: reason)
        case .declineRefund(let reference): try declineRefund(of: transaction(reference, in: app))
        case .reverseRefund(let reference): try reverseRefund(of: transaction(reference, in: app))
        case .revokeAssignment(let reference): try revokeAssignment(of: transaction(reference, in: app))
        case .setAdvancedCommerce(let text, let reference, let change):
            try setCommerce(text, of: transaction(reference, in: app), change: change)
        case .setSeats(let number, let reference, let invitations):
            try setSeats(number, of: subscription(of: reference, in: app), invitations: invitations)
        case .unclaimSeats(let claims, let reference):
            try unclaimSeats(claims, of: subscription(of: reference, in: app))
        case .refundSeats(let number, let reference, let reason):
            try refundSeats(number, of: transaction(reference, in: app), reason: reason)
        case .claimSeat(let claim, let reference): try claimSeat(claim, of: subscription(of: reference, in: app))
        case .releaseSeat(let claim, let reference): try releaseSeat(claim, of: subscription(of: reference, in: app))
        case .associateSeat(let claim, let name, let reference):
            try associateSeat(claim, with: account(name), of: subscription(of: reference, in: app))
        case .informOfConsumption(let reference, let delivery, let preference):
            let transaction = try transaction(reference, in: app)
            _ = try record(of: transaction)
            log(
                .consumptionInformed, of: transaction,
                note: [delivery, preference].compactMap(\.self).joined(separator: ", "))
        case .requestTestNotification: journal.append(JournalEntry(at: now, kind: .testRequested, subject: .app(app)))
        case .beginFault(let fault): faults.append(RecordedFault(app: app, fault: fault))
        case .endFaults: faults.append(RecordedFault(app: app, fault: nil))
        case .setSetting(let setting): change(apps[app].settings.with(setting), app: app)
        case .resetSettings: change(apps[app].initialSettings, app: app)
        }
        return nil
    }

    // MARK: People and settings

    private mutating func createAccount(
        _ name: CustomerID, storefront: String?, app: RowIndex<App>
    ) throws(SimulatorError) {
        guard accountPlaces[name] == nil else {
            throw SimulatorError(.invalidAction, "the account '\(name)' already exists")
        }
        let country = storefront ?? apps[app].settings.storefront
        try check(country: country)
        let account = accounts.append(Account(name: name, storefront: place(ofStorefront: country)))
        accountPlaces[name] = account
        log(.accountCreated, account: account, note: country.uppercased())
    }

    private mutating func move(_ account: RowIndex<Account>, to country: String) throws(SimulatorError) {
        try check(country: country)
        accounts[account].storefront = place(ofStorefront: country)
        log(.storefrontChanged, account: account, note: country.uppercased())
    }

    private mutating func setAppTransaction(
        of place: RowIndex<Download>, version: String?, purchasedAt: Instant?, isRevoked: Bool?
    ) throws(SimulatorError) {
        if let purchasedAt, purchasedAt > now {
            throw SimulatorError(.invalidValue, "the app cannot be bought in the future, at \(purchasedAt)")
        }
        var record = appTransaction(of: place)
        if let version { record.firstVersion = version }
        if let purchasedAt { record.downloadedAt = purchasedAt }
        if let isRevoked { record.revokedAt = isRevoked ? record.revokedAt ?? now : nil }
        if let last = downloads[place].appTransaction {
            // Two changes at one instant must keep their order.
            record.signedAt = max(now, appTransactionRecords[last].signedAt.adding(milliseconds: 1))
            record.previousIndex = Int32(last.index)
        }
        let state = appTransactionRecords.append(record)
        downloads[place].appTransaction = state
        journal.append(
            JournalEntry(
                at: now, kind: .appTransactionChanged, download: place, account: downloads[place].account,
                subject: .appTransaction(state), note: notes.append(record.firstVersion ?? app(of: place).version)))
    }

    private func check(country: String) throws(SimulatorError) {
        guard Storefront.isCountry(country) else {
            throw SimulatorError(.invalidValue, "'\(country)' is not a valid storefront; use three letters such as USA")
        }
    }

    private mutating func change(_ settings: AppSettings, app: RowIndex<App>) {
        let old = apps[app].settings
        guard settings != old else { return }
        apps[app].settings = settings
        if old.simulatedErrors[.verification] == nil, settings.simulatedErrors[.verification] != nil {
            apps[app].firstFlawed = SignedCounts(
                transactions: records.count, renewalInfos: renewalRecords.count,
                appTransactions: appTransactionRecords.count)
        }
        log(.settingChanged, note: apps[app].bundleID)
        if settings.pace != old.pace {
            // The lengths of periods depend on the pace. Therefore periods are now counted from the end of the current
            // period.
            for place in subscriptions.indices where subscriptions[place].app == app {
                subscriptions[place].endPeriod(at: subscriptions[place].service.expiresAt)
            }
        }
        guard settings.chargesEarly != old.chargesEarly else { return }
        for place in subscriptions.indices where subscriptions[place].app == app { reschedule(place) }
    }

    // MARK: Subscriptions

    private mutating func setRenewal(on isOn: Bool, ofOwn place: RowIndex<Subscription>) throws(SimulatorError) {
        let subscription = subscriptions[place]
        guard subscription.sharedFrom == nil else {
            throw SimulatorError(.invalidAction, "a family's copy renews with the purchaser's subscription")
        }
        guard !subscription.hasEnded else {
            throw SimulatorError(.invalidAction, "the subscription has ended; buy it again")
        }
        setRenewal(on: isOn, of: place)
    }

    /// Returns the customer's own subscription to a product, if it is in service or in billing retry.
    private func running(
        _ id: Product.ID, by name: CustomerID, app: RowIndex<App>
    ) throws(SimulatorError) -> RowIndex<Subscription> {
        let product = try product(id, in: app)
        let download = existingDownload(of: try account(name), app: app)
        guard let place = download.flatMap({ ownSubscription(to: product, download: $0) }),
            subscriptions[place].service.product == product,
            subscriptions[place].isInService || subscriptions[place].service.phase == .retry
        else { throw SimulatorError(.noSubscriptionFound, "'\(name)' has no active subscription to '\(id)'") }
        let start = subscriptions[place].service.startedAt
        guard start <= now else {
            throw SimulatorError(
                .invalidAction, "the next period is already paid; wait until it begins at \(start)")
        }
        return place
    }

    private mutating func changePlan(
        _ product: RowIndex<ProductTerms>, by account: RowIndex<Account>, plan: BillingPlanType?, app: RowIndex<App>
    ) throws(SimulatorError) -> PurchaseOutcome {
        if let failure = apps[app].settings.simulatedErrors[.manageSubscriptions] {
            throw SimulatorError(.invalidAction, "managing subscriptions fails as configured: \(failure.rawValue)")
        }
        guard let download = existingDownload(of: account, app: app),
            let place = ownSubscription(to: product, download: download),
            subscriptions[place].isInService
        else {
            throw SimulatorError(
                .noSubscriptionFound, "'\(accounts[account].name)' has no active subscription in that group")
        }
        let plan: Plan = plan == .monthly ? .monthly : .upFront
        if let refusal = refusal(ofPlan: plan, product: product, account: account, app: app) {
            return fail(product, download: download, with: refusal)
        }
        if accounts[account].paymentsFail, isImmediate(place, to: product, plan: plan) {
            return fail(product, download: download, with: .paymentRefused)
        }
        let before = subscriptions[place].current
        let transaction = change(place, to: product, plan: plan, offer: nil, transaction: nil)
        return transaction == before ? .alreadyOwned(id(of: transaction)) : .purchased(id(of: transaction))
    }

    private mutating func apply(
        _ offer: OfferReference, to place: RowIndex<Subscription>
    ) throws(SimulatorError) -> PurchaseOutcome {
        guard subscriptions[place].isInService, subscriptions[place].sharedFrom == nil else {
            throw SimulatorError(.noSubscriptionFound, "the subscription is not active; buy it with the offer")
        }
        do throws(PurchaseError) {
            try redeem(offer, on: place)
            return .alreadyOwned(id(of: subscriptions[place].current))
        } catch {
            return .failed(error)
        }
    }

    private mutating func retryBilling(of place: RowIndex<Subscription>) throws(SimulatorError) {
        guard subscriptions[place].isInBillingRetry else {
            throw SimulatorError(.invalidAction, "the subscription is not in billing retry")
        }
        guard !paymentFails(for: subscriptions[place]) else { return }
        recover(place)
        reschedule(place)
    }
}
