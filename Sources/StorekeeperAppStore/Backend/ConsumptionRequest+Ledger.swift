public import Storekeeper

extension ConsumptionRequest {
    /// Creates a request from the ledger's data about a purchase.
    ///
    /// For a consumable, the request states the share of the credited units that the customer has spent. If the
    /// purchase has credited several balances, the request states the mean of their shares, equally weighted and
    /// rounded down. If the consumable was not delivered, the share is 0. For other products, the request states no
    /// share, because the ledger does not record their use.
    ///
    /// - Parameters:
    ///   - transaction: The purchase, verified.
    ///   - consumption: The result of `Store.consumption(of:)`.
    ///   - customerConsented: Whether the customer has agreed to sending this data.
    ///   - deliveryStatus: Whether the customer received the purchase.
    ///   - sampleContentProvided: Whether the customer could try the content before the purchase.
    ///   - refundPreference: The outcome that the app prefers.
    /// - Throws: ``AppStoreServerError`` with `consentMissing` or `invalidRequest` if the App Store would refuse the
    ///   request. For example, it refuses a preference for a prorated refund if none or all of the purchase was spent.
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

    /// Returns the mean of the balances' shares, in milliunits of a percent; `nil` if the purchase has credited no
    /// balance.
    private static func meanShare(_ consumption: [Consumption]) -> Int64? {
        guard !consumption.isEmpty else { return nil }
        return consumption.reduce(0) { $0 + $1.share } / Int64(consumption.count)
    }
}
