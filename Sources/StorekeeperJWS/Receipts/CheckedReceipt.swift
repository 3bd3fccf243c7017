public import StorekeeperEngine

/// A receipt of the original StoreKit, with the result of its verification.
public struct CheckedReceipt: Sendable {
    /// The forms in which receipts are stored.
    public enum Form: String, Sendable {
        /// An app receipt: PKCS #7 as DER or base64.
        case app
        /// A response of Apple's `verifyReceipt`, which has no signature but may contain an app receipt.
        case answer
        /// A receipt of one transaction, from before iOS 7.
        case transaction
    }

    /// The form; `nil` if it cannot be recognized.
    public let form: Form?
    /// The content that could be read; the content can be trusted only if ``error`` is `nil`.
    public let receipt: AppReceipt?
    /// The reason why verification failed; `nil` if verification succeeded.
    public let error: VerificationError?
    /// The next renewals according to a response of `verifyReceipt`; never verified, because the response is not
    /// signed.
    public internal(set) var renewals: [ReceiptRenewal] = []
    /// The time of a response of `verifyReceipt`.
    var answeredAt: Instant?
    /// Whether the receipt is an app receipt, or a response that contains an app receipt; app receipts have a
    /// signature.
    package private(set) var hasSignature = false

    init(form: Form?, receipt: AppReceipt?, error: VerificationError?, hasSignature: Bool = false) {
        self.form = form
        self.receipt = receipt
        self.error = error
        self.hasSignature = hasSignature
    }

    /// Whether the signature, the app and the environment are verified.
    public var isVerified: Bool { error == nil }

    /// The ids of all transactions, the newest purchase first, verified or not.
    ///
    /// An id proves nothing, but the App Store Server API returns signed evidence for it.
    public var transactionIDs: [Transaction.ID] { receipt?.transactionIDs ?? [] }
}

extension CheckedReceipt {
    /// Returns the purchases as evidence for a `PurchaseHistory`.
    ///
    /// Each purchase becomes a transaction with the receipt's date as its signing date; see
    /// ``/StorekeeperEngine/Transaction/isFromReceipt``. If the receipt is verified, a history counts such a
    /// transaction until the history has a signed copy of the same transaction, even if the signed copy is older. A
    /// vault does not accept such a transaction.
    ///
    /// A receipt does not show whether a purchase is shared by a family. Most receipts do not name the subscription
    /// group.
    ///
    /// - Parameter catalog: The app's products. The type of a product is used if the receipt has no type for a
    ///   purchase. If the catalog has no type either, the answer about the product is unknown.
    /// - Returns: A transaction for each purchase; the transactions are unverified if the receipt is unverified. If the
    ///   receipt cannot be read, the result is one unreadable item.
    public func evidence(catalog: Catalog = .empty) -> [CheckedEvidence] {
        guard let receipt else { return error.map { [.unreadable($0, payload: nil)] } ?? [] }
        let writer = ReceiptEvidence(receipt, asOf: error == nil ? receipt.createdAt : answeredAt, catalog: catalog)
        let purchases = receipt.purchases.map { purchase in
            decoded(writer.members(of: purchase)) { CheckedEvidence.transaction($0) }
        }
        // The renewals in a response are not signed, so they are left out if the response contains a verified receipt.
        guard error != nil else { return purchases }
        return purchases
            + renewals.map { renewal in decoded(writer.members(of: renewal)) { CheckedEvidence.renewalInfo($0) } }
    }

    private func decoded<Payload: DecodedFact>(
        _ members: [String: JSONText], _ wrapped: (VerificationResult<Payload>) -> CheckedEvidence
    ) -> CheckedEvidence {
        let payload = JSONText.object(members).bytes()
        let source = EvidenceSource.receipt(payload, isVerified: isVerified)
        guard let document = try? JSONReader().read(payload),
            let fact = try? Payload(payload: document.root, source: source)
        else { return .unreadable(.malformedReceipt("a purchase is not a transaction"), payload: payload) }
        return wrapped(error.map { .unverified(fact, $0) } ?? .verified(fact))
    }
}

/// Writes the purchases of a receipt as payloads of transactions.
private struct ReceiptEvidence {
    private let receipt: AppReceipt
    private let asOf: Instant
    private let catalog: Catalog
    private let successors: Successors

    init(_ receipt: AppReceipt, asOf: Instant?, catalog: Catalog) {
        self.receipt = receipt
        self.asOf =
            asOf ?? receipt.createdAt
            ?? receipt.purchases.flatMap { [$0.purchasedAt, $0.cancelledAt] }.compactMap(\.self).max() ?? .distantPast
        self.catalog = catalog
        successors = Successors(receipt.purchases)
    }

