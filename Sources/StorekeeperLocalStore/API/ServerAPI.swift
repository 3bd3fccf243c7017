import FoundationEssentials
import Storekeeper
import StorekeeperSimulator

/// The App Store Server API of one app, backed by the records of a simulated App Store.
///
/// The value itself has no state, because commands change the simulated store.
///
/// - SeeAlso: Apple, "App Store Server API".
struct ServerAPI: Sendable {
    let store: SimulatedAppStore
    /// The bundle id that the bearer token names.
    let app: String
    let environment: AppStore.Environment
    /// The app's Apple id; `nil` if apps have none in the environment.
    let appAppleID: Int64?
    /// The notifications with the attempts to send them.
    let notifications: NotificationOutbox
    /// The images and messages of retention messaging.
    let messages: RetentionMessages

    // MARK: One transaction

    func transaction(_ id: String) throws -> JSONText {
        try Self.check(id)
        guard let text = try store.signedTransaction(id, app: app) else { throw notFound(id) }
        return .object(["signedTransactionInfo": .string(text)])
    }

    func finish(_ id: String) throws -> JSONText? {
        let purchase = try purchase(id)
        try store.perform(.finish(.id(purchase.id)), app: app)
        return nil
    }

    func order(_ id: String) throws -> JSONText {
        let texts = try store.transactions(ofOrder: id, app: app)
        return .object([
            "status": .integer(texts.isEmpty ? 1 : 0), "signedTransactions": .array(texts.map(JSONText.string)),
        ])
    }

    func setToken(of id: String, _ body: [UInt8]) throws -> JSONText? {
        try Self.check(id)
        guard let purchase = store.purchase(id, app: app) else {
            throw store.isAppTransaction(id, app: app)
                ? APIError.appTransactionIDNotSupported : APIError.originalTransactionIDNotFound
        }
        guard let text = try JSONObject.reading(body)["appAccountToken"]?.string, let token = UUID(uuidString: text)
        else {
            throw APIError.invalidAppAccountTokenUUID
        }
        guard !purchase.isFamilyShared else { throw APIError.familyTransactionNotSupported }
        guard !purchase.isAssigned else { throw APIError.assignedNotSupported }
        guard purchase.id == purchase.originalID else { throw APIError.notAnOriginalTransaction }
        try store.perform(.setAppAccountToken(token, of: .id(purchase.id)), app: app)
        return nil
    }

    // MARK: Customers

    func appTransaction(of id: String) throws -> JSONText {
        try Self.check(id)
        guard let text = try store.appTransaction(ofCustomerWith: id, app: app) else {
            throw APIError.transactionIDNotFound
        }
        guard !store.isAppTransactionMissing(ofCustomerWith: id, app: app) else {
            throw APIError.appTransactionDoesNotExist
        }
        return .object(["signedAppTransactionInfo": .string(text)])
    }

    func subscriptions(of id: String, _ query: QueryValues) throws -> JSONText {
        try Self.check(id)
        var statuses: Set<Int> = []
        for value in query.values("status") {
            guard let status = Int(value), (1...5).contains(status) else { throw APIError.invalidStatus }
            statuses.insert(status)
        }
        let records = try store.subscriptions(
            ofCustomerWith: id, app: app, statuses: statuses.isEmpty ? [1, 2, 3, 4, 5] : statuses)
        guard let records else { throw APIError.transactionIDNotFound }
        // The groups are in the order in which the customer first subscribed to them.
        var groups: [(id: SubscriptionGroup.ID, items: [JSONText])] = []
        for record in records {
            let item = JSONText.object([
                "originalTransactionId": .string(record.originalID.rawValue), "status": .whole(record.status),
                "signedTransactionInfo": .string(record.transaction), "signedRenewalInfo": .text(record.renewalInfo),
            ])
            if let place = groups.firstIndex(where: { $0.id == record.groupID }) {
                groups[place].items.append(item)
            } else {
                groups.append((record.groupID, [item]))
            }
        }
        let data = groups.map { group in
            JSONText.object([
                "subscriptionGroupIdentifier": .text(group.id), "lastTransactions": .array(group.items),
            ])
        }
        return .object(common.merging(["data": .array(data)]) { $1 })
    }

    // MARK: Parts

    /// The JSON members that all responses about a customer contain.
    var common: [String: JSONText] {
        [
            "environment": .string(environment.rawValue), "bundleId": .string(app),
            "appAppleId": .whole(appAppleID),
        ]
    }

    /// Throws an error unless an id consists of 1 to 64 digits.
    static func check(_ id: String, _ error: APIError = .invalidTransactionID) throws(APIError) {
        guard (1...64).contains(id.utf8.count),
            id.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { throw error }
    }

