import Storekeeper
import StorekeeperSimulator

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
