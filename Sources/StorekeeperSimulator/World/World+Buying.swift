import FoundationEssentials
public import Storekeeper

/// What came of a purchase.
public enum PurchaseOutcome: Hashable, Sendable {
    /// It was bought; its transaction.
    case purchased(Transaction.ID)
    /// The customer has it already; the transaction that says so.
    case alreadyOwned(Transaction.ID)
    /// Somebody has to approve, or to resolve an issue; the transaction that will come of it.
    case pending(EntitlementAnswer.PendingReason, Transaction.ID)
    /// The customer changed their mind.
    case userCancelled
    /// The App Store refused.
    case failed(PurchaseError)
}

extension World {
    /// Where a purchase is begun.
    enum PurchaseOrigin { case app, appStore, offerCode }

    mutating func buy(
        _ product: Int32, by account: Int32, app: Int32, request: PurchaseRequest, from origin: PurchaseOrigin
    ) throws(SimulatorError) -> PurchaseOutcome {
        if let date = request.purchaseDate { try checkDate(date, of: product, by: account, app: app, request) }
        let download = download(of: account, app: app)
        if request.isCancelled || isCancelled(origin, app: app) {
            tell(.purchaseCancelled, account: account, download: download, note: apps[Int(app)].product(product).id)
            return .userCancelled
        }
        if let refusal = refusal(of: product, account: account, app: app, request: request, from: origin) {
            return fail(product, download: download, with: refusal)
        }
        if let owned = owned(product, download: download) {
            return ownedAlready(owned, product: product, download: download, request: request)
        }
        let offers: SettledOffers
        do throws(PurchaseError) {
            offers = try settleOffers(request, product: product, download: download)
        } catch {
            return fail(product, download: download, with: error)
        }
        let settings = apps[Int(app)].settings
        let asks = request.asksToBuy ?? settings.isAskToBuyEnabled
        if asks || settings.interruptsPurchases {
            return wait(
                for: asks ? .waitsForGuardian : .interrupted,
                with: WaitingPurchase(product: product, download: download, request: request, offers: offers))
        }
        let next = Int32(transactions.count)
        let bought = complete(product, download: download, request: request, offers: offers)
        // A change that waits for the next renewal buys nothing yet.
        return bought < next ? .alreadyOwned(id(of: bought)) : .purchased(id(of: bought))
    }

    /// Whether the customer is made to dismiss the sheet.
    private func isCancelled(_ origin: PurchaseOrigin, app: Int32) -> Bool {
        let errors = apps[Int(app)].settings.simulatedErrors
        switch origin {
        case .app: return errors[.purchase] == .userCancelled
        case .offerCode: return errors[.offerCodeRedeem] == .userCancelled
        case .appStore: return false
        }
    }

    /// A purchase in the past must not be in the future, nor in what was paid of the subscription already, nor so long
    /// ago that it would renew without end.
    private func checkDate(
        _ date: Instant, of product: Int32, by account: Int32, app: Int32, _ request: PurchaseRequest
    ) throws(SimulatorError) {
        guard date <= now else {
            throw SimulatorError(.invalidValue, "a purchase cannot be dated in the future, at \(date)")
        }
        let terms = apps[Int(app)].terms[Int(product)]
        if terms.kind == .autoRenewable,
            let download = existingDownload(of: account, app: app),
            let place = ownLine(of: product, download: download), !lines[Int(place)].isInService,
            date < lines[Int(place)].paidUntil
        {
            throw SimulatorError(
                .invalidValue,
                "the customer had the subscription until \(lines[Int(place)].paidUntil) already: "
                    + "date the purchase no earlier")
        }
        guard request.renewsUntilNow, terms.kind == .autoRenewable else { return }
        let length = request.billingPlan == .monthly ? .month : terms.period
        let end = apps[Int(app)].settings.pace.periodEnd(of: length, anchor: date, count: Self.renewalLimit)
        guard end >= now else {
            throw SimulatorError(
                .tooManyEvents,
                "a subscription bought at \(date) would renew more than 10,000 times until now; date it later")
        }
    }

    // MARK: Refusals

    /// Why the App Store does not sell; `nil` where it does.
    private func refusal(
        of product: Int32, account: Int32, app: Int32, request: PurchaseRequest, from origin: PurchaseOrigin
    ) -> PurchaseError? {
        let (terms, settings) = (apps[Int(app)].terms[Int(product)], apps[Int(app)].settings)
        if origin == .app, let failure = settings.simulatedErrors[.purchase] { return failure.purchaseError }
        if origin == .offerCode, let failure = settings.simulatedErrors[.offerCodeRedeem] {
            return failure.purchaseError
        }
        if let code = settings.failureErrorCode { return PurchaseError(storeKitCode: code) }
        guard terms.isForSale else { return PurchaseError(.productUnavailable, "the product is not for sale") }
        let isCounted = terms.kind == .consumable || terms.kind == .nonRenewing
        guard (1...10).contains(request.quantity), request.quantity == 1 || isCounted else {
            return PurchaseError(
                .invalidQuantity, "a quantity of \(request.quantity) cannot be bought of this product")
        }
        if let refusal = self.refusal(
            ofPlan: request.billingPlan == .monthly ? .monthly : .upFront, product: product, account: account, app: app)
        {
            return refusal
        }
        if accounts[Int(account)].paymentsFail {
            return .paymentRefused
        }
        return nil
    }

