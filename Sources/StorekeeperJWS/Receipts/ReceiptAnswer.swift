import StorekeeperEngine

/// A response of `verifyReceipt`, or a request to it, read but not verified.
///
/// - SeeAlso: Apple, "App Store Receipts: responseBody".
struct ReceiptAnswer {
    /// The app receipt as DER, if the response contains an app receipt.
    let appReceipt: [UInt8]?
    /// The content of the response itself, which is not signed.
    let receipt: AppReceipt
    /// The response's information about renewals.
    let renewals: [ReceiptRenewal]
    /// The instant at which `verifyReceipt` received the request.
    let answeredAt: Instant?
    /// The error to report if the response has no content.
    let emptiness: VerificationError

    init(_ object: JSONObject) {
        appReceipt =
            ["latest_receipt", "receipt-data"].lazy.compactMap { name -> [UInt8]? in
                guard let text = object[name]?.string else { return nil }
                let der = StandardBase64.decode(text.utf8.filter { !$0.isBlank })
                return der?.first == 0x30 ? der : nil
            }.first
        let content = object["receipt"]?.object
        var purchases: [AppReceipt.Purchase] = []
        var seen: Set<Transaction.ID> = []
        let lists = [object["latest_receipt_info"], object["latest_expired_receipt_info"], content?["in_app"]]
        for list in lists {
            for value in list?.array.map(Array.init) ?? list.map({ [$0] }) ?? [] {
                guard let purchase = value.object.flatMap(AppReceipt.Purchase.init(answer:)),
                    seen.insert(purchase.transactionID).inserted
                else { continue }
                purchases.append(purchase)
            }
        }
        // A receipt from before iOS 7 is about one purchase, and has the members of the purchase at its top level.
        if let content, let purchase = AppReceipt.Purchase(answer: content),
            seen.insert(purchase.transactionID).inserted
        {
            purchases.append(purchase)
        }
        receipt = AppReceipt(
            type: content?["receipt_type"]?.string ?? object["environment"]?.string,
            bundleID: content?["bundle_id"]?.string ?? content?["bid"]?.string,
            appVersion: content?["application_version"]?.string ?? content?["bvrs"]?.string,
            originalAppVersion: content?["original_application_version"]?.string,
            createdAt: content?.instant("receipt_creation_date"),
            originallyPurchasedAt: content?.instant("original_purchase_date"),
            expiresAt: content?.instant("expiration_date"), purchases: purchases)
        answeredAt = content?.instant("request_date")
        let listed = object["pending_renewal_info"]?.array?.compactMap { $0.object.flatMap(ReceiptRenewal.init) }
        renewals = listed ?? Self.oldRenewal(object, purchases).map { [$0] } ?? []
        let status = object["status"]?.int64
        let meaning = status.flatMap(VerifyReceiptStatus.meaning).map { " (\($0.what): \($0.next))" } ?? ""
        emptiness = .malformedReceipt(
            status.map { "it is a response of verifyReceipt with the status \($0)\(meaning) and without a receipt" }
                ?? "it is JSON without a receipt")
    }

    /// Returns the renewal that a response from before iOS 7 describes by members at its top level.
    private static func oldRenewal(_ object: JSONObject, _ purchases: [AppReceipt.Purchase]) -> ReceiptRenewal? {
        guard object["auto_renew_status"] != nil,
            let last = purchases.max(by: { ($0.purchasedAt ?? .distantPast) < ($1.purchasedAt ?? .distantPast) })
        else { return nil }
        return ReceiptRenewal(object, of: last.originalTransactionID ?? last.transactionID, last.productID)
    }
}

extension AppReceipt.Purchase {
    /// Reads an element of `in_app` or `latest_receipt_info`; `nil` if the element lacks a product or a transaction.
    fileprivate init?(answer: JSONObject) {
        guard let product = answer["product_id"]?.string, let transaction = answer["transaction_id"]?.string,
            !transaction.isEmpty
        else { return nil }
        self.init(
            productID: Product.ID(product), transactionID: Transaction.ID(transaction),
            originalTransactionID: answer["original_transaction_id"]?.string.map { Transaction.ID($0) },
            quantity: answer.wholeNumber("quantity") ?? 1, purchasedAt: answer.instant("purchase_date"),
            originallyPurchasedAt: answer.instant("original_purchase_date"),
            expiresAt: answer.instant("expires_date"), cancelledAt: answer.instant("cancellation_date"),
            webOrderLineItemID: answer["web_order_line_item_id"]?.string,
            isInIntroductoryPeriod: answer.truth("is_in_intro_offer_period"),
            isInTrialPeriod: answer.truth("is_trial_period"),
            promotionalOfferID: answer["promotional_offer_id"]?.string, isUpgraded: answer.truth("is_upgraded"))
    }
}

extension ReceiptRenewal {
    /// Reads an element of `pending_renewal_info`; `nil` if the element lacks an original transaction.
    fileprivate init?(_ answer: JSONObject) {
        guard let original = answer["original_transaction_id"]?.string, !original.isEmpty else { return nil }
        self.init(answer, of: Transaction.ID(original), answer["product_id"]?.string.map { Product.ID($0) })
    }

    /// Reads the members about the renewal of a subscription.
    fileprivate init(_ answer: JSONObject, of original: Transaction.ID, _ product: Product.ID?) {
        self.init(
            originalTransactionID: original, productID: product,
            autoRenewProductID: answer["auto_renew_product_id"]?.string.map { Product.ID($0) },
            willAutoRenew: answer.truth("auto_renew_status"), expirationIntent: answer.wholeNumber("expiration_intent"),
            isInBillingRetry: answer.truth("is_in_billing_retry_period"),
            gracePeriodExpiresAt: answer.instant("grace_period_expires_date"),
            hasConsentedToPriceIncrease: answer.truth("price_consent_status"))
    }
}

extension JSONObject {
    /// Returns the value of a whole number, which a response usually writes as text.
    fileprivate func wholeNumber(_ name: String) -> Int64? {
        self[name].flatMap { $0.string.map { Int64($0) } ?? $0.int64 }
    }

    /// Returns whether a member is true, which a response writes as `"true"` or `"1"`; `nil` if the member is missing
    /// or has another form.
    fileprivate func truth(_ name: String) -> Bool? {
        switch self[name].map({ $0.string ?? "\($0.int64 ?? -1)" }) {
        case "true", "1": true
        case "false", "0": false
        default: nil
        }
    }

    /// Returns a time from the member `NAME_ms`, or from the member `NAME` itself.
    ///
    /// In responses from before iOS 7, `expires_date` is a number of milliseconds. Elsewhere it is a text such as
    /// `2013-06-13 21:00:00 Etc/GMT`.
    fileprivate func instant(_ name: String) -> Instant? {
        if let number = wholeNumber(name + "_ms") ?? wholeNumber(name) { return Instant(millisecondsSince1970: number) }
        let parts = self[name]?.string?.split(separator: " ") ?? []
        guard parts.count == 3, parts[2] == "Etc/GMT" else { return nil }
        return Instant("\(parts[0])T\(parts[1])Z")
    }
}
