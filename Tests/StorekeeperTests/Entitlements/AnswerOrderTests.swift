import StorekeeperTesting
import Testing

@testable import StorekeeperEngine

@Suite("Answers of several sources") struct AnswerOrderTests {
    @Test("Among answers about one product, unknown takes precedence over lapsed")
    func unknownBeforeLapsed() throws {
        let lapsed = TransactionDraft.purchase(of: TestShop.removeAds, at: .day(2)).revoked(at: .day(3))
        let lent = TransactionDraft.purchase(of: TestShop.removeAds, at: .day(0), id: "2000")
            .owned(as: OwnershipType(rawValue: "LENT"))
        for drafts in [[lapsed, lent], [lent, lapsed]] {
            let resolution = try TestShop.resolution(drafts)
            #expect(
                [-1, 0, 2, 3].map { resolution.text("remove.ads", at: .day($0)) } == [
                    "never noPurchase", "unknown unverified 2000", "entitled owned 1000", "unknown unverified 2000",
                ])
        }
    }

    @Test("Grace takes precedence over billing retry, also if the policy grants access in both")
    func graceBeforeRetry() throws {
        let own = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
        let shared = TransactionDraft.purchase(of: TestShop.gold, at: .day(0), id: "2000").owned(as: .familyShared)
        let infos = [
            RenewalInfoDraft(for: own, signedAt: .month(1)).billingRetry(),
            RenewalInfoDraft(for: shared, signedAt: .month(1)).grace(until: .day(37)),
        ]
        let policy = EntitlementPolicy(billingRetryEntitles: true)
        for drafts in [[own, shared], [shared, own]] {
            let resolution = try TestShop.resolution(drafts, infos, policy: policy)
            #expect(
                [3, 32, 40].map { resolution.text("gold.monthly", at: .day($0)) } == [
                    "entitled active 1000", "entitled gracePeriod 2000", "entitled gracePeriod 1000",
                ])
            #expect(resolution.group("membership")?.highest(at: .day(32))?.transaction.id == "2000")
        }
        let resolution = try TestShop.resolution([own, shared], infos, policy: policy)
        let winner = try #require(resolution.product("gold.monthly")?.timeline.value(at: .day(32)))
        let alone = try TestShop.resolution([own], infos, policy: policy)
        let other = try #require(alone.product("gold.monthly")?.timeline.value(at: .day(32)))
        #expect(
            ServiceLevel.rule(byWhich: winner, beats: other)
                == "\"inGracePeriod\" comes before \"inBillingRetryPeriod\".")
    }

    // MARK: Levels

    /// Returns the answer about a level of the membership as `word reason product`.
    private func access(
        _ resolution: Resolution, level: Int?, at instant: Instant = .day(3)
    ) throws -> String {
        let group = try #require(resolution.group("membership")?.group)
        let answer = resolution.access(to: group, atLevel: level).value(at: instant)
        return [answer.answer.word, answer.answer.reasonWord, answer.productID?.rawValue ?? "-"].joined(separator: " ")
    }

    /// A subscription of the membership with a level that is not in any catalog.
    private static let platinum = with(
        TransactionDraft.purchase(of: TestShop.gold, at: .day(0), id: "5000")
    ) { $0.productID = "platinum" }

    @Test("An active product without a level gives access, but its level is unknown")
    func unknownLevel() throws {
        let resolution = try TestShop.resolution([Self.platinum])
        #expect(try access(resolution, level: nil) == "entitled active platinum")
        for level in [1, 2, 9] { #expect(try access(resolution, level: level) == "unknown unknownLevel platinum") }
        #expect(try access(resolution, level: 1, at: .day(-1)) == "never noPurchase -")
        #expect(
            try access(resolution, level: 1, at: .month(1)) == "never noPurchase -",
            "the product no longer gives access")
    }

    @Test("An unknown level ranks below a known level and above lapsed")
    func unknownLevelAmongOthers() throws {
        let silver = TransactionDraft.purchase(of: TestShop.silver, at: .day(0))
        let resolution = try TestShop.resolution([Self.platinum, silver])
        #expect(try access(resolution, level: 2) == "entitled active silver.monthly")
        #expect(try access(resolution, level: 1) == "unknown unknownLevel platinum")
        let refunded = try TestShop.resolution([Self.platinum, silver.revoked(at: .day(1))])
        #expect(try access(refunded, level: 2) == "unknown unknownLevel platinum")
        let revoked = try TestShop.resolution([Self.platinum.revoked(at: .day(1)), silver.revoked(at: .day(1))])
        #expect(try access(revoked, level: 2) == "lapsed refunded silver.monthly")
    }

    @Test("If a product without a level is unknown, its level is unknown too")
    func doubtfulLevel() throws {
        let lent = Self.platinum.owned(as: OwnershipType(rawValue: "LENT"))
        #expect(try access(TestShop.resolution([lent]), level: 1) == "unknown unverified platinum")
    }

    // MARK: Incomplete evidence

    @Test("With incomplete evidence, never becomes unknown, with the given reason")
    func silence() throws {
        let silver = TransactionDraft.purchase(of: TestShop.silver, at: .day(0))
        let resolution = try TestShop.resolution([silver]).incomplete(because: .unverified)
        #expect(resolution.text("gold.monthly", at: .day(3)) == "unknown unverified")
        #expect(resolution.text("silver.monthly", at: .day(-1)) == "unknown unverified")
        #expect(resolution.text("silver.monthly", at: .day(3)) == "entitled active 1000")
        #expect(resolution.feature("pro")?.timeline.value(at: .day(3)).answer == .unknown(.unverified))
    }
}
