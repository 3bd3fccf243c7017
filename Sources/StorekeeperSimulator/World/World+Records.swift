import Storekeeper

extension World {
    /// Adds a transaction to a download.
    mutating func newTransaction(
        of product: RowIndex<ProductTerms>, download: RowIndex<Download>, stage: TransactionState.Stage = .purchased
    ) -> RowIndex<TransactionState> {
        let place = transactions.append(
            TransactionState(
                stage: stage, download: download, product: product, begunAt: now,
                previous: downloads[download].lastTransaction, renewal: transactions.endIndex,
                renewed: transactions.endIndex))
        downloads[download].lastTransaction = place
        return place
    }

    /// Links a transaction to the earlier transaction of the same product that it renews.
    mutating func link(_ transaction: RowIndex<TransactionState>, renewing earlier: RowIndex<TransactionState>) {
        transactions[earlier].renewal = transaction
        transactions[transaction].renewed = earlier
    }

    /// Adds a signed state of a transaction, usually with the current time as the signing date.
    ///
    /// Each state of a transaction is signed at least a millisecond after the previous state. The first state of a
    /// subscription's next transaction is signed at least a millisecond after the last state of the previous
    /// transaction, even if both are created at one instant.
    @discardableResult
    mutating func issue(_ record: TransactionRecord) -> RowIndex<TransactionRecord> {
        var signedAt = now
        if let latest = transactions[record.transaction].latest {
            signedAt = max(now, records[latest].signedAt.adding(milliseconds: 1))
        } else if let subscription = record.subscription, let earlier = subscriptions[subscription].lastSignedAt {
            // A subscription can be bought again at the instant at which its previous transaction was revoked. The new
            // transaction must still have the later signing date.
            signedAt = max(now, earlier.adding(milliseconds: 1))
        }
        if let subscription = record.subscription { subscriptions[subscription].lastSignedAt = signedAt }
        var record = record
        record.previousIndex = transactions[record.transaction].latest.map { Int32($0.index) } ?? -1
        addDetails(to: &record)
        let place = records.append(record)
        records[place].signedAt = signedAt
        transactions[record.transaction].latest = place
        return place
    }

    /// Adds another signed state of a transaction after a change.
    ///
    /// - Returns: The new record; `nil` if the purchase has not completed yet.
    @discardableResult
    mutating func reissue(
        _ transaction: RowIndex<TransactionState>, _ change: (inout TransactionRecord) -> Void
    ) -> RowIndex<TransactionRecord>? {
        guard let latest = transactions[transaction].latest else { return nil }
        var record = records[latest]
        change(&record)
        return issue(record)
    }

    /// Adds a signed state of the renewal info of a subscription.
    ///
    /// The signing date is the current time or one millisecond after the previous state, whichever is later.
    @discardableResult
    mutating func issueRenewalInfo(of place: RowIndex<Subscription>) -> RowIndex<RenewalRecord> {
        let subscription = subscriptions[place]
        let service = subscription.service
        var signedAt = now
        if let last = subscription.renewalRecord {
            signedAt = max(now, renewalRecords[last].signedAt.adding(milliseconds: 1))
        }
        var record = RenewalRecord(
            subscription: place, original: subscription.original, product: service.product,
            nextProduct: subscription.followingProduct, willRenew: service.autoRenews,
            isInBillingRetry: subscription.isInBillingRetry, expirationIntent: service.expirationIntent,
            priceIncrease: subscription.priceIncrease, plan: service.plan, nextPlan: subscription.followingPlan,
            graceEndsAt: service.graceEndsAt, renewsAt: service.expiresAt,
            price: service.autoRenews ? nextPrice(of: subscription) : nil, offer: nextOffer(of: subscription),
            token: subscription.token, storefront: accounts[subscription.account].storefront,
            recentStart: subscription.recentStart, signedAt: signedAt)
        record.previousIndex = subscription.renewalRecord.map { Int32($0.index) } ?? -1
        if service.plan == .monthly { record.commitment = commitmentRenewal(of: subscription) }
        if service.phase == .expired, subscription.sharedFrom == nil {
            let start = Int32(winBackOffers.count)
            for offer in eligibleWinBackOffers(of: subscription) { winBackOffers.append(offer) }
            record.winBackOffers = start..<Int32(winBackOffers.count)
        }
        let info = renewalRecords.append(record)
        subscriptions[place].renewalRecord = info
        return info
    }

    /// Returns what the app transaction of a download states if it is signed now.
    func appTransaction(of place: RowIndex<Download>) -> AppTransactionRecord {
        guard let set = downloads[place].appTransaction else {
            return AppTransactionRecord(download: place, downloadedAt: downloads[place].downloadedAt, signedAt: now)
        }
        var record = appTransactionRecords[set]
        record.signedAt = max(now, record.signedAt)
        return record
    }

    /// Returns the win-back offers that a renewal info names.
    func winBackOffers(of record: RenewalRecord) -> [RowIndex<OfferTerms>] {
        (record.winBackOffers ?? 0..<0).compactMap { index in
            winBackOffers.place(at: Int(index)).map { winBackOffers[$0] }
        }
    }
}
