public import Storekeeper

/// Lists about the session's customer: predicted renewals, messages, purchase intents and refunds.
extension SimulatedSession {
    /// Predicts the next renewals of a transaction's subscription.
    ///
    /// - Throws: ``SimulatorError`` if the transaction does not exist, or does not belong to a subscription.
    public func renewals(
        ofTransaction identifier: Transaction.ID, count: Int = 3
    ) throws(SimulatorError) -> RenewalPreview {
        try store.renewals(of: .id(identifier), count: count, app: bundleID)
    }

    /// The messages that the App Store has shown the customer, in order.
    public var messages: [SimulatedMessage] { (try? store.messages(for: customer, app: bundleID)) ?? [] }

    /// The promoted products that the customer has selected, in order.
    public var purchaseIntents: [SimulatedPurchaseIntent] {
        (try? store.purchaseIntents(of: customer, app: bundleID)) ?? []
    }

    /// The refunds that the customer received because of upgrades, in order.
    public var prorations: [SimulatedProration] { (try? store.prorations(of: customer, app: bundleID)) ?? [] }

    /// Selects a promoted product on the App Store's page.
    ///
    /// - Throws: ``SimulatorError`` if the product does not exist.
    public func intendPurchase(productIdentifier: Product.ID) throws(SimulatorError) {
        try perform(.intendPurchase(productIdentifier, by: customer))
    }
}
