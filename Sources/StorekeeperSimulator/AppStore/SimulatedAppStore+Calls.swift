public import Storekeeper

/// Methods for the changes that tests need most often.
///
/// All other changes are ``SimulatorCommand`` values.
extension SimulatedAppStore {
    /// Creates an Apple Account.
    ///
    /// - Parameters:
    ///   - name: The name of the account in this store.
    ///   - storefront: The storefront's country as an ISO 3166-1 alpha-3 code; `nil` for the storefront in the first
    ///     app's settings.
    /// - Throws: ``SimulatorError`` if the name is taken.
    public func createAccount(_ name: CustomerID, storefront: String? = nil) throws(SimulatorError) {
        try perform(.createAccount(name, storefront: storefront))
    }

    /// Buys a product inside an app.
    ///
    /// - Returns: The outcome of the purchase. If the App Store refuses the purchase, the outcome is
    ///   ``PurchaseOutcome/failed(_:)``, and no error is thrown.
    /// - Throws: ``SimulatorError`` if the product, account or app does not exist.
    @discardableResult
    public func buy(
        _ product: Product.ID, by customer: CustomerID, options: PurchaseRequest = PurchaseRequest(),
        app: String? = nil
    ) throws(SimulatorError) -> PurchaseOutcome {
        guard let outcome = try perform(.buy(product, by: customer, options: options), app: app) else {
            throw SimulatorError(.invalidAction, "the purchase of '\(product)' had no result")
        }
        return outcome
    }

    /// Refunds a transaction, or a share of its price.
    ///
    /// - Parameters:
    ///   - reference: The transaction.
    ///   - percentage: The share of the price, from 1 to 100,000 thousandths of a per cent; `nil` for the whole amount
    ///     that was not refunded yet.
    ///   - reason: The reason.
    ///   - app: The bundle id of the app; `nil` for the first app.
    /// - Throws: ``SimulatorError`` if the transaction does not exist, or was already refunded in full.
    public func refund(
        _ reference: TransactionReference, percentage: Int? = nil, reason: RevocationReason = .other,
        app: String? = nil
    ) throws(SimulatorError) {
        try perform(.refund(reference, percentage: percentage, reason: reason), app: app)
    }

    /// Turns the automatic renewal of a subscription on or off.
    ///
    /// - Throws: ``SimulatorError`` if the subscription does not exist, or has ended.
    public func setAutoRenew(
        _ isOn: Bool, of reference: TransactionReference, app: String? = nil
    ) throws(SimulatorError) {
        try perform(.setAutoRenew(isOn, of: reference), app: app)
    }

    /// Changes a setting of an app's test environment.
    ///
    /// - Throws: ``SimulatorError`` if the app does not exist.
    public func set(_ setting: SimulatorSetting, app: String? = nil) throws(SimulatorError) {
        try perform(.setSetting(setting), app: app)
    }
}
