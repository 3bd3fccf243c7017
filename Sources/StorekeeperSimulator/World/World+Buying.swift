import FoundationEssentials
import Storekeeper

extension World {
    /// The place where a purchase begins.
    enum PurchaseOrigin { case app, appStore, offerCode }

    mutating func buy(
        _ product: RowIndex<ProductTerms>, by account: RowIndex<Account>, app: RowIndex<App>, request: PurchaseRequest,
        from origin: PurchaseOrigin
    ) throws(SimulatorError) -> PurchaseOutcome {
        if let date = request.purchaseDate { try checkDate(date, of: product, by: account, app: app, request) }
        let download = download(of: account, app: app)
        if request.isCancelled || isCancelled(origin, app: app) {
            log(.purchaseCancelled, account: account, download: download, note: apps[app].product(product).id.rawValue)
            return .userCancelled
        }
        if let refusal = refusal(of: product, account: account, app: app, request: request, from: origin) {
            return fail(product, download: download, with: refusal)
        }
        if let owned = owned(product, download: download), !changesPlan(request, of: product, download: download) {
            return buyAgain(owned, product: product, download: download, request: request)
        }
        let offers: PurchaseOffers
        do throws(PurchaseError) {
            offers = try self.offers(for: request, product: product, download: download)
        } catch {
            return fail(product, download: download, with: error)
        }
        let settings = apps[app].settings
        let asks = request.asksToBuy ?? settings.isAskToBuyEnabled
        if asks || settings.interruptsPurchases {
            return hold(
                WaitingPurchase(product: product, download: download, request: request),
                as: asks ? .awaitsApproval : .interrupted)
        }
        let next = transactions.endIndex
        let bought = complete(product, download: download, request: request, offers: offers)
        // A change of plan that waits for the next renewal creates no transaction yet.
        return bought < next ? .alreadyOwned(id(of: bought)) : .purchased(id(of: bought))
    }

    /// Returns whether a setting of the app simulates that the customer cancels every purchase.
    private func isCancelled(_ origin: PurchaseOrigin, app: RowIndex<App>) -> Bool {
        let errors = apps[app].settings.simulatedErrors
        switch origin {
        case .app: return errors[.purchase] == .userCancelled
        case .offerCode: return errors[.offerCodeRedeem] == .userCancelled
        case .appStore: return false
        }
    }

    /// Checks the purchase date that a request sets.
    ///
    /// - Throws: `SimulatorError` if the date is in the future or in an already paid period, or so long ago that the
    ///   subscription would renew more than 10,000 times until now.
    private func checkDate(
        _ date: Instant, of product: RowIndex<ProductTerms>, by account: RowIndex<Account>, app: RowIndex<App>,
        _ request: PurchaseRequest
    ) throws(SimulatorError) {
        guard date <= now else {
            throw SimulatorError(.invalidValue, "a purchase cannot be dated in the future, at \(date)")
        }
        let terms = apps[app].terms[product]
        if terms.kind == .autoRenewable,
            let download = existingDownload(of: account, app: app),
            let place = ownSubscription(to: product, download: download), !subscriptions[place].isInService,
            date < subscriptions[place].paidUntil
        {
            throw SimulatorError(
                .invalidValue,
                "the subscription is already paid until \(subscriptions[place].paidUntil): "
                    + "use a purchase date at or after that")
        }
        guard request.renewsUntilNow, terms.kind == .autoRenewable else { return }
        let length = request.plan == .monthly ? .month : terms.period
        let end = apps[app].settings.pace.periodEnd(of: length, anchor: date, count: Self.renewalLimit)
        guard end >= now else {
            throw SimulatorError(
                .tooManyEvents,
                "a subscription bought at \(date) would renew more than 10,000 times until now; date it later")
        }
    }

    // MARK: Refusals

