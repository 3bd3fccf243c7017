public import FoundationEssentials
public import Storekeeper

extension AppStoreServerRequest where Answer == String {
    /// Asks for the newest copy of one transaction.
    ///
    /// The response is compact JWS, not yet verified.
    ///
    /// - Parameter id: The transaction.
    /// - Throws: `invalidRequest` if the id is not valid.
    /// - SeeAlso: Apple, "App Store Server API: Get Transaction Info".
    public static func transactionInfo(_ id: Transaction.ID) throws(AppStoreServerError) -> Self {
        Self(
            .transactionInfo, .get, path: ["inApps", "v1", "transactions", try digits(id.rawValue, "transaction id")],
            json: { json throws(AppStoreServerError) in
                try SignedTextAnswer(json, member: "signedTransactionInfo").text
            })
    }

    /// Asks for a customer's app transaction.
    ///
    /// The response is compact JWS, not yet verified.
    ///
    /// - Parameter id: Any transaction of the customer, or their app transaction id.
    /// - Throws: `invalidRequest` if the id is not valid.
    /// - SeeAlso: Apple, "App Store Server API: Get App Transaction Info".
    public static func appTransactionInfo(_ id: String) throws(AppStoreServerError) -> Self {
        Self(
            .appTransactionInfo, .get,
            path: ["inApps", "v1", "transactions", "appTransactions", try digits(id, "id")],
            json: { json throws(AppStoreServerError) in
                try SignedTextAnswer(json, member: "signedAppTransactionInfo").text
            })
    }
}

extension AppStoreServerRequest where Answer == HistoryAnswer {
    /// Asks for a page of a customer's history.
    ///
    /// - Parameters:
    ///   - id: Any transaction of the customer, or their app transaction id.
    ///   - revision: The revision of the previous page; `nil` for the first page.
    ///   - filter: The filter that selects and orders the transactions; it must be the same for each page.
    /// - Throws: `invalidRequest` if the id is not valid.
    /// - SeeAlso: Apple, "App Store Server API: Get Transaction History".
    public static func history(
        _ id: String, revision: String? = nil, filter: HistoryFilter = HistoryFilter()
    ) throws(AppStoreServerError) -> Self {
        try history(.history, "v2", id, revision, filter.parameters())
    }

    /// Asks for a page of a customer's history without finished consumables.
    ///
    /// The request is deprecated; use ``history(_:revision:filter:)``.
    ///
    /// - Parameters:
    ///   - id: Any transaction of the customer.
    ///   - revision: The revision of the previous page; `nil` for the first page.
    ///   - filter: The filter that selects and orders the transactions; it must be the same for each page.
    ///   - excludesRevoked: Whether revoked transactions are omitted, even if the filter selects them.
    /// - SeeAlso: Apple, "App Store Server API: Get Transaction History V1".
    public static func historyV1(
        _ id: String, revision: String? = nil, filter: HistoryFilter = HistoryFilter(), excludesRevoked: Bool = false
    ) throws(AppStoreServerError) -> Self {
        let parameters = try filter.parameters() + (excludesRevoked ? [QueryParameter("excludeRevoked", "true")] : [])
        return try history(.historyV1, "v1", id, revision, parameters)
    }

    private static func history(
        _ endpoint: AppStoreServerEndpoint, _ version: String, _ id: String, _ revision: String?,
        _ filter: [QueryParameter]
    ) throws(AppStoreServerError) -> Self {
        Self(
            endpoint, .get, path: ["inApps", version, "history", try digits(id, "id")],
            query: (revision.map { [QueryParameter("revision", $0)] } ?? []) + filter,
            json: { json throws(AppStoreServerError) in try HistoryAnswer(json) },
            check: { mismatch(bundleID: $0.bundleID, environment: $0.environment, $1) })
    }
}

