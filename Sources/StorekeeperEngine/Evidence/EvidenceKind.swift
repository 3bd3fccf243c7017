/// The kind of evidence in a payload, determined by the names of its members.
///
/// A payload of the App Store does not name its kind. All readers of signed and unsigned evidence use this one rule, so
/// that a payload of one kind is never decoded as another kind.
package enum EvidenceKind: String, Hashable, Sendable, CaseIterable {
    case transaction, renewalInfo, appTransaction, notification

    /// Determines the kind of a payload.
    ///
    /// A transaction has `transactionId`, `purchaseDate`, `type` or `inAppOwnershipType`. A renewal info has
    /// `originalTransactionId` and a member that only renewal infos have. An app transaction has `receiptType`,
    /// `receiptCreationDate`, `originalApplicationVersion` or `applicationVersion`. A notification has
    /// `notificationType` or `notificationUUID`. For a payload that matches several kinds, the first kind in this order
    /// is used. A member that is `null` counts as absent.
    ///
    /// - Parameter payload: The payload, a JSON object; the initializer returns `nil` for any other value, and for an
    ///   object that matches no kind.
    package init?(payload: JSONValue) {
        guard let payload = try? PayloadReader(payload) else { return nil }
        if Self.transactionMarks.contains(where: payload.has) {
            self = .transaction
        } else if payload.has("originalTransactionId"), Self.renewalInfoMarks.contains(where: payload.has) {
            self = .renewalInfo
        } else if Self.appTransactionMarks.contains(where: payload.has) {
            self = .appTransaction
        } else if payload.has("notificationType") || payload.has("notificationUUID") {
            self = .notification
        } else {
            return nil
        }
    }

    // The names of the members that distinguish the kinds.
    private static let transactionMarks: [PayloadReader.Name] = [
        "transactionId", "purchaseDate", "type", "inAppOwnershipType",
    ]
    private static let renewalInfoMarks: [PayloadReader.Name] = [
        "autoRenewProductId", "autoRenewStatus", "expirationIntent", "isInBillingRetryPeriod",
        "gracePeriodExpiresDate", "priceIncreaseStatus", "recentSubscriptionStartDate", "renewalDate", "renewalPrice",
        "eligibleWinBackOfferIds", "renewalBillingPlanType",
    ]
    private static let appTransactionMarks: [PayloadReader.Name] = [
        "receiptType", "receiptCreationDate", "originalApplicationVersion", "applicationVersion",
    ]
}
