import StorekeeperTesting
import Testing

@testable import StorekeeperEngine

/// Tests with evidence in which one chain has subscriptions of two groups.
///
/// The App Store does not sign such evidence. If it occurs, a subscription of one group must not end the access of the
/// other group.
@Suite("One original id in two groups") struct GroupChainTests {
    private static let gold = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
    /// A purchase in the group of news under the same original id.
    private static let news = with(
        TransactionDraft.change(of: gold, to: "news.monthly", at: .day(10), expires: .day(41))
    ) { $0.subscriptionGroupID = "news" }

    private func statuses(_ resolution: Resolution, at instant: Instant) -> [String] {
        resolution.groups.flatMap { group in
            group.statuses(at: instant).map {
                "\(group.group.id) \($0.transaction.originalID) \($0.transaction.productID) \($0.state.rawValue)"
            }
        }
    }

    @Test("An original id in two groups has two lines of service, which do not affect each other")
    func twoLines() throws {
        for drafts in [[Self.gold, Self.news], [Self.news, Self.gold]] {
            let resolution = try TestShop.resolution(drafts)
            #expect(resolution.text("gold.monthly", at: .day(20)) == "entitled active 1000")
            #expect(resolution.text("news.monthly", at: .day(20)) == "entitled active 1001")
            #expect(
                statuses(resolution, at: .day(20)) == [
                    "membership 1000 gold.monthly subscribed", "news 1000 news.monthly subscribed",
                ])
            #expect(
                statuses(resolution, at: .day(35)) == [
                    "membership 1000 gold.monthly expired", "news 1000 news.monthly subscribed",
                ])
        }
    }

    @Test("It has one line if the groups share a product or a record names no group")
    func oneLine() throws {
        let shared = with(Self.gold) {
            $0.id = "1"
            $0.originalID = "1"
            $0.subscriptionGroupID = "news"
        }
        let resolution = try TestShop.resolution([Self.gold, Self.news, shared])
        #expect(resolution.text("gold.monthly", at: .day(20)).hasPrefix("entitled"))
        #expect(statuses(resolution, at: .day(20)).filter { $0.contains(" 1000 ") }.count == 1)
        let unnamed = with(Self.news) {
            $0.productID = "platinum"
            $0.subscriptionGroupID = nil
        }
        #expect(
            try TestShop.resolution([Self.gold, unnamed]).text("gold.monthly", at: .day(20)) == "lapsed upgraded 1000")
    }

    @Test(
        "A renewal info belongs to the line of its product, otherwise to that of the newest transaction",
        arguments: [
            ("gold.monthly", "gracePeriod", "expired"), ("news.monthly", "expired", "gracePeriod"),
            (nil, "expired", "gracePeriod"), ("stranger", "expired", "gracePeriod"),
        ] as [(Product.ID?, String, String)])
    func renewalInfo(product: Product.ID?, gold: String, news: String) throws {
        var info = RenewalInfoDraft(for: Self.news, signedAt: .day(41)).grace(until: .day(60))
        info.productID = product
        info.autoRenewProductID = nil
        let resolution = try TestShop.resolution([Self.gold, Self.news], [info])
        #expect(resolution.product("gold.monthly")?.timeline.value(at: .day(45)).reasonWord == gold)
        #expect(resolution.product("news.monthly")?.timeline.value(at: .day(45)).reasonWord == news)
    }

    @Test("The lines are the same when evidence arrives item by item")
    func live() throws {
        let resolver = EntitlementResolver(catalog: TestShop.catalog)
        let unlisted = with(Self.news) {
            $0.id = "1002"
            $0.productID = "unlisted"
            $0.subscriptionGroupID = nil
        }
        // A transaction of another chain contains the group of the product.
        let teller = with(TransactionDraft.purchase(of: TestShop.news, at: .day(0), id: "7")) {
            $0.productID = "unlisted"
        }
        let drafts = [Self.gold, Self.news, Self.news.revoked(at: .day(12)), unlisted, teller]
        // This transaction makes the group known before the chain has a transaction of the group.
        let known = TransactionDraft.purchase(of: TestShop.news, at: .day(0), id: "8")
        let orders = [
            drafts, drafts.reversed(), [unlisted, Self.gold, teller, Self.news], [known, Self.gold, Self.news],
        ]
        for order in orders {
            var live = LiveResolution(history: PurchaseHistory(), resolver: resolver)
            var history = PurchaseHistory()
            for draft in order {
                let evidence = CheckedEvidence.transaction(.verified(try draft.transaction()))
                history.merge(evidence)
                live.merge([evidence])
                #expect(live.resolution == resolver.resolve(history))
            }
        }
    }

    @Test("Each line of service is stale separately")
    func stale() throws {
        let resolver = EntitlementResolver(catalog: TestShop.catalog)
        let renewed = with(TransactionDraft.renewal(of: Self.gold, expires: .month(2))) { $0.id = "1003" }
        let history = try TestShop.history([Self.gold, renewed, Self.news])
        let messages = EvidenceDiagnostics(history, resolver: resolver).diagnostics(at: .day(45), now: .day(45))
        #expect(messages.map(\.code) == [.staleEvidence])
        #expect(messages.first?.message.contains("news.monthly") == true)
    }
}
