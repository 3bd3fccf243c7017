public import Storekeeper

/// A transaction in the list of a transaction manager, corresponding to Apple's `SKTestTransaction`.
///
/// - SeeAlso: Apple, "StoreKit Test: SKTestTransaction".
public struct SimulatedTransaction: Hashable, Sendable, Identifiable {
    /// The state of a transaction, with the same raw values as `SKPaymentTransactionState`.
    public enum State: Int, Sendable, CaseIterable {
        /// The purchase is in progress; the simulator lists no transaction in this state.
        case purchasing = 0
        /// The product was bought.
        case purchased = 1
        /// The purchase was refused or interrupted.
        ///
        /// For an interrupted purchase, ``SimulatedTransaction/hasPurchaseIssue`` is true.
        case failed = 2
        /// The transaction was restored.
        ///
        /// No transaction is listed in this state, because restoring purchases creates no transaction in the simulator.
        case restored = 3
        /// The purchase waits for a guardian's answer.
        case deferred = 4
    }

    /// The transaction's id.
    public let identifier: Transaction.ID
    /// The id of the first transaction of the chain; the transaction's own id if the attempt bought nothing.
    public let originalTransactionIdentifier: Transaction.ID
    /// The product.
    public let productIdentifier: Product.ID
    /// The state.
    public let state: State
    /// The date of the purchase, or of the attempt if it bought nothing.
    public let purchaseDate: Instant
    /// The end of the period, for a subscription.
    public let expirationDate: Instant?
    /// The date of the refund or revocation.
    public let cancelDate: Instant?
    /// Whether the transaction's subscription renews automatically.
    public let autoRenewingEnabled: Bool
    /// Whether the purchase was interrupted, or this is the newest transaction of a subscription whose payment failed.
    public let hasPurchaseIssue: Bool
    /// Whether this is the newest transaction of a subscription, and the customer was asked to agree to a higher price.
    public let isPendingPriceIncreaseConsent: Bool
    /// Whether the purchase waits for a guardian's answer.
    public let pendingAskToBuyConfirmation: Bool

    // The following properties do not exist in `SKTestTransaction`.

    /// The customer.
    public let customer: CustomerID
    /// The bundle id of the app.
    public let app: String
    /// Whether the transaction was shared by a family member.
    public let isFamilyShared: Bool
    /// Whether the customer moved to another product before the transaction's period ended.
    public let isUpgraded: Bool
    /// Whether the app has finished the transaction.
    public let isFinished: Bool

    /// The transaction's id.
    public var id: Transaction.ID { identifier }
}

/// Selects transactions for a list.
public struct TransactionFilter: Hashable, Sendable {
    /// Selects only transactions of this product; `nil` selects all products.
    public var product: Product.ID?
    /// Selects only transactions bought at this instant or later.
    public var from: Instant
    /// Selects only transactions bought before this instant.
    public var until: Instant
    /// Selects only transactions in this state; `nil` selects all states.
    public var state: SimulatedTransaction.State?

    /// Creates a filter; without arguments, the filter selects every transaction.
    public init(
        product: Product.ID? = nil, from: Instant = .distantPast, until: Instant = .distantFuture,
        state: SimulatedTransaction.State? = nil
    ) {
        self.product = product
        self.from = from
        self.until = until
        self.state = state
    }

    /// Returns whether a transaction matches.
    public func matches(_ transaction: SimulatedTransaction) -> Bool {
        (product ?? transaction.productIdentifier) == transaction.productIdentifier
            && from <= transaction.purchaseDate && transaction.purchaseDate < until
            && (state ?? transaction.state) == transaction.state
    }
}

extension SimulatedAppStore {
    /// Returns the transactions of an account in an app, newest first.
    ///
    /// Pending, refused and refunded transactions are included. Deleted transactions, and purchases that a guardian has
    /// declined, are not included.
    ///
    /// - Parameters:
    ///   - customer: The account.
    ///   - app: The bundle id of the app; `nil` for the first app.
    ///   - filter: Selects transactions.
    /// - Throws: ``SimulatorError`` if the account or app does not exist.
    public func transactions(
        of customer: CustomerID, app: String? = nil, matching filter: TransactionFilter = TransactionFilter()
    ) throws(SimulatorError) -> [SimulatedTransaction] {
        try result { world throws(SimulatorError) in
            let app = try world.app(app)
            guard let download = world.existingDownload(of: try world.account(customer), app: app) else { return [] }
            return world.list(download).filter(filter.matches)
        }
    }
}

extension World {
    /// Returns all purchases and attempts of a customer in an app, newest first.
    func list(_ download: RowIndex<Download>) -> [SimulatedTransaction] {
        let places = transactions(of: download).filter { place in
            !transactions[place].isDeleted && transactions[place].stage != .declined
        }
        let tried = attempts(among: places.filter { transactions[$0].latest == nil })
        return places.map { view(of: $0, triedAt: tried[$0]) }
    }

    /// Returns the instants of those transactions that are attempts and bought nothing.
    private func attempts(among places: [RowIndex<TransactionState>]) -> [RowIndex<TransactionState>: Instant] {
        guard !places.isEmpty else { return [:] }
        var found: [RowIndex<TransactionState>: Instant] = [:]
        let wanted = Set(places)
        for entry in journal {
            guard let place = entry.transaction, wanted.contains(place), found[place] == nil else { continue }
            found[place] = entry.at
        }
        return found
    }

    private func view(of place: RowIndex<TransactionState>, triedAt: Instant?) -> SimulatedTransaction {
        let state = transactions[place]
        let record = state.latest.map { records[$0] }
        let subscription = record?.subscription.map { subscriptions[$0] }
        let isNewest = subscription?.current == place
        let isOwed = subscription?.isInBillingRetry ?? false
        let download = downloads[state.download]
        let app = apps[download.app]
        return SimulatedTransaction(
            identifier: id(of: place), originalTransactionIdentifier: id(of: record?.original ?? place),
            productIdentifier: app.product(state.product).id, state: state.stage.state,
            purchaseDate: record?.purchasedAt ?? triedAt ?? now, expirationDate: record?.expiresAt,
            cancelDate: record?.revocation?.at, autoRenewingEnabled: subscription?.service.autoRenews ?? false,
            hasPurchaseIssue: state.stage == .interrupted || isNewest && isOwed,
            isPendingPriceIncreaseConsent: isNewest && subscription?.priceIncrease == .pending,
            pendingAskToBuyConfirmation: state.stage == .awaitsApproval,
            customer: accounts[download.account].name, app: app.bundleID,
            isFamilyShared: record?.flags.contains(.isFamilyShared) ?? false,
            isUpgraded: record?.flags.contains(.isUpgraded) ?? false, isFinished: state.isFinished)
    }
}

extension TransactionState.Stage {
    fileprivate var state: SimulatedTransaction.State {
        switch self {
        case .purchased: .purchased
        case .awaitsApproval: .deferred
        case .interrupted, .failed, .declined: .failed
        }
    }
}
