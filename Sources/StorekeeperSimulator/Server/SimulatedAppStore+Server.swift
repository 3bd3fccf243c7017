package import Storekeeper

/// The responses of the App Store's servers to an app's server.
///
/// Items are signed again for each request, with the current date.
extension SimulatedAppStore {
    /// A query for a page of purchases.
    package struct HistoryQuery {
        /// The order of the purchases.
        package enum Order: Sendable {
            /// By the last change, the oldest change first.
            case oldestChangeFirst
            /// By the last change, the newest change first.
            case newestChangeFirst
            /// By the revocation date, the oldest refund first.
            case oldestRefundFirst
        }

        /// Returns whether a purchase is selected.
        package var isMeant: (PurchaseRecord) -> Bool
        /// The order of the purchases.
        package var order: Order
        /// The position of the last purchase on the previous page; `nil` for the first page.
        package var after: Int?
        /// The maximum number of purchases on a page.
        package var limit: Int

        /// Creates a query.
        package init(
            order: Order = .oldestChangeFirst, after: Int? = nil, limit: Int = 20,
            isMeant: @escaping (PurchaseRecord) -> Bool = { _ in true }
        ) {
            self.isMeant = isMeant
            self.order = order
            self.after = after
            self.limit = limit
        }
    }

    /// A page of purchases in the order of the query.
    package struct HistoryPage: Sendable {
        /// The transactions, as compact JWS.
        package let transactions: [String]
        /// The position of the last purchase on the page; `nil` if the page is empty.
        package let last: Int?
        /// Whether more purchases follow.
        package let hasMore: Bool
    }

    /// A customer, as the App Store's servers identify customers.
    package struct ServerCustomer: Hashable, Sendable {
        /// The name of the account in this store.
        package let name: CustomerID
        /// The app transaction id of the customer's download.
        package let appTransactionID: String
    }

    /// Returns the customer with an id.
    ///
    /// - Parameters:
    ///   - id: The id of a transaction of the customer, or the customer's app transaction id.
    ///   - app: The bundle id of the app.
    /// - Returns: The customer; `nil` if the app has no customer with the id.
    package func customer(with id: String, app: String) -> ServerCustomer? {
        serve { world in
            world.download(named: id, app: app).map { download in
                ServerCustomer(
                    name: world.accounts[world.downloads[download].account].name,
                    appTransactionID: world.appTransactionID(of: download))
            }
        }
    }

    /// Returns the id of the referenced transaction.
    ///
    /// - Throws: ``SimulatorError`` if the transaction does not exist.
    package func transactionID(
        of reference: TransactionReference, app: String? = nil
    ) throws(SimulatorError) -> Transaction.ID {
        try result { world throws(SimulatorError) in
            world.id(of: try world.transaction(reference, in: try world.app(app)))
        }
    }

    /// Returns whether an id is the id of an app transaction of an app.
    package func isAppTransaction(_ id: String, app: String) -> Bool {
        serve { world in world.appDownload(named: id, app: app) != nil }
    }

    /// Returns a purchase of an app, without its signed text; `nil` if the app has no purchase with the id.
    package func purchase(_ id: String, app: String) -> PurchaseRecord? {
        serve { world in world.bought(id, app: app).map { world.purchaseRecord($0) } }
    }

    /// Returns the newest state of a purchase, as compact JWS; `nil` if the app has no purchase with the id.
    ///
    /// - Throws: Errors of the cryptographic library.
    package func signedTransaction(_ id: String, app: String) throws -> String? {
        try serve { world in
            try world.bought(id, app: app).map {
                try issuer.transaction($0, in: world, for: nil, signedAt: world.now)
            }
        }
    }

    /// Returns a page of purchases of the customer with an id; `nil` if the app has no customer with the id.
    ///
    /// - Throws: Errors of the cryptographic library.
    package func history(ofCustomerWith id: String, app: String, _ query: HistoryQuery) throws -> HistoryPage? {
        try serve { world in
            guard let download = world.download(named: id, app: app) else { return nil }
            let (isNewestFirst, isByRefund) = (query.order == .newestChangeFirst, query.order == .oldestRefundFirst)
            // The position of a purchase is the record of its last change, or of its refund.
            var purchases = world.history(of: download).map { newest in
                (newest: newest, position: isByRefund ? world.revokingRecord(of: newest) : newest)
            }
            purchases.removeAll { purchase in
                let index = purchase.position.index
                if let after = query.after, isNewestFirst ? index >= after : index <= after { return true }
                return !query.isMeant(world.purchaseRecord(purchase.newest))
            }
            purchases.sort { isNewestFirst ? $0.position > $1.position : $0.position < $1.position }
            let page = purchases.prefix(max(0, query.limit))
            return HistoryPage(
                transactions: try page.map {
                    try issuer.transaction($0.newest, in: world, for: nil, signedAt: world.now)
                },
                last: page.last?.position.index, hasMore: purchases.count > page.count)
        }
    }

