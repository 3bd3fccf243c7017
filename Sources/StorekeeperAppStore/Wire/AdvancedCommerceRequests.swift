public import FoundationEssentials
public import Storekeeper

// The requests that an app's server signs, and that the app passes to StoreKit.

extension AdvancedCommerce {
    /// The identification of a request.
    ///
    /// - SeeAlso: Apple, "Advanced Commerce API: RequestInfo".
    public struct RequestInfo: Hashable, Sendable {
        /// An id of your choice, unique for each request.
        public var requestReferenceID: UUID
        /// The app account token of the customer.
        public var appAccountToken: UUID?
        /// The consistency token from the newest renewal info, with which the App Store detects concurrent changes.
        public var consistencyToken: String?

        /// Creates an identification.
        public init(requestReferenceID: UUID = UUID(), appAccountToken: UUID? = nil, consistencyToken: String? = nil) {
            self.requestReferenceID = requestReferenceID
            self.appAccountToken = appAccountToken
            self.consistencyToken = consistencyToken
        }

        var json: JSONText {
            .object([
                "requestReferenceId": .string(requestReferenceID.uuidString.lowercased()),
                "appAccountToken": .text(appAccountToken?.uuidString.lowercased()),
                "consistencyToken": .text(consistencyToken),
            ])
        }
    }

    /// An item with its name and price.
    ///
    /// - SeeAlso: Apple, "Advanced Commerce API: OneTimeChargeItem", "SubscriptionCreateItem" and
    ///   "SubscriptionModifyAddItem".
    public struct Item: Hashable, Sendable {
        /// The app's own id of the item, at most 128 characters.
        public var sku: String
        /// The name and description.
        public var descriptors: Descriptors
        /// The price, in milliunits.
        public var price: Int64
        /// The offer of the item; for subscriptions only.
        public var offer: Offer?
        /// The price until the next renewal, in milliunits; for items added to a running subscription only.
        public var proratedPrice: Int64?

        /// Creates an item; its values are checked when the request is encoded.
        public init(
            sku: String, descriptors: Descriptors, price: Int64, offer: Offer? = nil, proratedPrice: Int64? = nil
        ) {
            self.sku = sku
            self.descriptors = descriptors
            self.price = price
            self.offer = offer
            self.proratedPrice = proratedPrice
        }

        func members() throws(AppStoreServerError) -> [String: JSONText] {
            [
                "SKU": try AdvancedCommerce.sku(sku),
                "displayName": try AdvancedCommerce.displayName(descriptors.displayName),
                "description": try AdvancedCommerce.description(descriptors.description), "price": .integer(price),
                "offer": try offer.map { offer throws(AppStoreServerError) in try offer.json() } ?? .null,
                "proratedPrice": .whole(proratedPrice),
            ]
        }
    }

    /// A replacement of an item of a running subscription.
    ///
    /// - SeeAlso: Apple, "Advanced Commerce API: SubscriptionModifyChangeItem".
    public struct ItemChange: Hashable, Sendable {
        /// The item to replace.
        public var currentSKU: String
        /// The new item.
        public var item: Item
        /// The purpose of the replacement.
        public var reason: ChangeReason
        /// The time at which the replacement takes effect.
        public var effective: Effective

        /// Creates a replacement.
        public init(of currentSKU: String, with item: Item, reason: ChangeReason, effective: Effective) {
            self.currentSKU = currentSKU
            self.item = item
            self.reason = reason
            self.effective = effective
        }
    }

    /// The time at which a change takes effect.
    ///
    /// - SeeAlso: Apple, "Advanced Commerce API: effective".
    public struct Effective: RawRepresentable, Hashable, Sendable {
        /// The value as the App Store spells it.
        public let rawValue: String
        /// Creates a value from a raw value, even if no constant exists for it.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The change takes effect immediately.
        public static let immediately = Self(rawValue: "IMMEDIATELY")
        /// The change takes effect at the next renewal.
        public static let nextBillCycle = Self(rawValue: "NEXT_BILL_CYCLE")
    }

    /// The purpose of a change.
    ///
    /// - SeeAlso: Apple, "Advanced Commerce API: reason".
    public struct ChangeReason: RawRepresentable, Hashable, Sendable {
        /// The value as the App Store spells it.
        public let rawValue: String
        /// Creates a value from a raw value, even if no constant exists for it.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The change is an upgrade to a higher level of service.
        public static let upgrade = Self(rawValue: "UPGRADE")
        /// The change is a downgrade to a lower level of service.
        public static let downgrade = Self(rawValue: "DOWNGRADE")
        /// The change applies an offer.
        public static let applyOffer = Self(rawValue: "APPLY_OFFER")
    }

