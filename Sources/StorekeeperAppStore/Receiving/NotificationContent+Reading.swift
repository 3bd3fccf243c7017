import FoundationEssentials
import Storekeeper

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
