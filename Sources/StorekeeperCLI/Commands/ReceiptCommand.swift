import ArgumentParser
import FoundationEssentials
import Storekeeper
import StorekeeperJWS

/// `storekeeper receipt FILE`.
struct ReceiptCommand: ConsoleCommand, EvidenceOptionGroups {
    static let configuration = CommandConfiguration(
        commandName: "receipt",
        abstract: "Verifies a receipt of the original StoreKit, and prints its contents.",
        usage: "storekeeper receipt <file> [--device <id>] [<options>]",
        discussion: """
            FILE is an app receipt (PKCS #7), as DER or base64; a response of Apple's verifyReceipt; or a receipt \
            of one transaction, from before iOS 7. '-' is standard input.

            An app receipt is verified offline: the certificates against the trusted root, the App Store's marker \
            extensions in them, their validity when the receipt was made, the signature (RSA with SHA-1 or \
            SHA-256), the app and the environment, and with --device the device. This needs --root FILE, \
            STOREKEEPER_ROOT or a root in storekeeper.yaml; for the App Store the root is "Apple Inc. Root \
            Certificate" from Apple's PKI page. In a response of verifyReceipt the latest_receipt is verified. \
            Other receipts have no signature that can be verified.

            The contents are printed even if the receipt is not verified, because the App Store Server API \
            answers for any of the transaction ids: see 'storekeeper fetch --receipt'. With --unsigned nothing is \
            verified, and no root is needed.

            JSON:
              {"form":"app","verified":true,"bundleID":…,"environment":…,"type":…,
               "created":…,"appVersion":…,"originalAppVersion":…,
               "originalPurchase":…,"expires":…,
               "purchases":[{"productID":…,"type":…,"transactionID":…,
                 "originalTransactionID":…,"quantity":1,"purchased":…,
                 "originalPurchase":…,"expires":…,"cancelled":…,
                 "upgraded":true,"webOrderLineItemID":…,"introductory":true,
                 "trial":true,"promotionalOffer":…}],
               "renewals":[{"originalTransactionID":…,"productID":…,
                 "autoRenewProductID":…,"willAutoRenew":true,
                 "inBillingRetry":false,"expirationIntent":1,
                 "gracePeriodExpires":…,"priceIncreaseAgreed":true,
                 "verified":false}],
               "transactionIDs":[…],"error":{"code":…,"message":…}}
            The form is app, answer or transaction; the newest transaction id is the first; the renewals are those \
            of a response of verifyReceipt, which are not signed.

            Commands that take evidence also take app receipts, by their content: 'storekeeper entitlements receipt.b64'.

            EXIT STATUS
              0   it is verified                 66  the file cannot be read
              64  wrong usage                    77  it is not verified; the contents
              65  it is not a receipt                are printed nevertheless

            EXAMPLES
              storekeeper receipt receipt.b64 --root AppleIncRootCertificate.cer

              Which transactions does it name?
                storekeeper receipt receipt.b64 --unsigned --format json
            """)

    @Argument(help: ArgumentHelp("The receipt; '-' is standard input.", valueName: "file"), completion: .file())
    var file: String

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The device it must be for: the vendor's UUID, or a Mac's address such as 00:11:22:33:44:55.",
            valueName: "id"))
    var device: String?

    @OptionGroup(title: "Evidence options") var trust: TrustOptions
    // This command accepts and ignores these options, so that all evidence commands accept the same options.
    @OptionGroup(visibility: .hidden) var list: CatalogOptions
    @OptionGroup(visibility: .hidden) var question: QuestionOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let settings = try Settings(
            evidenceOptions, source: .receipt, on: console)
        let device = try self.device.map { text throws(CommandError) in try Self.device(text) }
        let bytes = try InputFile.contents(of: file, limit: ReceiptVerifier.maximumSize)
        let checked = ReceiptVerifier(settings.verifierConfiguration).verify(bytes, device: device)
        guard checked.receipt != nil else { throw Self.notAReceipt(checked, at: file) }
        let report = ReceiptReport(checked, isUnsigned: settings.acceptsUnsigned)
        console.print(output.format, json: report.json, lines: report.lines(console.style, width: console.columns))
        guard let error = checked.error, !settings.acceptsUnsigned else { return .success }
        throw CommandError(
            .refused, "the receipt is not verified: \(error)", at: InputFile.name(of: file),
            "check --root, --bundle-id and --environment, or ask the App Store with 'storekeeper fetch --receipt'")
    }

    /// Returns the error for a file that is not a receipt.
    static func notAReceipt(_ checked: CheckedReceipt, at path: String) -> CommandError {
        CommandError(
            .malformedInput, checked.error?.message ?? "the receipt is empty", at: InputFile.name(of: path),
            "give an app receipt, a response of verifyReceipt or a transaction receipt")
    }

    /// Returns the bytes of a device's identifier, which is a UUID or hexadecimal bytes separated by colons.
    private static func device(_ text: String) throws(CommandError) -> [UInt8] {
        if let id = UUID(uuidString: text) { return withUnsafeBytes(of: id.uuid) { Array($0) } }
        let bytes = text.split(separator: ":", omittingEmptySubsequences: false)
            .compactMap { $0.utf8.count == 2 ? UInt8($0, radix: 16) : nil }
        guard bytes.count == 6, text.utf8.count == 17 else {
            throw .usage(
                "'\(text)' is not a device", at: "--device",
                "give the vendor's UUID, or a Mac's address such as 00:11:22:33:44:55")
        }
        return bytes
    }
}

