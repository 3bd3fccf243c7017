public import Storekeeper

/// An editable notification about a subscription for tests.
///
/// - SeeAlso: Apple, "App Store Server Notifications: responseBodyV2DecodedPayload".
public struct NotificationDraft: Hashable, Sendable {
    /// `notificationType`.
    public var type = "DID_FAIL_TO_RENEW"
    /// `signedDate`.
    public var signedAt: Instant
    /// `status`, the number of the subscription's state.
    public var status: Int64?
    /// The transaction that is inside the notification.
    public var transaction: TransactionDraft
    /// The renewal info that is inside the notification.
    public var renewalInfo: RenewalInfoDraft?

    /// Creates a draft about a transaction.
    public init(status: Int64?, of transaction: TransactionDraft, signedAt: Instant) {
        self.status = status
        self.transaction = transaction
        self.signedAt = signedAt
    }

    /// The payload as the App Store would write it: a JSON object in UTF-8, members sorted by name.
    public var payload: [UInt8] {
        var data: [String: PayloadValue] = [
            "bundleId": .string(transaction.bundleID), "environment": .string(transaction.environment.rawValue),
            "signedTransactionInfo": .string(transaction.fakeJWS),
        ]
        if let renewalInfo { data["signedRenewalInfo"] = .string(renewalInfo.fakeJWS) }
        if let status { data["status"] = .integer(status) }
        var writer = PayloadWriter(["data": .object(data)])
        writer.set("notificationType", type)
        writer.set("notificationUUID", "00000000-0000-4000-8000-\(signedAt.millisecondsSince1970)")
        writer.set("version", "2.0")
        writer.set("signedDate", signedAt)
        return writer.json
    }

    /// Returns the unsigned notification that the engine decodes from ``payload``.
    ///
    /// - Throws: `PayloadError` or `JSONError` if the engine refuses the payload.
    public func notification() throws -> ServerNotification {
        let payload = payload
        return try ServerNotification(payload: JSONReader().read(payload).root, source: .unsigned(payload))
    }
}
