public import Storekeeper

extension ScenarioRunner {
    /// The transaction that a step has given a name.
    public func id(named name: String) -> Transaction.ID? { names[name] }

    /// The reference with the id that a name stands for.
    func resolved(_ reference: TransactionReference) -> TransactionReference {
        guard case .id(let id) = reference, let named = names[id.rawValue] else { return reference }
        return .id(named)
    }

    /// The command with the ids that names stand for.
    func resolved(_ command: SimulatorCommand) -> SimulatorCommand {
        switch command {
        case .resolveIssue(let it): .resolveIssue(resolved(it))
        case .finish(let it): .finish(resolved(it))
        case .setAppAccountToken(let token, let it): .setAppAccountToken(token, of: resolved(it))
        case .deleteTransaction(let it): .deleteTransaction(resolved(it))
        case .setAutoRenew(let isOn, let it): .setAutoRenew(isOn, of: resolved(it))
        case .applyOffer(let offer, let it): .applyOffer(offer, of: resolved(it))
        case .retryBilling(let it): .retryBilling(of: resolved(it))
        case .extendRenewalDate(let it, let days, let reason):
            .extendRenewalDate(of: resolved(it), days: days, reason: reason)
        case .requestPriceConsent(let it): .requestPriceConsent(resolved(it))
        case .answerPriceConsent(let isYes, let it): .answerPriceConsent(isYes, of: resolved(it))
        case .requestRefund(let it, let reason): .requestRefund(resolved(it), reason: reason)
        case .refund(let it, let percentage, let reason): .refund(resolved(it), percentage: percentage, reason: reason)
        case .declineRefund(let it): .declineRefund(resolved(it))
        case .reverseRefund(let it): .reverseRefund(resolved(it))
        case .revokeAssignment(let it): .revokeAssignment(resolved(it))
        case .informOfConsumption(let it, let delivery, let preference):
            .informOfConsumption(of: resolved(it), delivery: delivery, preference: preference)
        default: command
        }
    }

    /// The id of the transaction that is meant.
    func id(of reference: TransactionReference, app: String?) throws -> Transaction.ID {
        try store.transactionID(of: reference, app: app)
    }
}

extension SimulatorCommand {
    /// The product and the person, where it is a purchase.
    var purchase: (product: Product.ID, person: CustomerID)? {
        switch self {
        case .buy(let id, let person, _), .buyOutsideApp(let id, let person), .redeemOfferCode(_, let id, let person):
            (id, person)
        default: nil
        }
    }
}
