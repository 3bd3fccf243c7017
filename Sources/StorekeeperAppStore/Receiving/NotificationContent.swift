public import Storekeeper

/// What a notification carries.
public enum NotificationContent: Sendable {
    /// About purchases: what was signed of them, already in the vault.
    case purchase(NotifiedPurchase)
    /// How the extension of a product's subscriptions went.
    case extensionSummary(RenewalExtensionSummary)
    /// About purchases outside of the App Store.
    case externalPurchaseToken(ExternalPurchaseToken)
    /// About the app itself: whose app transaction it is, where it says so.
    case app(AppTransaction?)
    /// Nothing that this version knows.
    case nothing
}

/// What a notification says of a purchase.
///
/// - SeeAlso: Apple, "App Store Server Notifications: data".
public struct NotifiedPurchase: Sendable {
    /// The transaction; `nil` in a test.
    public let transaction: Transaction?
    /// What is intended for the subscription; `nil` where it is none.
    public let renewalInfo: RenewalInfo?
    /// The state of the subscription when the notification was signed, 1 to 5; a hint, answers follow from the rest.
    public let status: Int?
    /// Why the customer asks for a refund, such as `UNINTENDED_PURCHASE`; only in a consumption request.
    public let consumptionRequestReason: String?
}

/// How the extension of the subscriptions of a product went.
///
/// - SeeAlso: Apple, "App Store Server Notifications: summary".
public struct RenewalExtensionSummary: Hashable, Sendable {
    /// The product.
    public let productID: Product.ID?
    /// The id under which the extension was asked for.
    public let requestID: String?
    /// In which storefronts, ISO 3166-1 alpha-3; empty: in all.
    public let storefronts: [String]
    /// How many subscriptions were extended.
    public let succeeded: Int64?
    /// How many were not.
    public let failed: Int64?

    /// Makes a summary.
    public init(productID: Product.ID?, requestID: String?, storefronts: [String], succeeded: Int64?, failed: Int64?) {
        self.productID = productID
        self.requestID = requestID
        self.storefronts = storefronts
        self.succeeded = succeeded
        self.failed = failed
    }
}

/// A token for purchases outside of the App Store, about which the app has to report.
///
/// - SeeAlso: Apple, "App Store Server Notifications: externalPurchaseToken".
public struct ExternalPurchaseToken: Hashable, Sendable {
    /// The id to report with.
    public let id: String?
    /// When it was made, in UTC.
    public let createdAt: Instant?
    /// When it ends, in UTC; `nil` for those that do not.
    public let expiresAt: Instant?
    /// What it is for, in the App Store's word.
    public let type: String?

    /// Makes a token.
    public init(id: String?, createdAt: Instant?, expiresAt: Instant? = nil, type: String? = nil) {
        self.id = id
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.type = type
    }
}

/// A notification of which every part was believed.
public struct ReceivedNotification: Sendable {
    /// What it is about.
    public let kind: NotificationKind
    /// Its own id, lower case, the same when it is sent again; `nil` where it has none.
    public let uuid: ServerNotification.ID?
    /// When the App Store signed it.
    public let signedAt: Instant
    /// Where it was made.
    public let environment: AppStore.Environment
    /// The app.
    public let bundleID: String?
    /// What it carries.
    public let content: NotificationContent
    /// The compact JWS, with all that this version does not know; to be kept where nothing is to be lost.
    public let signedPayload: String
}
