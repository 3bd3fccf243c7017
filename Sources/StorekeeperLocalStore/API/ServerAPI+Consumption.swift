import FoundationEssentials
import Storekeeper
import StorekeeperSimulator

extension ServerAPI {
    /// Records a developer's consumption information about a purchase with a refund request.
    ///
    /// - SeeAlso: Apple, "App Store Server API: Send Consumption Information".
    func recordConsumption(of id: String, version: Int, _ body: [UInt8]) throws -> JSONText? {
        let purchase = try purchase(id)
        let body = try JSONObject.reading(body)
        guard !purchase.isFamilyShared else { throw APIError.familyTransactionNotSupported }
        guard !purchase.isAssigned else { throw APIError.assignedNotSupported }
        // Apple lists this error for the second version of the endpoint only.
        guard version == 1 || store.advancedCommerce(of: purchase.id) == nil else {
            throw APIError.advancedCommerceNotSupported
        }
        guard body["customerConsented"]?.bool == true else { throw APIError.invalidCustomerConsented }
        guard body["sampleContentProvided"]?.bool != nil else { throw APIError.invalidSampleContentProvided }
        let (delivery, preference) =
            version > 1 ? try Self.validate(body, of: purchase) : try Self.validateNumbers(body, of: purchase)
        try store.perform(
            .informOfConsumption(of: .id(purchase.id), delivery: delivery, preference: preference), app: app)
        return nil
    }

    /// Checks a request of the second version of the API, in which values are names such as `DELIVERED`.
    private static func validate(
        _ body: JSONObject, of purchase: PurchaseRecord
    ) throws(APIError) -> (delivery: String, preference: String?) {
        guard let delivery = body["deliveryStatus"]?.string, ConsumptionWord.deliveries.contains(delivery) else {
            throw .invalidDeliveryStatus
        }
        let preference = body["refundPreference"]?.string
        if body["refundPreference"] != nil {
            guard let preference, ConsumptionWord.preferences.contains(preference) else {
                throw .invalidRefundPreference
            }
        }
        let isSubscription = purchase.productType == .autoRenewable
        guard let value = body["consumptionPercentage"] else {
            if preference == "GRANT_PRORATED", !isSubscription {
                throw .badRequest("GRANT_PRORATED needs a consumptionPercentage between 0 and 100000")
            }
            return (delivery, preference)
        }
        guard !isSubscription else { throw .percentageOfAutoRenewable }
        guard let percentage = value.int64, (0...100_000).contains(percentage) else {
            throw .badRequest("consumptionPercentage must be a whole number from 0 to 100000")
        }
        guard delivery == "DELIVERED" || percentage == 0 else {
            throw .badRequest("consumptionPercentage must be 0 if the purchase was not delivered")
        }
        guard preference != "GRANT_PRORATED" || (1..<100_000).contains(percentage) else {
            throw .badRequest("GRANT_PRORATED needs a consumptionPercentage between 0 and 100000")
        }
        return (delivery, preference)
    }

    /// Checks a request of the first version of the API, in which values are numbers.
    private static func validateNumbers(
        _ body: JSONObject, of purchase: PurchaseRecord
    ) throws(APIError) -> (delivery: String, preference: String?) {
        guard purchase.productType == .consumable || purchase.productType == .autoRenewable else {
            throw .transactionTypeNotSupported
        }
        func number(_ name: String, to last: Int64, _ error: APIError) throws(APIError) -> Int64 {
            guard let number = body[name]?.int64, (0...last).contains(number) else { throw error }
            return number
        }
        _ = try number("accountTenure", to: 7, .invalidAccountTenure)
        _ = try number("consumptionStatus", to: 3, .invalidConsumptionStatus)
        let delivery = try number("deliveryStatus", to: 5, .invalidDeliveryStatus)
        _ = try number("lifetimeDollarsPurchased", to: 7, .invalidLifetimeDollarsPurchased)
        _ = try number("lifetimeDollarsRefunded", to: 7, .invalidLifetimeDollarsRefunded)
        _ = try number("platform", to: 2, .invalidPlatform)
        _ = try number("playTime", to: 7, .invalidPlayTime)
        _ = try number("userStatus", to: 4, .invalidUserStatus)
        guard let token = body["appAccountToken"]?.string, token.isEmpty || UUID(uuidString: token) != nil else {
            throw .invalidAppAccountToken
        }
        guard body["refundPreference"] != nil else { return ("\(delivery)", nil) }
        return ("\(delivery)", "\(try number("refundPreference", to: 3, .invalidRefundPreference))")
    }
}
