public import Storekeeper

/// Which transactions of a history are asked for, and in which order.
///
/// Beside a revision it must stay as it was: the App Store refuses another.
///
/// - SeeAlso: Apple, "App Store Server API: Get Transaction History".
public struct HistoryFilter: Hashable, Sendable {
    /// The order of pages.
    public enum Order: String, Hashable, Sendable {
        /// What was changed last comes last, so that reading can go on from the last revision.
        case ascending = "ASCENDING"
        /// What was changed last comes first.
        case descending = "DESCENDING"
    }

    /// The order of pages.
    public var order = Order.ascending
    /// The first instant of purchase that is asked for; `nil`: from the beginning.
    public var from: Instant?
    /// The first instant of purchase that is no longer asked for; `nil`: to the end.
    public var until: Instant?
    /// Only these products; none: all.
    public var productIDs: [Product.ID] = []
    /// Only products of these types; none: all.
    public var productTypes: [Product.ProductType] = []
    /// Only these subscription groups; none: all.
    public var subscriptionGroupIDs: [SubscriptionGroup.ID] = []
    /// Only what was bought, or only what is shared; `nil`: both.
    public var ownership: OwnershipType?
    /// Only what was revoked, or only what was not; `nil`: both.
    public var isRevoked: Bool?

    /// Makes a filter that lets everything pass, what was changed last last.
    public init() {}

    /// The parameters of the query, in a fixed order.
    ///
    /// - Throws: `invalidRequest` where a product type has no name in queries.
    func parameters() throws(AppStoreServerError) -> [QueryParameter] {
        if let from, let until, from >= until {
            throw AppStoreServerError(.invalidRequest, "the history ends before it begins; exchange the two instants")
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

    /// The word of queries, which is another than that of transactions.
    private static func word(for type: Product.ProductType) throws(AppStoreServerError) -> String {
        switch type {
        case .autoRenewable: "AUTO_RENEWABLE"
        case .nonRenewable: "NON_RENEWABLE"
        case .consumable: "CONSUMABLE"
        case .nonConsumable: "NON_CONSUMABLE"
        default:
            throw AppStoreServerError(
                .invalidRequest, "the product type \"\(type.rawValue)\" has no name in the App Store's queries")
        }
    }
}
