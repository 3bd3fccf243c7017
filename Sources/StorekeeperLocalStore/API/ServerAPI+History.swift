import Storekeeper
import StorekeeperSimulator

extension ServerAPI {
    /// The number of transactions on a page.
    private static let pageSize = 20

    func history(of id: String, version: Int, _ query: QueryValues) throws -> JSONText {
        try Self.check(id)
        let filter = try HistoryFilter(query, showsFinishedConsumables: version > 1)
        return try page(
            "inApps/v\(version)/history", of: id, query,
            order: filter.isNewestFirst ? .newestChangeFirst : .oldestChangeFirst,
            filteredBy: HistoryFilter.parameters, more: common, filter.contains)
    }

    /// Returns a page of the refund history, whose order is that of the revocation dates.
    ///
    /// - SeeAlso: Apple, "App Store Server API: RefundHistoryResponse".
    func refunds(of id: String, _ query: QueryValues) throws -> JSONText {
        try Self.check(id)
        return try page(
            "inApps/v2/refund/lookup", of: id, query, order: .oldestRefundFirst, filteredBy: [], more: [:]
        ) { $0.isRefunded }
    }

    /// Returns a page of a list.
    ///
    /// Every page has a revision. The client can request later changes with the revision of the last page.
    ///
    /// - Parameters:
    ///   - list: The name of the list, which is part of each revision of the list.
    ///   - names: The parameters that select and order the list. Every page must be requested with the same values of
    ///     these parameters; other parameters are ignored.
    private func page(
        _ list: String, of id: String, _ values: QueryValues, order: SimulatedAppStore.HistoryQuery.Order,
        filteredBy names: Set<String>, more: [String: JSONText],
        _ isMeant: @escaping (PurchaseRecord) -> Bool
    ) throws -> JSONText {
        guard let customer = store.customer(with: id, app: app) else { throw APIError.transactionIDNotFound }
        // The next request may name any transaction id of the customer, but the list and the parameters must be the
        // same.
        var revision = PageToken(
            subject: "\(list) \(customer.appTransactionID)",
            query: values.items.filter { names.contains($0.name) }, place: nil)
        if let text = values.value("revision") {
            guard let given = PageToken(text), given.isOfSameRequest(as: revision) else {
                throw APIError.invalidRevision
            }
            revision = given
        }
        let query = SimulatedAppStore.HistoryQuery(
            order: order, after: revision.place, limit: Self.pageSize, isMeant: isMeant)
        guard let page = try store.history(ofCustomerWith: id, app: app, query) else {
            throw APIError.transactionIDNotFound
        }
        revision.place = page.last ?? revision.place
        return .object(
            more.merging([
                "signedTransactions": .array(page.transactions.map(JSONText.string)),
                "hasMore": .bool(page.hasMore), "revision": .string(revision.text),
            ]) { $1 })
    }
}

/// The filter of a request for a transaction history.
///
/// - SeeAlso: Apple, "App Store Server API: Get Transaction History".
struct HistoryFilter: Sendable {
    /// A query parameter that the filter reads.
    private enum Parameter: String, CaseIterable {
        case sort, productType, startDate, endDate, excludeRevoked, revoked
        case productID = "productId"
        case groupID = "subscriptionGroupIdentifier"
        case ownership = "inAppOwnershipType"
    }

    /// The names of the query parameters that the filter reads.
    static let parameters = Set(Parameter.allCases.map(\.rawValue))

    let isNewestFirst: Bool
    private let productIDs: Set<Product.ID>
    private let types: Set<String>
    private let groups: Set<SubscriptionGroup.ID>
    private let start: Int64?
    private let end: Int64?
    private let ownership: String?
    private let isRevoked: Bool?
    private let showsFinishedConsumables: Bool

    private static let typeWords: [String: Product.ProductType] = [
        "AUTO_RENEWABLE": .autoRenewable, "NON_RENEWABLE": .nonRenewable, "CONSUMABLE": .consumable,
        "NON_CONSUMABLE": .nonConsumable,
    ]

    init(_ query: QueryValues, showsFinishedConsumables: Bool) throws(APIError) {
        self.showsFinishedConsumables = showsFinishedConsumables
        switch query.value(Parameter.sort.rawValue) {
        case nil, "ASCENDING": isNewestFirst = false
        case "DESCENDING": isNewestFirst = true
        default: throw .invalidSort
        }
        productIDs = Set(try Self.names(.productID, of: query, or: .invalidProductID).map { Product.ID($0) })
        groups = Set(
            try Self.names(.groupID, of: query, or: .invalidSubscriptionGroup)
                .map { SubscriptionGroup.ID($0) })
        types = Set(try Self.names(.productType, of: query, or: .invalidProductType))
        guard types.allSatisfy({ Self.typeWords[$0] != nil }) else { throw .invalidProductType }
        start = try Self.milliseconds(.startDate, of: query, or: .invalidStartDate)
        end = try Self.milliseconds(.endDate, of: query, or: .invalidEndDate)
        if let start, let end, start >= end { throw .startDateAfterEndDate }
        ownership = query.value(Parameter.ownership.rawValue)
        if let ownership, !["PURCHASED", "FAMILY_SHARED", "ASSIGNED"].contains(ownership) {
            throw .invalidOwnershipType
        }
        let excludesRevoked = try Self.flag(.excludeRevoked, of: query, or: .invalidExcludeRevoked)
        isRevoked =
            try Self.flag(.revoked, of: query, or: .invalidRevoked) ?? (excludesRevoked == true ? false : nil)
    }

    func contains(_ purchase: PurchaseRecord) -> Bool {
        if !productIDs.isEmpty, !productIDs.contains(purchase.productID) { return false }
        if !types.isEmpty, !types.contains(where: { Self.typeWords[$0] == purchase.productType }) { return false }
        if !groups.isEmpty, purchase.groupID.map(groups.contains) != true { return false }
        let at = purchase.purchasedAt.millisecondsSince1970
        if let start, at < start { return false }
        if let end, at >= end { return false }
        switch ownership {
        case "PURCHASED": if purchase.isFamilyShared || purchase.isAssigned { return false }
        case "FAMILY_SHARED": if !purchase.isFamilyShared { return false }
        case "ASSIGNED": if !purchase.isAssigned { return false }
        default: break
        }
        if let isRevoked, purchase.isRevoked != isRevoked { return false }
        return showsFinishedConsumables || purchase.productType != .consumable || !purchase.isFinished
            || purchase.isRefunded
    }

    private static func names(
        _ parameter: Parameter, of query: QueryValues, or error: APIError
    ) throws(APIError) -> [String] {
        let values = query.values(parameter.rawValue)
        guard values.allSatisfy({ (1...255).contains($0.utf8.count) }) else { throw error }
        return values
    }

    private static func milliseconds(
        _ parameter: Parameter, of query: QueryValues, or error: APIError
    ) throws(APIError) -> Int64? {
        guard let text = query.value(parameter.rawValue) else { return nil }
        guard let number = Int64(text), number >= 0 else { throw error }
        return number
    }

    /// Returns the value of a flag in any letter case, because clients write `true`, `True` and `TRUE`.
    private static func flag(
        _ parameter: Parameter, of query: QueryValues, or error: APIError
    ) throws(APIError) -> Bool? {
        switch query.value(parameter.rawValue)?.lowercased() {
        case nil: nil
        case "true": true
        case "false": false
        default: throw error
        }
    }
}
