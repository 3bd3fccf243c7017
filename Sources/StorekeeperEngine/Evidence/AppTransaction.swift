public import FoundationEssentials

/// A customer's download of the app itself.
///
/// - SeeAlso: Apple, "StoreKit: AppTransaction".
public struct AppTransaction: SignedFact {
    /// The bundle id of the app.
    public let bundleID: String
    /// The App Store's number for the app; absent outside production.
    public let appID: Int64?
    /// The version that runs, as the app counts them.
    public let appVersion: String?
    /// The App Store's number for that version.
    public let appVersionID: Int64?
    /// The version first downloaded.
    ///
    /// A version text, never a number.
    public let originalAppVersion: String?
    /// When the app was first downloaded.
    public let originallyPurchasedAt: Instant?
    /// When the app was ordered before its release.
    public let preorderedAt: Instant?
    /// When the device asked for it.
    public let requestedAt: Instant?
    /// The customer's download of the app, as transactions name it.
    public let appTransactionID: String?
    /// The platform of the first download.
    public let originalPlatform: String?
    /// Where it was made; the payload calls it `receiptType`.
    ///
    /// Where it is missing: Xcode, some of whose versions leave it out.
    public let environment: AppStore.Environment
    /// When it was signed; the payload calls it `receiptCreationDate`.
    public let signedAt: Instant
    /// A digest, as base64 text, that ties the copy to a device; see `DeviceVerification`.
    public let deviceVerification: String?
    /// The salt of ``deviceVerification``.
    public let deviceVerificationNonce: UUID?
    /// The text it was decoded from.
    public let source: EvidenceSource
    /// Members whose words or numbers this version does not know, as `name: value`.
    public let unknownValues: [String]

    /// ``signedAt`` as a date.
    public var signedDate: Date { signedAt.date }
    /// ``originallyPurchasedAt`` as a date.
    public var originalPurchaseDate: Date? { originallyPurchasedAt?.date }
    /// ``preorderedAt`` as a date.
    public var preorderDate: Date? { preorderedAt?.date }

    enum Member: String, CaseIterable, Sendable {
        case receiptType, appAppleId, bundleId, applicationVersion, versionExternalIdentifier
        case receiptCreationDate, requestDate, originalPurchaseDate, originalApplicationVersion, preorderDate
        case appTransactionId, originalPlatform, deviceVerification, deviceVerificationNonce

        static let table = WordTable(Member.self)
    }

    /// Decodes a payload, by the rules of ``SignedFact/init(payload:source:)``.
    public init(payload: JSONValue, source: EvidenceSource) throws(PayloadError) {
        guard let object = payload.object else { throw PayloadError("payload", "is not an object") }
        var values: [Member: PayloadMember<Member>] = [:]
        object.forEachPresent { entry, text in
            if let name = Member.table.value(of: entry.name, in: text) {
                values[name] = PayloadMember(name, entry.value)
            }
        }
        let bytes = payload.document.bytes
        let text = bytes.span
        var unknown = UnknownValues()
        guard let bundleID = try values[.bundleId]?.nonEmptyString(in: text) else {
            throw PayloadError("bundleId", "is missing")
        }
        guard let signedAt = try values[.receiptCreationDate]?.instant(in: text) else {
            throw PayloadError("receiptCreationDate", "is missing")
        }
        self.bundleID = bundleID
        self.signedAt = signedAt
        if let member = values[.receiptType] {
            environment = try member.word(in: text, &unknown, mayBeEmpty: false)
        } else {
            environment = .xcode
        }
        appID = try values[.appAppleId]?.integer(in: text)
        appVersion = try values[.applicationVersion]?.string(in: text)
        appVersionID = try values[.versionExternalIdentifier]?.integer(in: text)
        originalAppVersion = try values[.originalApplicationVersion]?.string(in: text)
        originallyPurchasedAt = try values[.originalPurchaseDate]?.instant(in: text)
        preorderedAt = try values[.preorderDate]?.instant(in: text)
        requestedAt = try values[.requestDate]?.instant(in: text)
        appTransactionID = try values[.appTransactionId]?.string(in: text)
        originalPlatform = try values[.originalPlatform]?.string(in: text)
        deviceVerification = try values[.deviceVerification]?.string(in: text)
        if let member = values[.deviceVerificationNonce] {
            deviceVerificationNonce = unknown.uuid(try member.string(in: text), of: member)
        } else {
            deviceVerificationNonce = nil
        }
        self.source = source
        unknownValues = unknown.descriptions
    }
}
