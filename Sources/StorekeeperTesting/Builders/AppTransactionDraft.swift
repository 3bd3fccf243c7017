public import Storekeeper

/// An editable app transaction for tests: each member of the App Store's payload can be set.
///
/// Members that are `nil` are omitted.
///
/// - SeeAlso: Apple, "StoreKit: AppTransaction".
public struct AppTransactionDraft: Hashable, Sendable {
    /// `bundleId`.
    public var bundleID = "com.example.game"
    /// `receiptCreationDate`, the instant at which the app transaction was signed.
    public var signedAt: Instant
    /// `receiptType`, which some builds of Xcode omit.
    public var environment: AppStore.Environment? = .production
    /// `appAppleId`, which the App Store omits outside production.
    public var appID: Int64? = 1_234_567_890
    /// `applicationVersion`.
    public var appVersion: String? = "2.0"
    /// `versionExternalIdentifier`.
    public var appVersionID: Int64?
    /// `originalApplicationVersion`.
    public var originalAppVersion: String? = "1.0"
    /// `originalPurchaseDate`.
    public var originallyPurchasedAt: Instant? = .testEpoch
    /// `preorderDate`.
    public var preorderedAt: Instant?
    /// `revocationDate`.
    public var revokedAt: Instant?
    /// `requestDate`.
    public var requestedAt: Instant?
    /// `appTransactionId`.
    public var appTransactionID: String? = "700000000000000001"
    /// `originalPlatform`.
    public var originalPlatform: String? = "iOS"
    /// Further members of the payload.
    ///
    /// If a property above has a value, it replaces the member of the same name.
    public var otherMembers: [String: PayloadValue] = [:]

    /// Creates a draft.
    public init(signedAt: Instant = .testEpoch) { self.signedAt = signedAt }

    /// The payload as the App Store would write it: a JSON object in UTF-8, members sorted by name.
    public var payload: [UInt8] {
        var writer = PayloadWriter(otherMembers)
        writer.set("bundleId", bundleID)
        writer.set("receiptCreationDate", signedAt)
        writer.set("receiptType", environment?.rawValue)
        writer.set("appAppleId", appID)
        writer.set("applicationVersion", appVersion)
        writer.set("versionExternalIdentifier", appVersionID)
        writer.set("originalApplicationVersion", originalAppVersion)
        writer.set("originalPurchaseDate", originallyPurchasedAt)
        writer.set("preorderDate", preorderedAt)
        writer.set("revocationDate", revokedAt)
        writer.set("requestDate", requestedAt)
        writer.set("appTransactionId", appTransactionID)
        writer.set("originalPlatform", originalPlatform)
        return writer.json
    }

    /// Returns the unsigned app transaction that the engine decodes from ``payload``.
    ///
    /// - Throws: `PayloadError` or `JSONError` if the engine refuses the payload.
    public func appTransaction() throws -> AppTransaction {
        let payload = payload
        return try AppTransaction(payload: JSONReader().read(payload).root, source: .unsigned(payload))
    }
}
