/// Which kind of evidence a payload is, told by the names of its members.
///
/// Nothing in a payload of the App Store says what it is, and a reader that expects one kind must not be
/// given another, so every reader, of signed evidence and of unsigned, tells them apart by this one rule.
public enum EvidenceKind: String, Hashable, Sendable, CaseIterable {
    case transaction, renewalInfo, appTransaction, notification

    /// Finds the kind of a payload.
    ///
    /// A transaction has `transactionId`, `purchaseDate`, `type` or `inAppOwnershipType`; a renewal info has
    /// `originalTransactionId` and a member that only renewal infos have; an app transaction has
    /// `receiptType`, `receiptCreationDate`, `originalApplicationVersion` or `applicationVersion`; a
    /// notification has `notificationType` or `notificationUUID`. The first that fits, in this order, is the
    /// kind; a member that is `null` counts as absent.
    ///
    /// - Parameter payload: The JSON object; anything else, and an object of no kind, gives `nil`.
    public init?(payload: JSONValue) {
        guard let object = payload.object else { return nil }
        var hasOriginalID = false
        var hasRenewalMember = false
        var isAppTransaction = false
        var isNotification = false
        let marks = Mark.table
        let isTransaction = object.containsPresent { member, text in
            guard let mark = marks.value(of: member.name, in: text) else { return false }
            switch mark {
            case .transactionId, .purchaseDate, .type, .inAppOwnershipType: return true
            case .originalTransactionId: hasOriginalID = true
            case .receiptType, .receiptCreationDate, .originalApplicationVersion, .applicationVersion:
                isAppTransaction = true
            case .notificationType, .notificationUUID: isNotification = true
            case .autoRenewProductId, .autoRenewStatus, .expirationIntent, .isInBillingRetryPeriod,
                .gracePeriodExpiresDate, .priceIncreaseStatus, .recentSubscriptionStartDate, .renewalDate,
                .renewalPrice, .eligibleWinBackOfferIds, .renewalBillingPlanType:
                hasRenewalMember = true
            }
            return false
        }
        if isTransaction {
            self = .transaction
        } else if hasOriginalID, hasRenewalMember {
            self = .renewalInfo
        } else if isAppTransaction {
            self = .appTransaction
        } else if isNotification {
            self = .notification
        } else {
            return nil
        }
    }

    /// The members that tell kinds apart.
    private enum Mark: String, CaseIterable, Sendable {
        case transactionId, purchaseDate, type, inAppOwnershipType
        case originalTransactionId
        case autoRenewProductId, autoRenewStatus, expirationIntent, isInBillingRetryPeriod, gracePeriodExpiresDate
        case priceIncreaseStatus, recentSubscriptionStartDate, renewalDate, renewalPrice, eligibleWinBackOfferIds
        case renewalBillingPlanType
        case receiptType, receiptCreationDate, originalApplicationVersion, applicationVersion
        case notificationType, notificationUUID

        static let table = WordTable(Mark.self)
    }
}
