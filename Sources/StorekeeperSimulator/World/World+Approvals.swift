import Storekeeper

extension World {
    /// The time in which a guardian has to answer, in milliseconds.
    static let askToBuyTimeout: Int64 = 86_400_000

    /// Stores a purchase that waits until a guardian answers or its issue is resolved.
    mutating func hold(_ purchase: WaitingPurchase, as stage: TransactionState.Stage) -> PurchaseOutcome {
        let transaction = newTransaction(of: purchase.product, download: purchase.download, stage: stage)
        waiting[transaction] = purchase
        guard stage == .awaitsApproval else {
            log(.purchaseInterrupted, of: transaction)
            return .pending(.bankApproval, id(of: transaction))
        }
        log(.askToBuyRequested, of: transaction)
        let download = downloads[purchase.download]
        let timeout = apps[download.app].settings.pace.scaled(Self.askToBuyTimeout)
        queue.push(
            DueEvent(
                at: now.adding(milliseconds: timeout), account: download.account, subject: .askToBuy(transaction)))
        return .pending(.askToBuy, id(of: transaction))
    }

    /// Declines a purchase that no guardian has answered in time.
    mutating func timeOutAskToBuy(_ transaction: RowIndex<TransactionState>) {
        guard transactions[transaction].stage == .awaitsApproval, waiting.removeValue(forKey: transaction) != nil
        else { return }
        transactions[transaction].stage = .declined
        log(.askToBuyTimedOut, of: transaction)
    }

    mutating func answerAskToBuy(
        _ isApproved: Bool, for transaction: RowIndex<TransactionState>
    ) throws(SimulatorError) -> PurchaseOutcome? {
        guard transactions[transaction].stage == .awaitsApproval, let purchase = waiting[transaction] else {
            throw SimulatorError(.invalidAction, "transaction \(id(of: transaction)) does not wait for a guardian")
        }
        waiting[transaction] = nil
        guard isApproved else {
            transactions[transaction].stage = .declined
            log(.askToBuyDeclined, of: transaction)
            return nil
        }
        return complete(purchase, as: transaction)
    }

    /// Resolves the issue that interrupted a purchase, or the billing problem of a subscription.
    mutating func resolveIssue(
        of transaction: RowIndex<TransactionState>
    ) throws(SimulatorError) -> PurchaseOutcome? {
        if transactions[transaction].stage == .interrupted, let purchase = waiting.removeValue(forKey: transaction) {
            return complete(purchase, as: transaction)
        }
        guard let place = try record(of: transaction).subscription else {
            throw SimulatorError(.invalidAction, "transaction \(id(of: transaction)) has no issue to resolve")
        }
        guard subscriptions[place].sharedFrom == nil else {
            throw SimulatorError(
                .invalidAction,
                "transaction \(id(of: transaction)) is a family's copy: only its purchaser can pay for it")
        }
        switch subscriptions[place].service.phase {
        case .grace, .retry:
            accounts[subscriptions[place].account].paymentsFail = false
            recover(place)
            reschedule(place)
            return .purchased(id(of: subscriptions[place].current))
        // Nothing is left to resolve, because the App Store no longer retries the payment.
        case .expired: return nil
        case .active, .revoked:
            throw SimulatorError(.invalidAction, "transaction \(id(of: transaction)) has no issue to resolve")
        }
    }

    /// Completes a waiting purchase.
    ///
    /// Nothing is bought if the customer has since bought the same non-consumable, or is no longer eligible for the
    /// requested offer.
    private mutating func complete(
        _ purchase: WaitingPurchase, as transaction: RowIndex<TransactionState>
    ) -> PurchaseOutcome {
        let isForGood = app(of: purchase.download).terms[purchase.product].kind == .nonConsumable
        if isForGood, let owned = owned(purchase.product, download: purchase.download) {
            transactions[transaction].stage = .declined
            log(.alreadyOwned, of: owned)
            return .alreadyOwned(id(of: owned))
        }
        let offers: PurchaseOffers
        do throws(PurchaseError) {
            // Since the request, the customer may have subscribed or redeemed the offer.
            offers = try self.offers(for: purchase.request, product: purchase.product, download: purchase.download)
        } catch {
            transactions[transaction].stage = .failed
            log(.purchaseFailed, of: transaction, note: error.code.rawValue)
            return .failed(error)
        }
        let bought = complete(
            purchase.product, download: purchase.download, request: purchase.request, offers: offers,
            transaction: transaction)
        return bought == transaction ? .purchased(id(of: bought)) : .alreadyOwned(id(of: bought))
    }
}