    /// Returns the reason why the App Store refuses to sell a product; `nil` if the App Store sells the product.
    private func refusal(
        of product: RowIndex<ProductTerms>, account: RowIndex<Account>, app: RowIndex<App>, request: PurchaseRequest,
        from origin: PurchaseOrigin
    ) -> PurchaseError? {
        let (terms, settings) = (apps[app].terms[product], apps[app].settings)
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
            ofPlan: request.plan, product: product, account: account, app: app)
        {
            return refusal
        }
        if accounts[account].paymentsFail {
            return .paymentRefused
        }
        return nil
    }

    /// Returns the reason why a product is not sold to a customer on a billing plan; `nil` if the product is sold.
    func refusal(
        ofPlan plan: Plan, product: RowIndex<ProductTerms>, account: RowIndex<Account>, app: RowIndex<App>
    ) -> PurchaseError? {
        guard plan == .monthly else { return nil }
        guard apps[app].terms[product].monthlyPlan != nil else {
            return PurchaseError(.invalidOptions, "the product has no monthly billing plan")
        }
        let storefront = storefront(of: account)
        guard storefront.hasMonthlyPlans else {
            return PurchaseError(
                .productUnavailable, "monthly billing plans are not offered in the storefront \(storefront.country)")
        }
        return nil
    }

    /// Records a refused purchase as a failed transaction.
    mutating func fail(
        _ product: RowIndex<ProductTerms>, download: RowIndex<Download>, with error: PurchaseError
    ) -> PurchaseOutcome {
        let transaction = newTransaction(of: product, download: download, stage: .failed)
        log(.purchaseFailed, of: transaction, note: error.code.rawValue)
        return .failed(error)
    }

    // MARK: What is owned

    /// Returns the transaction by which a customer owns a product that can be bought only once.
    func owned(_ product: RowIndex<ProductTerms>, download: RowIndex<Download>) -> RowIndex<TransactionState>? {
        switch apps[downloads[download].app].terms[product].kind {
        case .consumable, .nonRenewing: return nil
        case .autoRenewable:
            guard let place = ownSubscription(to: product, download: download) else { return nil }
            let subscription = subscriptions[place]
            return subscription.isInService && subscription.service.product == product ? subscription.current : nil
        case .nonConsumable:
            return transactions(of: download).first { place in
                let state = transactions[place]
                guard state.product == product, !state.isDeleted, let latest = state.latest else { return false }
                let record = records[latest]
                return record.revocation == nil && !record.flags.contains(.isFamilyShared)
            }
        }
    }

    /// Returns whether a purchase requests another billing plan for a product to which the customer already subscribes.
    private func changesPlan(
        _ request: PurchaseRequest, of product: RowIndex<ProductTerms>, download: RowIndex<Download>
    ) -> Bool {
        guard request.billingPlan != nil,
            apps[downloads[download].app].terms[product].kind == .autoRenewable,
            let place = ownSubscription(to: product, download: download)
        else { return false }
        return request.plan != subscriptions[place].service.plan
    }

    /// Buys a product that the customer already owns.
    ///
    /// For a subscription, an offer of the request is applied. Without an offer, a scheduled change is withdrawn and
    /// renewal is turned on again.
    private mutating func buyAgain(
        _ transaction: RowIndex<TransactionState>, product: RowIndex<ProductTerms>, download: RowIndex<Download>,
        request: PurchaseRequest
    ) -> PurchaseOutcome {
        guard let place = ownSubscription(to: product, download: download),
            apps[downloads[download].app].terms[product].kind == .autoRenewable
        else {
            log(.alreadyOwned, of: transaction)
            return .alreadyOwned(id(of: transaction))
        }
        if let offer = request.offer {
            do throws(PurchaseError) {
                try redeem(offer, on: place)
            } catch {
                return fail(product, download: download, with: error)
            }
            return .alreadyOwned(id(of: transaction))
        }
        let subscription = subscriptions[place]
        let service = subscription.service
        if service.nextProduct != product || service.nextPlan != service.plan { withdrawChange(of: place) }
        if !subscription.willContinue {
            setRenewal(on: true, of: place)
        } else {
            log(.alreadyOwned, of: transaction)
        }
        return .alreadyOwned(id(of: transaction))
    }

    // MARK: Completion

    /// Completes a purchase that has passed all checks.
    ///
    /// - Parameter transaction: The existing transaction of a purchase that has waited for its completion; `nil` to
    ///   create a transaction.
    /// - Returns: The transaction of the purchase. If a change of plan waits for the next renewal, returns the
    ///   transaction of the current period.
    @discardableResult
    mutating func complete(
        _ product: RowIndex<ProductTerms>, download: RowIndex<Download>, request: PurchaseRequest,
        offers: PurchaseOffers,
        transaction: RowIndex<TransactionState>? = nil
    ) -> RowIndex<TransactionState> {
        let app = downloads[download].app
        let terms = apps[app].terms[product]
        if terms.kind == .autoRenewable {
            return subscribe(
                to: product, download: download, request: request, offers: offers, transaction: transaction)
        }
        let account = downloads[download].account
        let price = offers.first.map { apps[app].offers[$0].price } ?? terms.price
        markRedeemed(offers.first, download: download)
        let transaction = transaction ?? newTransaction(of: product, download: download)
        transactions[transaction].stage = .purchased
        issue(
            TransactionRecord(
                transaction: transaction, original: transaction, download: download, product: product,
                quantity: Int32(request.quantity), storefront: accounts[account].storefront,
                token: place(ofToken: request.appAccountToken), offer: offers.first,
                purchasedAt: request.purchaseDate ?? now, signedAt: now,
                price: price.map { $0 * Int64(request.quantity) }))
        log(.oneTimePurchased, of: transaction)
        if terms.isShareable { shareOneTimePurchase(transaction) }
        return transaction
    }
}

extension PurchaseError {
    /// The error of a purchase that the customer cannot pay.
    static var paymentRefused: Self { Self(.systemError, "the customer's payment was refused") }

    /// Creates the refusal for an error code of StoreKit 1.
    ///
    /// - SeeAlso: Apple, "StoreKit: SKError.Code".
    init(storeKitCode code: Int) {
        switch code {
        case 0: self.init(.unknown, "the payment failed for an unknown reason (SKError 0)")
        case 3, 4: self.init(.purchaseNotAllowed, "the payment is not allowed (SKError \(code))")
        case 5: self.init(.productUnavailable, "the product is not available (SKError 5)")
        case 11: self.init(.invalidOfferIdentifier, "the offer does not exist (SKError 11)")
        case 12: self.init(.invalidOfferSignature, "the offer's signature is wrong (SKError 12)")
        case 13: self.init(.missingOfferParameters, "the offer is incomplete (SKError 13)")
        case 14: self.init(.invalidOfferPrice, "the offer's price is wrong (SKError 14)")
        case 18: self.init(.ineligibleForOffer, "the customer is not eligible for the offer (SKError 18)")
        default: self.init(.systemError, "the payment failed (SKError \(code))")
        }
    }
}
