public import Storekeeper
import StorekeeperJWS

/// The calls about transactions, with the names that they have in `SKTestSession`.
///
/// The calls throw ``SimulatorError`` with the codes of `SKTestError`: `noTransactionFound`, `noSubscriptionFound`,
/// `invalidProductIdentifier`, `invalidProductType`, `invalidAction`.
extension SimulatedSession {
    // MARK: The list

    /// Returns all transactions of the account, newest first.
    ///
    /// Pending, refused and refunded transactions are included.
    public func allTransactions() -> [SimulatedTransaction] {
        // The session's account and app always exist.
        (try? store.transactions(of: customer, app: bundleID)) ?? []
    }

    /// Returns the transactions of the account that match a filter, newest first.
    public func transactions(matching filter: TransactionFilter) -> [SimulatedTransaction] {
        allTransactions().filter(filter.matches)
    }

    /// Deletes all transactions of the account.
    ///
    /// Introductory offers are then available again; settings do not change.
    public func clearTransactions() { _ = try? perform(.clearTransactions(of: customer)) }

    /// Deletes a transaction, as if the purchase had never happened.
    public func deleteTransaction(identifier: Transaction.ID) throws(SimulatorError) {
        try perform(.deleteTransaction(.id(identifier)))
    }

    // MARK: Buying

    /// Buys a product outside of the app.
    ///
    /// - Returns: The transaction. The purchase may still wait for a guardian's answer, or for an issue to be resolved.
    /// - Throws: ``SimulatorError`` if nothing could be bought; `PurchaseError` if the App Store refused the purchase.
    @discardableResult
    public func buyProduct(productIdentifier: Product.ID) throws -> SimulatedTransaction {
        let outcome = try perform(.buyOutsideApp(productIdentifier, by: customer))
        switch outcome {
        case .purchased(let id), .alreadyOwned(let id), .pending(_, let id):
            guard let transaction = allTransactions().first(where: { $0.identifier == id }) else { break }
            return transaction
        case .failed(let error): throw error
        case .userCancelled, nil: break
        }
        throw SimulatorError(.invalidAction, "the purchase of '\(productIdentifier)' had no result")
    }

    /// Buys a product with options.
    ///
    /// The app receives the transaction through the stream of updates.
    ///
    /// - Parameters:
    ///   - identifier: The product.
    ///   - options: The options of an in-app purchase. The content of a signed offer is checked, but not its signature.
    /// - Returns: The verified transaction.
    /// - Throws: The same errors as ``buyProduct(identifier:request:)``.
    @discardableResult
    public func buyProduct(
        identifier: Product.ID, options: Set<PurchaseOption> = []
    ) async throws -> Transaction {
        let request = try PurchaseRequest(options) { text, audience throws(PurchaseError) in
            try SignedOfferRequest(text, audience, bundleID: bundleID, productID: identifier)
        }
        return try await buyProduct(identifier: identifier, request: request)
    }

    /// Buys a product with the options of a request, which may set a purchase date in the past.
    ///
    /// - Parameters:
    ///   - identifier: The product.
    ///   - request: The options. A ``PurchaseRequest/purchaseDate`` with ``PurchaseRequest/renewsUntilNow`` corresponds
    ///     to Apple's `purchaseDate(_:renewalBehavior:)`.
    /// - Returns: The verified transaction.
    /// - Throws: ``SimulatorError`` with `invalidAction` if the purchase waits for a guardian's answer or for an issue
    ///   to be resolved; `PurchaseError` if the App Store refused the purchase; `VerificationError` if a verification
    ///   failure is simulated.
    @discardableResult
    public func buyProduct(
        identifier: Product.ID, request: PurchaseRequest
    ) async throws -> Transaction {
        let outcome = try perform(.buy(identifier, by: customer, options: request))
        switch outcome {
        case .purchased(let id), .alreadyOwned(let id): return try transaction(id)
        case .pending(let reason, let id):
            throw SimulatorError(
                .invalidAction, "the purchase is pending (\(reason.rawValue)); approve or resolve transaction \(id)")
        case .failed(let error): throw error
        case .userCancelled: throw SimulatorError(.invalidAction, "the customer has cancelled the purchase")
        case nil: throw SimulatorError(.invalidAction, "the purchase of '\(identifier)' had no result")
        }
    }

    /// Returns the newest signed copy of a transaction after verifying it.
    private func transaction(_ id: Transaction.ID) throws -> Transaction {
        let jws = try store.read { world in
            let place = try world.transaction(.id(id), in: try world.app(bundleID))
            guard let latest = world.transactions[place].latest else {
                throw SimulatorError(.invalidAction, "transaction \(id) has not been bought yet")
            }
            return try store.issuer.transaction(latest, in: world, for: nil)
        }
        return try verifier.transaction(jws).payloadValue
    }

    // MARK: Ask to Buy and interruptions

    /// Approves a purchase that waits for a guardian's answer.
    public func approveAskToBuyTransaction(identifier: Transaction.ID) throws(SimulatorError) {
        try perform(.approveAskToBuy(identifier))
    }

    /// Declines a purchase that waits for a guardian's answer.
    public func declineAskToBuyTransaction(identifier: Transaction.ID) throws(SimulatorError) {
        try perform(.declineAskToBuy(identifier))
    }

    /// Resolves the issue that interrupted a purchase, or the billing problem of a subscription.
    ///
    /// The call has no effect if billing retry has ended.
    public func resolveIssueForTransaction(identifier: Transaction.ID) throws(SimulatorError) {
        try perform(.resolveIssue(.id(identifier)))
    }

    // MARK: Subscriptions

    /// Turns automatic renewal on for the subscription of a transaction.
    public func enableAutoRenewForTransaction(identifier: Transaction.ID) throws(SimulatorError) {
        try perform(.setAutoRenew(true, of: .id(identifier)))
    }

    /// Turns automatic renewal off for the subscription of a transaction.
    public func disableAutoRenewForTransaction(identifier: Transaction.ID) throws(SimulatorError) {
        try perform(.setAutoRenew(false, of: .id(identifier)))
    }

    /// Ends the current period now, and begins the next period if its payment succeeds.
    public func forceRenewalOfSubscription(productIdentifier: Product.ID) throws(SimulatorError) {
        try perform(.forceRenewal(of: productIdentifier, by: customer))
    }

    /// Ends a subscription now.
    public func expireSubscription(productIdentifier: Product.ID) throws(SimulatorError) {
        try perform(.expire(productIdentifier, by: customer))
    }

    // MARK: Prices

    /// Asks the customer to agree to a higher price, even if the customer was asked before.
    public func requestPriceIncreaseConsentForTransaction(identifier: Transaction.ID) throws(SimulatorError) {
        try perform(.requestPriceConsent(.id(identifier)))
    }

    /// Agrees to a higher price.
    public func consentToPriceIncreaseForTransaction(identifier: Transaction.ID) throws(SimulatorError) {
        try perform(.answerPriceConsent(true, of: .id(identifier)))
    }

    /// Refuses a higher price; the subscription then ends with its current period.
    public func declinePriceIncreaseForTransaction(identifier: Transaction.ID) throws(SimulatorError) {
        try perform(.answerPriceConsent(false, of: .id(identifier)))
    }

    // MARK: Refunds

    /// Refunds a transaction in full.
    public func refundTransaction(identifier: Transaction.ID) throws(SimulatorError) {
        try perform(.refund(.id(identifier), percentage: nil, reason: .other))
    }
}
