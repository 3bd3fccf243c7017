import Storekeeper
import StorekeeperTesting

extension TestShop {
    /// The history of drafts, taken as verified.
    static func history(
        _ transactions: [TransactionDraft], _ infos: [RenewalInfoDraft] = []
    ) throws -> PurchaseHistory {
        var history = PurchaseHistory()
        history.merge(try transactions.map { VerificationResult.verified(try $0.transaction()) })
        for info in infos { history.merge(.verified(try info.renewalInfo())) }
        return history
    }

    /// The answers that follow from drafts.
    static func resolution(
        _ transactions: [TransactionDraft], _ infos: [RenewalInfoDraft] = [],
        policy: EntitlementPolicy = EntitlementPolicy()
    ) throws -> Resolution {
        EntitlementResolver(catalog: catalog, policy: policy).resolve(try history(transactions, infos))
    }

    /// What an explanation of a product says of drafts.
    static func steps(
        _ id: Product.ID, _ transactions: [TransactionDraft], _ infos: [RenewalInfoDraft] = [], at instant: Instant,
        policy: EntitlementPolicy = EntitlementPolicy(), pending: [PendingPurchase] = []
    ) throws -> [String] {
        let resolver = EntitlementResolver(catalog: catalog, policy: policy)
        let history = try history(transactions, infos)
        return told(resolver.explain(id, in: history, at: instant, pending: pending))
    }

    /// The steps as `day: fact → effect | rule`, days counted from the epoch of tests.
    static func told(_ explanation: Explanation) -> [String] {
        explanation.steps.map { step in
            let day = step.at.milliseconds(since: .testEpoch) / 86_400_000
            return "\(day): \(step.fact) → \(step.effect) | \(step.rule)"
        }
    }
}

extension Resolution {
    /// The answer about a product as `word reason transaction`, the last where one decides.
    func text(_ id: Product.ID, at instant: Instant) -> String {
        guard let answer = product(id)?.timeline.value(at: instant) else { return "none" }
        return ([answer.word, answer.reasonWord] + (answer.basis.map { [$0.transaction.id.rawValue] } ?? []))
            .joined(separator: " ")
    }

    /// The highest status of a group as `state product entitled`, the last where it gives access.
    func highestText(_ group: String, at instant: Instant) -> String {
        guard let status = self.group(group)?.highest(at: instant) else { return "none" }
        return "\(status.state.rawValue) \(status.transaction.productID)\(status.isEntitled ? " entitled" : "")"
    }
}
