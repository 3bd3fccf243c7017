import Storekeeper
import StorekeeperTesting
import Testing

/// Tests that a move to a bundle, or out of one, is not a refund.
@Suite("Moves to a bundle") struct BundleMoveTests {
    private static let alone = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
    private static let moved = alone.movedToBundle(at: .day(10))
    private static let bundled = with(TransactionDraft.purchase(of: TestShop.gold, at: .day(10), id: "2000")) {
        $0.previousOriginalID = "1000"
    }
    private static let id = TestShop.gold.id

    private func resolution(_ transactions: [TransactionDraft], _ infos: [RenewalInfoDraft] = []) throws -> Resolution {
        let resolution = try TestShop.resolution(transactions, infos)
        let model = try ReferenceModel(
            GeneratedEvidence(catalog: TestShop.catalog, transactions: transactions, renewalInfos: infos))
        let timeline = try #require(resolution.product(Self.id)?.timeline)
        for day in 0..<110 {
            #expect(
                ReferenceAnswer(timeline.value(at: .day(day))) == model.answer(product: Self.id, at: .day(day)),
                "day \(day)"
            )
        }
        return resolution
    }

    private func states(_ resolution: Resolution, at day: Int) -> [String] {
        let statuses = resolution.group("membership")?.statuses(at: .day(day)) ?? []
        return statuses.map { "\($0.transaction.originalID) \($0.state.rawValue)" }.sorted()
    }

    @Test("Access goes on under the bundle's chain, and the old chain is revoked from the revocation date on")
    func known() throws {
        for transactions in [[Self.moved, Self.bundled], [Self.bundled, Self.moved]] {
            let resolution = try resolution(transactions)
            #expect(resolution.text(Self.id, at: .day(9)) == "entitled active 1000")
            #expect(resolution.text(Self.id, at: .day(10)) == "entitled active 2000")
            #expect(states(resolution, at: 10) == ["1000 revoked", "2000 subscribed"])
        }
        let silver = with(Self.bundled) { $0.productID = "silver.monthly" }
        #expect(try resolution([Self.moved, silver]).text(Self.id, at: .day(10)) == "lapsed movedToBundle 1000")
    }

    @Test("While the bundle's chain is not known, the period continues, as after an upgrade without a successor")
    func unknown() throws {
        let grace = RenewalInfoDraft(for: Self.alone, signedAt: .day(31)).grace(until: .day(40))
        let resolution = try resolution([Self.moved], [grace])
        #expect(resolution.text(Self.id, at: .day(30)) == "entitled active 1000")
        #expect(resolution.text(Self.id, at: .day(31)) == "lapsed movedToBundle 1000")
        #expect(states(resolution, at: 30) == ["1000 subscribed"] && states(resolution, at: 31) == ["1000 expired"])
    }

    @Test("A revocation of a chain that another chain names is a move, whatever its reason says")
    func named() throws {
        let revoked = Self.alone.revoked(at: .day(10))
        #expect(try resolution([revoked]).text(Self.id, at: .day(20)) == "lapsed refunded 1000")
        let silver = with(Self.bundled) { $0.productID = "silver.monthly" }
        #expect(try resolution([revoked, silver]).text(Self.id, at: .day(20)) == "lapsed movedToBundle 1000")
        // The chain that was bought in a bundle may be named by the bundle's original transaction.
        let inBundle = with(revoked) { $0.otherMembers["bundleOriginalTransactionId"] = .string("777") }
        let left = with(silver) { $0.previousOriginalID = "777" }
        #expect(try resolution([inBundle, left]).text(Self.id, at: .day(20)) == "lapsed movedToBundle 1000")
        let elsewhere = silver.made(in: .sandbox)
        #expect(try resolution([revoked, elsewhere]).text(Self.id, at: .day(20)) == "lapsed refunded 1000")
    }

    @Test("Of a transaction that is upgraded and moved to a bundle, the upgrade is the reason")
    func upgraded() throws {
        let upgrade = TransactionDraft.change(of: Self.alone, to: "silver.monthly", at: .day(10), expires: .day(41))
        let moved = Self.moved.upgraded(signedAt: .day(11))
        #expect(try resolution([moved, upgrade]).text(Self.id, at: .day(20)) == "lapsed upgraded 1000")
        let refunded = Self.alone.revoked(at: .day(10)).upgraded(signedAt: .day(11))
        #expect(try resolution([refunded, upgrade]).text(Self.id, at: .day(20)) == "lapsed refunded 1000")
    }

    @Test("Chains that arrive one after another lead to the same answers as all at once")
    func live() throws {
        let unnamed = with(Self.bundled.signed(at: .day(9))) { $0.previousOriginalID = nil }
        let renewal = TransactionDraft.renewal(of: Self.bundled)
        let drafts = [Self.alone, Self.moved, Self.bundled, unnamed, renewal]
        let resolver = EntitlementResolver(catalog: TestShop.catalog)
        var random = SplitMix64(seed: 5)
        for _ in 0..<100 {
            var live = LiveResolution(history: PurchaseHistory(), resolver: resolver)
            var history = PurchaseHistory()
            for draft in drafts.shuffled(using: &random) {
                let item = CheckedEvidence.transaction(.verified(try draft.transaction()))
                live.merge([item])
                history.merge(item)
                #expect(live.resolution == resolver.resolve(history))
            }
        }
    }

    @Test("A move to a bundle takes nothing back from a balance")
    func balance() throws {
        let coins = TransactionDraft(productID: "coins.100", type: .consumable, purchasedAt: .day(0))
        let rule = LedgerRule()
        for (draft, balance) in [(coins.revoked(at: .day(1)), 0), (coins.movedToBundle(at: .day(1)), 1)] {
            let transaction = try draft.transaction()
            let movements = rule.movements(of: transaction, credit: 1, after: [], balance: 0)
            #expect(movements.reduce(0) { $0 + $1.change } == balance)
            let resolution = try TestShop.resolution([draft])
            #expect(resolution.balances.first { $0.id == "coins.100" }?.totals(at: .day(2)).balance == Int64(balance))
            let model = try ReferenceModel(GeneratedEvidence(catalog: .empty, transactions: [draft]))
            #expect(model.consumables(at: .day(2)).first?.balance == Int64(balance))
        }
    }
}
