import Storekeeper
import StorekeeperTesting
import Testing

/// Tests that a renewal info that was signed after an early charge is about the next period.
@Suite("Renewal infos of a renewal that was charged early") struct EarlyChargeTests {
    private static let january = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
    private static let february = TransactionDraft.renewal(of: january, expires: .month(2)).signed(at: .day(30))
    /// The renewal info that was signed together with the early charge.
    private static let info = RenewalInfoDraft(for: february, signedAt: .day(30))
    private static let leeway = EntitlementPolicy(renewalLeeway: .milliseconds(3_600_000))
    private static let id = TestShop.gold.id

    private func status(
        _ transactions: [TransactionDraft], _ infos: [RenewalInfoDraft], at instant: Instant
    ) throws -> SubscriptionStatus {
        try #require(try TestShop.resolution(transactions, infos).group("membership")?.highest(at: instant))
    }

    @Test("The info shows during the next period whether it will renew, and not during the current one")
    func visible() throws {
        let status = try status([Self.january, Self.february], [Self.info], at: .day(40))
        #expect(status.renewalInfo?.willAutoRenew == true && status.renewalInfo?.autoRenewProductID == Self.id)
        #expect(try self.status([Self.january, Self.february], [Self.info], at: .day(20)).renewalInfo == nil)
        let cancelled = with(Self.info.cancelled()) { $0.signedAt = .day(30).adding(milliseconds: 7_200_000) }
        let after = try self.status([Self.january, Self.february], [Self.info, cancelled], at: .day(40))
        #expect(after.renewalInfo?.autoRenewStatus == .off, "a cancellation on the last day is not lost")
    }

    @Test("The info makes a renewal expected, unless it was cancelled on the last day")
    func waiting() throws {
        let expiry = Instant.month(2)
        let cancelled = with(Self.info.cancelled()) { $0.signedAt = .day(31).adding(milliseconds: -1) }
        for (infos, text) in [
            ([], "lapsed expired 1001"), ([Self.info], "entitled renewalLeeway 1001"),
            ([Self.info, cancelled], "lapsed expired 1001"), ([cancelled, Self.info], "lapsed expired 1001"),
        ] as [([RenewalInfoDraft], String)] {
            let resolution = try TestShop.resolution([Self.january, Self.february], infos, policy: Self.leeway)
            #expect(resolution.text(Self.id, at: expiry) == text)
            #expect(resolution.text(Self.id, at: expiry.adding(milliseconds: 3_600_000)) == "lapsed expired 1001")
        }
    }

    /// The arguments are the renewal date of a renewal info that was signed a day before February, and whether the
    /// renewal info is about February.
    @Test(
        "The info is about the next period if its renewal date is the end of that period",
        arguments: [
            (Instant.month(2), true), (.month(1), false), (nil, false),
            (Instant.month(2).adding(milliseconds: 1), false),
            (.month(3), false),
        ] as [(Instant?, Bool)])
    func pairing(renewsAt: Instant?, isOfNext: Bool) throws {
        let info = with(Self.info) { $0.renewsAt = renewsAt }
        for order in [[Self.january, Self.february], [Self.february, Self.january]] {
            let ofFebruary = try status(order, [info], at: .day(40)).renewalInfo
            let ofJanuary = try status(order, [info], at: .day(20)).renewalInfo
            #expect((ofFebruary != nil) == isOfNext && (ofJanuary == nil) == isOfNext)
        }
    }

    @Test("The info is about the current period if the next one ends with it or is not adjacent")
    func others() throws {
        // January is extended by a month, so that both periods end at the same instant.
        let extended = with(Self.january.signed(at: .day(29))) { $0.expiresAt = .month(2) }
        #expect(try status([extended, Self.february], [Self.info], at: .day(40)).renewalInfo == nil)
        let march = TransactionDraft.renewal(of: Self.february, expires: .month(3))
        let ofMarch = RenewalInfoDraft(for: march, signedAt: .day(30))
        #expect(try status([Self.january, Self.february, march], [ofMarch], at: .day(62)).renewalInfo == nil)
        #expect(try status([Self.january, march], [ofMarch], at: .day(62)).renewalInfo != nil)
    }

    @Test("The info is about the first known period, even if none has begun")
    func lone() throws {
        #expect(try status([Self.february], [Self.info], at: .day(30)).renewalInfo != nil)
        #expect(try status([Self.february], [Self.info], at: .day(40)).renewalInfo != nil)
        let ofJanuary = RenewalInfoDraft(for: Self.january, signedAt: .day(20))
        #expect(try status([Self.february], [ofJanuary], at: .day(40)).renewalInfo == nil)
        let resolution = try TestShop.resolution([Self.february], [Self.info], policy: Self.leeway)
        #expect(resolution.text(Self.id, at: .month(2)) == "entitled renewalLeeway 1001")
    }

    @Test("An info that is signed during the period replaces it")
    func newer() throws {
        let failed = RenewalInfoDraft(for: Self.february, signedAt: .month(2)).billingRetry()
        let resolution = try TestShop.resolution(
            [Self.january, Self.february], [Self.info, failed], policy: Self.leeway)
        #expect(resolution.text(Self.id, at: .month(2)) == "lapsed billingRetry 1001")
    }

    @Test("Infos are paired in any order of arrival")
    func live() throws {
        let march = TransactionDraft.renewal(of: Self.february, expires: .month(3)).signed(at: .day(58))
        let cancelled = with(Self.info.cancelled()) { $0.signedAt = .day(30).adding(milliseconds: 7_200_000) }
        let extended = with(Self.february.signed(at: .day(50))) { $0.expiresAt = .day(62) }
        var items: [CheckedEvidence] = []
        for draft in [Self.january, Self.february, march, extended] {
            items.append(.transaction(.verified(try draft.transaction())))
        }
        for info in [Self.info, cancelled, RenewalInfoDraft(for: march, signedAt: .day(58))] {
            items.append(.renewalInfo(.verified(try info.renewalInfo())))
        }
        let resolver = EntitlementResolver(catalog: TestShop.catalog, policy: Self.leeway)
        var random = SplitMix64(seed: 11)
        for _ in 0..<200 {
            var live = LiveResolution(history: PurchaseHistory(), resolver: resolver)
            var history = PurchaseHistory()
            for item in items.shuffled(using: &random) {
                live.merge([item])
                history.merge(item)
                #expect(live.resolution == resolver.resolve(history))
            }
        }
    }

    @Test("The explanation states which period the info is about")
    func explained() throws {
        let told = try TestShop.steps("gold.monthly", [Self.january, Self.february], [Self.info], at: .day(60))
        #expect(
            told.contains(
                """
                30: renewal info: auto-renewal on → determines what follows the period that ends at 2026-03-01T00:00:00.000Z: a \
                renewal, once it arrives | A renewal info whose renewal date is the end of the next period was signed \
                after an early charge, and is about the next period.
                """))
    }

    @Test("With a cancellation on the last day the evidence is not stale")
    func stale() throws {
        let resolver = EntitlementResolver(catalog: TestShop.catalog)
        let cancelled = with(Self.info.cancelled()) { $0.signedAt = .day(30).adding(milliseconds: 7_200_000) }
        for (infos, codes) in [([Self.info], [.staleEvidence]), ([Self.info, cancelled], [])]
            as [([RenewalInfoDraft], [Diagnostic.Code])]
        {
            let history = try TestShop.history([Self.january, Self.february], infos)
            let found = EvidenceDiagnostics(history, resolver: resolver).diagnostics(at: .month(2), now: .month(2))
            #expect(found.map(\.code) == codes)
        }
    }
}
