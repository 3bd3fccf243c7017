public import Storekeeper

/// The result of the extension of one subscription.
///
/// - SeeAlso: Apple, "App Store Server API: ExtendRenewalDateResponse".
public struct ExtensionAnswer: Hashable, Sendable {
    /// The original transaction id of the subscription.
    public let originalTransactionID: Transaction.ID
    /// The id of the purchase or renewal whose period was extended.
    public let webOrderLineItemID: String?
    /// Whether the subscription was extended.
    public let isSuccessful: Bool
    /// The new time at which the subscription renews or expires.
    public let effectiveAt: Instant?
    /// JSON members that this version of the package does not read, by name, each as JSON text.
    public let unknownMembers: [String: String]

    init(_ value: JSONValue) throws(AppStoreServerError) {
        var reader = try AnswerReader(value)
        originalTransactionID = Transaction.ID(rawValue: try reader.requiredText("originalTransactionId"))
        webOrderLineItemID = try reader.text("webOrderLineItemId")
        isSuccessful = try reader.requiredBool("success")
        effectiveAt = try reader.instant("effectiveDate")
        unknownMembers = reader.unknownMembers
    }
}

/// The response to a request to extend all subscriptions to a product.
///
/// - SeeAlso: Apple, "App Store Server API: MassExtendRenewalDateResponse".
public struct MassExtensionAnswer: Hashable, Sendable {
    /// The identifier of the request.
    public let requestIdentifier: String
    /// JSON members that this version of the package does not read, by name, each as JSON text.
    public let unknownMembers: [String: String]

    init(_ value: JSONValue) throws(AppStoreServerError) {
        var reader = try AnswerReader(value)
        requestIdentifier = try reader.requiredText("requestIdentifier")
        unknownMembers = reader.unknownMembers
    }
}

/// The progress of an extension of all subscriptions to a product.
///
/// - SeeAlso: Apple, "App Store Server API: MassExtendRenewalDateStatusResponse".
public struct MassExtensionStatus: Hashable, Sendable {
    /// The identifier of the request.
    public let requestIdentifier: String
    /// Whether the extension is complete.
    public let isComplete: Bool
    /// The time of completion.
    public let completedAt: Instant?
    /// The number of extended subscriptions.
    public let succeededCount: Int64?
    /// The number of subscriptions that could not be extended.
    public let failedCount: Int64?
    /// JSON members that this version of the package does not read, by name, each as JSON text.
    public let unknownMembers: [String: String]

    init(_ value: JSONValue) throws(AppStoreServerError) {
        var reader = try AnswerReader(value)
        requestIdentifier = try reader.requiredText("requestIdentifier")
        isComplete = try reader.requiredBool("complete")
        completedAt = try reader.instant("completeDate")
        succeededCount = try reader.whole("succeededCount")
        failedCount = try reader.whole("failedCount")
        unknownMembers = reader.unknownMembers
    }
}
