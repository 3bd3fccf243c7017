public import Storekeeper

extension ConsumptionRequest {
    /// Creates a request from what the ledger knows about a purchase.
    ///
    /// For a consumable it states the share that was spent; if a purchase has credited several balances, the mean of
    /// their shares, equally weighted and rounded down. For other products it states none, because the ledger does not
    /// know it.
    ///
    /// - Parameters:
    ///   - transaction: The purchase, verified.
    ///   - consumption: The result of `Store.consumption(of:)`.
    ///   - customerConsented: Whether the customer has agreed to sending this data.
    ///   - deliveryStatus: Whether the customer received the purchase.
    ///   - sampleContentProvided: Whether the customer could try it before.
    ///   - refundPreference: The outcome that the app prefers.
    /// - Throws: ``AppStoreServerError`` with `consentMissing` or `invalidRequest` if the App Store would refuse it;
    ///   also if a prorated refund is requested although none or all of the purchase was spent.
    public init(
        of transaction: Transaction, consumption: [Consumption], customerConsented: Bool,
        deliveryStatus: DeliveryStatus = .delivered, sampleContentProvided: Bool = false,
        refundPreference: RefundPreference? = nil
    ) throws(AppStoreServerError) {
        self.init(
            customerConsented: customerConsented, deliveryStatus: deliveryStatus,
            sampleContentProvided: sampleContentProvided, refundPreference: refundPreference)
        if transaction.productType == .consumable {
            if deliveryStatus == .delivered {
                consumptionPercentage = Self.meanShare(consumption)
            } else {
                consumptionPercentage = 0
            }
        }
        try check(about: transaction)
    }

    /// Returns the mean share, in milliunits of a percent; `nil` if the ledger does not know the purchase.
    private static func meanShare(_ consumption: [Consumption]) -> Int64? {
        guard !consumption.isEmpty else { return nil }
        return consumption.reduce(0) { $0 + $1.share } / Int64(consumption.count)
    }
}
