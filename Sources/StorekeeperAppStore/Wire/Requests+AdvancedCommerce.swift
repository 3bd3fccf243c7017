public import Storekeeper

/// The state of a purchase after an Advanced Commerce call; the contained JWS is not yet verified.
///
/// - SeeAlso: Apple, "Advanced Commerce API: SubscriptionCancelResponse" and the responses of the other calls.
public struct AdvancedCommerceAnswer: Hashable, Sendable {
    /// The compact JWS of the transaction.
    public let signedTransactionInfo: String?
    /// The compact JWS of the renewal info; `nil` after a refund.
    public let signedRenewalInfo: String?
    /// JSON members that this version of the package does not read, by name, each as JSON text.
    public let unknownMembers: [String: String]

    init(_ value: JSONValue) throws(AppStoreServerError) {
        var reader = try AnswerReader(value)
        signedTransactionInfo = try reader.text("signedTransactionInfo")
        signedRenewalInfo = try reader.text("signedRenewalInfo")
        unknownMembers = reader.unknownMembers
    }
}

extension AdvancedCommerce {
    /// New metadata of an item of a running subscription.
    ///
    /// - SeeAlso: Apple, "Advanced Commerce API: SubscriptionChangeMetadataItem".
    public struct ItemMetadata: Hashable, Sendable {
        /// The SKU of the item to change.
        public var currentSKU: String
        /// The new id of the item; `nil` does not change the id.
        public var sku: String?
        /// The new name and description of the item, and the time at which they take effect.
        public var descriptors: DescriptorsChange

        /// Creates new metadata.
        public init(of currentSKU: String, sku: String? = nil, descriptors: DescriptorsChange) {
            self.currentSKU = currentSKU
            self.sku = sku
            self.descriptors = descriptors
        }
    }

    /// A new price of an item from the next renewal on.
    ///
    /// - SeeAlso: Apple, "Advanced Commerce API: SubscriptionPriceChangeItem".
    public struct ItemPrice: Hashable, Sendable {
        /// The SKU of the item.
        public var sku: String
        /// The price, in milliunits.
        public var price: Int64
        /// The SKUs of the items that are removed together with this item if the customer does not agree to the price.
        public var dependentSKUs: [String]

        /// Creates a price.
        public init(sku: String, price: Int64, dependentSKUs: [String] = []) {
            self.sku = sku
            self.price = price
            self.dependentSKUs = dependentSKUs
        }
    }

    /// A refund of an item.
    ///
    /// - SeeAlso: Apple, "Advanced Commerce API: RequestRefundItem".
    public struct ItemRefund: Hashable, Sendable {
        /// The SKU of the item.
        public var sku: String
        /// The way in which the amount is determined.
        public var type: RefundType
        /// The reason for the refund.
        public var reason: RefundReason
        /// Whether the item is revoked.
        public var revokes: Bool
        /// The amount in milliunits; required for the type ``RefundType/custom``, and `nil` for other types.
        public var amount: Int64?

        /// Creates a refund.
        public init(sku: String, type: RefundType, reason: RefundReason, revokes: Bool, amount: Int64? = nil) {
            self.sku = sku
            self.type = type
            self.reason = reason
            self.revokes = revokes
            self.amount = amount
        }
    }

    /// The data with which an ordinary subscription moves to Advanced Commerce.
    ///
    /// - SeeAlso: Apple, "Advanced Commerce API: SubscriptionMigrateRequest".
    public struct Migration: Hashable, Sendable {
        /// An item of a migrated subscription; the migration does not change the price.
        ///
        /// - SeeAlso: Apple, "Advanced Commerce API: SubscriptionMigrateItem".
        public struct Item: Hashable, Sendable {
            /// The app's own id of the item, at most 128 characters.
            public var sku: String
            /// The name and description of the item.
            public var descriptors: Descriptors

            /// Creates an item.
            public init(sku: String, descriptors: Descriptors) {
                self.sku = sku
                self.descriptors = descriptors
            }
        }

        /// The generic product to which the subscription moves.
        public var targetProductID: Product.ID
        /// The name and description of the subscription.
        public var descriptors: Descriptors
        /// The items.
        public var items: [Item]
        /// The items from the next renewal on; empty if they are the same as ``items``.
        public var renewalItems: [Item]
        /// The tax code of the subscription.
        public var taxCode: String