/// The contents of a receipt for people and for programs.
struct ReceiptReport {
    private let checked: CheckedReceipt
    private let receipt: AppReceipt?
    private let isUnsigned: Bool

    /// - Parameter isUnsigned: Whether `--unsigned` was given, so that the receipt is reported as not verified.
    init(_ checked: CheckedReceipt, isUnsigned: Bool) {
        self.checked = checked
        receipt = checked.receipt
        self.isUnsigned = isUnsigned
    }

    private var isVerified: Bool { checked.isVerified && !isUnsigned }

    var json: JSONText {
        var members = Self.members(of: checked)
        members["verified"] = .bool(isVerified)
        if !isUnsigned, let error = checked.error {
            members["error"] = .object(["code": .string(error.code.rawValue), "message": .string(error.message)])
        }
        return .object(members)
    }

    /// Returns the contents of a receipt, without the result of its verification.
    static func contents(of checked: CheckedReceipt) -> JSONText { .object(members(of: checked)) }

    private static func members(of checked: CheckedReceipt) -> [String: JSONText] {
        let receipt = checked.receipt
        return [
            "form": .text(checked.form?.rawValue),
            "bundleID": .text(receipt?.bundleID), "environment": .text(receipt?.environment?.rawValue),
            "type": .text(receipt?.type), "created": .time(receipt?.createdAt),
            "appVersion": .text(receipt?.appVersion), "originalAppVersion": .text(receipt?.originalAppVersion),
            "originalPurchase": .time(receipt?.originallyPurchasedAt), "expires": .time(receipt?.expiresAt),
            "purchases": .array((receipt?.purchases ?? []).map(json)),
            "renewals": checked.renewals.isEmpty ? .null : .array(checked.renewals.map(json)),
            "transactionIDs": .array(checked.transactionIDs.map { .string($0.rawValue) }),
        ]
    }

    private static func json(_ renewal: ReceiptRenewal) -> JSONText {
        .object([
            "originalTransactionID": .text(renewal.originalTransactionID), "productID": .text(renewal.productID),
            "autoRenewProductID": .text(renewal.autoRenewProductID),
            "willAutoRenew": flag(renewal.willAutoRenew), "inBillingRetry": flag(renewal.isInBillingRetry),
            "expirationIntent": .whole(renewal.expirationIntent),
            "gracePeriodExpires": .time(renewal.gracePeriodExpiresAt),
            "priceIncreaseAgreed": flag(renewal.hasConsentedToPriceIncrease), "verified": .bool(false),
        ])
    }

    private static func flag(_ value: Bool?) -> JSONText { value.map(JSONText.bool) ?? .null }

    private static func json(_ purchase: AppReceipt.Purchase) -> JSONText {
        .object([
            "productID": .string(purchase.productID.rawValue), "type": .text(purchase.productType?.word),
            "transactionID": .string(purchase.transactionID.rawValue),
            "originalTransactionID": .text(purchase.originalTransactionID?.rawValue),
            "quantity": .integer(purchase.quantity), "purchased": .time(purchase.purchasedAt),
            "originalPurchase": .time(purchase.originallyPurchasedAt), "expires": .time(purchase.expiresAt),
            "cancelled": .time(purchase.cancelledAt), "webOrderLineItemID": .text(purchase.webOrderLineItemID),
            "introductory": flag(purchase.isInIntroductoryPeriod), "trial": flag(purchase.isInTrialPeriod),
            "promotionalOffer": .text(purchase.promotionalOfferID), "upgraded": flag(purchase.isUpgraded),
        ])
    }

    /// Returns the contents as text.
    ///
    /// - Parameter width: The maximum number of columns of a line; `nil` means no limit.
    func lines(_ style: TerminalStyle, width: Int?) -> [String] {
        let verdict = isVerified ? style.green("verified") : style.red("NOT verified")
        let parts = [receipt?.bundleID, receipt?.type, receipt?.createdAt.map { "made \($0)" }].compactMap(\.self)
        let first = "The receipt is \(verdict)" + (parts.isEmpty ? "." : ": \(parts.joined(separator: ", ")).")
        guard let purchases = receipt?.purchases, !purchases.isEmpty else {
            return [first, "It contains no purchase."]
        }
        var table = TextTable("PRODUCT", "TRANSACTION", "ORIGINAL", "PURCHASED", "EXPIRES", "CANCELLED")
        for purchase in purchases {
            table.add([
                .text(purchase.productID.rawValue), .text(purchase.transactionID.rawValue),
                .text(purchase.originalTransactionID?.rawValue), .time(purchase.purchasedAt),
                .time(purchase.expiresAt), .time(purchase.cancelledAt),
            ])
        }
        table.widthReductions =
            ["PURCHASED", "EXPIRES", "CANCELLED"].flatMap { name in
                [TextTable.WidthReduction.shorten(name), .shorten(name), .shorten(name)]
            } + [.drop("ORIGINAL")]
        return [first, ""] + table.lines(style, width: width)
    }
}
