import Storekeeper
import StorekeeperTesting

extension TestShop {
    /// Returns a history of drafts, treated as verified.
    static func history(
        _ transactions: [TransactionDraft], _ infos: [RenewalInfoDraft] = []
    ) throws -> PurchaseHistory {
        var history = PurchaseHistory()
        history.merge(try transactions.map { VerificationResult.verified(try $0.transaction()) })
        for info in infos { history.merge(.verified(try info.renewalInfo())) }
        return history
    }

    /// Returns the answers that follow from drafts.
    static func resolution(
        _ transactions: [TransactionDraft], _ infos: [RenewalInfoDraft] = [],
        policy: EntitlementPolicy = EntitlementPolicy()
    ) throws -> Resolution {
        EntitlementResolver(catalog: catalog, policy: policy).resolve(try history(transactions, infos))
    }

    /// Returns the steps of an explanation of a product with these drafts as evidence.
    static func steps(
        _ id: Product.ID, _ transactions: [TransactionDraft], _ infos: [RenewalInfoDraft] = [], at instant: Instant,
        policy: EntitlementPolicy = EntitlementPolicy(), pending: [PendingPurchase] = []
    ) throws -> [String] {
        let resolver = EntitlementResolver(catalog: catalog, policy: policy)
        let history = try history(transactions, infos)
        return lines(resolver.explain(id, in: history, at: instant, pending: pending))
    }

    /// Returns the steps as `day: fact → effect | rule`, with days counted from the epoch of tests.
    static func lines(_ explanation: Explanation) -> [String] {
        explanation.steps.map { step in
            let day = step.at.milliseconds(since: .testEpoch) / 86_400_000
            return "\(day): \(step.fact) → \(step.effect) | \(step.rule)"
        }
    }
}

extension Resolution {
    /// Returns the answer about a product as `word reason transaction`, or as `word reason` if no transaction decides
    /// the answer.
    func text(_ id: Product.ID, at instant: Instant) -> String {
        guard let answer = product(id)?.timeline.value(at: instant) else { return "none" }
        return ([answer.word, answer.reasonWord] + (answer.basis.map { [$0.transaction.id.rawValue] } ?? []))
            .joined(separator: " ")
    }

    /// Returns the highest status of a group as `state product entitled`, or as `state product` if the status gives no
    /// access.
    func highestText(_ group: String, at instant: Instant) -> String {
        guard let status = self.group(group)?.highest(at: instant) else { return "none" }
        return "\(status.state.rawValue) \(status.transaction.productID)\(status.isEntitled ? " entitled" : "")"
    }
}
