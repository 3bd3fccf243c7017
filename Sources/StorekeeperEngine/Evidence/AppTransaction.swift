public import FoundationEssentials

/// The App Store's signed data about a customer's download of the app itself.
///
/// - SeeAlso: Apple, "StoreKit: AppTransaction".
public struct AppTransaction: DecodedFact {
    /// The bundle id of the app.
    public let bundleID: String
    /// The App Store's number for the app; absent outside production.
    package let appID: Int64?
    /// The installed version of the app, as the app numbers its versions.
    public let appVersion: String?
    /// The App Store's number for the installed version.
    package let appVersionID: Int64?
    /// The version of the app that the customer downloaded first.
    ///
    /// The text is not a decimal number; for example, version `1.10` is later than `1.9`.
    public let originalAppVersion: String?
    /// The time of the app's first download.
    public let originallyPurchasedAt: Instant?
    /// The time at which the customer ordered the app before its release.
    package let preorderedAt: Instant?
    /// The time at which the device requested the app transaction.
    package let requestedAt: Instant?
    /// The app transaction id, which the transactions of the same download contain as well.
    public let appTransactionID: String?
    /// The time from which the download of the app is revoked, for example by a refund.
    ///
    /// A customer whose download is revoked no longer owns what ``originalAppVersion`` proves.
    public let revokedAt: Instant?
    /// The App Store's text for the type of store, such as a store for education.
    public let storeType: String?
    /// The platform of the first download.
    public let originalPlatform: String?
    /// The environment; the payload calls it `receiptType`.
    ///
    /// The value is Xcode if the payload has no environment, because some versions of Xcode leave the environment out.
    public let environment: AppStore.Environment
    /// The time of signing; the payload calls it `receiptCreationDate`.
    public let signedAt: Instant
    /// A digest, as base64 text, by which a device checks that the data was signed for this device; see
    /// `DeviceVerification`.
    package let deviceVerification: String?
    /// The salt of ``deviceVerification``.
    package let deviceVerificationNonce: UUID?
    /// The JWS or the JSON object from which the payload was read.
    package let source: EvidenceSource
    /// Remarks about members that this version of the package does not understand.
    ///
    /// A member with an unknown string or number is listed as `name: value`. An unreadable member counts as absent and
    /// is listed with its name and the reason.
    public let unknownValues: [String]

    /// ``originallyPurchasedAt`` as a date.
    public var originalPurchaseDate: Date? { originallyPurchasedAt?.date }
    /// ``revokedAt`` as a date.
    public var revocationDate: Date? { revokedAt?.date }
    /// ``preorderedAt`` as a date.
    package var preorderDate: Date? { preorderedAt?.date }

    /// Whether the app transaction id is the one that Xcode gives to every download, so that it identifies no customer.
    var hasSharedID: Bool { environment == .xcode && appTransactionID == "0" }

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
        // A revocation with an unreadable time counts from the time of signing, as for transactions.
        revokedAt = read.time("revocationDate") ?? (read.has("revocationDate") ? signedAt : nil)
        storeType = read.text("storeType")
        deviceVerification = read.text("deviceVerification")
        deviceVerificationNonce = read.uuid("deviceVerificationNonce")
        unknownValues = read.unknownValues
        self.source = source
    }
}