    /// Returns the subscriptions of the customer with an id, including shared and ended subscriptions; `nil` if the app
    /// has no customer with the id.
    ///
    /// - Throws: Errors of the cryptographic library.
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

    /// Returns the transactions of an order, as compact JWS; empty if the app has no such order.
    ///
    /// - Throws: Errors of the cryptographic library.
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

    /// Returns content other than evidence, such as a request for a retention message, as compact JWS.
    ///
    /// - Throws: Errors of the cryptographic library.
    package func signed(_ members: [String: JSONText]) throws -> String { try issuer.sign(members) }

    /// Returns the app transaction of the customer with an id, as compact JWS; `nil` if the app has no customer with
    /// the id.
    ///
    /// - Throws: Errors of the cryptographic library.
    package func appTransaction(ofCustomerWith id: String, app: String) throws -> String? {
        try serve { world in
            try world.download(named: id, app: app).map { try issuer.appTransaction($0, in: world, for: nil) }
        }
    }

    /// Returns whether a simulated failure of ``SimulatedAPI/appTransaction`` hides the app transaction of the customer
    /// with an id.
    package func isAppTransactionMissing(ofCustomerWith id: String, app: String) -> Bool {
        serve { world in
            world.download(named: id, app: app).map {
                world.app(of: $0).settings.simulatedErrors[.appTransaction] != nil
            } ?? false
        }
    }

    /// Returns the reason why a transaction's subscription cannot be extended now; `nil` if the subscription can be
    /// extended, or if it does not exist.
    package func obstacle(toExtending id: String, app: String) -> ExtensionRefusal? {
        serve { world in
            world.bought(id, app: app).flatMap { world.records[$0].subscription }.flatMap {
                world.obstacle(toExtending: $0)
            }
        }
    }

    /// Returns the period of a transaction's subscription that a request extended, as the request left it; `nil` if no
    /// such request was received.
    package func extendedPeriod(
        requestID: String, ofSubscriptionWith id: String, app: String
    ) -> (expiresAt: Instant, webOrderLineItem: String?)? {
        serve { world in
            guard let place = world.bought(id, app: app), let subscription = world.records[place].subscription,
                let extended = world.extensionRequests[ExtensionRequest(id: requestID, subscription: subscription)],
                let end = world.records[extended].expiresAt
            else { return nil }
            return (end, world.records[extended].webOrderLineItem.map { String($0) })
        }
    }

    /// Returns the end of the newest period of a transaction's subscription, and the web order line item of this
    /// period.
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

    /// Returns the result of a mass extension by its request identifier; `nil` if no such request was received.
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
    /// Returns the newest record of an app's transaction; `nil` if the transaction does not exist or was deleted, or if
    /// its purchase has not completed.
    fileprivate func bought(_ id: String, app: String) -> RowIndex<TransactionRecord>? {
        guard let place = existingTransaction(Transaction.ID(rawValue: id)),
            self.app(of: transactions[place].download).bundleID == app
        else { return nil }
        return transactions[place].latest
    }

    /// Returns the record with which a transaction was revoked; the given record if the transaction is not revoked.
    ///
    /// The records of revocations are in the order of their dates. A later change of a revoked transaction, such as
    /// another partial refund or a new account token, adds a record with the same revocation date.
    fileprivate func revokingRecord(of newest: RowIndex<TransactionRecord>) -> RowIndex<TransactionRecord> {
        guard let revokedAt = records[newest].revocation?.at else { return newest }
        var first = newest
        while let earlier = records.place(at: Int(records[first].previousIndex)),
            records[earlier].revocation?.at == revokedAt
        {
            first = earlier
        }
        return first
    }

    /// Returns the download of an app by the id of a transaction or of an app transaction.
    fileprivate func download(named id: String, app: String) -> RowIndex<Download>? {
        bought(id, app: app).map { records[$0].download } ?? appDownload(named: id, app: app)
    }

    fileprivate func appDownload(named id: String, app: String) -> RowIndex<Download>? {
        guard let place = download(ofAppTransaction: id), self.app(of: place).bundleID == app else { return nil }
        return place
    }
}
