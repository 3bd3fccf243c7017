import FoundationEssentials

/// A product with purchase options, checked before the App Store is contacted.
struct PurchaseOrder: Sendable {
    let product: Product
    let options: Set<PurchaseOption>
    /// The `appAccountToken` that the transaction of the purchase must contain; `nil` if any token is accepted.
    let token: UUID?

    /// The allowed quantities.
    private static let quantities = 1...10

    /// - Throws: ``PurchaseError`` if the options contradict the product or one another.
    init(
        of product: Product, options: Set<PurchaseOption>, for customer: CustomerID
    ) throws(PurchaseError) {
        let kinds = options.map(Self.kind(of:))
        guard Set(kinds).count == kinds.count else {
            throw PurchaseError(.invalidOptions, "two options contradict each other; use one of them")
        }
        for option in options { try Self.check(option, of: product) }
        let tokens = options.compactMap { option in
            if case .appAccountToken(let token) = option { token } else { nil }
        }
        self.product = product
        if let token = tokens.first {
            self.options = options
            self.token = token
        } else if let token = UUID(uuidString: customer.rawValue) {
            // The customer's id is added as the token, so that the purchase names its owner.
            self.options = options.union([.appAccountToken(token)])
            self.token = token
        } else {
            self.options = options
            token = nil
        }
    }

    private static func check(_ option: PurchaseOption, of product: Product) throws(PurchaseError) {
        switch option {
        case .quantity(let quantity):
            guard quantities.contains(quantity) else {
                throw PurchaseError(.invalidQuantity, "the quantity must be 1 to 10, not \(quantity)")
            }
            guard quantity == 1 || product.type == .consumable || product.type == .nonRenewable else {
                throw PurchaseError(.invalidQuantity, "'\(product.id)' cannot be bought with a quantity")
            }
        case .promotionalOffer, .winBackOffer, .introductoryOfferEligibility, .billingPlanType:
            guard product.type == nil || product.type == .autoRenewable else {
                throw PurchaseError(.ineligibleForOffer, "'\(product.id)' is not a subscription and has no such offers")
            }
        case .appAccountToken, .codeOffer, .simulatesAskToBuyInSandbox, .custom: return
        }
    }

    /// Returns the kind of an option.
    ///
    /// Promotional, win-back and code offers are of one kind, because only one such offer can apply to a purchase.
    private static func kind(of option: PurchaseOption) -> String {
        switch option {
        case .appAccountToken: "token"
        case .quantity: "quantity"
        case .promotionalOffer, .winBackOffer, .codeOffer: "offer"
        case .introductoryOfferEligibility: "introductoryOffer"
        case .billingPlanType: "billingPlan"
        case .simulatesAskToBuyInSandbox: "askToBuy"
        case .custom(let key, _): "custom." + key
        }
    }

    /// Compares a transaction with the order.
    ///
    /// - Parameters:
    ///   - transaction: The transaction.
    ///   - isNew: Whether this purchase created the transaction; an earlier transaction may contain another token.
    /// - Throws: ``PurchaseError`` with `failedVerification` if the transaction does not match the order.
    func check(_ transaction: Transaction, isNew: Bool) throws(PurchaseError) {
        guard transaction.productID == product.id else {
            throw PurchaseError(
                .failedVerification,
                "'\(product.id)' was requested, but the transaction is for '\(transaction.productID)'")
        }
        guard !isNew || token == nil || transaction.appAccountToken == nil || transaction.appAccountToken == token
        else { throw PurchaseError(.failedVerification, "the transaction carries another customer's token") }
    }
}
