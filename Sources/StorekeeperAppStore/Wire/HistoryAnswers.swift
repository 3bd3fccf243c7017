public import Storekeeper

/// One page of a customer's history.
///
/// The transactions are compact JWS that is not yet verified.
///
/// - SeeAlso: Apple, "App Store Server API: HistoryResponse".
public struct HistoryAnswer: Hashable, Sendable {
    /// The bundle id of the app.
    public let bundleID: String
    /// The App Store's number for the app; `nil` outside production.
    public let appAppleID: Int64?
    /// The environment of the transactions.
    public let environment: AppStore.Environment
    /// The revision with which the next page is requested.
    ///
    /// A request with the revision of the last page returns the changes since that page.
    public let revision: String
    /// Whether another page follows.
    public let hasMore: Bool
    /// Compact JWS of transactions, at most 20.
    public let signedTransactions: [String]
    /// JSON members that this version of the package does not read, by name, each as JSON text.
    public let unknownMembers: [String: String]

    init(_ value: JSONValue) throws(AppStoreServerError) {
        var reader = try AnswerReader(value)
        bundleID = try reader.requiredText("bundleId")
        appAppleID = try reader.whole("appAppleId")
        environment = AppStore.Environment(rawValue: try reader.requiredText("environment"))
        revision = try reader.requiredText("revision")
        hasMore = try reader.requiredBool("hasMore")
        signedTransactions = try reader.texts("signedTransactions")
        unknownMembers = reader.unknownMembers
    }
}

/// One page of a customer's refunds.
///
/// - SeeAlso: Apple, "App Store Server API: RefundHistoryResponse".
public struct RefundHistoryAnswer: Hashable, Sendable {
    /// The revision with which the next page is requested.
    public let revision: String
    /// Whether another page follows.
    public let hasMore: Bool
    /// Compact JWS of refunded transactions, at most 20, not yet verified.
    public let signedTransactions: [String]
    /// JSON members that this version of the package does not read, by name, each as JSON text.
    public let unknownMembers: [String: String]

    init(_ value: JSONValue) throws(AppStoreServerError) {
        var reader = try AnswerReader(value)
        revision = try reader.requiredText("revision")
        hasMore = try reader.requiredBool("hasMore")
        signedTransactions = try reader.texts("signedTransactions")
        unknownMembers = reader.unknownMembers
    }
}

/// The result of looking up an order id from a customer's invoice.
///
/// - SeeAlso: Apple, "App Store Server API: OrderLookupResponse".
public struct OrderLookupAnswer: Hashable, Sendable {
    /// Whether the order contains purchases of the app.
    public let status: OrderLookupStatus
    /// Compact JWS of the order's transactions, not yet verified.
    public let signedTransactions: [String]
    /// JSON members that this version of the package does not read, by name, each as JSON text.
    public let unknownMembers: [String: String]

    init(_ value: JSONValue) throws(AppStoreServerError) {
        var reader = try AnswerReader(value)
        status = OrderLookupStatus(rawValue: try reader.requiredWhole("status"))
        signedTransactions = try reader.texts("signedTransactions")
        unknownMembers = reader.unknownMembers
    }
}

/// A response that contains one compact JWS.
struct SignedTextAnswer: Hashable, Sendable {
    /// The compact JWS, not yet verified.
    let text: String

    init(_ value: JSONValue, member: String) throws(AppStoreServerError) {
        var reader = try AnswerReader(value)
        text = try reader.requiredText(member)
    }
}
