import FoundationEssentials
import Storekeeper

extension World {
    /// Carries out a command.
    ///
    /// - Returns: What came of it, where it was a purchase.
    /// - Throws: `SimulatorError`; then nothing has changed.
    @discardableResult
    mutating func perform(_ call: SimulatorCall) throws(SimulatorError) -> PurchaseOutcome? {
        let app = try app(call.app)
        switch call.command {
        case .advance(let instant): try advance(to: instant)
        case .createAccount(let name, let storefront): try createAccount(name, storefront: storefront, app: app)
        case .setStorefront(let country, let name): try move(account(name), to: country)
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
            let request = PurchaseRequest(offer: OfferReference(.code, id: code))
            return try buy(product(id, in: app), by: account(name), app: app, request: request, from: .offerCode)
        case .intendPurchase(let id, let name):
            let (product, account) = (try product(id, in: app), try account(name))
            let download = download(of: account, app: app)
            tell(.purchaseIntended, account: account, download: download, note: apps[Int(app)].product(product).id)
        case .approveAskToBuy(let id): return try answerGuardian(true, number: number(of: .id(id), app: app))
        case .declineAskToBuy(let id): return try answerGuardian(false, number: number(of: .id(id), app: app))
        case .resolveIssue(let reference): return try resolveIssue(of: number(of: reference, app: app))
        case .finish(let reference): try finish(number(of: reference, app: app))
        case .setAppAccountToken(let token, let reference): try setToken(token, of: number(of: reference, app: app))
        case .deleteTransaction(let reference): try delete(number(of: reference, app: app))
        case .clearTransactions(let name):
            clear(app: app, account: try name.map { name throws(SimulatorError) in try account(name) })
        default: return try performLater(call.command, app: app)
        }
        return nil
    }

    /// The commands about what was bought before.
    private mutating func performLater(
        _ command: SimulatorCommand, app: Int32
    ) throws(SimulatorError) -> PurchaseOutcome? {
        switch command {
        case .setAutoRenew(let isOn, let reference): try turnRenewal(on: isOn, ofOwn: line(of: reference, app: app))
        case .changePlan(let id, let name, let plan):
            return try changePlan(product(id, in: app), by: account(name), plan: plan, app: app)
        case .applyOffer(let offer, let reference): return try apply(offer, to: line(of: reference, app: app))
        case .forceRenewal(let id, let name): try forceRenewal(running(id, by: name, app: app))
        case .expire(let id, let name): try expire(running(id, by: name, app: app))
        case .setPaymentsFail(let fails, let name): accounts[Int(try account(name))].paymentsFail = fails
        case .retryBilling(let reference): try retryBilling(line(of: reference, app: app))
        case .extendRenewalDate(let reference, let days, let reason):
            try extend(line(of: reference, app: app), days: days, reason: reason)
        case .extendRenewalDates(let id, let days, let reason, let storefronts, let requestID):
            try extendAll(
                product(id, in: app), app: app, days: days, reason: reason, storefronts: storefronts,
                requestID: requestID)
        case .changePrice(let id, let price, let consent, let plan):
            try changePrice(
                of: product(id, in: app), app: app, plan: plan == .monthly ? .monthly : .upFront, to: price,
                consent: consent)
        case .requestPriceConsent(let reference): try requestConsent(of: line(of: reference, app: app))
        case .answerPriceConsent(let agrees, let reference):
            try answerConsent(agrees, of: line(of: reference, app: app))
        case .setForSale(let isForSale, let id):
            apps[Int(app)].terms[Int(try product(id, in: app))].isForSale = isForSale
            tell(.catalogChanged, note: "\(id) is \(isForSale ? "for sale again" : "no longer for sale")")
        case .requestRefund(let reference, let reason):
            try requestRefund(of: number(of: reference, app: app), reason: reason)
        case .refund(let reference, let percentage, let reason):
            try refund(number(of: reference, app: app), percentage: percentage, reason: reason)
        case .declineRefund(let reference): try declineRefund(of: number(of: reference, app: app))
        case .reverseRefund(let reference): try reverseRefund(of: number(of: reference, app: app))
        case .revokeAssignment(let reference): try revokeAssignment(of: number(of: reference, app: app))
        case .setSetting(let setting): change(apps[Int(app)].settings.with(setting), app: app)
        case .resetSettings: change(apps[Int(app)].initialSettings, app: app)
        default: break
        }
        return nil
    }

    // MARK: People and settings

    private mutating func createAccount(_ name: CustomerID, storefront: String?, app: Int32) throws(SimulatorError) {
        guard accountPlaces[name] == nil else {
            throw SimulatorError(.invalidAction, "there is an account '\(name)' already")
        }
        let country = storefront ?? apps[Int(app)].settings.storefront
        try check(country: country)
        accountPlaces[name] = Int32(accounts.count)
        accounts.append(Account(name: name, storefront: self.storefront(country)))
        tell(.accountCreated, account: Int32(accounts.count - 1), note: country.uppercased())
    }

