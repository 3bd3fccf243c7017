import FoundationEssentials
import Storekeeper
import StorekeeperSimulator

/// Requests that change purchases of generic products.
///
/// The names of errors are from Apple's page of error codes. The numbers of these errors are from other libraries.
///
/// - SeeAlso: Apple, "Advanced Commerce API".
extension ServerAPI {
    func cancelSubscription(_ id: String, _ body: [UInt8]) throws -> JSONText {
        // A repeated cancellation changes nothing, and Apple documents no error for it.
        let change = try CommerceRequest(id, body, of: self, isRepeatable: true)
        guard !store.hasEnded(subscriptionOf: change.id) else { throw APIError.subscriptionEnded }
        try store.perform(.setAutoRenew(false, of: .id(change.id)), app: app)
        return try change.answer()
    }

    func revokeSubscription(_ id: String, _ body: [UInt8]) throws -> JSONText {
        let change = try CommerceRequest(id, body, of: self)
        let (type, reason) = try CommerceRequest.refund(change.body)
        guard type != "CUSTOM" else { throw APIError.invalidRefundType }
        guard change.body["refundRiskingPreference"]?.bool != nil else { throw APIError.nullRefundRisking }
        let share = type == "PRORATED" ? try unusedShare(of: change.id) : nil
        let percentage = share.map { max(1, $0) }
        // The check of the refund comes first, because a subscription that was refunded has also ended.
        try checkRefund(of: change.id)
        guard !store.hasEnded(subscriptionOf: change.id) else { throw APIError.revokeOnInactiveSubscription }
        guard var state = store.advancedCommerce(of: change.id) else {
            try store.perform(.refund(.id(change.id), percentage: percentage, reason: .other), app: app)
            return try change.answer()
        }
        state.revoke(
            ItemRefund(share.map { .prorated(share: $0) } ?? .full, reason: reason), at: store.now)
        return try refund(change, state, otherwise: percentage)
    }

    func changeMetadata(_ id: String, _ body: [UInt8]) throws -> JSONText {
        let change = try CommerceRequest(id, body, of: self)
        var state = try change.state()
        if let descriptors = change.body["descriptors"]?.object {
            let isNow = try CommerceRequest.isImmediate(descriptors)
            let next = state.nextDescriptors
            if isNow { state.members["descriptors"] = try state.members["descriptors"].merging(descriptors) }
            // An earlier change for the next bill cycle stays in effect, except for the descriptors that this request
            // changes.
            if !isNow || next != nil {
                state.nextDescriptors = try (next ?? state.members["descriptors"]).merging(descriptors)
            }
        }
        for value in change.body["items"]?.array.map(Array.init) ?? [] {
            guard let item = value.object, let sku = item["currentSKU"]?.string else { throw APIError.nullCurrentSKU }
            let index = try state.index(of: sku)
            let isNow = try CommerceRequest.isImmediate(item)
            var names: [String: JSONText] = [:]
            try CommerceRequest.addNames(of: item, to: &names)
            if isNow { state.items[index].members.merge(names) { $1 } }
            for name in names where !isNow || state.items[index].nextNames[name.key] != nil {
                state.items[index].nextNames[name.key] = isNow ? nil : name.value
            }
            guard let new = try item.text("SKU") else { continue }
            guard try CommerceRequest.sku(new) == sku || !state.hasItem(new) else { throw APIError.duplicateSKU }
            if isNow { state.items[index].sku = new }
            state.items[index].nextSKU = isNow ? nil : new
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
            guard price <= AdvancedCommerceState.Item.maximumPrice else {
                throw APIError.malformedPayload("price is out of bounds")
            }
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
        var state = AdvancedCommerceState(
            members: ["descriptors": .object(names), "taxCode": .string(code)],
            items: try CommerceRequest.migratedItems(change.items()))
        // Without these items, the subscription renews with the same items.
        if change.body["renewalItems"] != nil {
            state.setRenewalItems(try CommerceRequest.migratedItems(change.items("renewalItems")))
        }
        state.targetProductID = target
        do {
            return try change.set(state, .migration)
        } catch let error as SimulatorError where error.code == .invalidProductType {
            throw APIError.invalidTargetProductID
        }
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
            let amount: ItemRefund.Amount
            switch type {
            case "CUSTOM":
                guard let custom = item["refundAmount"]?.int64 else { throw APIError.nullRefundAmount }
                amount = .custom(custom)
            case "PRORATED": amount = .prorated(share: try unusedShare(of: change.id))
            default: amount = .full
            }
            do throws(ItemRefund.Refusal) {
                try state.items[index].add(ItemRefund(amount, reason: reason), at: store.now)
            } catch {
                throw APIError(error)
            }
            if revokes { state.items[index].revoke(at: store.now) }
        }
        // When all items are revoked, the whole purchase is refunded.
        if state.items.allSatisfy(\.isRevoked) {
            try checkRefund(of: change.id)
            return try refund(change, state, withRenewalInfo: false)
        }
        return try change.set(state, .refund, withRenewalInfo: false)
    }

