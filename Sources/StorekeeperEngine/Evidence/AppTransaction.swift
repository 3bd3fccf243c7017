public import FoundationEssentials

/// A customer's download of the app itself.
///
/// - SeeAlso: Apple, "StoreKit: AppTransaction".
public struct AppTransaction: DecodedFact {
    /// The bundle id of the app.
    public let bundleID: String
    /// The App Store's number for the app; absent outside production.
    package let appID: Int64?
    /// The version in use, as the app numbers them.
    public let appVersion: String?
    /// The App Store's number for that version.
    package let appVersionID: Int64?
    /// The version first downloaded.
    ///
    /// A version text, never a number.
    public let originalAppVersion: String?
    /// The time of the app's first download.
    public let originallyPurchasedAt: Instant?
    /// The time of the app's order before its release.
    package let preorderedAt: Instant?
    /// The time at which the device requested it.
    package let requestedAt: Instant?
    /// The app transaction id, which transactions contain, too.
    public let appTransactionID: String?
    /// The platform of the first download.
    public let originalPlatform: String?
    /// The environment; the payload calls it `receiptType`.
    ///
    /// If it is missing: Xcode, some of whose versions leave it out.
    public let environment: AppStore.Environment
    /// The time of signing; the payload calls it `receiptCreationDate`.
    public let signedAt: Instant
    /// A digest, as base64 text, that ties the copy to a device; see `DeviceVerification`.
    package let deviceVerification: String?
    /// The salt of ``deviceVerification``.
    package let deviceVerificationNonce: UUID?
    /// The text it was decoded from.
    package let source: EvidenceSource
    /// Members with words or numbers unknown to this version, as `name: value`, and unreadable members, which count as
    /// absent, as `name` and the problem.
    public let unknownValues: [String]

    /// ``originallyPurchasedAt`` as a date.
    public var originalPurchaseDate: Date? { originallyPurchasedAt?.date }
    /// ``preorderedAt`` as a date.
    package var preorderDate: Date? { preorderedAt?.date }

    /// Decodes a payload, by the rules of ``DecodedFact/init(payload:source:)``.
    package init(payload: JSONValue, source: EvidenceSource) throws(PayloadError) {
        var read = try PayloadReader(payload)
        bundleID = try read.requiredText("bundleId")
        appID = read.number("appAppleId")
        appVersion = read.text("applicationVersion")
        appVersionID = read.number("versionExternalIdentifier")
        originalAppVersion = read.text("originalApplicationVersion")
        originallyPurchasedAt = read.time("originalPurchaseDate")
        preorderedAt = read.time("preorderDate")
        requestedAt = read.time("requestDate")
        appTransactionID = read.text("appTransactionId")
        originalPlatform = read.text("originalPlatform")
        environment = read.has("receiptType") ? try read.requiredWord("receiptType") : .xcode
        signedAt = try read.requiredTime("receiptCreationDate")
        deviceVerification = read.text("deviceVerification")
        deviceVerificationNonce = read.uuid("deviceVerificationNonce")
        unknownValues = read.unknownValues
        self.source = source
    }
}
