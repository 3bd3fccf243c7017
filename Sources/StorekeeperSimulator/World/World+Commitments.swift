import Storekeeper

extension World {
    /// How many payments a commitment has.
    static let paymentsOfCommitment: Int32 = 12

    /// The offer that the next period of a subscription has.
    ///
    /// One that goes with another product waits until that product begins.
    func nextOffer(of line: SubscriptionLine) -> Int32? {
        guard line.offerPeriodsLeft > 0, let offer = line.offer,
            apps[Int(line.app)].offerTerms[Int(offer)].product == line.followingProduct
        else { return nil }
        return offer
    }

    /// Counts the payments of a commitment as a period begins.
    func countCommitment(of line: inout SubscriptionLine, isRenewal: Bool, isChange: Bool) {
        guard line.plan == .monthly else {
            line.commitmentPeriod = 0
            line.commitmentExpiresAt = nil
            line.commitmentPrice = nil
            return
        }
        let isNew = isChange || !isRenewal || line.commitmentPeriod >= Self.paymentsOfCommitment
        line.commitmentPeriod = isNew ? 1 : line.commitmentPeriod + 1
        if isNew {
            line.commitmentPrice = commitmentPrice(of: line.product, monthly: line.standardPrice, app: line.app)
        }
        // Counted from where the months are counted, so that the last of them ends with the commitment.
        let left = Self.paymentsOfCommitment - line.commitmentPeriod
        line.commitmentExpiresAt = apps[Int(line.app)].settings.pace.periodEnd(
            of: .month, anchor: line.anchor, count: Int(line.periodsSinceAnchor + left))
        // The last payment: from now on the customer's choice counts.
        line.autoRenews = line.commitmentPeriod < Self.paymentsOfCommitment || line.commitmentRenews
    }

    /// What is said about the end of a commitment.
    func commitmentRenewal(of line: SubscriptionLine) -> CommitmentRenewal {
        CommitmentRenewal(
            willRenew: line.commitmentRenews, product: line.nextProduct, plan: line.nextPlan,
            renewsAt: line.commitmentExpiresAt ?? line.expiresAt,
            price: line.commitmentRenews ? nextCommitmentPrice(of: line) : nil)
    }

    /// What follows a commitment costs in all, in milliunits; of a plan without one, what a period costs.
    private func nextCommitmentPrice(of line: SubscriptionLine) -> Int64? {
        guard line.nextPlan == .monthly else { return apps[Int(line.app)].terms[Int(line.nextProduct)].price }
        let isSame = line.nextProduct == line.product && line.plan == .monthly
        let month =
            isSame ? line.comingPrice : listPrice(of: line.nextProduct, plan: .monthly, app: line.app)
        return commitmentPrice(of: line.nextProduct, monthly: month, app: line.app)
    }

    /// What twelve monthly payments cost in all, in milliunits: what the catalog says, where it is about that price.
    func commitmentPrice(of product: Int32, monthly price: Int64?, app: Int32) -> Int64? {
        guard let price else { return nil }
        let plan = apps[Int(app)].terms[Int(product)].monthlyPlan
        if price == plan?.price, let whole = plan?.commitmentPrice { return whole }
        let (whole, overflow) = price.multipliedReportingOverflow(by: Int64(Self.paymentsOfCommitment))
        return overflow ? nil : whole
    }
}

extension SubscriptionLine {
    /// What a period of the same product costs once no commitment is in the way, in milliunits.
    var comingPrice: Int64? { priceIncrease == .agreed ? increasedPrice : nextCommitmentPrice ?? standardPrice }

    /// The product of the next period.
    var followingProduct: Int32 { isCommitted ? product : nextProduct }

    /// The billing plan of the next period.
    var followingPlan: Plan { isCommitted ? plan : nextPlan }
}
