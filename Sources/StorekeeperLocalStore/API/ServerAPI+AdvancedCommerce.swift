import FoundationEssentials
import Storekeeper
import StorekeeperSimulator

/// Changes of purchases of generic products.
///
/// Apple's page of error codes gives the names; the numbers are those that other libraries list for them.
///
/// - SeeAlso: Apple, "Advanced Commerce API".
extension ServerAPI {
    func cancelSubscription(_ id: String, _ body: [UInt8]) throws -> JSONText {
        let change = try CommerceRequest(id, body, of: self)
        try store.perform(.setAutoRenew(false, of: .id(change.id)), app: app)
        return try change.answer()
    }

    func revokeSubscription(_ id: String, _ body: [UInt8]) throws -> JSONText {
        let change = try CommerceRequest(id, body, of: self)
        let (type, _) = try CommerceRequest.refund(change.body)
        guard type != "CUSTOM" else { throw APIError.invalidRefundType }
        guard change.body["refundRiskingPreference"]?.bool != nil else { throw APIError.nullRefundRisking }
        try store.perform(
            .refund(.id(change.id), percentage: type == "PRORATED" ? try share(of: change.id) : nil, reason: .other),
            app: app)
        return try change.answer()
    }

    func changeMetadata(_ id: String, _ body: [UInt8]) throws -> JSONText {
        let change = try CommerceRequest(id, body, of: self)
        var state = try change.state()
        if let descriptors = change.body["descriptors"]?.object {
            _ = try CommerceRequest.effective(descriptors)
            let before = state.members["descriptors"]?.bytes() ?? Array("{}".utf8)
            var members: [String: JSONText] = [:]
            for member in (try? JSONReader().read(before))?.root.object.map(Array.init) ?? [] {
                members[member.name] = .value(member.value)
            }
            try CommerceRequest.addNames(of: descriptors, to: &members)
            state.members["descriptors"] = .object(members)
        }
        for value in change.body["items"]?.array.map(Array.init) ?? [] {
            guard let item = value.object, let sku = item["currentSKU"]?.string else { throw APIError.nullCurrentSKU }
            let index = try state.index(of: sku)
            _ = try CommerceRequest.effective(item)
            try CommerceRequest.addNames(of: item, to: &state.items[index].members)
            if let new = try item.text("SKU") { state.items[index].sku = try CommerceRequest.sku(new) }
        }
        if let code = try change.body.text("taxCode") { state.members["taxCode"] = .string(code) }
        return try change.set(state, .metadata)
    }

    func changePrice(_ id: String, _ body: [UInt8]) throws -> JSONText {
        let change = try CommerceRequest(id, body, of: self)
        var state = try change.state()
        for item in try change.items() {
            let index = try state.index(of: item["SKU"]?.string)
            guard let price = item["price"]?.int64 else { throw APIError.nullPrice }
            guard price >= 0 else { throw APIError.negativePrice }
            state.items[index].nextPrice = price
            let isIncrease = price > state.items[index].price ?? 0
            state.items[index].members["priceIncreaseInfo"] = .object([
                "price": .integer(price), "status": .string(isIncrease ? "SCHEDULED" : "ACCEPTED"),
                "dependentSKUs": item["dependentSKUs"].map(JSONText.value) ?? .null,
            ])
        }
        return try change.set(state, .price)
    }