    /// Returns the purchase with an id.
    func purchase(_ id: String) throws(APIError) -> PurchaseRecord {
        try Self.check(id)
        guard let purchase = store.purchase(id, app: app) else { throw notFound(id) }
        return purchase
    }

    private func notFound(_ id: String) -> APIError {
        store.isAppTransaction(id, app: app) ? .appTransactionIDNotSupported : .transactionIDNotFound
    }
}

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

/// Requests that extend the renewal dates of subscriptions.
///
/// - SeeAlso: Apple, "App Store Server API: Subscription-renewal-date extension".
extension ServerAPI {
    func extend(_ id: String, _ body: [UInt8]) throws -> JSONText {
        try Self.check(id, .invalidOriginalTransactionID)
        guard let purchase = store.purchase(id, app: app), purchase.id == purchase.originalID else {
            throw APIError.originalTransactionIDNotFound
        }
        let wish = try ExtensionTerms(JSONObject.reading(body))
        guard purchase.productType == .autoRenewable else {
            throw APIError.extensionIneligible("it is not an auto-renewable subscription")
        }
        guard !purchase.isAssigned else { throw APIError.assignedExtension }
        // A repeated request gets the first answer again, even if the subscription can no longer be extended.
        if store.extendedPeriod(requestID: wish.requestID, ofSubscriptionWith: id, app: app) == nil {
            switch store.obstacle(toExtending: id, app: app) {
            case nil: break
            case .isFamilyCopy?: throw APIError.familyExtension(ExtensionRefusal.isFamilyCopy.rawValue)
            case .wasExtendedTwice?: throw APIError.extensionLimit(ExtensionRefusal.wasExtendedTwice.rawValue)
            case let obstacle?: throw APIError.extensionIneligible(obstacle.rawValue)
            }
            try store.perform(
                .extendRenewalDate(
                    of: .id(purchase.id), days: wish.days, reason: wish.reason, requestID: wish.requestID), app: app)
        }
        guard let period = store.extendedPeriod(requestID: wish.requestID, ofSubscriptionWith: id, app: app) else {
            throw APIError.originalTransactionIDNotFound
        }
        return .object([
            "originalTransactionId": .string(purchase.originalID.rawValue),
            "webOrderLineItemId": .text(period.webOrderLineItem), "success": .bool(true),
            "effectiveDate": .integer(period.expiresAt.millisecondsSince1970),
        ])
    }

    func extendAll(_ body: [UInt8]) throws -> JSONText {
        let body = try JSONObject.reading(body)
        let wish = try ExtensionTerms(body)
        guard let productID = body["productId"]?.string.map({ Product.ID($0) }),
            let catalog = try? store.catalog(of: app),
            catalog.products.contains(where: { $0.id == productID && $0.type == .autoRenewable })
        else { throw APIError.invalidProductID }
        var storefronts: Set<String> = []
        if let value = body["storefrontCountryCodes"] {
            guard let codes = value.array else { throw APIError.invalidStorefront }
            for code in codes {
                guard let country = code.string, Storefront.isKnown(country) else {
                    throw APIError.invalidStorefront
                }
                storefronts.insert(country)
            }
            guard !storefronts.isEmpty else { throw APIError.emptyStorefronts }
        }
        // A repeated request does not extend the renewal dates twice.
        if store.extensions(requestID: wish.requestID, productID: productID, app: app) == nil {
            try store.perform(
                .extendRenewalDates(
                    of: productID, days: wish.days, reason: wish.reason, storefronts: storefronts,
                    requestID: wish.requestID), app: app)
        }
        return .object(["requestIdentifier": .string(wish.requestID)])
    }

    func extensionStatus(of productID: Product.ID, _ requestID: String) throws -> JSONText {
        guard let result = store.extensions(requestID: requestID, productID: productID, app: app) else {
            throw APIError.statusRequestNotFound
        }
        return .object([
            "requestIdentifier": .string(requestID), "complete": .bool(true),
            "completeDate": .integer(result.at.millisecondsSince1970), "succeededCount": .whole(result.succeeded),
            "failedCount": .whole(result.failed),
        ])
    }
}

/// The days and the reason of an extension.
private struct ExtensionTerms {
    let days: Int
    let reason: Int
    let requestID: String

    init(_ body: JSONObject) throws(APIError) {
        guard let days = body["extendByDays"]?.int64, (1...90).contains(days) else { throw .invalidExtendByDays }
        guard let reason = body["extendReasonCode"]?.int64, (0...3).contains(reason) else {
            throw .invalidExtendReasonCode
        }
        guard let requestID = body["requestIdentifier"]?.string, (1...128).contains(requestID.utf8.count) else {
            throw .invalidRequestIdentifier
        }
        self.days = Int(days)
        self.reason = Int(reason)
        self.requestID = requestID
    }
}
