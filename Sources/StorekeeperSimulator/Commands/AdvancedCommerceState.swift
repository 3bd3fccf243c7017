package import Storekeeper

/// A kind of description or change of an Advanced Commerce purchase.
///
/// - SeeAlso: Apple, "Advanced Commerce API".
public enum AdvancedCommerceChange: String, Hashable, Sendable, CaseIterable {
    /// The items of the purchase are described, and an earlier description is replaced; the App Store sends no
    /// notification.
    case description
    /// The name of the subscription, or the names of some items, changed.
    case metadata
    /// The prices of some items change with the next renewal.
    case price
    /// An ordinary subscription became an Advanced Commerce subscription.
    case migration
    /// Items were refunded.
    case refund
}

/// The Advanced Commerce state of a purchase: the content of its transaction and renewal info in one JSON object.
package struct AdvancedCommerceState: Sendable {
    /// An item of the purchase.
    package struct Item: Sendable {
        /// The app's own id of the item.
        package var sku: String
        /// The price, in milliunits.
        package var price: Int64?
        /// The price from the next renewal on, in milliunits.
        package var nextPrice: Int64?
        /// The app's id of the item from the next renewal on; `nil` if the id does not change.
        package var nextSKU: String?
        /// The display names and descriptions that change with the next renewal, by the name of the JSON member.
        package var nextNames: [String: JSONText] = [:]
        /// Whether the item ends with the current period.
        fileprivate(set) var endsWithPeriod = false
        /// The sum of the item's refunds, in milliunits.
        package fileprivate(set) var refundedAmount: Int64 = 0
        /// The members of the item in the signed JSON, except `SKU`, `price` and `refunds`.
        package var members: [String: JSONText]
        /// The item's refunds in the signed JSON, oldest first.
        fileprivate var refunds: [JSONText] = []

        /// Creates an item.
        package init(sku: String, price: Int64?, members: [String: JSONText]) {
            self.sku = sku
            self.price = price
            self.members = members
        }

        /// Whether the item was revoked.
        package var isRevoked: Bool { members["revocationDate"] != nil }

        func json(_ names: Set<String>, sku: String) -> JSONText {
            var json = members.filter { names.contains($0.key) }
            json["SKU"] = .string(sku)
            json["price"] = .whole(price)
            if names.contains("refunds"), !refunds.isEmpty { json["refunds"] = .array(refunds) }
            return .object(json)
        }
    }

    /// The members of the signed JSON, except `items`.
    package var members: [String: JSONText]
    /// The items.
    package var items: [Item]
    /// The items that are added with the next renewal.
    private var addedItems: [Item] = []
    /// The names of the subscription from the next renewal on; `nil` if the names do not change.
    package var nextDescriptors: JSONText?
    /// The product of the subscription from the next renewal on; `nil` if the product does not change.
    package var targetProductID: String?
    /// The reference ids of the requests that have changed the purchase, in lower case, oldest first.
    package var requestReferenceIDs: [String] = []
    /// The length of the subscription's periods; `nil` if the product determines the length.
    private(set) var period: PeriodLength?

    /// Creates a state.
    package init(members: [String: JSONText], items: [Item]) {
        self.members = members
        self.items = items
    }

    /// Reads a state, such as `{"items":[{"SKU":"pro","price":4990}]}`.
    ///
    /// - Throws: ``SimulatorError`` if the text is not a JSON object with valid items.
    package init(_ text: String) throws(SimulatorError) {
        let document = try? JSONReader(maximumDepth: 16, maximumSize: 1 << 20).read(Array(text.utf8))
        guard let object = document?.root.object, let list = object["items"]?.array.map(Array.init), !list.isEmpty
        else {
            throw SimulatorError(.invalidValue, "an Advanced Commerce purchase is a JSON object with 'items'")
        }
        members = [:]
        for member in object where !Self.ownNames.contains(member.name) {
            members[member.name] = .value(member.value)
        }
        nextDescriptors = object["nextDescriptors"].map(JSONText.value)
        targetProductID = object["targetProductId"]?.string
        requestReferenceIDs = object["requestReferenceIds"]?.array?.compactMap(\.string) ?? []
        period = object["period"]?.string.flatMap { PeriodLength(SubscriptionPeriod($0)) }
        items = []
        for element in list { items.append(try newItem(element)) }
        for element in object["addedItems"]?.array.map(Array.init) ?? [] { addedItems.append(try newItem(element)) }
    }

    /// Reads an item whose SKU none of the other items has.
    private func newItem(_ element: JSONValue) throws(SimulatorError) -> Item {
        guard let item = element.object, let sku = item["SKU"]?.string else {
            throw SimulatorError(.invalidValue, "each item needs a 'SKU'")
        }
        guard !hasItem(sku) else { throw SimulatorError(.invalidValue, "two items have the SKU '\(sku)'") }
        return try Item(item, sku: sku)
    }

    /// The names of the members that ``members`` omits: `items`, and the members that are never in the signed JSON.
    private static let ownNames: Set<String> = [
        "items", "addedItems", "nextDescriptors", "targetProductId", "requestReferenceIds",
    ]

    /// Returns whether any item has a SKU, now or from the next renewal on.
    package func hasItem(_ sku: String) -> Bool {
        (items + addedItems).contains { $0.sku == sku || $0.nextSKU == sku }
    }

    /// The items that are part of the next period.
    private var continuingItems: [Item] { items.filter { !$0.isRevoked && !$0.endsWithPeriod } + addedItems }

    /// Replaces the items by other items with the next renewal.
    ///
    /// An item continues as the item with the same SKU, or else as the first item with a new SKU, and keeps its price.
    /// Therefore a price that changes before the renewal also applies to the replaced item.
    package mutating func setRenewalItems(_ renewal: [Item]) {
        var renewal = renewal
        let skus = Set(items.map(\.sku))
        for index in items.indices {
            let sku = items[index].sku
            guard
                let place = renewal.firstIndex(where: { $0.sku == sku })
                    ?? renewal.firstIndex(where: { !skus.contains($0.sku) })
            else {
                items[index].endsWithPeriod = true
                continue
            }
            let next = renewal.remove(at: place)
            items[index].nextSKU = next.sku == sku ? nil : next.sku
            items[index].nextNames = next.members
        }
        addedItems = renewal
    }

    /// The state as JSON text.
    package var text: String {
        var json = members
        json["items"] = .array(items.map(\.state))
        json["addedItems"] = addedItems.isEmpty ? nil : .array(addedItems.map(\.state))
        json["nextDescriptors"] = nextDescriptors
        json["targetProductId"] = targetProductID.map(JSONText.string)
        if !requestReferenceIDs.isEmpty {
            json["requestReferenceIds"] = .array(requestReferenceIDs.map(JSONText.string))
        }
        return JSONText.object(json).text()
    }

    /// The Advanced Commerce content of a transaction.
    ///
    /// - SeeAlso: Apple, "App Store Server API: advancedCommerceTransactionInfo".
    var transactionInfo: JSONText {
        var json = members.filter {
            [
                "descriptors", "estimatedTax", "taxExclusivePrice", "taxCode", "taxRate", "period",
                "requestReferenceId",
            ].contains($0.key)
        }
        json["items"] = .array(
            items.map { $0.json(["displayName", "description", "offer", "refunds", "revocationDate"], sku: $0.sku) })
        return .object(json)
    }

    /// The Advanced Commerce content of a renewal info, with the names of the next period.
    ///
    /// - SeeAlso: Apple, "App Store Server API: advancedCommerceRenewalInfo".
    var renewalInfo: JSONText {
        var json = members.filter {
            ["consistencyToken", "descriptors", "period", "requestReferenceId", "taxCode"].contains($0.key)
        }
        if let nextDescriptors { json["descriptors"] = nextDescriptors }
        json["items"] = .array(
            continuingItems.map { item in
                var item = item
                item.members.merge(item.nextNames) { $1 }
                return item.json(
                    ["displayName", "description", "offer", "priceIncreaseInfo"], sku: item.nextSKU ?? item.sku)
            })
        return .object(json)
    }

    /// The state in the next period, without refunds and revoked items, and with the new names and prices.
    var renewed: AdvancedCommerceState {
        var next = self
        if let nextDescriptors { next.members["descriptors"] = nextDescriptors }
        next.nextDescriptors = nil
        next.targetProductID = nil
        next.addedItems = []
        next.items = continuingItems.map { item in
            var item = item
            item.sku = item.nextSKU ?? item.sku
            item.nextSKU = nil
            item.members.merge(item.nextNames) { $1 }
            item.nextNames = [:]
            item.price = item.nextPrice ?? item.price
            item.nextPrice = nil
            item.members["priceIncreaseInfo"] = nil
            item.refunds = []
            item.refundedAmount = 0
            return item
        }
        return next
    }

    /// Sets the length of the periods.
    mutating func setPeriod(_ period: SubscriptionPeriod) {
        self.period = PeriodLength(period)
        members["period"] = .string(period.text)
    }

    // MARK: Amounts

    /// The price of a period, which is the sum of the prices of all items; `nil` if an item has no price.
    var price: Int64? {
        let prices = items.compactMap(\.price)
        return items.isEmpty || prices.count < items.count ? nil : prices.reduce(0, +)
    }

    /// The refunded share of the price, in thousandths of a per cent and at least 1; `nil` if the price is absent or 0.
    package var refundedPercentage: Int? {
        guard let price, price > 0 else { return nil }
        let refunded = items.reduce(0) { $0 + $1.refundedAmount }
        return min(100_000, max(1, Int((Double(refunded) / Double(price) * 100_000).rounded())))
    }

    /// Refunds and revokes all items that are not revoked yet.
    package mutating func revoke(_ refund: ItemRefund, at now: Instant) {
        for index in items.indices where !items[index].isRevoked {
            // Ignore the error of an item that was already refunded in full.
            try? items[index].add(refund, at: now)
            items[index].revoke(at: now)
        }
    }
}