    func migrateSubscription(_ id: String, _ body: [UInt8]) throws -> JSONText {
        let change = try CommerceRequest(id, body, of: self)
        guard store.advancedCommerce(of: change.id) == nil else {
            throw APIError.alreadyMigrated
        }
        guard let target = change.body["targetProductId"]?.string else { throw APIError.nullTargetProductID }
        guard (try? store.catalog(of: app))?.products.contains(where: { $0.id == Product.ID(target) }) == true
        else { throw APIError.invalidTargetProductID }
        guard let descriptors = change.body["descriptors"]?.object else { throw APIError.nullDescriptors }
        guard let code = change.body["taxCode"]?.string else { throw APIError.nullTaxCode }
        var names: [String: JSONText] = [:]
        try CommerceRequest.addNames(of: descriptors, to: &names)
        var items: [AdvancedCommerceState.Item] = []
        for item in try change.items() {
            guard let sku = item["SKU"]?.string else { throw APIError.nullSKU }
            var members: [String: JSONText] = [:]
            try CommerceRequest.addNames(of: item, to: &members)
            items.append(
                AdvancedCommerceState.Item(sku: try CommerceRequest.sku(sku), price: nil, members: members))
        }
        return try change.set(
            AdvancedCommerceState(members: ["descriptors": .object(names), "taxCode": .string(code)], items: items),
            .migration)
    }

    func requestRefund(_ id: String, _ body: [UInt8]) throws -> JSONText {
        let change = try CommerceRequest(id, body, of: self, isOfCurrentPeriod: false)
        guard change.body["refundRiskingPreference"]?.bool != nil else { throw APIError.nullRefundRisking }
        var state = try change.state()
        for item in try change.items() {
            let index = try state.index(of: item["SKU"]?.string)
            guard let revokes = item["revoke"]?.bool else {
                throw APIError.malformedPayload("revoke must be true or false")
            }
            let (type, reason) = try CommerceRequest.refund(item)
            guard !state.items[index].isRevoked else { throw APIError.alreadyRefunded }
            guard type == "CUSTOM" || item["refundAmount"] == nil else { throw APIError.refundAmountWithoutCustom }
            guard type != "CUSTOM" || item["refundAmount"]?.int64 != nil else { throw APIError.nullRefundAmount }
            let price = state.items[index].price ?? 0
            let amount = item["refundAmount"]?.int64 ?? price
            guard amount >= 0 else { throw APIError.negativeRefundAmount }
            guard amount <= price else { throw APIError.invalidAmount }
            let refund = JSONText.object([
                "refundAmount": .integer(amount), "refundDate": .integer(store.now.millisecondsSince1970),
                "refundReason": .string(reason), "refundType": .string(type),
            ])
            state.items[index].members["refunds"] = .array([refund])
            if revokes { state.items[index].members["revocationDate"] = .integer(store.now.millisecondsSince1970) }
        }
        // Once no item is left, the purchase as a whole is refunded.
        if state.items.allSatisfy(\.isRevoked) {
            try store.perform(
                .setAdvancedCommerce(state.text, of: .id(change.id), change: .description), app: app)
            try store.perform(.refund(.id(change.id), percentage: nil, reason: .other), app: app)
            return try change.answer(withRenewalInfo: false)
        }
        return try change.set(state, .refund, withRenewalInfo: false)
    }

    /// Returns the unused share of the running period, in thousandths of a per cent; at least one.
    private func share(of id: Transaction.ID) throws -> Int {
        guard let purchase = store.purchase(id.rawValue, app: app),
            let end = store.period(ofSubscriptionWith: id.rawValue, app: app)?.expiresAt
        else { throw APIError.transactionIDNotFound }
        let whole = max(1, end.milliseconds(since: purchase.purchasedAt))
        let rest = min(whole, max(0, end.milliseconds(since: store.now)))
        return max(1, Int(Double(rest) / Double(whole) * 100_000))
    }
}

/// A request of the Advanced Commerce API, and the purchase that it is about.
private struct CommerceRequest {
    let id: Transaction.ID
    let body: JSONObject
    private let api: ServerAPI