        /// Creates a migration.
        public init(
            to targetProductID: Product.ID, descriptors: Descriptors, items: [Item], renewalItems: [Item] = [],
            taxCode: String
        ) {
            self.targetProductID = targetProductID
            self.descriptors = descriptors
            self.items = items
            self.renewalItems = renewalItems
            self.taxCode = taxCode
        }
    }
}

extension AppStoreServerRequest where Answer == AdvancedCommerceAnswer {
    /// Turns off the renewal of a subscription.
    ///
    /// - Throws: `invalidRequest` if the App Store would refuse the request.
    /// - SeeAlso: Apple, "Advanced Commerce API: Cancel a Subscription".
    public static func cancelSubscription(
        _ id: Transaction.ID, _ info: AdvancedCommerce.RequestInfo, storefront: String? = nil
    ) throws(AppStoreServerError) -> Self {
        try commerce(.cancelSubscription, "subscription", "cancel", id, info, storefront, [:])
    }

    /// Ends a subscription immediately, with a refund.
    ///
    /// - Parameters:
    ///   - id: Any transaction of the subscription.
    ///   - info: The identification of the request.
    ///   - type: The way in which the amount of the refund is determined.
    ///   - reason: The reason for the refund.
    ///   - refundRiskingPreference: Whether the App Store may decline the refund because of its own data.
    ///   - storefront: The storefront, ISO 3166-1 alpha-3; `nil` for the customer's storefront.
    /// - Throws: `invalidRequest` if the App Store would refuse the request.
    /// - SeeAlso: Apple, "Advanced Commerce API: Revoke Subscription".
    public static func revokeSubscription(
        _ id: Transaction.ID, _ info: AdvancedCommerce.RequestInfo, type: AdvancedCommerce.RefundType,
        reason: AdvancedCommerce.RefundReason, refundRiskingPreference: Bool, storefront: String? = nil
    ) throws(AppStoreServerError) -> Self {
        try commerce(
            .revokeSubscription, "subscription", "revoke", id, info, storefront,
            [
                "refundType": .string(type.rawValue), "refundReason": .string(reason.rawValue),
                "refundRiskingPreference": .bool(refundRiskingPreference),
            ])
    }

    /// Changes the name and description of a subscription or of its items.
    ///
    /// - Parameters:
    ///   - id: Any transaction of the subscription.
    ///   - info: The identification of the request.
    ///   - descriptors: The new name and description of the subscription; `nil` does not change them.
    ///   - items: The items to change.
    ///   - taxCode: The new tax code; `nil` does not change it.
    ///   - storefront: The storefront, ISO 3166-1 alpha-3; `nil` for the customer's storefront.
    /// - Throws: `invalidRequest` if the App Store would refuse the request.
    /// - SeeAlso: Apple, "Advanced Commerce API: Change Subscription Metadata".
    public static func changeMetadata(
        _ id: Transaction.ID, _ info: AdvancedCommerce.RequestInfo,
        descriptors: AdvancedCommerce.DescriptorsChange? = nil, items: [AdvancedCommerce.ItemMetadata] = [],
        taxCode: String? = nil, storefront: String? = nil
    ) throws(AppStoreServerError) -> Self {
        var list: [JSONText] = []
        for item in items {
            var members = try item.descriptors.members()
            members["currentSKU"] = try AdvancedCommerce.sku(item.currentSKU)
            members["SKU"] = try item.sku.map(AdvancedCommerce.sku) ?? .null
            list.append(.object(members))
        }
        var members: [String: JSONText] = ["taxCode": .text(taxCode), "items": list.isEmpty ? .null : .array(list)]
        if let descriptors { members["descriptors"] = .object(try descriptors.members()) }
        return try commerce(.changeMetadata, "subscription", "changeMetadata", id, info, storefront, members)
    }