/// A refund of an item.
package struct ItemRefund: Sendable {
    /// The amount of a refund.
    package enum Amount: Hashable, Sendable {
        /// The whole amount that was not refunded yet.
        case full
        /// A share of the price, in thousandths of a per cent.
        case prorated(share: Int)
        /// An amount in milliunits.
        case custom(Int64)

        fileprivate var word: String {
            switch self {
            case .full: "FULL"
            case .prorated: "PRORATED"
            case .custom: "CUSTOM"
            }
        }
    }

    /// The reason why an item is not refunded.
    package enum Refusal: Error, Hashable, Sendable {
        /// The item was revoked, or its whole price was already refunded.
        case alreadyRefunded
        /// The amount is negative.
        case negative
        /// The amount exceeds the amount that was not refunded yet.
        case excessive
    }

    let amount: Amount
    let reason: String

    /// Creates a refund.
    ///
    /// - Parameters:
    ///   - amount: The amount.
    ///   - reason: The reason, as Apple's API spells it.
    package init(_ amount: Amount, reason: String) {
        self.amount = amount
        self.reason = reason
    }

    /// Returns the amount to refund for an item, in milliunits.
    ///
    /// The sum of an item's refunds never exceeds its price.
    ///
    /// - Parameters:
    ///   - price: The price of the item.
    ///   - refunded: The sum of the item's earlier refunds.
    fileprivate func amount(ofPrice price: Int64, refunded: Int64) throws(Refusal) -> Int64 {
        let rest = max(0, price - refunded)
        guard price == 0 || rest > 0 else { throw .alreadyRefunded }
        switch amount {
        case .full: return rest
        case .prorated(let share): return min(rest, price * Int64(min(100_000, max(0, share))) / 100_000)
        case .custom(let amount):
            guard amount >= 0 else { throw .negative }
            guard amount <= rest else { throw .excessive }
            return amount
        }
    }
}