    /// - Parameter isOfCurrentPeriod: Whether any transaction of a subscription stands for its newest one.
    init(_ id: String, _ body: [UInt8], of api: ServerAPI, isOfCurrentPeriod: Bool = true) throws {
        let purchase = try api.purchase(id)
        guard !purchase.isFamilyShared else { throw APIError.familyTransactionNotSupported }
        guard !isOfCurrentPeriod || purchase.productType == .autoRenewable else {
            throw APIError.transactionTypeNotSupported
        }
        self.body = try JSONObject.reading(body)
        guard let info = self.body["requestInfo"]?.object else { throw APIError.nullRequestInfo }
        guard let reference = info["requestReferenceId"]?.string else { throw APIError.nullRequestReferenceID }
        guard UUID(uuidString: reference) != nil else { throw APIError.invalidRequestReferenceID }
        self.id = isOfCurrentPeriod ? api.store.currentTransaction(of: purchase.id) ?? purchase.id : purchase.id
        self.api = api
    }

    /// The state of the purchase.
    func state() throws(APIError) -> AdvancedCommerceState {
        guard let state = api.store.advancedCommerce(of: id) else {
            throw .subscriptionNotEligible
        }
        return state
    }

    /// The items of the request.
    func items() throws(APIError) -> [JSONObject] {
        guard let items = body["items"]?.array?.compactMap(\.object) else { throw .nullItems }
        guard !items.isEmpty else { throw .atLeastOneItem }
        return items
    }

    /// Changes the state of the purchase.
    func set(
        _ state: AdvancedCommerceState, _ change: AdvancedCommerceChange, withRenewalInfo: Bool = true
    ) throws -> JSONText {
        var state = state
        state.members["requestReferenceId"] = body["requestInfo"]?.object?["requestReferenceId"].map(JSONText.value)
        try api.store.perform(.setAdvancedCommerce(state.text, of: .id(id), change: change), app: api.app)
        return try answer(withRenewalInfo: withRenewalInfo)
    }

    /// The response: the newest copies of the transaction and the renewal info.
    func answer(withRenewalInfo: Bool = true) throws -> JSONText {
        let records = try api.store.subscriptions(ofCustomerWith: id.rawValue, app: api.app) ?? []
        let original = api.store.purchase(id.rawValue, app: api.app)?.originalID
        return .object([
            "signedTransactionInfo": .text(try api.store.signedTransaction(id.rawValue, app: api.app)),
            "signedRenewalInfo": withRenewalInfo
                ? .text(records.first { $0.originalID == original }?.renewalInfo) : .null,
        ])
    }

    static func sku(_ text: String) throws(APIError) -> String {
        guard (1...128).contains(text.unicodeScalars.count) else { throw .skuLengthExceeded }
        return text
    }

    static func effective(_ json: JSONObject) throws(APIError) -> String {
        guard let word = json["effective"]?.string, ["IMMEDIATELY", "NEXT_BILL_CYCLE"].contains(word) else {
            throw .nullEffective
        }
        return word
    }

    static func addNames(of json: JSONObject, to members: inout [String: JSONText]) throws(APIError) {
        for (name, limit, error) in [
            ("displayName", 30, APIError.displayNameLengthExceeded), ("description", 45, .descriptionLengthExceeded),
        ] {
            guard let text = json[name]?.string else { continue }
            guard text.unicodeScalars.count <= limit else { throw error }
            members[name] = .string(text)
        }
    }

    /// The type and the reason of a refund.
    static func refund(_ json: JSONObject) throws(APIError) -> (type: String, reason: String) {
        guard let type = json["refundType"]?.string else { throw .nullRefundType }
        guard ["FULL", "PRORATED", "CUSTOM"].contains(type) else { throw .invalidRefundType }
        let reasons = RefundRequestReason.allCases.map(\.rawValue) + ["MODIFY_ITEMS_REFUND", "SIMULATE_REFUND_DECLINE"]
        guard let reason = json["refundReason"]?.string else { throw .nullRefundReason }
        guard reasons.contains(reason) else { throw .invalidRefundReason }
        return (type, reason)
    }
}

extension AdvancedCommerceState {
    /// Returns the place of the item with a SKU.
    fileprivate func index(of sku: String?) throws(APIError) -> Int {
        guard let sku else { throw .nullSKU }
        guard let index = items.firstIndex(where: { $0.sku == sku }) else { throw .invalidSKU }
        return index
    }
}
