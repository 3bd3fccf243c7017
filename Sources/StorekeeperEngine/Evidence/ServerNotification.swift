/// An App Store Server Notification, version 2.
///
/// A notification is a hint to look again: the state of a customer follows from the signed transaction and renewal info
/// inside, never from the type or order of notifications.
///
/// - SeeAlso: Apple, "App Store Server Notifications: responseBodyV2DecodedPayload".
public struct ServerNotification: DecodedFact {
    /// The id of a notification.
    public typealias ID = ByteIdentifier<ServerNotification>

    /// The event, such as `DID_RENEW`; open, because Apple adds to it.
    public let type: String
    /// The details of the event, such as `BILLING_RECOVERY`.
    public let subtype: String?
    /// The version of the format, such as `2.0`.
    public let version: String?
    /// The notification's id, which a repeated delivery keeps.
    ///
    /// Lower case.
    public let uuid: ID?
    /// The bundle id of the app; `nil` if no part of the notification names one.
    public let bundleID: String?
    /// The App Store's number for the app.
    package let appAppleID: Int64?
    /// The environment.
    public let environment: AppStore.Environment
    /// The time of signing.
    public let signedAt: Instant
    /// The compact JWS of the transaction it is about.
    package let signedTransactionInfo: String?
    /// The compact JWS of the renewal info it is about.
    package let signedRenewalInfo: String?
    /// The compact JWS of the app transaction it is about.
    package let signedAppTransactionInfo: String?
    /// The text it was decoded from.
    package let source: EvidenceSource
    /// Members whose words or numbers this version does not know, as `name: value`.
    public let unknownValues: [String]

    /// The possible parts, of which a notification has one; each names the app.
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
            environment = .production
            unknownValues = []
            return
        }
        read = try read.part(part)
        bundleID = try read.string("bundleId")
        appAppleID = try read.integer("appAppleId")
        if part.description == "externalPurchaseToken" {
            // Apple's own libraries derive the environment of these from the prefix of their id.
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
        unknownValues = read.unknownValues
    }
}
