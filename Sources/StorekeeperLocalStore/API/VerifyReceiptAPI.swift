import Storekeeper
import StorekeeperJWS
import StorekeeperSimulator

/// Apple's deprecated endpoint `verifyReceipt`, for tests of a migration to another API.
///
/// The endpoint has no bearer tokens and no rate limits. Like Apple's response, its response contains the customer's
/// current purchases, even if the receipt is old.
///
/// - SeeAlso: Apple, "App Store Receipts: verifyReceipt".
struct VerifyReceiptAPI: Sendable {
    /// The status of a response that contains no receipt.
    enum Status: Int {
        case notPOST = 21_000
        case malformed = 21_002
        case notAuthentic = 21_003
        case wrongSharedSecret = 21_004
        /// A sandbox receipt that was sent to production.
        case sandboxReceipt = 21_007
        /// A production receipt that was sent to the sandbox.
        case productionReceipt = 21_008
    }

    /// The maximum size of a request, in bytes, because a receipt may be larger than other requests.
    static let maximumBody = 12 << 20

    let store: SimulatedAppStore
    /// The app's shared secret; `nil` accepts any secret, and a request without a secret.
    let sharedSecret: String?

    /// Returns the response to a request.
    ///
    /// - Parameter body: The request: a JSON object with `receipt-data`.
    /// - Throws: Errors of the cryptographic library.
    func answer(_ body: [UInt8]) throws -> JSONText {
        guard let object = try? JSONObject.reading(body, maximumSize: Self.maximumBody),
            object["receipt-data"]?.string != nil
        else {
            return Self.refusal(.malformed)
        }
        let own = store.environment
        let checked = ReceiptVerifier(
            JWSVerifier.Configuration(roots: [store.root], bundleID: nil, environments: [own])
        ).verify(body)
        guard let receipt = checked.receipt, checked.form == .answer, let sent = receipt.environment else {
            return Self.refusal(.malformed)
        }
        // A receipt of another environment is refused even if its signature is invalid. Apple's endpoints for
        // production and the sandbox refuse each other's receipts with the same statuses.
        if sent != own, sent == .sandbox { return Self.refusal(.sandboxReceipt) }
        if sent != own, sent == .production { return Self.refusal(.productionReceipt) }
        guard checked.isVerified, let app = receipt.bundleID else { return Self.refusal(.notAuthentic) }
        if let sharedSecret, object["password"]?.string != sharedSecret { return Self.refusal(.wrongSharedSecret) }

        var answer: [String: JSONText] = [
            "status": .integer(0), "environment": .string(own.rawValue),
            "receipt": .object(Self.json(receipt).merging(Self.dates("request_date", store.now)) { $1 }),
        ]
        // A receipt without purchases does not identify a customer, so the response has no further members.
        guard let id = receipt.transactionIDs.lazy.compactMap({ store.customer(with: $0.rawValue, app: app) }).first
        else { return .object(answer) }
        let current = try store.receiptContent(of: id.name, app: app)
        answer["latest_receipt"] = .string(StandardBase64.encode(try store.receipt(of: id.name, app: app)))
        // Only a customer with subscriptions gets `latest_receipt_info`, the list of all current purchases.
        if current.purchases.contains(where: \.isOfSubscription) {
            let onlyLatest = object["exclude-old-transactions"]?.bool == true
            answer["latest_receipt_info"] = .array(
                Self.latest(current.purchases, onlyLatest: onlyLatest).map(Self.json))
        }
        let renewals = try store.receiptRenewals(of: id.name, app: app)
        if !renewals.isEmpty { answer["pending_renewal_info"] = .array(renewals.map(Self.json)) }
        return .object(answer)
    }

    /// Returns a response that contains only a status.
    static func refusal(_ status: Status) -> JSONText { .object(["status": .integer(Int64(status.rawValue))]) }

