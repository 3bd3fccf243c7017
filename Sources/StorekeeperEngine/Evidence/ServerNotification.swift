/// An App Store Server Notification, version 2.
///
/// A notification only indicates that the evidence of a customer has changed. The state of the customer follows from
/// the signed transaction and renewal info inside the notification, and from the status beside them if they do not name the end of
/// a grace period, but never from the type or order of notifications.
///
/// - SeeAlso: Apple, "App Store Server Notifications: responseBodyV2DecodedPayload".
public struct ServerNotification: DecodedFact {
    /// The id of a notification.
    public typealias ID = ByteIdentifier<ServerNotification>

    /// The event, such as `DID_RENEW`; it is text because Apple may add events.
    public let type: String
    /// The details of the event, such as `BILLING_RECOVERY`.
    public let subtype: String?
    /// The version of the format, such as `2.0`.
    public let version: String?
    /// The notification's id, which stays the same when the notification is delivered again.
    ///
    /// The id is in lower case.
    public let uuid: ID?
    /// The bundle id of the app; `nil` if the notification does not contain it.
    public let bundleID: String?
    /// The App Store's number for the app.
    package let appAppleID: Int64?
    /// The environment of the App Store.
    public let environment: AppStore.Environment
    /// The time of signing.
    public let signedAt: Instant
    /// The number of the subscription's state according to the App Store; `nil` if the notification does not contain it.
    ///
    /// - SeeAlso: Apple, "App Store Server Notifications: status".
    package let status: Int64?
    /// The compact JWS of the transaction that the notification is about.
    package let signedTransactionInfo: String?
    /// The compact JWS of the renewal info that the notification is about.
    package let signedRenewalInfo: String?
    /// The compact JWS of the app transaction that the notification is about.
    package let signedAppTransactionInfo: String?
    /// The JWS or the JSON object from which the payload was read.
    package let source: EvidenceSource
    /// The members with strings or numbers that this version of the package does not know, as `name: value`.
    public let unknownValues: [String]

    /// The members that may contain the details of a notification, such as its app and environment.
    ///
    /// A notification has at most one of these members.
    private static let parts: [PayloadReader.Name] = [
        "data", "summary", "externalPurchaseToken", "appData", "unclaimInfo",
    ]

    /// Decodes a payload, by the rules of ``DecodedFact/init(payload:source:)``.
    package init(payload: JSONValue, source: EvidenceSource) throws(PayloadError) {
        var read = try PayloadReader(payload)
        type = try read.requiredText("notificationType")
        subtype = try read.string("subtype")
        version = read.text("version")
        uuid = try read.string("notificationUUID").map { ID($0.lowercased()) }
        signedAt = try read.requiredTime("signedDate")
        self.source = source

        guard let part = Self.parts.first(where: { read.has($0) }) else {
            (bundleID, appAppleID, signedTransactionInfo, signedRenewalInfo) = (nil, nil, nil, nil)
            signedAppTransactionInfo = nil
            status = nil
            environment = .production
            unknownValues = read.unknownValues
            return
        }
        read = try read.part(part)
        bundleID = try read.string("bundleId")
        appAppleID = try read.integer("appAppleId")
        if part.description == "externalPurchaseToken" {
            // Apple's own libraries derive the environment of an external purchase from the prefix of its id.
            let id = try read.string("externalPurchaseId")
            environment = id?.hasPrefix("SANDBOX") == true ? .sandbox : .production
        } else if let word: AppStore.Environment = try read.word("environment") {
            environment = word
        } else {
            throw PayloadError("\(part).environment", "is missing")
        }
        signedTransactionInfo = try read.string("signedTransactionInfo")
        signedRenewalInfo = try read.string("signedRenewalInfo")
        signedAppTransactionInfo = try read.string("signedAppTransactionInfo")
        status = read.number("status")
        unknownValues = read.unknownValues
    }
}
