public import Storekeeper

/// The calls that tests make most; every other is a ``SimulatorCommand``.
extension SimulatedAppStore {
    /// Makes an Apple Account.
    ///
    /// - Parameters:
    ///   - name: What it is called here.
    ///   - storefront: Three letters by ISO 3166; `nil`: that of the settings of the first app.
    /// - Throws: ``SimulatorError`` where there is one of the name.
    public func createAccount(_ name: CustomerID, storefront: String? = nil) throws(SimulatorError) {
        try perform(.createAccount(name, storefront: storefront))
    }

    /// Buys a product inside an app.
    ///
    /// - Returns: The result; a purchase that the App Store refuses is no error here.
    /// - Throws: ``SimulatorError`` where there is no such product, account or app.
    @discardableResult
    public func buy(
        _ product: Product.ID, by customer: CustomerID, options: PurchaseRequest = PurchaseRequest(),
        app: String? = nil
    ) throws(SimulatorError) -> PurchaseOutcome {
        guard let outcome = try perform(.buy(product, by: customer, options: options), app: app) else {
            throw SimulatorError(.invalidAction, "nothing came of the purchase of '\(product)'")
        }
        return outcome
    }

    /// Refunds a transaction, in full or a share of it.
    ///
    /// - Parameters:
    ///   - reference: Which transaction.
    ///   - percentage: The share, from 1 to 100,000 thousandths of a per cent; `nil`: all.
    ///   - reason: Why.
    ///   - app: The bundle id of the app; `nil`: the first.
    /// - Throws: ``SimulatorError`` where there is no such transaction, or it was refunded before.
    public func refund(
        _ reference: TransactionReference, percentage: Int? = nil, reason: RevocationReason = .other,
        app: String? = nil
    ) throws(SimulatorError) {
        try perform(.refund(reference, percentage: percentage, reason: reason), app: app)
    }

    /// Turns the automatic renewal of a subscription on or off.
    ///
    /// - Throws: ``SimulatorError`` where there is no such subscription, or it has ended.
    public func setAutoRenew(
        _ isOn: Bool, of reference: TransactionReference, app: String? = nil
    ) throws(SimulatorError) {
        try perform(.setAutoRenew(isOn, of: reference), app: app)
    }

    /// Changes a setting of an app's test environment.
    ///
    /// - Throws: ``SimulatorError`` where there is no such app.
    public func set(_ setting: SimulatorSetting, app: String? = nil) throws(SimulatorError) {
        try perform(.setSetting(setting), app: app)
    }
}
