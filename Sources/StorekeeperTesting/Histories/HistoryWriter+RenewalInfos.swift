import Storekeeper

extension HistoryWriter {
    /// Adds renewal infos of a chain.
    mutating func addRenewalInfos(for chain: [TransactionDraft], in group: GeneratedShop.Group) {
        addInfosOfEarlierPeriods(of: chain, in: group)
        guard let last = chain.last, random.chance(85) else {
            recordSituation(.noRenewalInfo)
            return
        }
        var info = renewalInfo(for: last, in: group)
        if random.chance(8) {
            info.signedAt = last.purchasedAt.adding(milliseconds: random.pick(-1, -86_400_000))
            // The info is about the previous period if its renewal date is not the end of the last period.
            if random.chance(60) { info.renewsAt = last.purchasedAt }
            recordSituation(.staleRenewalInfo)
        }
        if random.chance(8), let expiry = last.expiresAt {
            // The renewal that began the last period failed and was recovered, and the start of the last period was
            // dated back. The info still reports the failure.
            let early = random.pick(
                last.purchasedAt, last.purchasedAt.adding(days: 1), expiry.adding(days: -1),
                expiry.adding(milliseconds: -86_400_001))
            info.signedAt = max(last.purchasedAt, early)
            info = random.chance(50) ? info.billingRetry() : info.grace(until: info.signedAt.adding(days: 45))
            if random.chance(20) { info.autoRenewStatus = .off }
            recordSituation(.renewalInfoOfRenewalBefore)
        }
        if random.chance(3) {
            info.autoRenewStatus = AutoRenewStatus(rawValue: 7)
            recordSituation(.unknownAutoRenewStatus)
        }
        if random.chance(3) {
            info.appTransactionID = "99"
            if last.appTransactionID != nil { recordSituation(.renewalInfoOfAnotherDownload) }
        }
        renewalInfos.append(info)
        if info.gracePeriodExpiresAt != nil, random.chance(60) { addFurtherStates(of: info) }
        if random.chance(20) {
            var older = renewalInfo(for: last, in: group)
            if random.chance(25) {
                older.signedAt = info.signedAt
                recordSituation(.equalSignedRenewalInfos)
            } else {
                older.signedAt = min(older.signedAt, info.signedAt.adding(days: -1))
            }
            renewalInfos.append(older)
            recordSituation(.severalRenewalInfos)
        }
    }

    /// Adds notifications with the App Store's own status of the chain.
    mutating func addStatuses(of chain: [TransactionDraft]) {
        guard let subject = random.chance(70) ? chain.last : random.element(of: chain), let expiry = subject.expiresAt
        else { return }
        var instant = expiry.adding(days: random.pick(-2, -1, 0, 0, 1, 3))
        for _ in 0..<random.number(in: 1...3) {
            let status: Int64 = random.pick(4, 4, 1, 2, 3)
            notifications.append(NotificationDraft(status: status, of: subject, signedAt: instant))
            recordSituation(status == 4 ? .statusOfGrace : .otherStatus)
            instant = instant.adding(
                milliseconds: random.pick(0, 1, 86_400_000, 3 * 86_400_000, 16 * 86_400_000, 28 * 86_400_000))
        }
    }

    /// Adds a renewal info without a transaction.
    mutating func addUnpairedRenewalInfo() {
        var info = RenewalInfoDraft(originalID: nextID(), signedAt: start()).billingRetry()
        if let other = transactions.first(where: { $0.environment == .production }), random.chance(50) {
            info.originalID = other.originalID
            info.environment = AppStore.Environment(rawValue: "Elsewhere")
        }
        renewalInfos.append(info)
        recordSituation(.unpairedRenewalInfo)
    }

    mutating func renewalInfo(
        for last: TransactionDraft, in group: GeneratedShop.Group
    ) -> RenewalInfoDraft {
        let expiry = last.expiresAt ?? last.purchasedAt
        var info = RenewalInfoDraft(for: last, signedAt: max(last.signedAt, last.purchasedAt))
        if random.chance(20), let next = random.element(of: group.products), next.id != last.productID {
            info.autoRenewProductID = next.id
            recordSituation(.scheduledChange)
        }
        switch random.number(in: 1...100) {
        case ...22:
            if random.chance(30) { info.isInBillingRetry = false }
            recordSituation(.renewalOn)
        case ...32:
            info = info.cancelled()
            if random.chance(50) { info.isInBillingRetry = false }
            recordSituation(.renewalOff)
        case ...42:
            let number = Int64(random.pick(1, 2, 3, 4, 5, 9))
            info = info.cancelled(reason: ExpirationReason(rawValue: number))
            info.signedAt = expiry.adding(days: random.pick(0, 3))
            recordSituation(number == 9 ? .unknownIntent : .expiredWithIntent)
        case ...58: billingRetry(&info, of: last, expiry: expiry)
        default:
            // The monthly billing plan has no grace period, whatever the app's setting is.
            guard last.billingPlanType != .monthly else {
                billingRetry(&info, of: last, expiry: expiry)
                break
            }
            grace(&info, expiry: expiry)
        }
        return info
    }

    private mutating func billingRetry(_ info: inout RenewalInfoDraft, of last: TransactionDraft, expiry: Instant) {
        info = info.billingRetry()
        let days = last.billingPlanType == .monthly ? 90 : 60
        let late = random.pick(0, 3, days - 1, days, days + 3)
        info.signedAt = expiry.adding(days: late)
        if random.chance(25) { info.expirationReason = nil }
        if random.chance(15) { info.autoRenewStatus = .off }
        recordSituation(late < days ? .billingRetry : .billingRetryBeyondEnd)
    }

    private mutating func grace(_ info: inout RenewalInfoDraft, expiry: Instant) {
        let end = expiry.adding(days: random.pick(3, 6, 16, 28))
        info.signedAt = expiry.adding(days: random.pick(0, 0, 1))
        switch random.number(in: 1...10) {
        case ...4:
            info = info.grace(until: end)
            recordSituation(.grace)
        case ...6:
            info = info.grace(until: end, retry: false)
            recordSituation(.graceWithoutRetry)
        case 7:
            info = info.grace(until: end, retry: nil)
            if random.chance(50) { info.autoRenewStatus = .off }
            recordSituation(.graceWithoutRetryMember)
        case 8:
            info = info.grace(until: end).cancelled(reason: random.pick(.autoRenewDisabled, .billingError))
            info.signedAt = end.adding(days: random.pick(0, 3))
            recordSituation(.lingeringGrace)
        default:
            info = info.grace(until: end).cancelled(reason: .autoRenewDisabled)
            info.signedAt = min(end, expiry.adding(days: random.pick(-1, 0, 1, 3)))
            recordSituation(.graceGivenUp)
        }
    }
}
