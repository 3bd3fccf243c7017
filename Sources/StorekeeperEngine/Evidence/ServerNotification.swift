/// An App Store Server Notification, version 2.
///
/// What it tells is a hint to look again: the state of a customer follows from the signed transaction
/// and renewal info inside, never from the type or order of notifications.
///
/// - SeeAlso: Apple, "App Store Server Notifications: responseBodyV2DecodedPayload".
public struct ServerNotification: SignedFact {
    /// What happened, such as `DID_RENEW`; open, because Apple adds to it.
    public let type: String
    /// What exactly happened, such as `BILLING_RECOVERY`.
    public let subtype: String?
    /// The notification's own id, the same when it is sent again.
    ///
    /// Lower case.
    public let uuid: String?
    /// The bundle id of the app; `nil` where the notification carries none of the parts that name one.
    public let bundleID: String?
    /// The App Store's number for the app.
    public let appAppleID: Int64?
    /// Where it was made.
    public let environment: AppStore.Environment
    /// When the App Store signed it.
    public let signedAt: Instant
    /// The compact JWS of the transaction it is about.
    public let signedTransactionInfo: String?
    /// The compact JWS of the renewal info it is about.
    public let signedRenewalInfo: String?
    /// The compact JWS of the app transaction it is about.
    public let signedAppTransactionInfo: String?
    /// The text it was decoded from.
    public let source: EvidenceSource
    /// Members whose words or numbers this version does not know, as `name: value`.
    public let unknownValues: [String]

    /// The parts of which a notification has one; each names the app.
    private static let parts = ["data", "summary", "externalPurchaseToken", "appData"]

    /// Decodes a payload, by the rules of ``SignedFact/init(payload:source:)``.
    public init(payload: JSONValue, source: EvidenceSource) throws(PayloadError) {
        guard let object = payload.object else { throw PayloadError("payload", "is not an object") }
        guard let type = object["notificationType"] else { throw PayloadError("notificationType", "is missing") }
        let bytes = payload.document.bytes
        let text = bytes.span
        self.type = try PayloadMember(MemberName("notificationType"), type.token).nonEmptyString(in: text)
        subtype = try Self.string("subtype", in: object)
        uuid = try Self.string("notificationUUID", in: object)?.lowercased()
        guard let signedDate = object["signedDate"] else { throw PayloadError("signedDate", "is missing") }
        signedAt = try PayloadMember(MemberName("signedDate"), signedDate.token).instant(in: text)
        self.source = source

        var part: JSONObject?
        var partName = ""
        for name in Self.parts where part == nil {
            guard let value = object[name] else { continue }
            guard let value = value.object else { throw PayloadError(name, "is not an object") }
            (part, partName) = (value, name)
        }
        guard let part else {
            (bundleID, appAppleID, signedTransactionInfo, signedRenewalInfo) = (nil, nil, nil, nil)
            signedAppTransactionInfo = nil
            environment = .production
            unknownValues = []
            return
        }
        var unknown = UnknownValues()
        bundleID = try Self.string("bundleId", in: part)
        if let number = part["appAppleId"] {
            appAppleID = try PayloadMember(MemberName("appAppleId"), number.token).integer(in: text)
        } else {
            appAppleID = nil
        }
        if partName == "externalPurchaseToken" {
            // Apple's own libraries tell the environment of these by the prefix of their id.
            let id = try Self.string("externalPurchaseId", in: part)
            environment = id?.hasPrefix("SANDBOX") == true ? .sandbox : .production
        } else if let text = try Self.string("environment", in: part) {
            let value = AppStore.Environment(rawValue: text)
            if !value.isKnown { unknown.note("environment: \(text)") }
            environment = value
        } else {
            throw PayloadError("\(partName).environment", "is missing")
        }
        signedTransactionInfo = try Self.string("signedTransactionInfo", in: part)
        signedRenewalInfo = try Self.string("signedRenewalInfo", in: part)
        signedAppTransactionInfo = try Self.string("signedAppTransactionInfo", in: part)
        unknownValues = unknown.descriptions
    }

    private static func string(_ name: String, in object: JSONObject) throws(PayloadError) -> String? {
        guard let value = object[name] else { return nil }
        let bytes = value.document.bytes
        return try PayloadMember(MemberName(name), value.token).string(in: bytes.span)
    }

    /// A member's name where there is no list of them.
    private struct MemberName: RawRepresentable {
        let rawValue: String
        init(rawValue: String) { self.rawValue = rawValue }
        init(_ name: String) { rawValue = name }
    }
}
