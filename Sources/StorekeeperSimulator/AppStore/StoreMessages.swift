public import Storekeeper

/// A message that the App Store shows to a customer in the app.
///
/// - SeeAlso: Apple, "StoreKit: Message".
public struct SimulatedMessage: Hashable, Sendable, Identifiable {
    /// The reason for a message, as StoreKit names it.
    public enum Reason: String, Sendable, CaseIterable {
        /// The customer is asked to agree to a higher price.
        case priceIncreaseConsent
        /// A renewal could not be paid.
        case billingIssue
        /// The customer is eligible for a win-back offer.
        case winBackOffer
    }

    /// The id of the happening that caused the message.
    public let id: Happening.ID
    /// The instant at which the message was sent.
    public let at: Instant
    /// The reason.
    public let reason: Reason
    /// The product of the subscription.
    public let productID: Product.ID
    /// The newest transaction of the subscription.
    public let transactionID: Transaction.ID
}

/// A promoted product that a customer selected on the app's App Store page, so that the app can sell the product.
///
/// The selection is not a purchase. The app may sell the product later, or never.
///
/// - SeeAlso: Apple, "StoreKit: PurchaseIntent".
public struct SimulatedPurchaseIntent: Hashable, Sendable, Identifiable {
    /// The id of the happening that records the selection.
    public let id: Happening.ID
    /// The instant at which the customer selected the product.
    public let at: Instant
    /// The product.
    public let productID: Product.ID
}

/// The refund that a customer receives for the rest of a period, because an upgrade ended the period early.
///
/// No signed item mentions this refund, because the App Store pays it automatically with the upgrade.
public struct SimulatedProration: Hashable, Sendable {
    /// The transaction of the period that ended early.
    public let transactionID: Transaction.ID
    /// The amount, in thousandths of the currency's main unit, rounded down.
    public let amount: Int64
    /// The time of the refund.
    public let at: Instant
}

extension SimulatedAppStore {
    /// Returns the messages that the App Store has shown to a customer in an app, in order.
    ///
    /// - Throws: ``SimulatorError`` if the account or app does not exist.
    public func messages(for customer: CustomerID, app: String? = nil) throws(SimulatorError) -> [SimulatedMessage] {
        try result { world throws(SimulatorError) in
            try world.entries(of: customer, app: app).compactMap { place in
                let entry = world.journal[place]
                guard let reason = world.messageReason(of: entry) else { return nil }
                let happening = world.happening(place)
                guard let product = happening.productID, let transaction = happening.transactionID else { return nil }
                return SimulatedMessage(
                    id: place.index, at: entry.at, reason: reason, productID: product, transactionID: transaction)
            }
        }
    }

    /// Returns the promoted products that a customer has selected, in order.
    ///
    /// - Throws: ``SimulatorError`` if the account or app does not exist.
    public func purchaseIntents(
        of customer: CustomerID, app: String? = nil
    ) throws(SimulatorError) -> [SimulatedPurchaseIntent] {
        try result { world throws(SimulatorError) in
            try world.entries(of: customer, app: app).compactMap { place in
                let entry = world.journal[place]
                guard entry.kind == .purchaseIntended, let note = entry.note else { return nil }
                return SimulatedPurchaseIntent(id: place.index, at: entry.at, productID: Product.ID(world.notes[note]))
            }
        }
    }

    /// Returns the refunds that a customer received because of upgrades, in order.
    ///
    /// - Throws: ``SimulatorError`` if the account or app does not exist.
    public func prorations(
        of customer: CustomerID, app: String? = nil
    ) throws(SimulatorError) -> [SimulatedProration] {
        try result { world throws(SimulatorError) in
            let app = try world.app(app)
            guard let download = world.existingDownload(of: try world.account(customer), app: app) else { return [] }
            return world.prorations.filter { world.transactions[$0.transaction].download == download }.map {
                SimulatedProration(transactionID: world.id(of: $0.transaction), amount: $0.amount, at: $0.at)
            }
        }
    }
}

extension World {
    /// Returns the entries of the store's journal about a customer in an app.
    fileprivate func entries(
        of customer: CustomerID, app: String?
    ) throws(SimulatorError) -> [RowIndex<JournalEntry>] {
        let app = try self.app(app)
        guard let download = existingDownload(of: try account(customer), app: app) else { return [] }
        return journal.indices.filter { journal[$0].download == download }
    }

    fileprivate func messageReason(of entry: JournalEntry) -> SimulatedMessage.Reason? {
        switch entry.kind {
        case .priceIncreasePending: return .priceIncreaseConsent
        case .graceStarted, .billingRetryStarted: return .billingIssue
        case .expiredVoluntarily, .expiredInBillingRetry, .expiredByPriceIncrease, .expiredNotForSale:
            guard let record = entry.renewalRecord else { return nil }
            return winBackOffers(of: renewalRecords[record]).isEmpty ? nil : .winBackOffer
        default: return nil
        }
    }
}