    private mutating func move(_ account: Int32, to country: String) throws(SimulatorError) {
        try check(country: country)
        accounts[Int(account)].storefront = storefront(country)
        tell(.storefrontChanged, account: account, note: country.uppercased())
    }

    private func check(country: String) throws(SimulatorError) {
        guard Storefront.isCountry(country) else {
            throw SimulatorError(.invalidValue, "'\(country)' is no storefront; use three letters such as USA")
        }
    }

    private mutating func change(_ settings: AppSettings, app: Int32) {
        let old = apps[Int(app)].settings
        guard settings != old else { return }
        apps[Int(app)].settings = settings
        tell(.settingChanged, note: apps[Int(app)].bundleID)
        if settings.pace != old.pace {
            // Periods that were counted at one pace say nothing about another.
            for place in lines.indices where lines[place].app == app {
                lines[place].endPeriod(at: lines[place].expiresAt)
            }
        }
        guard settings.chargesEarly != old.chargesEarly else { return }
        for place in lines.indices where lines[place].app == app { reschedule(Int32(place)) }
    }

    // MARK: Subscriptions

    private mutating func turnRenewal(on isOn: Bool, ofOwn place: Int32) throws(SimulatorError) {
        guard lines[Int(place)].sharedFrom == nil else {
            throw SimulatorError(.invalidAction, "a family's copy renews with the purchaser's subscription")
        }
        guard lines[Int(place)].phase != .expired, lines[Int(place)].phase != .revoked else {
            throw SimulatorError(.invalidAction, "the subscription has ended; buy it again")
        }
        turnRenewal(on: isOn, of: place)
    }

    /// The customer's own subscription of a product, while it runs or its payment is tried.
    private func running(_ id: Product.ID, by name: CustomerID, app: Int32) throws(SimulatorError) -> Int32 {
        let product = try product(id, in: app)
        let download = existingDownload(of: try account(name), app: app)
        guard let place = download.flatMap({ ownLine(of: product, download: $0) }),
            lines[Int(place)].product == product,
            lines[Int(place)].isInService || lines[Int(place)].phase == .retry
        else { throw SimulatorError(.noSubscriptionFound, "'\(name)' has no running subscription of '\(id)'") }
        guard lines[Int(place)].startedAt <= now else {
            throw SimulatorError(
                .invalidAction,
                "the next period is paid already; wait until it begins at \(lines[Int(place)].startedAt)")
        }
        return place
    }

    private mutating func changePlan(
        _ product: Int32, by account: Int32, plan: BillingPlanType?, app: Int32
    ) throws(SimulatorError) -> PurchaseOutcome {
        if let failure = apps[Int(app)].settings.simulatedErrors[.manageSubscriptions] {
            throw SimulatorError(.invalidAction, "managing subscriptions fails as told: \(failure.rawValue)")
        }
        guard let download = existingDownload(of: account, app: app),
            let place = ownLine(of: product, download: download),
            lines[Int(place)].isInService
        else {
            throw SimulatorError(
                .noSubscriptionFound, "'\(accounts[Int(account)].name)' has no running subscription in that group")
        }
        let plan: Plan = plan == .monthly ? .monthly : .upFront
        if let refusal = refusal(ofPlan: plan, product: product, account: account, app: app) {
            return fail(product, download: download, with: refusal)
        }
        if accounts[Int(account)].paymentsFail, isImmediate(place, to: product, plan: plan) {
            return fail(product, download: download, with: .paymentRefused)
        }
        let before = lines[Int(place)].current
        let number = change(place, to: product, plan: plan, offer: nil, number: nil)
        return number == before ? .alreadyOwned(id(of: number)) : .purchased(id(of: number))
    }

    private mutating func apply(_ offer: OfferReference, to place: Int32) throws(SimulatorError) -> PurchaseOutcome {
        guard lines[Int(place)].isInService, lines[Int(place)].sharedFrom == nil else {
            throw SimulatorError(.noSubscriptionFound, "the subscription does not run; buy it with the offer")
        }
        do throws(PurchaseError) {
            try redeem(offer, on: place)
            return .alreadyOwned(id(of: lines[Int(place)].current))
        } catch {
            return .failed(error)
        }
    }

    private mutating func retryBilling(_ place: Int32) throws(SimulatorError) {
        guard lines[Int(place)].isInBillingRetry else {
            throw SimulatorError(.invalidAction, "the subscription is not in billing retry")
        }
        guard !paymentFails(for: lines[Int(place)]) else { return }
        recover(place)
        reschedule(place)
    }
}
