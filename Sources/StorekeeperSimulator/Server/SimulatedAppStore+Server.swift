package import Storekeeper

/// What the App Store's servers tell an app's server: what is signed is signed again when it is asked for, dated now.
extension SimulatedAppStore {
    /// How many purchases to list, and which.
    package struct HistoryQuery {
        /// Which are meant.
        package var isMeant: (PurchaseRecord) -> Bool
        /// Whether what has changed last comes first.
        package var isNewestFirst: Bool
        /// The revision of the last one that was listed; `nil`: from the beginning.
        package var after: Int?
        /// At most how many.
        package var limit: Int

        /// Makes a query.
        package init(
            isNewestFirst: Bool = false, after: Int? = nil, limit: Int = 20,
            isMeant: @escaping (PurchaseRecord) -> Bool = { _ in true }
        ) {
            self.isMeant = isMeant
            self.isNewestFirst = isNewestFirst
            self.after = after
            self.limit = limit
        }
    }

    /// Purchases in the order in which they last changed.
    package struct HistoryPage: Sendable {
        /// The transactions, as compact JWS.
        package let transactions: [String]
        /// The revision of the last one; `nil` if there is none.
        package let last: Int?
        /// Whether there are more.
        package let hasMore: Bool
    }

    /// A customer as the App Store's servers know one.
    package struct KnownCustomer: Hashable, Sendable {
        /// What the account is called here.
        package let name: CustomerID
        /// The id of the app's download.
        package let appTransactionID: String
    }

    /// The customer whom an id names.
    ///
    /// - Parameters:
    ///   - id: The id of a transaction of theirs, or of their app transaction.
    ///   - app: The bundle id of the app.
    /// - Returns: `nil` if the app has no such id.
    package func customer(with id: String, app: String) -> KnownCustomer? {
        serve { world in
            world.download(named: id, app: app).map { download in
                KnownCustomer(
                    name: world.accounts[world.downloads[download].account].name,
                    appTransactionID: world.appTransactionID(of: download))
            }
        }
    }

    /// The id of the transaction that is meant.
    ///
    /// - Throws: ``SimulatorError`` if there is none.
    package func transactionID(
        of reference: TransactionReference, app: String? = nil
    ) throws(SimulatorError) -> Transaction.ID {
        try result { world throws(SimulatorError) in
            world.id(of: try world.transaction(reference, in: try world.app(app)))
        }
    }

    /// Whether an id is one of an app transaction of an app.
    package func isAppTransaction(_ id: String, app: String) -> Bool {
        serve { world in world.appDownload(named: id, app: app) != nil }
    }

    /// A purchase of an app, without its signed text; `nil` if the app has none of that id.
    package func purchase(_ id: String, app: String) -> PurchaseRecord? {
        serve { world in world.bought(id, app: app).map { world.purchaseRecord($0) } }
    }

    /// The newest state of a purchase, as compact JWS; `nil` if the app has none of that id.
    ///
    /// - Throws: What the cryptographic library throws.
    package func signedTransaction(_ id: String, app: String) throws -> String? {
        try serve { world in
            try world.bought(id, app: app).map {
                try issuer.transaction($0, in: world, for: nil, signedAt: world.now)
            }
        }
    }

    /// A page of the purchases of the customer whom an id names; `nil` if the app has no such id.
    ///
    /// - Throws: What the cryptographic library throws.
    package func history(ofCustomerWith id: String, app: String, _ query: HistoryQuery) throws -> HistoryPage? {
        try serve { world in
            guard let download = world.download(named: id, app: app) else { return nil }
            var purchases = world.history(of: download).filter { place in
                if let after = query.after, query.isNewestFirst ? place.index >= after : place.index <= after {
                    return false
                }
                return query.isMeant(world.purchaseRecord(place))
            }
            if query.isNewestFirst { purchases.reverse() }
            let page = purchases.prefix(max(0, query.limit))
            return HistoryPage(
                transactions: try page.map { try issuer.transaction($0, in: world, for: nil, signedAt: world.now) },
                last: page.last?.index, hasMore: purchases.count > page.count)
        }
    }