    /// Returns the members of a transaction's payload for a purchase.
    ///
    /// - SeeAlso: Apple, "App Store Server API: JWSTransactionDecodedPayload".
    func members(of purchase: AppReceipt.Purchase) -> [String: JSONText] {
        let isUpgraded = purchase.isUpgraded ?? successors.follow(purchase)
        let isTrial = purchase.isInTrialPeriod == true
        let isIntroductory = isTrial || purchase.isInIntroductoryPeriod == true
        return [
            "transactionId": .text(purchase.transactionID),
            "originalTransactionId": .text(purchase.originalTransactionID ?? purchase.transactionID),
            "webOrderLineItemId": .text(purchase.webOrderLineItemID),
            "bundleId": .string(receipt.bundleID ?? ""),
            "productId": .text(purchase.productID),
            // A purchase without a date was made no later than the receipt.
            "purchaseDate": date(purchase.purchasedAt ?? purchase.originallyPurchasedAt ?? asOf),
            "originalPurchaseDate": date(purchase.originallyPurchasedAt),
            "expiresDate": date(purchase.expiresAt),
            "quantity": .integer(purchase.quantity),
            "type": .string(type(of: purchase).rawValue),
            "signedDate": date(asOf),
            "environment": .string(environment),
            "revocationDate": isUpgraded ? .null : date(purchase.cancelledAt),
            "isUpgraded": isUpgraded ? .bool(true) : .null,
            "offerType": isIntroductory ? .integer(1) : purchase.promotionalOfferID == nil ? .null : .integer(2),
            "offerIdentifier": isIntroductory ? .null : .text(purchase.promotionalOfferID),
            "offerDiscountType": isTrial ? .string("FREE_TRIAL") : .null,
        ]
    }

    /// Returns the members of a renewal info's payload for a renewal.
    ///
    /// - SeeAlso: Apple, "App Store Server API: JWSRenewalInfoDecodedPayload".
    func members(of renewal: ReceiptRenewal) -> [String: JSONText] {
        [
            "originalTransactionId": .text(renewal.originalTransactionID),
            "productId": .text(renewal.productID),
            "autoRenewProductId": .text(renewal.autoRenewProductID),
            "autoRenewStatus": .whole(renewal.willAutoRenew.map { $0 ? 1 : 0 }),
            "expirationIntent": .whole(renewal.expirationIntent),
            "isInBillingRetryPeriod": renewal.isInBillingRetry.map(JSONText.bool) ?? .null,
            "gracePeriodExpiresDate": date(renewal.gracePeriodExpiresAt),
            "priceIncreaseStatus": .whole(renewal.hasConsentedToPriceIncrease.map { $0 ? 1 : 0 }),
            "signedDate": date(asOf),
            "environment": .string(environment),
        ]
    }

    private func date(_ instant: Instant?) -> JSONText { .whole(instant?.millisecondsSince1970) }

    private var environment: String {
        receipt.environment?.rawValue ?? receipt.type ?? AppStore.Environment.unstated.rawValue
    }

    private func type(of purchase: AppReceipt.Purchase) -> Product.ProductType {
        // In a receipt, only purchases of auto-renewable subscriptions have an expiration date.
        if purchase.expiresAt != nil { return .autoRenewable }
        return catalog.product(purchase.productID)?.type ?? purchase.productType ?? .unstated
    }
}

/// The purchased products by original transaction and minute, to distinguish upgrades from refunds.
///
/// In an app receipt, an upgraded purchase has a date of cancellation, like a refunded purchase. After an upgrade,
/// however, another product with the same original transaction was bought at the date of cancellation.
private struct Successors {
    private struct Place: Hashable {
        let originalID: Transaction.ID
        let minute: Int64
    }

    private var products: [Place: Set<Product.ID>] = [:]

    init(_ purchases: [AppReceipt.Purchase]) {
        for purchase in purchases {
            guard let original = purchase.originalTransactionID, let minute = Self.minute(purchase.purchasedAt) else {
                continue
            }
            products[Place(originalID: original, minute: minute), default: []].insert(purchase.productID)
        }
    }

    /// Returns whether another product was bought within about a minute of a purchase's cancellation.
    func follow(_ purchase: AppReceipt.Purchase) -> Bool {
        guard let original = purchase.originalTransactionID, let minute = Self.minute(purchase.cancelledAt) else {
            return false
        }
        return (minute - 1...minute + 1).contains { minute in
            products[Place(originalID: original, minute: minute)]?.contains { $0 != purchase.productID } ?? false
        }
    }

    private static func minute(_ instant: Instant?) -> Int64? { instant.map { $0.millisecondsSince1970 / 60_000 } }
}
