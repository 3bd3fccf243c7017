public import Storekeeper

/// Selects and orders the transactions of a history.
///
/// It must stay the same with a revision: the App Store refuses a change.
///
/// - SeeAlso: Apple, "App Store Server API: Get Transaction History".
public struct HistoryFilter: Hashable, Sendable {
    /// The order of pages.
    public enum Order: String, Hashable, Sendable {
        /// The most recently changed last, so that reading can continue from the last revision.
        case ascending = "ASCENDING"
        /// The most recently changed first.
        case descending = "DESCENDING"
    }

    /// The order of pages.
    public var order = Order.ascending
    /// The first instant of purchase, inclusive; `nil` for no limit.
    public var from: Instant?
    /// The last instant of purchase, exclusive; `nil` for no limit.
    public var until: Instant?
    /// Only these products; empty for all.
    public var productIDs: [Product.ID] = []
    /// Only products of these types; empty for all.
    public var productTypes: [Product.ProductType] = []
    /// Only these subscription groups; empty for all.
    public var subscriptionGroupIDs: [SubscriptionGroup.ID] = []
    /// Only own purchases, or only shared ones; `nil` for both.
    public var ownership: OwnershipType?
    /// Only revoked transactions (`true`), or only those that are not revoked; `nil` for both.
    public var isRevoked: Bool?

    /// Creates a filter that selects everything, most recently changed last.
    public init() {}

    /// Returns the query parameters, in a fixed order.
    ///
    /// - Throws: `invalidRequest` if a product type has no name in queries.
    func parameters() throws(AppStoreServerError) -> [QueryParameter] {
        if let from, let until, from >= until {
            throw AppStoreServerError(
                .invalidRequest, "the end of the history is before its start; swap the two instants")
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

    /// Returns the word for queries, which differs from that in transactions.
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
