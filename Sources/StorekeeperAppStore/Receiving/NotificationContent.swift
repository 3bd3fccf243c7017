public import FoundationEssentials
public import Storekeeper

/// The content of a notification.
public enum NotificationContent: Sendable {
    /// A purchase; its evidence is stored in the vault before a handler receives the notification.
    case purchase(NotifiedPurchase)
    /// The result of a request to extend all subscriptions to a product.
    case extensionSummary(RenewalExtensionSummary)
    /// A token for purchases outside of the App Store.
    case externalPurchaseToken(ExternalPurchaseToken)
    /// Information about the app itself, with its app transaction if the notification contains one.
    case app(AppTransaction?)
    /// The ids of the seat claims that the App Store has ended.
    ///
    /// - SeeAlso: Apple, "App Store Server Notifications: unclaimInfo".
    case unclaimedSeats([UUID])
    /// Content that this version of the package does not support.
    case nothing
}

/// The members of a notification that are about a purchase.
///
/// - SeeAlso: Apple, "App Store Server Notifications: data".
public struct NotifiedPurchase: Sendable {
    /// The transaction; `nil` in a test notification.
    public let transaction: Transaction?
    /// The renewal info of the subscription; `nil` if the purchase is not a subscription.
    public let renewalInfo: RenewalInfo?
    /// The code for the status of the subscription when the notification was signed, 1 to 5.
    ///
    /// The code is evidence: 4 gives access if no renewal info names the end of a grace period.
    public let status: Int?
    /// The version of the app that the customer used, if it is known.
    public let bundleVersion: String?
    /// The customer's reason for a refund, such as `UNINTENDED_PURCHASE`; only in a consumption request.
    public let consumptionRequestReason: String?
}

/// The result of a request to extend all subscriptions to a product.
///
/// - SeeAlso: Apple, "App Store Server Notifications: summary".
public struct RenewalExtensionSummary: Hashable, Sendable {
    /// The product.
    public let productID: Product.ID?
    /// The identifier of the extension request.
    public let requestID: String?
    /// The storefronts, ISO 3166-1 alpha-3; empty for all.
    public let storefronts: [String]
    /// The number of extended subscriptions.
    public let succeeded: Int64?
    /// The number of subscriptions that could not be extended.
    public let failed: Int64?

    /// Creates a summary.
    public init(productID: Product.ID?, requestID: String?, storefronts: [String], succeeded: Int64?, failed: Int64?) {
        self.productID = productID
        self.requestID = requestID
        self.storefronts = storefronts
        self.succeeded = succeeded
        self.failed = failed
    }
}

/// A token for purchases outside of the App Store; the app must report the purchases to Apple.
///
/// - SeeAlso: Apple, "App Store Server Notifications: externalPurchaseToken".
public struct ExternalPurchaseToken: Hashable, Sendable {
    /// The id that the app must use in its report to Apple.
    public let id: String?
    /// The creation time, in UTC.
    public let createdAt: Instant?
    /// The expiry, in UTC; `nil` if the token does not expire.
    public let expiresAt: Instant?
    /// The type of the token, as the App Store spells it.
    public let type: String?

    /// Creates a token.
    public init(id: String?, createdAt: Instant?, expiresAt: Instant? = nil, type: String? = nil) {
        self.id = id
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.type = type
    }
}

/// A notification whose signed contents were all verified.
public struct ReceivedNotification: Sendable {
    /// The type and subtype.
    public let kind: NotificationKind
    /// The UUID of the notification, in lower case, if the notification has one.
    ///
    /// A redelivered notification has the same UUID.
    public let uuid: ServerNotification.ID?
    /// The time at which the App Store signed the notification.
    public let signedAt: Instant
    /// The environment of the notification.
    public let environment: AppStore.Environment
    /// The bundle id of the app.
    public let bundleID: String?
    /// The content.
    public let content: NotificationContent
    /// The notification as compact JWS, including members that this version of the package does not read.
    public let signedPayload: String
}