    /// The new name and description of a subscription or of an item.
    ///
    /// - SeeAlso: Apple, "Advanced Commerce API: SubscriptionModifyDescriptors" and
    ///   "SubscriptionChangeMetadataDescriptors".
    public struct DescriptorsChange: Hashable, Sendable {
        /// The new name; `nil` does not change the name.
        public var displayName: String?
        /// The new description; `nil` does not change the description.
        public var description: String?
        /// The time at which the new name and description take effect.
        public var effective: Effective

        /// Creates a change of the name and description.
        public init(displayName: String? = nil, description: String? = nil, effective: Effective) {
            self.displayName = displayName
            self.description = description
            self.effective = effective
        }

        func members() throws(AppStoreServerError) -> [String: JSONText] {
            [
                "displayName": try displayName.map(AdvancedCommerce.displayName) ?? .null,
                "description": try description.map(AdvancedCommerce.description) ?? .null,
                "effective": .string(effective.rawValue),
            ]
        }
    }

    /// A request that an app passes to StoreKit.
    ///
    /// ``OfferSigner/advancedCommerce(_:_:currency:storefront:nonce:)`` signs a request.
    public enum InAppRequest: Hashable, Sendable {
        /// Sells an item once.
        ///
        /// - SeeAlso: Apple, "Advanced Commerce API: OneTimeChargeCreateRequest".
        case createOneTimeCharge(Item, taxCode: String)
        /// Sells a subscription of several items.
        ///
        /// `previous` is a transaction of an expired subscription that the new subscription continues.
        ///
        /// - SeeAlso: Apple, "Advanced Commerce API: SubscriptionCreateRequest".
        case createSubscription(
            [Item], descriptors: Descriptors, period: Period, taxCode: String, previous: Transaction.ID? = nil)
        /// Changes a running subscription.
        ///
        /// - SeeAlso: Apple, "Advanced Commerce API: SubscriptionModifyInAppRequest".
        case modifySubscription(Transaction.ID, Modification)
        /// Turns the renewal of items of a subscription on again; an empty list of SKUs means all items.
        ///
        /// - SeeAlso: Apple, "Advanced Commerce API: SubscriptionReactivateInAppRequest".
        case reactivateSubscription(Transaction.ID, skus: [String] = [])
    }

    /// The changes of a running subscription.
    public struct Modification: Hashable, Sendable {
        /// Whether the current renewal date is retained.
        public var retainsBillingCycle: Bool
        /// Items to add.
        public var addedItems: [Item] = []
        /// Items to replace.
        public var changedItems: [ItemChange] = []
        /// Items to remove.
        public var removedSKUs: [String] = []
        /// The new name and description; `nil` does not change them.
        public var descriptors: DescriptorsChange?
        /// The new length of the billing periods; `nil` does not change the length.
        public var period: Period?
        /// The time at which the new length of the billing periods takes effect.
        public var periodEffective = Effective.nextBillCycle
        /// The new tax code; `nil` does not change the tax code.
        public var taxCode: String?

        /// Creates a modification that changes nothing yet.
        public init(retainsBillingCycle: Bool) { self.retainsBillingCycle = retainsBillingCycle }
    }
}

// MARK: - Writing

extension AdvancedCommerce.InAppRequest {
    /// Returns the JSON of the request as UTF-8.
    ///
    /// - Parameters:
    ///   - info: The identification of the request.
    ///   - currency: The currency of the prices, ISO 4217; `nil` if the request has no prices.
    ///   - storefront: The storefront, ISO 3166-1 alpha-3; `nil` for the customer's storefront.
    /// - Throws: `invalidRequest` if a text is too long, or items are missing.
    public func json(
        _ info: AdvancedCommerce.RequestInfo, currency: String? = nil, storefront: String? = nil
    ) throws(AppStoreServerError) -> [UInt8] {
        var members = try self.members()
        members["requestInfo"] = info.json
        members["version"] = .string("1")
        members["currency"] = .text(currency)
        members["storefront"] = .text(storefront)
        return JSONText.object(members).bytes()
    }