extension AppStoreServerRequest where Answer == RefundHistoryAnswer {
    /// Asks for a page of a customer's refunds.
    ///
    /// - Parameters:
    ///   - id: Any transaction of the customer, or their app transaction id.
    ///   - revision: The revision of the previous page; `nil` for the first page.
    /// - Throws: `invalidRequest` if the id is not valid.
    /// - SeeAlso: Apple, "App Store Server API: Get Refund History".
    public static func refundHistory(
        _ id: String, revision: String? = nil
    ) throws(AppStoreServerError) -> Self {
        Self(
            .refundHistory, .get, path: ["inApps", "v2", "refund", "lookup", try digits(id, "id")],
            query: revision.map { [QueryParameter("revision", $0)] } ?? [],
            json: { json throws(AppStoreServerError) in try RefundHistoryAnswer(json) })
    }
}

extension AppStoreServerRequest where Answer == OrderLookupAnswer {
    /// Asks for the transactions of an order on a customer's invoice; production only.
    ///
    /// - Throws: `invalidRequest` if the id is empty or too long.
    /// - SeeAlso: Apple, "App Store Server API: Look Up Order ID".
    public static func orderLookup(_ orderID: String) throws(AppStoreServerError) -> Self {
        Self(
            .orderLookup, .get, path: ["inApps", "v1", "lookup", try part(orderID, "order id")],
            json: { json throws(AppStoreServerError) in try OrderLookupAnswer(json) })
    }
}

extension AppStoreServerRequest where Answer == Void {
    /// Sends consumption information about a purchase whose refund was requested.
    ///
    /// The deadline is 12 hours after the App Store's request for the information, in the sandbox 5 minutes.
    ///
    /// - Parameters:
    ///   - request: The consumption information.
    ///   - transaction: The verified transaction of the purchase.
    /// - Throws: `consentMissing` or `invalidRequest` if the App Store would refuse the request.
    /// - SeeAlso: Apple, "App Store Server API: Send Consumption Information".
    public static func consumption(
        _ request: ConsumptionRequest, about transaction: Transaction
    ) throws(AppStoreServerError) -> Self {
        try request.check(about: transaction)
        return try consumption(.consumption, "v2", request.json, transaction)
    }

    /// Sends consumption information in the deprecated format of version 1.
    ///
    /// - Throws: `consentMissing` or `invalidRequest` if the App Store would refuse the request.
    /// - SeeAlso: Apple, "App Store Server API: Send Consumption Information V1".
    public static func consumptionV1(
        _ request: ConsumptionRequestV1, about transaction: Transaction
    ) throws(AppStoreServerError) -> Self {
        try request.check(about: transaction)
        return try consumption(.consumptionV1, "v1", request.json, transaction)
    }

    private static func consumption(
        _ endpoint: AppStoreServerEndpoint, _ version: String, _ body: JSONText, _ transaction: Transaction
    ) throws(AppStoreServerError) -> Self {
        let id = try digits(transaction.id.rawValue, "transaction id")
        return Self(endpoint, .put, path: ["inApps", version, "transactions", "consumption", id], body: body) { _, _ in
        }
    }

    /// Sets the app account token of a chain's current transaction and of the chain's future renewals.
    ///
    /// - Throws: `invalidRequest` if the id is not valid.
    /// - SeeAlso: Apple, "App Store Server API: Set App Account Token".
    public static func setAppAccountToken(
        _ token: UUID, of originalID: Transaction.ID
    ) throws(AppStoreServerError) -> Self {
        let id = try digits(originalID.rawValue, "original transaction id")
        return Self(
            .setAppAccountToken, .put, path: ["inApps", "v1", "transactions", id, "appAccountToken"],
            body: .object(["appAccountToken": .string(token.uuidString.lowercased())])
        ) { _, _ in }
    }

    /// Reports that the content of a transaction was delivered.
    ///
    /// - Throws: `invalidRequest` if the id is not valid.
    /// - SeeAlso: Apple, "App Store Server API: Finish Transaction".
    public static func finish(_ id: Transaction.ID) throws(AppStoreServerError) -> Self {
        let id = try digits(id.rawValue, "transaction id")
        return Self(.finish, .post, path: ["inApps", "v1", "transactions", id, "finish"]) { _, _ in }
    }
}
