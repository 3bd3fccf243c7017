public import Storekeeper

/// Checks of the App Store's rules for consumption information, before a request is sent.
extension ConsumptionRequest {
    /// Checks that the request may be sent about a transaction.
    ///
    /// - Parameter transaction: The purchase whose refund was requested.
    /// - Throws: `consentMissing` if the customer has not agreed; `invalidRequest` if the App Store would refuse the
    ///   request. The error contains the App Store's error code, if it is known.
    public func check(about transaction: Transaction) throws(AppStoreServerError) {
        guard customerConsented else { throw Self.consentMissing }
        guard transaction.ownershipType != .familyShared else { throw Self.familyCopy }
        guard let share = consumptionPercentage else {
            if refundPreference == .grantProrated, transaction.productType != .autoRenewable {
                throw Self.refusal("a prorated refund requires a consumption percentage")
            }
            return
        }
        if transaction.productType == .autoRenewable {
            throw Self.refusal(
                "auto-renewable subscriptions have no consumption percentage: the App Store counts their days",
                .consumptionPercentageOfAutoRenewableSubscription)
        }
        guard (0...Self.wholePercentage).contains(share) else {
            throw Self.refusal("a consumption percentage must be 0 to 100000, not \(share)")
        }
        if deliveryStatus != .delivered, share != 0 {
            throw Self.refusal("the percentage must be 0 if the purchase was not delivered")
        }
        if refundPreference == .grantProrated, share == 0 || share == Self.wholePercentage {
            throw Self.refusal("a prorated refund requires a consumption percentage above 0 and below 100000")
        }
    }

    static let consentMissing = AppStoreServerError(
        .consentMissing, "the customer has not consented to sending consumption data; ask for consent first",
        apiCode: .invalidCustomerConsented)

    static let familyCopy = refusal(
        "a family member's copy cannot be refunded; use the purchaser's transaction", .familyTransactionNotSupported)

    static func refusal(_ message: String, _ code: AppStoreErrorCode? = nil) -> AppStoreServerError {
        AppStoreServerError(.invalidRequest, message, apiCode: code)
    }

    /// The JSON body of the request.
    var json: JSONText {
        .object([
            "customerConsented": .bool(customerConsented),
            "deliveryStatus": .string(deliveryStatus.rawValue),
            "sampleContentProvided": .bool(sampleContentProvided),
            "consumptionPercentage": .whole(consumptionPercentage),
            "refundPreference": .text(refundPreference?.rawValue),
        ])
    }
}

extension ConsumptionRequestV1 {
    /// Checks that the request may be sent about a transaction.
    ///
    /// - Throws: As ``ConsumptionRequest/check(about:)``; `invalidRequest` if the product is neither a consumable nor
    ///   an auto-renewable subscription.
    public func check(about transaction: Transaction) throws(AppStoreServerError) {
        guard customerConsented else { throw ConsumptionRequest.consentMissing }
        guard transaction.ownershipType != .familyShared else { throw ConsumptionRequest.familyCopy }
        guard [.consumable, .autoRenewable].contains(transaction.productType) else {
            throw ConsumptionRequest.refusal(
                "this version of the request is only for consumables and auto-renewable subscriptions; use the current one",
                .invalidTransactionTypeNotSupported)
        }
        for (name, value, greatest, code) in numbers where !(0...greatest).contains(value) {
            throw ConsumptionRequest.refusal("\(name) must be 0 to \(greatest), not \(value)", code)
        }
        guard appAccountToken.isEmpty || UUIDText.uuid(appAccountToken.utf8) != nil else {
            throw ConsumptionRequest.refusal("the account token is not a UUID", .invalidAppAccountToken)
        }
    }

    private var numbers: [(name: String, value: Int64, greatest: Int64, code: AppStoreErrorCode)] {
        [
            ("accountTenure", accountTenure, 7, .invalidAccountTenure),
            ("consumptionStatus", consumptionStatus, 3, .invalidConsumptionStatus),
            ("deliveryStatus", deliveryStatus, 5, .invalidDeliveryStatus),
            ("lifetimeDollarsPurchased", lifetimeDollarsPurchased, 7, .invalidLifetimeDollarsPurchased),
            ("lifetimeDollarsRefunded", lifetimeDollarsRefunded, 7, .invalidLifetimeDollarsRefunded),
            ("platform", platform, 2, .invalidPlatform),
            ("playTime", playTime, 7, .invalidPlayTime),
            ("refundPreference", refundPreference, 3, .invalidRefundPreference),
            ("userStatus", userStatus, 4, .invalidUserStatus),
        ]
    }

    /// The JSON body of the request.
    var json: JSONText {
        var members: [String: JSONText] = [
            "customerConsented": .bool(customerConsented),
            "sampleContentProvided": .bool(sampleContentProvided),
            "appAccountToken": .string(appAccountToken),
        ]
        for (name, value, _, _) in numbers { members[name] = .integer(value) }
        return .object(members)
    }
}
