import FoundationEssentials
import Storekeeper

extension World {
    /// Deletes a transaction, as if the purchase had never happened.
    mutating func delete(_ transaction: RowIndex<TransactionState>) {
        erase(transaction)
        log(.deleted, of: transaction)
        guard let latest = transactions[transaction].latest, let place = records[latest].subscription else { return }
        guard subscriptions[place].current == transaction else { return }
        let previous = transactions(of: subscriptions[place].download).first { other in
            !transactions[other].isDeleted && isTransaction(other, of: place)
        }
        if let previous {
            makeCurrent(previous, of: place)
            // The copy is revoked, because its remaining transaction covers another period than the purchaser's
            // transaction.
            if subscriptions[place].sharedFrom != nil { revokeCopy(place, reason: 0) }
        } else {
            remove(place)
        }
    }

    /// Marks a transaction and the family members' copies of it as deleted.
    ///
    /// The copies are deleted because a product that was never bought cannot be shared.
    private mutating func erase(_ transaction: RowIndex<TransactionState>) {
        transactions[transaction].isDeleted = true
        waiting[transaction] = nil
        for copy in oneTimeCopies.removeValue(forKey: transaction) ?? [] { transactions[copy].isDeleted = true }
    }

    /// Resets a subscription to an earlier transaction after all later transactions were deleted.
    private mutating func makeCurrent(_ transaction: RowIndex<TransactionState>, of place: RowIndex<Subscription>) {
        guard let latest = transactions[transaction].latest else { return }
        let record = records[latest]
        var service = subscriptions[place].service
        if service.product != record.product || service.plan != record.plan {
            // The planned price changes and the offers of the deleted period no longer apply.
            subscriptions[place].standardPrice = listPrice(
                of: record.product, plan: record.plan, app: subscriptions[place].app)
            subscriptions[place].clearPriceChanges()
            subscriptions[place].clearOffers()
            service.nextProduct = record.product
            service.nextPlan = record.plan
        }
        service.product = record.product
        service.plan = record.plan
        service.startedAt = record.purchasedAt
        service.expiresAt = record.expiresAt ?? now
        service.commitmentPeriod = record.commitmentPeriod ?? 0
        service.commitmentExpiresAt = record.commitmentExpiresAt
        service.phase = record.revocation != nil ? .revoked : record.expiresAt ?? now <= now ? .expired : .active
        service.graceEndsAt = nil
        service.retryEndsAt = nil
        service.expirationIntent = service.phase == .expired ? ExpirationReason.autoRenewDisabled.rawValue : nil
        if service.phase != .active {
            service.autoRenews = false
            service.lapsedAt = record.revocation?.at ?? record.expiresAt
        }
        subscriptions[place].service = service
        countPeriods(of: place, until: service.expiresAt)
        subscriptions[place].current = transaction
        subscriptions[place].nextCharge = nil
        subscriptions[place].currentOffer = record.offer
        subscriptions[place].isFree = record.price == 0
        if record.flags.contains(.isUpgraded) { reissue(transaction) { $0.flags.remove(.isUpgraded) } }
        issueRenewalInfo(of: place)
        endCopies(of: place, reason: 0)
        reschedule(place)
    }

    /// Counts the periods of a subscription again after later periods were deleted.
    ///
    /// If no counted period ends at `end`, counting restarts at `end`.
    private mutating func countPeriods(of place: RowIndex<Subscription>, until end: Instant) {
        let (subscription, pace) = (subscriptions[place], apps[subscriptions[place].app].settings.pace)
        let count = (1...max(1, subscription.periodsSinceAnchor)).last {
            pace.periodEnd(of: subscription.anchorPeriod, anchor: subscription.anchor, count: Int($0)) == end
        }
        if let count {
            subscriptions[place].periodsSinceAnchor = count
        } else {
            subscriptions[place].endPeriod(at: end)
        }
    }

    /// Removes a subscription whose transactions were all deleted.
    private mutating func remove(_ place: RowIndex<Subscription>) {
        downloads[subscriptions[place].download].subscriptions.removeAll { $0 == place }
        subscriptions[place].service.phase = .expired
        detach(place)
        reschedule(place)
    }

    /// Removes the family members' copies of a subscription.
    ///
    /// If the subscription itself is a copy, removes it from the purchaser's list of copies, so that the next period
    /// creates a new copy.
    private mutating func detach(_ place: RowIndex<Subscription>) {
        for copy in copies.removeValue(forKey: place) ?? [] {
            let download = subscriptions[copy].download
            downloads[download].subscriptions.removeAll { $0 == copy }
            subscriptions[copy].service.phase = .expired
            for transaction in transactions(of: download) where isTransaction(transaction, of: copy) {
                transactions[transaction].isDeleted = true
            }
        }
        if let owner = subscriptions[place].sharedFrom { copies[owner]?.removeAll { $0 == place } }
    }

    /// Deletes all purchases of one account, or of all accounts, in an app.
    mutating func clear(app: RowIndex<App>, account: RowIndex<Account>?) {
        for place in transactions.indices {
            let download = downloads[transactions[place].download]
            guard download.app == app, account == nil || download.account == account else { continue }
            erase(place)
        }
        for place in downloads.indices
        where downloads[place].app == app && (account == nil || downloads[place].account == account) {
            for subscription in downloads[place].subscriptions {
                subscriptions[subscription].service.phase = .expired
                subscriptions[subscription].stamp &+= 1
                detach(subscription)
            }
            downloads[place].subscriptions = []
            downloads[place].lastTransaction = nil
            downloads[place].redeemedCodes = []
        }
        log(.deleted, account: account, note: "all transactions")
    }

    /// Sets the app account token of a transaction.
    ///
    /// For a subscription, the token applies to the current period and to later periods.
    mutating func setToken(_ token: UUID?, of transaction: RowIndex<TransactionState>) throws(SimulatorError) {
        let record = try record(of: transaction)
        guard !record.flags.contains(.isFamilyShared) else {
            throw SimulatorError(.invalidAction, "a family's copy has no account token")
        }
        let token = place(ofToken: token)
        guard let place = record.subscription else {
            reissue(transaction) { $0.token = token }
            log(.accountTokenSet, of: transaction)
            return
        }
        subscriptions[place].token = token
        // If the next period is already paid, the token applies to the running period and to the next period.
        if let running = runningTransaction(before: subscriptions[place]) { reissue(running) { $0.token = token } }
        reissue(subscriptions[place].current) { $0.token = token }
        log(.accountTokenSet, of: place)
    }

    mutating func finish(_ transaction: RowIndex<TransactionState>) {
        guard !transactions[transaction].isFinished else { return }
        transactions[transaction].isFinished = true
        log(.finished, of: transaction)
    }
}