    /// Changes the prices of items from the next renewal on.
    ///
    /// - Throws: `invalidRequest` if the App Store would refuse the request.
    /// - SeeAlso: Apple, "Advanced Commerce API: Change Subscription Price".
    public static func changePrice(
        _ id: Transaction.ID, _ info: AdvancedCommerce.RequestInfo, items: [AdvancedCommerce.ItemPrice],
        currency: String? = nil, storefront: String? = nil
    ) throws(AppStoreServerError) -> Self {
        var list: [JSONText] = []
        for item in items {
            var dependent: [JSONText] = []
            for text in item.dependentSKUs { dependent.append(try AdvancedCommerce.sku(text)) }
            list.append(
                .object([
                    "SKU": try AdvancedCommerce.sku(item.sku), "price": .integer(item.price),
                    "dependentSKUs": dependent.isEmpty ? .null : .array(dependent),
                ]))
        }
        return try commerce(
            .changePrice, "subscription", "changePrice", id, info, storefront,
            ["items": try AdvancedCommerce.notEmpty(list), "currency": .text(currency)])
    }

    /// Moves a subscription that was bought as an ordinary product to Advanced Commerce.
    ///
    /// - Throws: `invalidRequest` if the App Store would refuse the request.
    /// - SeeAlso: Apple, "Advanced Commerce API: Migrate a Subscription to Advanced Commerce API".
    public static func migrateSubscription(
        _ id: Transaction.ID, _ info: AdvancedCommerce.RequestInfo, _ migration: AdvancedCommerce.Migration,
        storefront: String? = nil
    ) throws(AppStoreServerError) -> Self {
        func list(_ items: [AdvancedCommerce.Migration.Item]) throws(AppStoreServerError) -> [JSONText] {
            var list: [JSONText] = []
            for item in items {
                var members = try item.descriptors.members()
                members["SKU"] = try AdvancedCommerce.sku(item.sku)
                list.append(.object(members))
            }
            return list
        }
        let renewal = try list(migration.renewalItems)
        return try commerce(
            .migrateSubscription, "subscription", "migrate", id, info, storefront,
            [
                "targetProductId": .text(migration.targetProductID),
                "descriptors": .object(try migration.descriptors.members()),
                "items": try AdvancedCommerce.notEmpty(try list(migration.items)),
                "renewalItems": renewal.isEmpty ? .null : .array(renewal), "taxCode": .string(migration.taxCode),
            ])
    }

    /// Requests a refund of items.
    ///
    /// - Throws: `invalidRequest` if the App Store would refuse the request.
    /// - SeeAlso: Apple, "Advanced Commerce API: Request Transaction Refund".
    public static func requestRefund(
        _ id: Transaction.ID, _ info: AdvancedCommerce.RequestInfo, items: [AdvancedCommerce.ItemRefund],
        refundRiskingPreference: Bool, currency: String? = nil, storefront: String? = nil
    ) throws(AppStoreServerError) -> Self {
        var list: [JSONText] = []
        for item in items {
            guard (item.type == .custom) == (item.amount != nil) else {
                throw AppStoreServerError(.invalidRequest, "a refund has an amount only if it is of the type CUSTOM")
            }
            list.append(
                .object([
                    "SKU": try AdvancedCommerce.sku(item.sku), "refundType": .string(item.type.rawValue),
                    "refundReason": .string(item.reason.rawValue), "revoke": .bool(item.revokes),
                    "refundAmount": .whole(item.amount),
                ]))
        }
        return try commerce(
            .requestRefund, "transaction", "requestRefund", id, info, storefront,
            [
                "items": try AdvancedCommerce.notEmpty(list), "refundRiskingPreference": .bool(refundRiskingPreference),
                "currency": .text(currency),
            ])
    }

    private static func commerce(
        _ endpoint: AppStoreServerEndpoint, _ subject: String, _ action: String, _ id: Transaction.ID,
        _ info: AdvancedCommerce.RequestInfo, _ storefront: String?, _ members: [String: JSONText]
    ) throws(AppStoreServerError) -> Self {
        Self(
            endpoint, .post,
            path: ["advancedCommerce", "v1", subject, action, try digits(id.rawValue, "transaction id")],
            body: .object(
                members.merging(["requestInfo": info.json, "storefront": .text(storefront)]) { $1 }),
            json: { json throws(AppStoreServerError) in try AdvancedCommerceAnswer(json) })
    }
}