    /// The subscriptions of the customer whom an id names, own and shared, ended ones too; `nil` if the app has no
    /// such id.
    ///
    /// - Throws: What the cryptographic library throws.
    package func subscriptions(
        ofCustomerWith id: String, app: String, statuses: Set<Int> = [1, 2, 3, 4, 5]
    ) throws -> [SubscriptionRecord]? {
        try serve { world in
            guard let download = world.download(named: id, app: app) else { return nil }
            return try world.downloads[download].subscriptions.compactMap { place in
                let subscription = world.subscriptions[place]
                let status = Int(world.status(of: subscription))
                guard statuses.contains(status), let latest = world.transactions[subscription.current].latest else {
                    return nil
                }
                return SubscriptionRecord(
                    groupID: world.apps[subscription.app].groups[subscription.group].id,
                    originalID: world.id(of: subscription.original), status: status,
                    transaction: try issuer.transaction(latest, in: world, for: nil, signedAt: world.now),
                    renewalInfo: try subscription.renewalRecord.map {
                        try issuer.renewalInfo($0, in: world, for: nil, signedAt: world.now)
                    })
            }
        }
    }

    /// The transactions of an order, as compact JWS; none where the app has no such order.
    ///
    /// - Throws: What the cryptographic library throws.
    package func transactions(ofOrder id: String, app: String) throws -> [String] {
        try serve { world in
            guard let transaction = world.transaction(ofOrder: id), !world.transactions[transaction].isDeleted,
                let latest = world.transactions[transaction].latest,
                world.app(of: world.records[latest].download).bundleID == app,
                !world.records[latest].flags.contains(.isFamilyShared)
            else { return [] }
            return [try issuer.transaction(latest, in: world, for: nil, signedAt: world.now)]
        }
    }

    /// The app transaction of the customer whom an id names, as compact JWS; `nil` if the app has no such id.
    ///
    /// - Throws: What the cryptographic library throws.
    package func appTransaction(ofCustomerWith id: String, app: String) throws -> String? {
        try serve { world in
            try world.download(named: id, app: app).map { try issuer.appTransaction($0, in: world, for: nil) }
        }
    }

    /// Whether the app transaction of the customer whom an id names is missing, by a setting: `errors`, `App Transaction`.
    package func isAppTransactionMissing(ofCustomerWith id: String, app: String) -> Bool {
        serve { world in
            world.download(named: id, app: app).map {
                world.app(of: $0).settings.simulatedErrors[.appTransaction] != nil
            } ?? false
        }
    }

    /// Why the subscription of a transaction cannot be made longer now; `nil` if it can, or it is none.
    package func obstacle(toExtending id: String, app: String) -> ExtensionObstacle? {
        serve { world in
            world.bought(id, app: app).flatMap { world.records[$0].subscription }.flatMap {
                world.obstacle(toExtending: $0)
            }
        }
    }

    /// When the running period of the subscription of a transaction ends, and its item on the invoice.
    package func period(ofSubscriptionWith id: String, app: String) -> (expiresAt: Instant, webOrderLineItem: String?)?
    {
        serve { world in
            guard let place = world.bought(id, app: app), let subscription = world.records[place].subscription,
                let latest = world.transactions[world.subscriptions[subscription].current].latest
            else { return nil }
            return (
                world.subscriptions[subscription].service.expiresAt,
                world.records[latest].webOrderLineItem.map { String($0) }
            )
        }
    }

    /// What came of making all subscriptions of a product longer; `nil` if nobody asked for it under that name.
    package func extensions(
        requestID: String, productID: Product.ID, app: String
    ) -> (at: Instant, succeeded: Int, failed: Int)? {
        serve { world in
            for entry in world.journal {
                guard let place = entry.extensions else { continue }
                let summary = world.extensionSummaries[place]
                let owner = world.apps[summary.app]
                guard summary.requestID.lowercased() == requestID.lowercased(), owner.bundleID == app,
                    owner.product(summary.product).id == productID
                else { continue }
                return (entry.at, summary.succeeded, summary.failed)
            }
            return nil
        }
    }
}

extension World {
    /// The newest record of a transaction of an app that was bought and not deleted.
    fileprivate func bought(_ id: String, app: String) -> Place<TransactionRecord>? {
        guard let place = existingTransaction(Transaction.ID(rawValue: id)), self.id(of: place).rawValue == id,
            self.app(of: transactions[place].download).bundleID == app
        else { return nil }
        return transactions[place].latest
    }

    /// The download of an app that an id names: of a transaction, or of the download itself.
    fileprivate func download(named id: String, app: String) -> Place<Download>? {
        bought(id, app: app).map { records[$0].download } ?? appDownload(named: id, app: app)
    }

    fileprivate func appDownload(named id: String, app: String) -> Place<Download>? {
        guard let place = download(ofAppTransaction: id), self.app(of: place).bundleID == app else { return nil }
        return place
    }
}
