public import Storekeeper

/// Selects and orders the transactions of a history.
///
/// The filter must be the same for all pages of a history, because the App Store refuses a revision that is sent with a
/// different filter.
///
/// - SeeAlso: Apple, "App Store Server API: Get Transaction History".
public struct HistoryFilter: Hashable, Sendable {
    /// The order of the transactions in a history.
    public enum Order: String, Hashable, Sendable {
        /// The most recently changed transaction is last, so that a later request can continue from the last revision.
        case ascending = "ASCENDING"
        /// The most recently changed transaction is first.
        case descending = "DESCENDING"
    }

    /// The order of the transactions.
    public var order = Order.ascending
    /// The earliest time of purchase, inclusive; `nil` for no limit.
    public var from: Instant?
    /// The latest time of purchase, exclusive; `nil` for no limit.
    public var until: Instant?
    /// The products to select; empty for all.
    public var productIDs: [Product.ID] = []
    /// The product types to select; empty for all.
    public var productTypes: [Product.ProductType] = []
    /// The subscription groups to select; empty for all.
    public var subscriptionGroupIDs: [SubscriptionGroup.ID] = []
    /// Selects either own purchases or purchases shared by a family member; `nil` selects both.
    public var ownership: OwnershipType?
    /// Selects revoked transactions if `true`, and transactions that are not revoked if `false`; `nil` selects both.
    public var isRevoked: Bool?

    /// Creates a filter that selects all transactions, with the most recently changed last.
    public init() {}

    /// Returns the query parameters, in a fixed order.
    ///
    /// - Throws: `invalidRequest` if a product type cannot be named in a query.
    func parameters() throws(AppStoreServerError) -> [QueryParameter] {
        if let from, let until, from >= until {
            throw AppStoreServerError(
                .invalidRequest, "the end of the history is not after its start; choose a later end")
        }
        var parameters: [QueryParameter] = []
        if let from { parameters.append(QueryParameter("startDate", String(from.millisecondsSince1970))) }
        if let until { parameters.append(QueryParameter("endDate", String(until.millisecondsSince1970))) }
        parameters += productIDs.map { QueryParameter("productId", $0.rawValue) }
        for type in productTypes { parameters.append(QueryParameter("productType", try Self.word(for: type))) }
        if order != .ascending { parameters.append(QueryParameter("sort", order.rawValue)) }
        parameters += subscriptionGroupIDs.map { QueryParameter("subscriptionGroupIdentifier", $0.rawValue) }
        if let ownership { parameters.append(QueryParameter("inAppOwnershipType", ownership.rawValue)) }
        if let isRevoked { parameters.append(QueryParameter("revoked", isRevoked ? "true" : "false")) }
        return parameters
    }

    /// Returns the name of a product type in a query, which differs from the name in a transaction.
    private static func word(for type: Product.ProductType) throws(AppStoreServerError) -> String {
        switch type {
        case .autoRenewable: "AUTO_RENEWABLE"
        case .nonRenewable: "NON_RENEWABLE"
        case .consumable: "CONSUMABLE"
        case .nonConsumable: "NON_CONSUMABLE"
        default:
            throw AppStoreServerError(
                .invalidRequest, "the App Store Server API cannot filter by the product type \"\(type.rawValue)\"")
        }
    }
}
