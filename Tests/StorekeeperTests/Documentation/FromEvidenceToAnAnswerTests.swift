import Storekeeper
import StorekeeperTesting
import Testing

@Suite("The article From evidence to an answer") struct FromEvidenceToAnAnswerTests {
    @Test("The article's code computes an answer from evidence") func flow() throws {
        let productsFile = Array(#"{"products":["gold.monthly"],"features":{"pro":["gold.monthly"]}}"#.utf8)
        let draft = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
        let transactions = [VerificationResult.verified(try draft.transaction())]
        let renewalInfo = VerificationResult.verified(try RenewalInfoDraft(for: draft).renewalInfo())
        let now = Instant.day(1)
        var printed: [String] = []
        func print(_ text: String) { printed.append(text) }

        let catalog = try Catalog(reading: [CatalogFile(name: "Products.json", bytes: productsFile)])
        let resolver = EntitlementResolver(catalog: catalog)

        var history = PurchaseHistory()
        history.merge(transactions)
        history.merge(renewalInfo)

        let resolution = resolver.resolve(history)
        let answer = resolution.product("gold.monthly")?.timeline.value(at: now) ?? .never
        switch answer {
        case .entitled(let reason, let basis):
            print("yes, \(reason), by transaction \(basis.transaction.id)")
        case .granted(let grant):
            print("yes, without a purchase: \(grant.reason)")
        case .paidApp(let purchase):
            print("yes, by the app's purchase of \(purchase.since)")
        case .pending, .lapsed, .never:
            print("no, \(answer.reason.rawValue)")
        case .unknown(let reason, _):
            print("unknown: \(reason)")
        }

        let isPro = resolution.feature("pro")?.timeline.value(at: now).answer.isEntitled ?? false

        #expect(printed == ["yes, active, by transaction 1000"])
        #expect(isPro)
    }
}