    /// Returns the purchases, the newest first.
    ///
    /// - Parameter onlyLatest: Whether to leave out all periods of a subscription except the newest period.
    private static func latest(_ purchases: [AppReceipt.Purchase], onlyLatest: Bool) -> [AppReceipt.Purchase] {
        let sorted = purchases.sorted { left, right in
            left.purchasedAt == right.purchasedAt
                ? left.isUpgraded != true && right.isUpgraded == true
                : (left.purchasedAt ?? .distantPast) > (right.purchasedAt ?? .distantPast)
        }
        guard onlyLatest else { return sorted }
        var listed: Set<Transaction.ID> = []
        return sorted.filter { purchase in
            guard purchase.isOfSubscription, let original = purchase.originalTransactionID else { return true }
            return listed.insert(original).inserted
        }
    }

    // MARK: The document

    private static func json(_ receipt: AppReceipt) -> [String: JSONText] {
        [
            "receipt_type": .text(receipt.type), "bundle_id": .text(receipt.bundleID),
            "application_version": .text(receipt.appVersion),
            "original_application_version": .text(receipt.originalAppVersion),
            "in_app": .array(receipt.purchases.map(json)),
        ]
        .merging(dates("receipt_creation_date", receipt.createdAt)) { $1 }
        .merging(dates("original_purchase_date", receipt.originallyPurchasedAt)) { $1 }
    }

    private static func json(_ renewal: ReceiptRenewal) -> JSONText {
        .object(
            [
                "original_transaction_id": .text(renewal.originalTransactionID), "product_id": .text(renewal.productID),
                "auto_renew_product_id": .text(renewal.autoRenewProductID),
                "auto_renew_status": flag(renewal.willAutoRenew),
                "expiration_intent": .text(renewal.expirationIntent.map(String.init)),
                "is_in_billing_retry_period": flag(renewal.isInBillingRetry),
                "price_consent_status": flag(renewal.hasConsentedToPriceIncrease),
            ]
            .merging(dates("grace_period_expires_date", renewal.gracePeriodExpiresAt)) { $1 })
    }

    private static func flag(_ value: Bool?) -> JSONText { .text(value.map { $0 ? "1" : "0" }) }

    private static func json(_ purchase: AppReceipt.Purchase) -> JSONText {
        .object(
            [
                "quantity": .string(String(purchase.quantity)), "product_id": .text(purchase.productID),
                "transaction_id": .text(purchase.transactionID),
                "original_transaction_id": .text(purchase.originalTransactionID),
                "web_order_line_item_id": .text(purchase.webOrderLineItemID),
                "is_trial_period": .string(purchase.isInTrialPeriod == true ? "true" : "false"),
                "is_in_intro_offer_period": .text(purchase.isInIntroductoryPeriod.map { $0 ? "true" : "false" }),
                "promotional_offer_id": .text(purchase.promotionalOfferID),
                "is_upgraded": .text(purchase.isUpgraded == true ? "true" : nil),
            ]
            .merging(dates("purchase_date", purchase.purchasedAt)) { $1 }
            .merging(dates("original_purchase_date", purchase.originallyPurchasedAt)) { $1 }
            .merging(dates("expires_date", purchase.expiresAt)) { $1 }
            .merging(dates("cancellation_date", purchase.cancelledAt)) { $1 })
    }

    /// Returns the JSON members that contain a time in GMT and in milliseconds; the member in Pacific time, which Apple
    /// also sends, is left out.
    private static func dates(_ name: String, _ instant: Instant?) -> [String: JSONText] {
        guard let instant else { return [:] }
        let text = instant.toSeconds.replacing("T", with: " ").replacing("Z", with: " Etc/GMT")
        return [name: .string(text), name + "_ms": .string(String(instant.millisecondsSince1970))]
    }
}

extension AppReceipt.Purchase {
    /// Whether the purchase is a period of an auto-renewable subscription.
    fileprivate var isOfSubscription: Bool { expiresAt != nil }
}
