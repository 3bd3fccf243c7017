public import Storekeeper
public import StorekeeperJWS

/// The receipts of the original StoreKit, for tests of a migration.
extension SimulatedAppStore {
    /// Returns the content of the app receipt that a customer's device would have now.
    ///
    /// The receipt contains every purchase except finished consumables. A revoked purchase has the date of its
    /// revocation.
    ///
    /// - Parameters:
    ///   - customer: The customer.
    ///   - app: The bundle id of the app; `nil` for the first app.
    /// - Throws: ``SimulatorError`` if the customer or the app does not exist.
    public func receiptContent(of customer: CustomerID, app: String? = nil) throws(SimulatorError) -> AppReceipt {
        try result { world throws(SimulatorError) in
            let app = try world.app(app)
            let download = world.existingDownload(of: try world.account(customer), app: app)
            return world.receipt(of: download, app: world.apps[app])
        }
    }

    /// Returns the app receipt that a customer's device would have now, as DER.
    ///
    /// The receipt is signed with RSA under the store's ``root``; ``/StorekeeperJWS/ReceiptVerifier`` verifies it.
    ///
    /// - Parameters:
    ///   - customer: The customer.
    ///   - app: The bundle id of the app; `nil` for the first app.
    /// - Throws: ``SimulatorError`` if the customer or the app does not exist; an error of the cryptographic library.
    public func receipt(of customer: CustomerID, app: String? = nil) throws -> [UInt8] {
        try receiptSigner().sign(receiptContent(of: customer, app: app))
    }

    /// Returns the receipts of all customers in all apps, as base64.
    ///
    /// - Throws: Errors of the cryptographic library.
    package func receipts() throws -> [(customer: CustomerID, bundleID: String, base64: String)] {
        let contents = read { world in
            world.downloads.indices.map { place in
                let download = world.downloads[place]
                let app = world.apps[download.app]
                return (world.accounts[download.account].name, app.bundleID, world.receipt(of: place, app: app))
            }
        }
        return try contents.map { customer, bundleID, content in
            (customer, bundleID, StandardBase64.encode(try receiptSigner().sign(content)))
        }
    }
}

extension World {
    /// Returns the content of the receipt of a download.
    ///
    /// Without a download, the receipt contains no purchase.
    fileprivate func receipt(of download: RowIndex<Download>?, app: App) -> AppReceipt {
        let type =
            switch environment {
            case .production: "Production"
            case .sandbox: "ProductionSandbox"
            default: environment.rawValue
            }
        let places = download.map { history(of: $0) } ?? []
        let purchases = places.compactMap { place -> AppReceipt.Purchase? in
            let record = records[place]
            let terms = app.terms[record.product]
            let offer = record.offer.map { app.catalogOffer($0) }
            guard terms.kind != .consumable || !transactions[record.transaction].isFinished else { return nil }
            return AppReceipt.Purchase(
                productID: app.product(record.product).id, transactionID: id(of: record.transaction),
                originalTransactionID: id(of: record.original), quantity: Int64(record.quantity),
                purchasedAt: record.purchasedAt, originallyPurchasedAt: originalPurchaseDate(of: record),
                expiresAt: record.expiresAt,
                cancelledAt: record.revocation?.at ?? upgrade(of: record, among: places),
                webOrderLineItemID: record.webOrderLineItem.map { String($0) },
                isInIntroductoryPeriod: terms.kind == .autoRenewable ? offer?.kind == .introductory : nil,
                isInTrialPeriod: terms.kind == .autoRenewable
                    ? offer?.kind == .introductory && offer?.paymentMode == .freeTrial : nil,
                promotionalOfferID: offer?.kind == .promotional ? offer?.id?.rawValue : nil,
                productType: terms.kind.productType)
        }
        let appTransaction = download.map { self.appTransaction(of: $0) }
        return AppReceipt(
            type: type, bundleID: app.bundleID, appVersion: app.version,
            originalAppVersion: environment == .production ? appTransaction?.firstVersion ?? app.version : "1.0",
            createdAt: now, originallyPurchasedAt: appTransaction?.downloadedAt, purchases: purchases)
    }

    /// Returns the date of a customer's upgrade from a transaction, which is the date of the next purchase of another
    /// product in the chain.
    private func upgrade(of record: TransactionRecord, among places: [RowIndex<TransactionRecord>]) -> Instant? {
        guard record.flags.contains(.isUpgraded) else { return nil }
        return places.lazy.map { records[$0] }
            .filter {
                $0.original == record.original && $0.product != record.product && $0.purchasedAt >= record.purchasedAt
            }
            .map(\.purchasedAt).min()
    }
}