    /// Refunds a purchase whose items were all revoked, by the percentage that was refunded for the items.
    ///
    /// - Parameter otherwise: The refunded percentage if the items have no prices; `nil` for a full refund.
    private func refund(
        _ change: CommerceRequest, _ state: AdvancedCommerceState, otherwise percentage: Int? = nil,
        withRenewalInfo: Bool = true
    ) throws -> JSONText {
        try store.perform(
            .setAdvancedCommerce(change.recorded(in: state).text, of: .id(change.id), change: .description), app: app)
        let percentage = state.refundedPercentage ?? percentage
        try store.perform(.refund(.id(change.id), percentage: percentage, reason: .other), app: app)
        return try change.answer(withRenewalInfo: withRenewalInfo)
    }

    /// Throws an `APIError` if a purchase cannot be refunded as a whole.
    private func checkRefund(of id: Transaction.ID) throws(APIError) {
        guard let purchase = store.purchase(id.rawValue, app: app) else { throw .transactionIDNotFound }
        guard !purchase.isRevoked else { throw .alreadyRefunded }
        guard purchase.purchasedAt <= store.now else { throw .badRequest("the period has not begun") }
    }

    /// Returns the unused share of a purchase, in thousandths of a percent.
    ///
    /// For a subscription, this is the remaining share of the current period, rounded. For another product, it is one
    /// half, as in the sandbox.
    private func unusedShare(of id: Transaction.ID) throws(APIError) -> Int {
        guard let purchase = store.purchase(id.rawValue, app: app) else { throw .transactionIDNotFound }
        guard purchase.productType == .autoRenewable else { return 50_000 }
        guard store.currentTransaction(of: id) == id,
            let end = store.period(ofSubscriptionWith: id.rawValue, app: app)?.expiresAt
        else { return 0 }
        let whole = max(1, end.milliseconds(since: purchase.purchasedAt))
        let rest = min(whole, max(0, end.milliseconds(since: store.now)))
        return Int((Double(rest) / Double(whole) * 100_000).rounded())
    }
}

/// A request of the Advanced Commerce API, with the purchase that the request names.
private struct CommerceRequest {
    let id: Transaction.ID
    let body: JSONObject
    private let api: ServerAPI
    /// The id that the client gave to the request, in lower case.
    private let reference: String

    /// Reads a request about a purchase.
    ///
    /// - Parameters:
    ///   - isOfCurrentPeriod: Whether the request is about the subscription's current period, even if it names an
    ///     earlier transaction.
    ///   - isRepeatable: Whether the request is allowed to have the reference id of an earlier request.
    init(
        _ id: String, _ body: [UInt8], of api: ServerAPI, isOfCurrentPeriod: Bool = true, isRepeatable: Bool = false
    ) throws {
        let purchase = try api.purchase(id)
        guard !purchase.isFamilyShared else { throw APIError.familyTransactionNotSupported }
        guard !isOfCurrentPeriod || purchase.productType == .autoRenewable else {
            throw APIError.transactionTypeNotSupported
        }
        self.body = try JSONObject.reading(body)
        guard let info = self.body["requestInfo"]?.object else { throw APIError.nullRequestInfo }
        guard let text = info["requestReferenceId"]?.string else { throw APIError.nullRequestReferenceID }
        guard let uuid = UUID(uuidString: text) else { throw APIError.invalidRequestReferenceID }
        reference = uuid.uuidString.lowercased()
        self.id = isOfCurrentPeriod ? api.store.currentTransaction(of: purchase.id) ?? purchase.id : purchase.id
        self.api = api
        let earlier = api.store.advancedCommerce(of: self.id)?.requestReferenceIDs ?? []
        guard isRepeatable || !earlier.contains(reference) else { throw APIError.repeatedRequestReferenceID }
    }

