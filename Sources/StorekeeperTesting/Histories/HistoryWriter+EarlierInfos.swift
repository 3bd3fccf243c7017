import Storekeeper

extension HistoryWriter {
    /// Adds renewal infos about the periods of the chain before the last period.
    mutating func addInfosOfEarlierPeriods(of chain: [TransactionDraft], in group: GeneratedShop.Group) {
        for (former, next) in zip(chain, chain.dropFirst()) {
            guard let expiry = former.expiresAt else { continue }
            if next.purchasedAt > expiry, random.chance(60) {
                addInfosOfGap(after: former, before: next, in: group)
            } else if next.purchasedAt == expiry, random.chance(45) {
                addInfosOfEarlyCharge(of: next, after: former)
            }
        }
    }

    /// Adds infos about a failed renewal that was followed by a later period.
    private mutating func addInfosOfGap(
        after former: TransactionDraft, before next: TransactionDraft, in group: GeneratedShop.Group
    ) {
        var info = renewalInfo(for: former, in: group)
        // An info that is signed after the start of the next period would be about the next period.
        if random.chance(90) { info.signedAt = min(info.signedAt, next.purchasedAt.adding(milliseconds: -1)) }
        renewalInfos.append(info)
        recordSituation(.renewalInfoOfEarlierGap)
        if random.chance(60) { addFurtherStates(of: info) }
    }

    /// Adds infos about a renewal that was charged before the end of the period.
    ///
    /// After the charge, infos are about the next period.
    private mutating func addInfosOfEarlyCharge(of next: TransactionDraft, after former: TransactionDraft) {
        var info = RenewalInfoDraft(
            for: next, signedAt: next.purchasedAt.adding(milliseconds: random.pick(-86_400_000, -3_600_000, -1)))
        recordSituation(.renewalInfoBeforePeriod)
        if random.chance(15) { info.renewsAt = random.pick(former.expiresAt, nil, next.purchasedAt.adding(days: 1)) }
        renewalInfos.append(info)
        guard random.chance(40) else { return }
        info = info.cancelled()
        if random.chance(50) { info.isInBillingRetry = false }
        info.signedAt = info.signedAt.adding(milliseconds: random.pick(0, 60_000))
        renewalInfos.append(info)
        recordSituation(.cancelledBeforePeriod)
    }

    /// Adds infos that follow an info with a grace period.
    ///
    /// In a later info, billing may have been given up, nothing may have changed, or the end of the grace period may be
    /// missing.
    mutating func addFurtherStates(of info: RenewalInfoDraft) {
        var state = info
        for _ in 0..<random.number(in: 1...4) {
            state.signedAt = state.signedAt.adding(
                milliseconds: random.pick(0, 1, 86_400_000, 86_400_000, 2 * 86_400_000, 10 * 86_400_000))
            switch random.number(in: 1...100) {
            case ...25: recordSituation(.graceFetchedAgain)
            case ...40:
                state.autoRenewStatus = .off
                state.isInBillingRetry = false
                recordSituation(.graceGivenUp)
            case ...60:
                state.autoRenewStatus = .off
                state.isInBillingRetry = nil
                state.expirationReason = random.pick(.autoRenewDisabled, .autoRenewDisabled, .billingError)
                recordSituation(.graceGivenUpWithoutRetryMember)
            case ...80:
                state.gracePeriodExpiresAt = nil
                recordSituation(.graceDateVanished)
            case ...90:
                state.autoRenewStatus = .on
                state.isInBillingRetry = random.pick(true, false)
            default:
                state.gracePeriodExpiresAt = info.gracePeriodExpiresAt?.adding(days: random.pick(-3, 0, 5))
            }
            renewalInfos.append(state)
        }
    }
}
