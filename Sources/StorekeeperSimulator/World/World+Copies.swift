import Storekeeper

/// The family members' copies of a purchaser's subscriptions and one-time purchases.
extension World {
    // MARK: Subscriptions

    /// Creates the family members' copies of a new period.
    mutating func shareNewPeriod(of place: RowIndex<Subscription>, kind: HappeningKind) {
        let sharers = sharers(of: subscriptions[place].service.product, download: subscriptions[place].download)
        for copy in copies[place] ?? [] where !sharers.contains(subscriptions[copy].account) {
            revokeCopy(copy, reason: 0)
        }
        for member in sharers { copyPeriod(of: place, to: member, kind: kind) }
    }

    /// Creates copies of the current period for family members who have no active copy.
    ///
    /// If the next period is already paid, each of these members gets a copy of the running period and a copy of the
    /// next period.
    mutating func shareCurrentPeriod(of place: RowIndex<Subscription>) {
        let running = runningTransaction(before: subscriptions[place]).flatMap { transactions[$0].latest }
        let sharers = sharers(of: subscriptions[place].service.product, download: subscriptions[place].download)
        for member in sharers {
            let copy = copies[place]?.first { subscriptions[$0].account == member }
            if let copy, subscriptions[copy].isInService { continue }
            if let running {
                var service = subscriptions[place].service
                service.product = records[running].product
                service.startedAt = records[running].purchasedAt
                service.expiresAt = records[running].expiresAt ?? service.startedAt
                copyPeriod(of: place, as: service, to: member, kind: .subscribed)
            }
            copyPeriod(of: place, to: member, kind: running == nil ? .subscribed : .renewed)
        }
    }

    private mutating func copyPeriod(
        of place: RowIndex<Subscription>, as earlier: Subscription.Service? = nil, to member: RowIndex<Account>,
        kind: HappeningKind
    ) {
        let subscription = subscriptions[place]
        let service = earlier ?? subscription.service
        let download = download(of: member, app: subscription.app)
        let transaction = newTransaction(of: service.product, download: download)
        var kindOfCopy = kind
        var old: RowIndex<TransactionState>?
        let copy: RowIndex<Subscription>
        if let known = copies[place]?.first(where: { subscriptions[$0].account == member }) {
            copy = known
            old = subscriptions[copy].current
            let phase = subscriptions[copy].service.phase
            // A new period of a revoked copy is logged as a resubscription. A new period of a copy without service is
            // also logged as a resubscription, unless the period begins because a failed payment was recovered.
            if phase == .revoked || !subscriptions[copy].isInService && kind != .recovered {
                kindOfCopy = .resubscribed
            }
            // A member's `recentStart` depends on the service of the member's own copy, which can end before the
            // purchaser's service.
            let isNewRun = isNewRun(after: subscriptions[copy], at: service.startedAt)
            if isNewRun { subscriptions[copy].recentStart = service.startedAt }
        } else {
            copy = subscriptions.append(
                Subscription(
                    download: download, account: member, app: subscription.app, group: subscription.group,
                    sharedFrom: place, original: transaction, product: service.product,
                    period: subscription.anchorPeriod, at: service.startedAt))
            downloads[download].subscriptions.append(copy)
            copies[place, default: []].append(copy)
            subscriptions[place].isShared = true
            kindOfCopy = .subscribed
        }
        let isRenewal = kindOfCopy == .renewed || kindOfCopy == .recovered
        if let old, isRenewal, transactions[old].product == service.product { link(transaction, renewing: old) }
        subscriptions[copy].service = service
        subscriptions[copy].current = transaction
        lastWebOrderLineItem += 1
        issue(
            TransactionRecord(
                transaction: transaction, original: subscriptions[copy].original, download: download,
                subscription: copy, product: service.product, storefront: accounts[member].storefront,
                webOrderLineItem: lastWebOrderLineItem,
                flags: isRenewal ? [.isFamilyShared, .isRenewal] : .isFamilyShared, plan: service.plan,
                purchasedAt: service.startedAt, expiresAt: service.expiresAt, signedAt: now,
                commitmentPeriod: service.plan == .monthly ? service.commitmentPeriod : nil,
                commitmentExpiresAt: service.commitmentExpiresAt))
        log(kindOfCopy, of: copy)
        if let old, kindOfCopy == .upgraded || kindOfCopy == .offerRedeemedWithUpgrade { supersede(old, in: copy) }
    }

