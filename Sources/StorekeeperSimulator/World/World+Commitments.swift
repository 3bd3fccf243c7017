import Storekeeper

extension World {
    /// Updates the commitment of a subscription when a period begins: the number of the payment, the end and the price.
    func countCommitment(of subscription: inout Subscription, isRenewal: Bool, isChange: Bool) {
        var service = subscription.service
        guard service.plan == .monthly else {
            subscription.service.commitmentPeriod = 0
            subscription.service.commitmentExpiresAt = nil
            subscription.commitmentPrice = nil
            return
        }
        let isNew = isChange || !isRenewal || service.commitmentPeriod >= Plan.paymentsOfCommitment
        service.commitmentPeriod = isNew ? 1 : service.commitmentPeriod + 1
        if isNew {
            subscription.commitmentPrice = commitmentPrice(
                of: service.product, monthly: subscription.standardPrice, app: subscription.app)
        }
        // Before the last payment, renewal is always on. From the last payment on, the customer's choice counts.
        service.autoRenews = service.commitmentPeriod < Plan.paymentsOfCommitment || service.commitmentRenews
        subscription.service = service
        subscription.service.commitmentExpiresAt = commitmentEnd(of: subscription)
    }

    /// Returns the end of a subscription's commitment; `nil` if the subscription has none.
    ///
    /// The end is counted from the anchor of the monthly periods, so that the period of the last payment ends with the
    /// commitment.
    func commitmentEnd(of subscription: Subscription) -> Instant? {
        guard subscription.service.plan == .monthly else { return nil }
        let left = Plan.paymentsOfCommitment - subscription.service.commitmentPeriod
        return apps[subscription.app].settings.pace.periodEnd(
            of: .month, anchor: subscription.anchor, count: Int(subscription.periodsSinceAnchor + left))
    }

    /// Returns the terms of the renewal that follows the commitment of a subscription, for a renewal info.
    func commitmentRenewal(of subscription: Subscription) -> CommitmentRenewal {
        let service = subscription.service
        return CommitmentRenewal(
            willRenew: service.commitmentRenews, product: service.nextProduct, plan: service.nextPlan,
            renewsAt: service.commitmentExpiresAt ?? service.expiresAt,
            price: service.commitmentRenews ? nextCommitmentPrice(of: subscription) : nil)
    }

    /// Returns the total price of the next commitment, in milliunits.
    ///
    /// If the next plan has no commitment, returns the price of a period.
    private func nextCommitmentPrice(of subscription: Subscription) -> Int64? {
        let (service, app) = (subscription.service, subscription.app)
        guard service.nextPlan == .monthly else { return apps[app].terms[service.nextProduct].price }
        let isSame = service.nextProduct == service.product && service.plan == .monthly
        let month =
            isSame ? subscription.followingPrice : listPrice(of: service.nextProduct, plan: .monthly, app: app)
        return commitmentPrice(of: service.nextProduct, monthly: month, app: app)
    }

    /// Returns the price of all twelve payments, in milliunits.
    ///
    /// If the monthly price equals the monthly price in the catalog, this is the price of the commitment in the
    /// catalog. If not, it is twelve times the monthly price.
    private func commitmentPrice(of product: RowIndex<ProductTerms>, monthly price: Int64?, app: RowIndex<App>)
        -> Int64?
    {
        guard let price else { return nil }
        let plan = apps[app].terms[product].monthlyPlan
        if price == plan?.price, let whole = plan?.commitmentPrice { return whole }
        let (whole, overflow) = price.multipliedReportingOverflow(by: Int64(Plan.paymentsOfCommitment))
        return overflow ? nil : whole
    }
}
