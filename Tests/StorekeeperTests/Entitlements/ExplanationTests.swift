import Storekeeper
import StorekeeperTesting
import Testing

@Suite("Explanations") struct ExplanationTests {
    private static let gold = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))

    private func explain(
        _ id: Product.ID, _ transactions: [TransactionDraft], _ infos: [RenewalInfoDraft] = [], at instant: Instant,
        policy: EntitlementPolicy = EntitlementPolicy()
    ) throws -> Explanation {
        EntitlementResolver(catalog: TestShop.catalog, policy: policy)
            .explain(id, in: try TestShop.history(transactions, infos), at: instant)
    }

    /// Returns the steps as `day: fact → effect`, with days counted from the epoch of tests.
    private func stepLines(_ explanation: Explanation) -> [String] {
        explanation.steps.map { step in
            "\(step.at.milliseconds(since: .testEpoch) / 86_400_000): \(step.fact) → \(step.effect)"
        }
    }

    @Test("An explanation lists a subscription's events in order: purchase, renewal, billing failure, grace")
    func subscription() throws {
        let renewal = TransactionDraft.renewal(of: Self.gold, expires: .month(2))
        let info = RenewalInfoDraft(for: renewal, signedAt: .month(2)).grace(until: .day(65))
        let explanation = try explain("gold.monthly", [renewal, Self.gold], [info], at: .day(60))
        #expect(
            stepLines(explanation) == [
                "0: transaction 1000: purchase of gold.monthly → entitled (active) until 2026-02-01T00:00:00.000Z",
                "31: transaction 1001: renewal of gold.monthly → still entitled (active) until 2026-03-01T00:00:00.000Z",
                """
                59: renewal info: auto-renewal on, billing is retried, grace period until 2026-03-07T00:00:00.000Z, \
                expiration reason: the payment failed → determines what follows the period that ends at \
                2026-03-01T00:00:00.000Z: a grace period
                """,
                "59: the period of transaction 1001 ends → entitled (gracePeriod) until 2026-03-07T00:00:00.000Z",
            ])
        #expect(explanation.answer.reasonWord == "gracePeriod")
        #expect(explanation.answer.basis?.transaction.id == "1001")
        #expect(explanation.next?.at == .day(65))
        #expect(explanation.next?.answer.reasonWord == "billingRetry")
        #expect(explanation.at == .day(60) && explanation.productID == "gold.monthly")
    }

    @Test("An explanation names the effect of another product of the chain")
    func upgrade() throws {
        let silver = TransactionDraft.purchase(of: TestShop.silver, at: .day(0))
        let gold = TransactionDraft.change(of: silver, to: "gold.monthly", at: .day(10), expires: .day(41))
        let explanation = try explain("silver.monthly", [silver.upgraded(signedAt: .day(10)), gold], at: .day(12))
        #expect(
            stepLines(explanation) == [
                """
                0: transaction 1000: purchase of silver.monthly (upgraded since), period to 2026-02-01T00:00:00.000Z → \
                entitled (active) until 2026-01-11T00:00:00.000Z
                """,
                "10: transaction 1001: purchase of gold.monthly → lapsed (upgraded)",
            ])
        #expect(explanation.next == nil)
    }

    @Test("An explanation names a refund with its share, but not before it takes effect")
    func refund() throws {
        let refunded = TransactionDraft.purchase(of: TestShop.removeAds, at: .day(0))
            .revoked(at: .day(5), percentage: 67_932)
        #expect(
            stepLines(try explain("remove.ads", [refunded], at: .day(5))) == [
                "0: transaction 1000: purchase of remove.ads → entitled (owned) until 2026-01-06T00:00:00.000Z",
                "5: transaction 1000 is refunded, 67.932 % of the price → lapsed (refunded)",
            ])
        let before = try explain("remove.ads", [refunded], at: .day(4))
        #expect(before.steps.count == 1)
        #expect(before.next?.at == .day(5) && before.next?.answer.reasonWord == "refunded")
    }

    @Test(
        "Shares are written without trailing zeros",
        arguments: [
            (0, "0 %"), (100_000, "100 %"), (33_333, "33.333 %"), (50_500, "50.5 %"), (12_340, "12.34 %"),
            (1_001, "1.001 %"), (10, "0.01 %"),
        ] as [(Int64, String)])
    func share(milliunits: Int64, text: String) throws {
        let draft = TransactionDraft.purchase(of: TestShop.removeAds, at: .day(0))
            .revoked(at: .day(5), percentage: milliunits)
        let steps = try explain("remove.ads", [draft], at: .day(6)).steps
        #expect(steps.last?.fact == "transaction 1000 is refunded, \(text) of the price")
    }

    @Test("An explanation names the ownership of a copy")
    func ownership() throws {
        for (ownership, name) in [(OwnershipType.familyShared, "family-shared"), (.assigned, "assigned")] {
            let steps = try explain("gold.monthly", [Self.gold.owned(as: ownership)], at: .day(1)).steps
            #expect(steps.map(\.fact) == ["transaction 1000: \(name) copy of gold.monthly"])
        }
    }

    @Test("An explanation states that a future purchase has no effect yet")
    func future() throws {
        let steps = try explain("gold.monthly", [Self.gold], at: .day(-1)).steps
        #expect(steps.map(\.effect) == ["none yet: it begins later"])
    }

    @Test("An explanation states that a renewal info of an earlier period is superseded by the next period")
    func oldInfo() throws {
        let renewal = TransactionDraft.renewal(of: Self.gold, expires: .month(2))
        let old = RenewalInfoDraft(for: Self.gold, signedAt: .day(20)).cancelled()
        let steps = try explain("gold.monthly", [Self.gold, renewal], [old], at: .day(40)).steps
        #expect(
            steps.contains {
                $0.fact == "renewal info: auto-renewal off"
                    && $0.effect == "none: transaction 1001 follows the period of transaction 1000 at once"
            })
    }

    @Test("An explanation names ignored evidence: environments that do not count, and failed verification")
    func ignored() throws {
        let sandbox = try explain("gold.monthly", [Self.gold.made(in: .sandbox)], at: .day(1))
        #expect(stepLines(sandbox) == ["0: transaction 1000: purchase of gold.monthly → ignored"])
        #expect(sandbox.answer == .never)

        var history = PurchaseHistory()
        history.markDoubtful("gold.monthly")
        history.markRefused("silver.monthly")
        let resolver = EntitlementResolver(catalog: TestShop.catalog)
        let doubtful = resolver.explain("gold.monthly", in: history, at: .day(1))
        #expect(doubtful.answer.reasonWord == "unverified")
        #expect(
            stepLines(doubtful) == [
                "1: evidence that names gold.monthly and failed verification → the answer is unknown"
            ])
        #expect(
            stepLines(resolver.explain("silver.monthly", in: history, at: .day(1))) == [
                "1: evidence of an environment that is not accepted → ignored"
            ])
    }

    @Test("An explanation of an unknown id has one step and the answer never bought")
    func unknownProduct() throws {
        let explanation = try explain("no.such.thing", [Self.gold], at: .day(1))
        #expect(explanation.answer == .never && explanation.next == nil)
        #expect(stepLines(explanation) == ["1: no transaction of no.such.thing → never bought"])
    }
}