    /// Updates the family members' copies after a change of the purchaser's subscription that does not begin a new
    /// period.
    mutating func shareChange(of place: RowIndex<Subscription>, kind: HappeningKind) {
        guard subscriptions[place].isShared else { return }
        let service = subscriptions[place].service
        // A copy that expired in an earlier period stays unchanged, because the purchaser's current product may not be
        // shared.
        for copy in copies[place] ?? []
        where subscriptions[copy].service.phase != .revoked && subscriptions[copy].service.isSamePeriod(as: service) {
            subscriptions[copy].service = service
            switch kind {
            case .renewalExtended:
                reissue(subscriptions[copy].current) {
                    $0.expiresAt = service.expiresAt
                    $0.commitmentExpiresAt = service.commitmentExpiresAt
                }
                log(kind, of: copy)
            case .autoRenewEnabled, .autoRenewDisabled: issueRenewalInfo(of: copy)
            default: log(kind, of: copy)
            }
        }
    }

    /// Ends a member's access.
    ///
    /// If the next period is already paid, both the running period and the next period are revoked.
    mutating func revokeCopy(_ copy: RowIndex<Subscription>, reason: RevocationReason.RawValue) {
        let subscription = subscriptions[copy]
        guard subscription.isInService || subscription.service.phase == .retry else { return }
        let revocation = Revocation(at: now, reason: reason, kind: .family, percentage: nil)
        if let running = runningTransaction(before: subscription) { reissue(running) { $0.revocation = revocation } }
        reissue(subscription.current) { $0.revocation = revocation }
        subscriptions[copy].service.phase = .revoked
        subscriptions[copy].service.autoRenews = false
        subscriptions[copy].service.commitmentRenews = false
        subscriptions[copy].service.lapsedAt = now
        subscriptions[copy].service.graceEndsAt = nil
        subscriptions[copy].service.expirationIntent = nil
        log(.familyAccessEnded, of: copy)
    }

    /// Ends the family's access after the purchaser was refunded.
    mutating func endCopies(of place: RowIndex<Subscription>, reason: RevocationReason.RawValue) {
        for copy in copies[place] ?? [] { revokeCopy(copy, reason: reason) }
    }

    /// Restores the family's access after the refund was reversed.
    mutating func restoreCopies(of place: RowIndex<Subscription>) {
        let service = subscriptions[place].service
        let sharers = sharers(of: service.product, download: subscriptions[place].download)
        for copy in copies[place] ?? []
        where subscriptions[copy].service.phase == .revoked && sharers.contains(subscriptions[copy].account)
            && subscriptions[copy].service.isSamePeriod(as: service)
        {
            reissue(subscriptions[copy].current) { $0.revocation = nil }
            subscriptions[copy].service = service
            log(.resubscribed, of: copy)
        }
    }

    // MARK: One-time purchases

    /// Creates the family members' copies of a one-time purchase.
    mutating func shareOneTimePurchase(_ transaction: RowIndex<TransactionState>) {
        let state = transactions[transaction]
        guard !state.isDeleted, let latest = state.latest else { return }
        let record = records[latest]
        guard record.subscription == nil, record.revocation == nil, !record.flags.contains(.isFamilyShared) else {
            return
        }
        for member in sharers(of: record.product, download: record.download) {
            let download = download(of: member, app: downloads[record.download].app)
            if let known = oneTimeCopies[transaction]?.first(where: { transactions[$0].download == download }) {
                guard let latest = transactions[known].latest, records[latest].revocation != nil else { continue }
                reissue(known) { $0.revocation = nil }
                log(.oneTimePurchased, of: known)
                continue
            }
            let copy = newTransaction(of: record.product, download: download)
            oneTimeCopies[transaction, default: []].append(copy)
            issue(
                TransactionRecord(
                    transaction: copy, original: copy, download: download, product: record.product,
                    storefront: accounts[member].storefront, flags: .isFamilyShared, purchasedAt: now, signedAt: now))
            log(.oneTimePurchased, of: copy)
        }
    }

    mutating func revokeOneTimeCopy(_ copy: RowIndex<TransactionState>, reason: RevocationReason.RawValue) {
        guard !transactions[copy].isDeleted, let latest = transactions[copy].latest,
            records[latest].revocation == nil
        else { return }
        let revocation = Revocation(at: now, reason: reason, kind: .family, percentage: nil)
        reissue(copy) { $0.revocation = revocation }
        log(.familyAccessEnded, of: copy)
    }

    /// Ends the family's access to a one-time purchase, after the purchaser was refunded.
    mutating func endCopies(of transaction: RowIndex<TransactionState>, reason: RevocationReason.RawValue) {
        for copy in oneTimeCopies[transaction] ?? [] { revokeOneTimeCopy(copy, reason: reason) }
    }
}