    /// Why a product is not sold on a billing plan to a customer; `nil` where it is.
    func refusal(ofPlan plan: Plan, product: Int32, account: Int32, app: Int32) -> PurchaseError? {
        guard plan == .monthly else { return nil }
        guard apps[Int(app)].terms[Int(product)].monthlyPlan != nil else {
            return PurchaseError(.invalidOptions, "the product has no monthly billing plan")
        }
        let storefront = storefronts[Int(accounts[Int(account)].storefront)]
        guard storefront.hasMonthlyPlans else {
            return PurchaseError(
                .productUnavailable, "monthly billing plans are not offered in the storefront \(storefront.country)")
        }
        return nil
    }

    /// Notes that the App Store refused.
    mutating func fail(_ product: Int32, download: Int32, with error: PurchaseError) -> PurchaseOutcome {
        let number = newTransaction(of: product, download: download, stage: .failed)
        tell(.purchaseFailed, ofTransaction: number, note: error.code.rawValue)
        return .failed(error)
    }

    // MARK: What is owned

    /// The transaction by which a customer has a product of which nobody needs a second.
    func owned(_ product: Int32, download: Int32) -> Int32? {
        let terms = apps[Int(downloads[Int(download)].app)].terms[Int(product)]
        switch terms.kind {
        case .consumable, .nonRenewing: return nil
        case .autoRenewable:
            guard let place = ownLine(of: product, download: download) else { return nil }
            let line = lines[Int(place)]
            return line.isInService && line.product == product ? line.current : nil
        case .nonConsumable:
            return numbers(of: download).first { number in
                let state = transactions[Int(number)]
                guard state.product == product, !state.isDeleted, let latest = state.latest else { return false }
                let record = records[Int(latest)]
                return record.revocation == nil && !record.flags.contains(.isFamilyShared)
            }
        }
    }

    /// Buying what one has: renewal is turned on again, a scheduled change withdrawn, an offer applied.
    private mutating func ownedAlready(
        _ number: Int32, product: Int32, download: Int32, request: PurchaseRequest
    ) -> PurchaseOutcome {
        guard let place = ownLine(of: product, download: download),
            apps[Int(downloads[Int(download)].app)].terms[Int(product)].kind == .autoRenewable
        else {
            tell(.alreadyOwned, ofTransaction: number)
            return .alreadyOwned(id(of: number))
        }
        if let offer = request.offer {
            do throws(PurchaseError) {
                try redeem(offer, on: place)
            } catch {
                return fail(product, download: download, with: error)
            }
            return .alreadyOwned(id(of: number))
        }
        if lines[Int(place)].nextProduct != product || lines[Int(place)].nextPlan != lines[Int(place)].plan {
            withdrawChange(of: place)
        }
        if !lines[Int(place)].autoRenews {
            turnRenewal(on: true, of: place)
        } else {
            tell(.alreadyOwned, ofTransaction: number)
        }
        return .alreadyOwned(id(of: number))
    }

    // MARK: Done

    /// Carries a purchase out that nothing stands in the way of.
    ///
    /// - Parameter number: The number of its transaction, where it has waited.
    /// - Returns: The number of its transaction.
    @discardableResult
    mutating func complete(
        _ product: Int32, download: Int32, request: PurchaseRequest, offers: SettledOffers, number: Int32? = nil
    ) -> Int32 {
        let app = downloads[Int(download)].app
        if apps[Int(app)].terms[Int(product)].kind == .autoRenewable {
            return subscribe(to: product, download: download, request: request, offers: offers, number: number)
        }
        let terms = apps[Int(app)].terms[Int(product)]
        let account = downloads[Int(download)].account
        let price = offers.first.map { apps[Int(app)].offerTerms[Int($0)].price } ?? terms.price
        noteRedemption(of: offers.first, download: download)
        let transaction = number ?? newTransaction(of: product, download: download)
        transactions[Int(transaction)].stage = .purchased
        let record = TransactionRecord(
            number: transaction, original: transaction, download: download, product: product,
            quantity: Int32(request.quantity), storefront: accounts[Int(account)].storefront,
            token: place(of: request.appAccountToken), offer: offers.first,
            purchasedAt: request.purchaseDate ?? now, signedAt: now, price: price.map { $0 * Int64(request.quantity) })
        sign(record)
        tell(.oneTimePurchased, ofTransaction: transaction)
        if terms.isShareable { share(oneTime: transaction) }
        return transaction
    }
}

extension PurchaseError {
    /// The customer cannot pay.
    static let paymentRefused = PurchaseError(.systemError, "the customer's payment was refused")

    /// The refusal that a code of StoreKit 1 means.
    ///
    /// - SeeAlso: Apple, "StoreKit: SKError.Code".
    init(storeKitCode code: Int) {
        switch code {
        case 3, 4: self.init(.purchaseNotAllowed, "the payment is not allowed (SKError \(code))")
        case 5: self.init(.productUnavailable, "the product is not available (SKError 5)")
        case 11: self.init(.invalidOfferIdentifier, "there is no such offer (SKError 11)")
        case 12: self.init(.invalidOfferSignature, "the offer's signature is wrong (SKError 12)")
        case 13: self.init(.missingOfferParameters, "the offer lacks something (SKError 13)")
        case 14: self.init(.invalidOfferPrice, "the offer's price is not right (SKError 14)")
        case 18: self.init(.ineligibleForOffer, "the customer may not have the offer (SKError 18)")
        default: self.init(.systemError, "the payment failed (SKError \(code))")
        }
    }
}
