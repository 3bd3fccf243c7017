public import StorekeeperEngine

extension CheckedReceipt {
    /// Returns the purchases as evidence for a `PurchaseHistory`.
    ///
    /// Each purchase is a transaction as of the receipt's date, see ``/StorekeeperEngine/Transaction/isFromReceipt``. A
    /// history counts it if the receipt is verified, until it knows a signed copy of the same transaction, whatever the
    /// dates of the two. No vault takes it.
    ///
    /// A receipt does not say whether a purchase is shared by a family, and mostly not in which subscription group it
    /// is.
    ///
    /// - Parameter catalog: The app's products. Their types count where a receipt gives none; without either the answer
    ///   about the product is unknown.
    /// - Returns: A transaction for each purchase, unverified if the receipt is. For a receipt that cannot be read, one
    ///   unreadable item.
    public func evidence(catalog: Catalog = .empty) -> [CheckedEvidence] {
        guard let receipt else { return error.map { [.unreadable($0, payload: nil)] } ?? [] }
        let writer = ReceiptEvidence(receipt, asOf: error == nil ? receipt.createdAt : answeredAt, catalog: catalog)
        let purchases = receipt.purchases.map { purchase in
            decoded(writer.members(of: purchase)) { CheckedEvidence.transaction($0) }
        }
        // The renewals in a response are not signed, even if the response contains a receipt that is verified.
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
            // It was bought when the receipt was made, at the latest.
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

    private var environment: String { receipt.environment?.rawValue ?? receipt.type ?? "unstated" }

    private func type(of purchase: AppReceipt.Purchase) -> Product.ProductType {
        // In a receipt, only auto-renewable subscriptions have an end.
        if purchase.expiresAt != nil { return .autoRenewable }
        return catalog.product(purchase.productID)?.type ?? purchase.productType ?? .unstated
    }
}

/// The purchases of each line of service by the minute, to distinguish upgrades from refunds.
///
/// An app receipt gives an upgraded purchase the same date of cancellation as a refunded one, but at that time another
/// product of the line was bought.
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

    /// Returns whether another product was bought when a purchase was cancelled, to the minute.
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
