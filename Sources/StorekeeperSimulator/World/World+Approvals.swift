import Storekeeper

extension World {
    /// How long a guardian has to answer, in milliseconds.
    static let guardianPatience: Int64 = 86_400_000

    /// Lets a purchase wait.
    mutating func wait(for stage: TransactionState.Stage, with purchase: WaitingPurchase) -> PurchaseOutcome {
        let number = newTransaction(of: purchase.product, download: purchase.download, stage: stage)
        waiting[number] = purchase
        guard stage == .waitsForGuardian else {
            tell(.purchaseInterrupted, ofTransaction: number)
            return .pending(.bankApproval, id(of: number))
        }
        tell(.askToBuyRequested, ofTransaction: number)
        let download = downloads[Int(purchase.download)]
        let patience = apps[Int(download.app)].settings.pace.scaled(Self.guardianPatience)
        queue.push(
            DueEvent(
                at: now.adding(milliseconds: patience), account: download.account, line: .max,
                kind: DueKind.guardianTimeout.rawValue, stamp: 0, subject: number))
        return .pending(.askToBuy, id(of: number))
    }

    mutating func timeOutGuardian(of number: Int32) {
        guard transactions[Int(number)].stage == .waitsForGuardian, waiting.removeValue(forKey: number) != nil else {
            return
        }
        transactions[Int(number)].stage = .declined
        tell(.askToBuyTimedOut, ofTransaction: number)
    }

    mutating func answerGuardian(_ isApproved: Bool, number: Int32) throws(SimulatorError) -> PurchaseOutcome? {
        guard transactions[Int(number)].stage == .waitsForGuardian, let purchase = waiting[number] else {
            throw SimulatorError(.invalidAction, "transaction \(id(of: number)) does not wait for a guardian")
        }
        waiting[number] = nil
        guard isApproved else {
            transactions[Int(number)].stage = .declined
            tell(.askToBuyDeclined, ofTransaction: number)
            return nil
        }
        return complete(purchase, number: number)
    }

    /// Resolves what interrupted a purchase, or a billing problem.
    mutating func resolveIssue(of number: Int32) throws(SimulatorError) -> PurchaseOutcome? {
        if transactions[Int(number)].stage == .interrupted, let purchase = waiting.removeValue(forKey: number) {
            return complete(purchase, number: number)
        }
        let record = try record(of: number)
        guard let place = record.line else {
            throw SimulatorError(.invalidAction, "transaction \(id(of: number)) has no issue to resolve")
        }
        guard lines[Int(place)].sharedFrom == nil else {
            throw SimulatorError(
                .invalidAction, "transaction \(id(of: number)) is a family's copy: only its purchaser can pay for it")
        }
        switch lines[Int(place)].phase {
        case .grace, .retry:
            accounts[Int(lines[Int(place)].account)].paymentsFail = false
            recover(place)
            reschedule(place)
            return .purchased(id(of: lines[Int(place)].current))
        // Too late: the App Store has given up.
        case .expired: return nil
        case .active, .revoked:
            throw SimulatorError(.invalidAction, "transaction \(id(of: number)) has no issue to resolve")
        }
    }

    /// Carries out what has waited; of what the customer has got meanwhile they need no second.
    private mutating func complete(_ purchase: WaitingPurchase, number: Int32) -> PurchaseOutcome {
        let isForGood =
            apps[Int(downloads[Int(purchase.download)].app)].terms[Int(purchase.product)].kind == .nonConsumable
        if isForGood, let owned = owned(purchase.product, download: purchase.download) {
            transactions[Int(number)].stage = .declined
            tell(.alreadyOwned, ofTransaction: owned)
            return .alreadyOwned(id(of: owned))
        }
        let bought = complete(
            purchase.product, download: purchase.download, request: purchase.request, offers: purchase.offers,
            number: number)
        return bought == number ? .purchased(id(of: bought)) : .alreadyOwned(id(of: bought))
    }
}
