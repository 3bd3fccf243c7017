import Storekeeper
import StorekeeperTesting
import Testing

/// Tests that a renewal info about an ended period still describes the gap after this period, even if another period
/// has begun.
@Suite("A gap between two periods") struct EarlierGapTests {
    private static let first = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
    /// The period after the payment succeeded, ten days late.
    private static let second = TransactionDraft.change(of: first, at: .day(41), expires: .day(71))
    private static let grace = RenewalInfoDraft(for: first, signedAt: .day(31)).grace(until: .day(37))
    private static let retry = RenewalInfoDraft(for: first, signedAt: .day(31)).billingRetry()
    private static let id = TestShop.gold.id

    private func runs(_ transactions: [TransactionDraft], _ infos: [RenewalInfoDraft]) throws -> [String] {
        let timeline = try #require(try TestShop.resolution(transactions, infos).product(Self.id)?.timeline)
        return timeline.runs.map { run in
            let day = run.from.map { "\($0.milliseconds(since: .testEpoch) / 86_400_000) " } ?? ""
            return day + run.value.word + " " + run.value.reasonWord
        }
    }

    @Test("A gap keeps its grace and billing retry until the next period begins")
    func kept() throws {
        let newest = RenewalInfoDraft(for: Self.second)
        for infos in [[Self.grace, newest], [newest, Self.grace], [Self.grace]] {
            #expect(
                try runs([Self.first, Self.second], infos) == [
                    "never noPurchase", "0 entitled active", "31 entitled gracePeriod", "37 lapsed billingRetry",
                    "41 entitled active", "71 lapsed expired",
                ])
        }
        #expect(
            try runs([Self.first, Self.second], [Self.retry]) == [
                "never noPurchase", "0 entitled active", "31 lapsed billingRetry", "41 entitled active",
                "71 lapsed expired",
            ])
        let long = Self.grace.grace(until: .day(47))
        #expect(
            try runs([Self.first, Self.second], [long]) == [
                "never noPurchase", "0 entitled active", "31 entitled gracePeriod", "41 entitled active",
                "71 lapsed expired",
            ])
    }

    @Test("A gap without an info about the period before it is lapsed")
    func silent() throws {
        let expected = [
            "never noPurchase", "0 entitled active", "31 lapsed expired", "41 entitled active", "71 lapsed expired",
        ]
        #expect(try runs([Self.first, Self.second], []) == expected)
        // A renewal info that was signed after the next period began is about the next period.
        let late = with(Self.grace) { $0.signedAt = .day(41) }
        #expect(try runs([Self.first, Self.second], [late]) == expected)
    }

    @Test("The status in the gap is the one at that time")
    func status() throws {
        let resolution = try TestShop.resolution(
            [Self.first, Self.second], [Self.grace, RenewalInfoDraft(for: Self.second)])
        let status = try #require(resolution.group("membership")?.highest(at: .day(35)))
        #expect(status.state == .inGracePeriod && status.isEntitled && status.gracePeriodExpiresAt == .day(37))
        #expect(status.isInBillingRetry(at: .day(35)) == true && status.expirationReason == .billingError)
        #expect(status.transaction.id == "1000")
        let later = try #require(resolution.group("membership")?.highest(at: .day(50)))
        #expect(later.state == .subscribed && later.gracePeriodExpiresAt == nil)
        #expect(
            resolution.nextChange(after: .day(31)) == .day(37) && resolution.nextChange(after: .day(37)) == .day(41))
    }

    @Test("A gap ends when a successor of another product starts, which leaves the older one expired")
    func otherProduct() throws {
        let silver = TransactionDraft.change(of: Self.first, to: "silver.monthly", at: .day(35), expires: .day(66))
        #expect(
            try runs([Self.first, silver], [Self.grace]) == [
                "never noPurchase", "0 entitled active", "31 entitled gracePeriod", "35 lapsed expired",
            ])
    }

    @Test("A gap has the leeway of a renewal that was expected")
    func leeway() throws {
        let policy = EntitlementPolicy(renewalLeeway: .milliseconds(3_600_000))
        let info = RenewalInfoDraft(for: Self.first, signedAt: .day(5))
        let resolution = try TestShop.resolution([Self.first, Self.second], [info], policy: policy)
        #expect(resolution.text(Self.id, at: .day(31)) == "entitled renewalLeeway 1000")
        #expect(resolution.text(Self.id, at: .day(31).adding(milliseconds: 3_600_000)) == "lapsed expired 1000")
    }

    @Test("The explanation of a gap names the info that applies to it")
    func explained() throws {
        let told = try TestShop.steps("gold.monthly", [Self.first, Self.second], [Self.grace], at: .day(50))
        #expect(
            told.map { String($0.split(separator: "|")[0].dropLast()) } == [
                "0: transaction 1000: purchase of gold.monthly → entitled (active) until 2026-02-01T00:00:00.000Z",
                """
                31: renewal info: auto-renewal on, billing is retried, grace period until 2026-02-07T00:00:00.000Z, \
                expiration reason: the payment failed → determines what follows the period that ends at \
                2026-02-01T00:00:00.000Z: a grace period
                """,
                "31: the period of transaction 1000 ends → entitled (gracePeriod) until 2026-02-07T00:00:00.000Z",
                """
                37: the grace period of transaction 1000 ends → lapsed (billingRetry) until 2026-02-11T00:00:00.000Z
                """,
                "41: transaction 1001: purchase of gold.monthly → entitled (active) until 2026-03-13T00:00:00.000Z",
            ])
    }

    @Test("The state known at an earlier instant has the gap as known then")
    func asKnown() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        try await store.ingest([Self.first.jws], isComplete: true)
        bench.clock.set(.day(32))
        try await store.ingest([Self.grace.jws])
        bench.clock.set(.day(45))
        try await store.ingest([Self.second.jws, RenewalInfoDraft(for: Self.second).jws])
        func reason(_ known: Instant, at instant: Instant) async throws -> String {
            try await store.state(asKnownAt: known).snapshot.entitlement(for: Self.id, at: instant).reasonWord
        }
        #expect(try await reason(.day(31), at: .day(33)) == "expired")
        #expect(try await reason(.day(32), at: .day(33)) == "gracePeriod")
        #expect(try await reason(.day(45), at: .day(33)) == "gracePeriod")
        #expect(store.entitlement(for: Self.id, at: .day(33)).reasonWord == "gracePeriod")
        // A reopened store also loads the older renewal info.
        let again = try await bench.open()
        #expect(again.entitlement(for: Self.id, at: .day(33)).reasonWord == "gracePeriod")
    }
}