extension AdvancedCommerceState.Item {
    /// The maximum price, which ensures that sums and shares of prices cannot overflow.
    package static let maximumPrice = Int64.max / 1_000_000

    /// Reads an item.
    fileprivate init(_ item: JSONObject, sku: String) throws(SimulatorError) {
        let (price, nextPrice) = (item["price"]?.int64, item["priceIncreaseInfo"]?.object?["price"]?.int64)
        for price in [price, nextPrice].compactMap(\.self) where !(0...Self.maximumPrice).contains(price) {
            throw SimulatorError(.invalidValue, "a price of \(price) milliunits is out of bounds")
        }
        members = [:]
        for member in item where !["SKU", "price", "refunds", "next", "endsWithPeriod"].contains(member.name) {
            members[member.name] = .value(member.value)
        }
        self.sku = sku
        self.price = price
        self.nextPrice = nextPrice
        endsWithPeriod = item["endsWithPeriod"]?.bool == true
        for member in item["next"]?.object.map(Array.init) ?? [] {
            if member.name == "SKU" {
                nextSKU = member.value.string
            } else {
                nextNames[member.name] = .value(member.value)
            }
        }
        for refund in item["refunds"]?.array.map(Array.init) ?? [] {
            refunds.append(.value(refund))
            let amount = refund.object?["refundAmount"]?.int64 ?? 0
            refundedAmount = min(Self.maximumPrice, refundedAmount + min(Self.maximumPrice, max(0, amount)))
        }
    }

    /// The item as JSON, including the members that are not in the signed JSON.
    fileprivate var state: JSONText {
        var json = members
        json["SKU"] = .string(sku)
        json["price"] = .whole(price)
        if !refunds.isEmpty { json["refunds"] = .array(refunds) }
        var next = nextNames
        next["SKU"] = nextSKU.map(JSONText.string)
        if !next.isEmpty { json["next"] = .object(next) }
        if endsWithPeriod { json["endsWithPeriod"] = .bool(true) }
        return .object(json)
    }

    /// Refunds the item.
    ///
    /// - Throws: `ItemRefund.Refusal` if the item cannot be refunded.
    package mutating func add(_ refund: ItemRefund, at now: Instant) throws(ItemRefund.Refusal) {
        guard !isRevoked else { throw .alreadyRefunded }
        let amount = try refund.amount(ofPrice: price ?? 0, refunded: refundedAmount)
        refundedAmount += amount
        refunds.append(
            .object([
                "refundAmount": .integer(amount), "refundDate": .date(now), "refundReason": .string(refund.reason),
                "refundType": .string(refund.amount.word),
            ]))
    }

    /// Revokes the item.
    package mutating func revoke(at now: Instant) { members["revocationDate"] = .date(now) }
}

/// The party that invites members to the seats of a multi-seat subscription.
///
/// - SeeAlso: Apple, "App Store Server API: invitationManagement".
public enum SeatInvitations: String, Hashable, Sendable, CaseIterable {
    /// The App Store.
    case apple = "APPLE"
    /// The app.
    case developer = "DEVELOPER"
}