    /// Returns the state of the purchase.
    func state() throws(APIError) -> AdvancedCommerceState {
        guard let state = api.store.advancedCommerce(of: id) else {
            throw .subscriptionNotEligible
        }
        return state
    }

    /// Returns the items of the request.
    func items(_ name: String = "items") throws(APIError) -> [JSONObject] {
        guard let items = body[name]?.array?.compactMap(\.object) else { throw .nullItems }
        guard !items.isEmpty else { throw .atLeastOneItem }
        return items
    }

    /// Returns a state in which this request is the newest of the requests that have changed the purchase.
    func recorded(in state: AdvancedCommerceState) -> AdvancedCommerceState {
        var state = state
        state.members["requestReferenceId"] = .string(reference)
        state.requestReferenceIDs.append(reference)
        return state
    }

    /// Changes the state of the purchase, and returns the response.
    func set(
        _ state: AdvancedCommerceState, _ change: AdvancedCommerceChange, withRenewalInfo: Bool = true
    ) throws -> JSONText {
        try api.store.perform(
            .setAdvancedCommerce(recorded(in: state).text, of: .id(id), change: change), app: api.app)
        return try answer(withRenewalInfo: withRenewalInfo)
    }

    /// Returns the response with the newest copies of the transaction and the renewal info.
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

    /// Returns the items of a migration, whose prices the migration does not determine.
    static func migratedItems(_ list: [JSONObject]) throws(APIError) -> [AdvancedCommerceState.Item] {
        var items: [AdvancedCommerceState.Item] = []
        for item in list {
            guard let text = item["SKU"]?.string else { throw .nullSKU }
            guard !items.contains(where: { $0.sku == text }) else { throw .duplicateSKU }
            var members: [String: JSONText] = [:]
            try addNames(of: item, to: &members)
            items.append(AdvancedCommerceState.Item(sku: try sku(text), price: nil, members: members))
        }
        return items
    }

    /// Returns whether a change takes effect now, and not with the next renewal.
    static func isImmediate(_ json: JSONObject) throws(APIError) -> Bool {
        switch json["effective"]?.string {
        case "IMMEDIATELY": true
        case "NEXT_BILL_CYCLE": false
        default: throw .nullEffective
        }
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

    /// Returns the type and the reason of a refund.
    static func refund(_ json: JSONObject) throws(APIError) -> (type: String, reason: String) {
        guard let type = json["refundType"]?.string else { throw .nullRefundType }
        guard ["FULL", "PRORATED", "CUSTOM"].contains(type) else { throw .invalidRefundType }
        let reasons = RefundRequestReason.allCases.map(\.rawValue) + ["MODIFY_ITEMS_REFUND", "SIMULATE_REFUND_DECLINE"]
        guard let reason = json["refundReason"]?.string else { throw .nullRefundReason }
        guard reasons.contains(reason) else { throw .invalidRefundReason }
        return (type, reason)
    }
}

extension APIError {
    fileprivate init(_ refusal: ItemRefund.Refusal) {
        switch refusal {
        case .alreadyRefunded: self = .alreadyRefunded
        case .negative: self = .negativeRefundAmount
        case .excessive: self = .invalidAmount
        }
    }
}

extension JSONText? {
    /// Returns this JSON object with the display name and description of another object.
    fileprivate func merging(_ names: JSONObject) throws(APIError) -> JSONText {
        var members: [String: JSONText] = [:]
        for member in (try? JSONReader().read(self?.bytes() ?? []))?.root.object.map(Array.init) ?? [] {
            members[member.name] = .value(member.value)
        }
        try CommerceRequest.addNames(of: names, to: &members)
        return .object(members)
    }
}

extension AdvancedCommerceState {
    /// Returns the index of the item with a SKU.
    fileprivate func index(of sku: String?) throws(APIError) -> Int {
        guard let sku else { throw .nullSKU }
        guard let index = items.firstIndex(where: { $0.sku == sku }) else { throw .invalidSKU }
        return index
    }
}
