import Storekeeper
import StorekeeperTesting

/// The catalog that the tests of rules sell from.
enum TestShop {
    static let gold = subscription("gold.monthly", level: 1, period: "P1M")
    static let goldYearly = subscription("gold.yearly", level: 1, period: "P1Y")
    static let silver = subscription("silver.monthly", level: 2, period: "P1M")
    static let bronze = subscription("bronze.monthly", level: 3, period: "P1M")
    static let news = subscription("news.monthly", group: "news", level: 1, period: "P1M")
    static let removeAds = Product(id: "remove.ads", type: .nonConsumable)
    static let coins = Product(id: "coins.500", type: .consumable, grants: ["coins": 500])
    static let seasonPass = Product(
        id: "season.pass", type: .nonRenewable, accessDuration: SubscriptionPeriod("P90D"))
    static let stackingPass = Product(
        id: "stacking.pass", type: .nonRenewable, accessDuration: SubscriptionPeriod("P10D"), stacking: .extend)
    static let badge = Product(id: "badge", type: .nonRenewable)

    static let catalog = Catalog(
        products: [gold, goldYearly, silver, bronze, news, removeAds, coins, seasonPass, stackingPass, badge],
        groups: [
            SubscriptionGroup(
                id: "membership", name: "Membership", productIDs: [gold.id, goldYearly.id, silver.id, bronze.id]),
            SubscriptionGroup(id: "news", productIDs: [news.id]),
        ],
        features: [
            Feature(id: "pro", productIDs: [gold.id, goldYearly.id]),
            Feature(id: "ad-free", productIDs: [gold.id, silver.id, removeAds.id]),
        ])

    private static func subscription(
        _ id: Product.ID, group: String = "membership", level: Int, period: String
    ) -> Product {
        Product(
            id: id, type: .autoRenewable,
            subscription: Product.SubscriptionInfo(
                subscriptionGroupID: group, groupLevel: level, subscriptionPeriod: SubscriptionPeriod(period)))
    }

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
