public import Storekeeper

extension ConsumptionRequest {
    /// Makes a request of what the ledger knows about a purchase.
    ///
    /// Of a consumable the share that was spent is said; where a purchase has added to several balances, their mean, each
    /// counted alike, rounded down. Of other products none is said: the ledger does not know it.
    ///
    /// - Parameters:
    ///   - transaction: The purchase, verified.
    ///   - consumption: What `Store.consumption(of:)` says of it.
    ///   - customerConsented: Whether the customer has agreed that this is sent.
    ///   - deliveryStatus: Whether the customer has what was bought.
    ///   - sampleContentProvided: Whether the customer could try it before.
    ///   - refundPreference: What the app would like to come of it.
    /// - Throws: ``AppStoreServerError`` with `consentMissing` or `invalidRequest` where the App Store would refuse it; also
    ///   where a prorated refund is asked for although nothing or all of it was spent.
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

    /// The mean share, in milliunits of a percent; `nil` where the ledger knows nothing of the purchase.
    private static func meanShare(_ consumption: [Consumption]) -> Int64? {
        guard !consumption.isEmpty else { return nil }
        return consumption.reduce(0) { $0 + $1.share } / Int64(consumption.count)
    }
}
