public import Storekeeper

/// What came of the extension of one subscription.
///
/// - SeeAlso: Apple, "App Store Server API: ExtendRenewalDateResponse".
public struct ExtensionAnswer: Hashable, Sendable {
    /// The chain.
    public let originalTransactionID: Transaction.ID
    /// The billing event that was extended.
    public let webOrderLineItemID: String?
    /// Whether it was extended.
    public let isSuccessful: Bool
    /// When the subscription renews or expires now.
    public let effectiveAt: Instant?
    /// Members that this version does not know, by name, each as JSON text.
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

/// The acceptance of an extension of all subscriptions to a product.
///
/// - SeeAlso: Apple, "App Store Server API: MassExtendRenewalDateResponse".
public struct MassExtensionAnswer: Hashable, Sendable {
    /// The identifier that the request came with.
    public let requestIdentifier: String
    /// Members that this version does not know, by name, each as JSON text.
    public let unknownMembers: [String: String]

    init(_ value: JSONValue) throws(AppStoreServerError) {
        var reader = try AnswerReader(value)
        requestIdentifier = try reader.requiredText("requestIdentifier")
        unknownMembers = reader.unknownMembers
    }
}

/// How far an extension of all subscriptions to a product has come.
///
/// - SeeAlso: Apple, "App Store Server API: MassExtendRenewalDateStatusResponse".
public struct MassExtensionStatus: Hashable, Sendable {
    /// The identifier that the request came with.
    public let requestIdentifier: String
    /// Whether all is done.
    public let isComplete: Bool
    /// When all was done.
    public let completedAt: Instant?
    /// How many subscriptions were extended.
    public let succeededCount: Int64?
    /// How many could not be extended.
    public let failedCount: Int64?
    /// Members that this version does not know, by name, each as JSON text.
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