    private func members() throws(AppStoreServerError) -> [String: JSONText] {
        switch self {
        case .createOneTimeCharge(let item, let taxCode):
            return [
                "operation": .string("CREATE_ONE_TIME_CHARGE"), "item": .object(try item.members()),
                "taxCode": .string(taxCode),
            ]
        case .createSubscription(let items, let descriptors, let period, let taxCode, let previous):
            return [
                "operation": .string("CREATE_SUBSCRIPTION"), "items": try AdvancedCommerce.list(items),
                "descriptors": .object(try descriptors.members()), "period": .string(period.rawValue),
                "taxCode": .string(taxCode), "previousTransactionId": .text(previous),
            ]
        case .modifySubscription(let id, let change):
            var changes: [JSONText] = []
            for change in change.changedItems {
                var members = try change.item.members()
                members["currentSKU"] = try AdvancedCommerce.sku(change.currentSKU)
                members["reason"] = .string(change.reason.rawValue)
                members["effective"] = .string(change.effective.rawValue)
                changes.append(.object(members))
            }
            return [
                "operation": .string("MODIFY_SUBSCRIPTION"), "transactionId": .text(id),
                "retainBillingCycle": .bool(change.retainsBillingCycle),
                "addItems": change.addedItems.isEmpty ? .null : try AdvancedCommerce.list(change.addedItems),
                "changeItems": changes.isEmpty ? .null : .array(changes),
                "removeItems": try AdvancedCommerce.list(skus: change.removedSKUs),
                "descriptors": try change.descriptors.map { change throws(AppStoreServerError) in
                    .object(try change.members())
                } ?? .null,
                "periodChange": change.period.map {
                    .object([
                        "period": .string($0.rawValue), "effective": .string(change.periodEffective.rawValue),
                    ])
                } ?? .null,
                "taxCode": .text(change.taxCode),
            ]
        case .reactivateSubscription(let id, let skus):
            return [
                "operation": .string("REACTIVATE_SUBSCRIPTION"), "transactionId": .text(id),
                "items": try AdvancedCommerce.list(skus: skus),
            ]
        }
    }
}

extension AdvancedCommerce.Descriptors {
    func members() throws(AppStoreServerError) -> [String: JSONText] {
        [
            "displayName": try AdvancedCommerce.displayName(displayName),
            "description": try AdvancedCommerce.description(description),
        ]
    }
}

extension AdvancedCommerce.Offer {
    func json() throws(AppStoreServerError) -> JSONText {
        guard (1...12).contains(periodCount) else {
            throw AppStoreServerError(.invalidRequest, "an offer has 1 to 12 periods, not \(periodCount)")
        }
        return .object([
            "price": .integer(price), "period": .string(period.rawValue), "periodCount": .integer(periodCount),
            "reason": .string(reason.rawValue),
        ])
    }
}

extension AdvancedCommerce {
    static func sku(_ text: String) throws(AppStoreServerError) -> JSONText { try limited(text, 128, "SKU") }

    static func displayName(_ text: String) throws(AppStoreServerError) -> JSONText {
        try limited(text, 30, "display name")
    }

    static func description(_ text: String) throws(AppStoreServerError) -> JSONText {
        try limited(text, 45, "description")
    }

    private static func limited(
        _ text: String, _ limit: Int, _ name: String
    ) throws(AppStoreServerError) -> JSONText {
        guard text.unicodeScalars.count <= limit else {
            throw AppStoreServerError(.invalidRequest, "the \(name) is longer than \(limit) characters")
        }
        return .string(text)
    }

    static func list(_ items: [Item]) throws(AppStoreServerError) -> JSONText {
        var list: [JSONText] = []
        for item in items { list.append(.object(try item.members())) }
        return try notEmpty(list)
    }

    /// Returns a list of items as JSON.
    ///
    /// - Throws: `invalidRequest` if the list is empty.
    static func notEmpty(_ items: [JSONText]) throws(AppStoreServerError) -> JSONText {
        guard !items.isEmpty else { throw AppStoreServerError(.invalidRequest, "the list of items is empty") }
        return .array(items)
    }

    /// Returns a JSON array of objects that contain only a SKU; `null` for an empty list.
    fileprivate static func list(skus: [String]) throws(AppStoreServerError) -> JSONText {
        var list: [JSONText] = []
        for text in skus { list.append(.object(["SKU": try sku(text)])) }
        return list.isEmpty ? .null : .array(list)
    }
}
