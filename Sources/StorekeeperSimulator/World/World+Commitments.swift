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
            return
        }
        let isNew = isChange || !isRenewal || line.commitmentPeriod >= Self.paymentsOfCommitment
        line.commitmentPeriod = isNew ? 1 : line.commitmentPeriod + 1
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
            price: line.commitmentRenews
                ? commitmentPrice(of: line.nextProduct, plan: line.nextPlan, app: line.app) : nil)
    }

    /// What a commitment costs in all, in milliunits; of a plan without one, what a period costs.
    func commitmentPrice(of product: Int32, plan: Plan, app: Int32) -> Int64? {
        let terms = apps[Int(app)].terms[Int(product)]
        guard plan == .monthly else { return terms.price }
        if let price = terms.monthlyPlan?.commitmentPrice { return price }
        let (whole, overflow) = (terms.monthlyPlan?.price ?? 0).multipliedReportingOverflow(
            by: Int64(Self.paymentsOfCommitment))
        return overflow ? nil : whole
    }
}

extension SubscriptionLine {
    /// Whether payments of a commitment are still to come; another product or plan has to wait for the last.
    private var isCommitted: Bool {
        plan == .monthly && (1..<World.paymentsOfCommitment).contains(commitmentPeriod)
    }

    /// The product of the next period.
    var followingProduct: Int32 { isCommitted ? product : nextProduct }

    /// The billing plan of the next period.
    var followingPlan: Plan { isCommitted ? plan : nextPlan }
}
