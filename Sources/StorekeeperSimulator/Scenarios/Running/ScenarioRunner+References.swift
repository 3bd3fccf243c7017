public import Storekeeper

extension ScenarioRunner {
    /// Returns the id of the transaction to which a step has given a name.
    public func id(named name: String) -> Transaction.ID? { names[name] }

    /// Returns the reference, with the name of a purchase replaced by the id of the transaction.
    func resolved(_ reference: TransactionReference) -> TransactionReference {
        guard case .id(let id) = reference, let named = names[id.rawValue] else { return reference }
        return .id(named)
    }

    /// Returns the command, with the names of purchases replaced by the ids of the transactions.
    func resolved(_ command: SimulatorCommand) -> SimulatorCommand {
        switch command {
        case .resolveIssue(let it): .resolveIssue(resolved(it))
        case .finish(let it): .finish(resolved(it))
        case .setAppAccountToken(let token, let it): .setAppAccountToken(token, of: resolved(it))
        case .deleteTransaction(let it): .deleteTransaction(resolved(it))
        case .setAutoRenew(let isOn, let it): .setAutoRenew(isOn, of: resolved(it))
        case .applyOffer(let offer, let it): .applyOffer(offer, of: resolved(it))
        case .retryBilling(let it): .retryBilling(of: resolved(it))
        case .extendRenewalDate(let it, let days, let reason, let requestID):
            .extendRenewalDate(of: resolved(it), days: days, reason: reason, requestID: requestID)
        case .requestPriceConsent(let it): .requestPriceConsent(resolved(it))
        case .answerPriceConsent(let isYes, let it): .answerPriceConsent(isYes, of: resolved(it))
        case .requestRefund(let it, let reason): .requestRefund(resolved(it), reason: reason)
        case .refund(let it, let percentage, let reason): .refund(resolved(it), percentage: percentage, reason: reason)
        case .declineRefund(let it): .declineRefund(resolved(it))
        case .reverseRefund(let it): .reverseRefund(resolved(it))
        case .revokeAssignment(let it): .revokeAssignment(resolved(it))
        case .setAdvancedCommerce(let text, let it, let change):
            .setAdvancedCommerce(text, of: resolved(it), change: change)
        case .setSeats(let number, let it, let invitations):
            .setSeats(number, of: resolved(it), invitations: invitations)
        case .unclaimSeats(let claims, let it): .unclaimSeats(claims, of: resolved(it))
        case .refundSeats(let number, let it, let reason): .refundSeats(number, of: resolved(it), reason: reason)
        case .claimSeat(let claim, let it): .claimSeat(claim, of: resolved(it))
        case .releaseSeat(let claim, let it): .releaseSeat(claim, of: resolved(it))
        case .associateSeat(let claim, let member, let it): .associateSeat(claim, with: member, of: resolved(it))
        case .informOfConsumption(let it, let delivery, let preference):
            .informOfConsumption(of: resolved(it), delivery: delivery, preference: preference)
        case .advance, .createAccount, .setStorefront, .setAppTransaction, .createFamily, .joinFamily, .leaveFamily,
            .makeOrganizer, .setPurchaseSharing, .shareProduct, .buy, .buyOutsideApp, .redeemOfferCode, .intendPurchase,
            .approveAskToBuy, .declineAskToBuy, .clearTransactions, .changePlan, .forceRenewal, .expire,
            .setPaymentsFail, .extendRenewalDates, .changePrice, .setForSale, .requestTestNotification, .beginFault,
            .endFaults, .setSetting, .resetSettings:
            command
        }
    }

    /// Returns the id of the referenced transaction.
    func id(of reference: TransactionReference, app: String?) throws -> Transaction.ID {
        try store.transactionID(of: reference, app: app)
    }
}

extension SimulatorCommand {
    /// The product and the person, if the command is a purchase.
    var purchase: (product: Product.ID, person: CustomerID)? {
        switch self {
        case .buy(let id, let person, _), .buyOutsideApp(let id, let person), .redeemOfferCode(_, let id, let person):
            (id, person)
        case .advance, .createAccount, .setStorefront, .setAppTransaction, .createFamily, .joinFamily, .leaveFamily,
            .makeOrganizer, .setPurchaseSharing, .shareProduct, .intendPurchase, .approveAskToBuy, .declineAskToBuy,
            .resolveIssue,
            .finish, .setAppAccountToken, .deleteTransaction, .clearTransactions, .setAutoRenew, .changePlan,
            .applyOffer, .forceRenewal, .expire, .setPaymentsFail, .retryBilling, .extendRenewalDate,
            .extendRenewalDates, .changePrice, .requestPriceConsent, .answerPriceConsent, .setForSale, .requestRefund,
            .refund, .declineRefund, .reverseRefund, .revokeAssignment, .setAdvancedCommerce, .setSeats,
            .unclaimSeats, .refundSeats, .claimSeat, .releaseSeat, .associateSeat, .informOfConsumption,
            .requestTestNotification, .beginFault, .endFaults, .setSetting, .resetSettings:
            nil
        }
    }
}
