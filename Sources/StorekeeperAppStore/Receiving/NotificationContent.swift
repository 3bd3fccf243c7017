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

extension ReceivedNotification {
    /// Combines a verified notification with the signed transaction and renewal info inside it.
    ///
    /// - Parameters:
    ///   - notification: The notification.
    ///   - parts: The signed texts inside the notification, with the results of their verification.
    ///   - signedPayload: The notification as compact JWS.
    /// - Throws: ``NotificationRefusal`` if a signed text is not trusted, or if the transaction and the renewal info
    ///   are about different subscriptions.
    init(
        _ notification: ServerNotification, parts: [CheckedEvidence], signedPayload: String
    ) throws(NotificationRefusal) {
        var (transaction, renewalInfo, appTransaction): (Transaction?, RenewalInfo?, AppTransaction?)
        for part in parts {
            switch part {
            case .transaction(.verified(let fact)): transaction = fact
            case .renewalInfo(.verified(let fact)): renewalInfo = fact
            case .appTransaction(.verified(let fact)): appTransaction = fact
            default:
                throw NotificationRefusal(
                    .untrustedPart, "a part of the notification could not be verified", cause: part.error)
            }
        }
        if let transaction, let renewalInfo, transaction.originalID != renewalInfo.originalTransactionID {
            throw NotificationRefusal(
                .partsDisagree, "the renewal info and the transaction are about different subscriptions")
        }
        self.init(
            kind: NotificationKind(
                NotificationType(rawValue: notification.type), notification.subtype.map(NotificationSubtype.init)),
            uuid: notification.uuid, signedAt: notification.signedAt, environment: notification.environment,
            bundleID: notification.bundleID,
            content: NotificationContent(notification, transaction, renewalInfo, appTransaction),
            signedPayload: signedPayload)
    }
}

extension NotificationContent {
    /// Combines the verified transaction and renewal info of a notification with its other members.
    ///
    /// An unsigned member that cannot be read counts as absent, so that the purchase is returned nevertheless.
    init(
        _ notification: ServerNotification, _ transaction: Transaction?, _ renewalInfo: RenewalInfo?,
        _ appTransaction: AppTransaction?
    ) {
        guard let payload = try? JSONReader().read(notification.jsonRepresentation).root.object else {
            self = .nothing
            return
        }
        if let data = payload["data"]?.object {
            self = .purchase(
                NotifiedPurchase(
                    transaction: transaction, renewalInfo: renewalInfo,
                    status: data["status"]?.int64.flatMap(Int.init(exactly:)),
                    bundleVersion: data["bundleVersion"]?.string,
                    consumptionRequestReason: data["consumptionRequestReason"]?.string))
        } else if let summary = payload["summary"]?.object {
            self = .extensionSummary(
                RenewalExtensionSummary(
                    productID: summary["productId"]?.string.map { Product.ID($0) },
                    requestID: summary["requestIdentifier"]?.string,
                    storefronts: summary["storefrontCountryCodes"]?.array?.compactMap(\.string) ?? [],
                    succeeded: summary["succeededCount"]?.int64, failed: summary["failedCount"]?.int64))
        } else if let token = payload["externalPurchaseToken"]?.object {
            self = .externalPurchaseToken(
                ExternalPurchaseToken(
                    id: token["externalPurchaseId"]?.string, createdAt: Self.instant(token["tokenCreationDate"]),
                    expiresAt: Self.instant(token["tokenExpirationDate"]), type: token["tokenType"]?.string))
        } else if payload["appData"] != nil {
            self = .app(appTransaction)
        } else if let seats = payload["unclaimInfo"]?.object {
            self = .unclaimedSeats(
                seats["unclaimSeatIds"]?.array?.compactMap { $0.string.flatMap { UUIDText.uuid($0.utf8) } } ?? [])
        } else {
            self = .nothing
        }
    }

    private static func instant(_ value: JSONValue?) -> Instant? {
        value?.int64.flatMap(Instant.init(millisecondsSince1970:))
    }
}
