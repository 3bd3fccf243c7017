import Storekeeper
import StorekeeperTesting
import Testing

/// Tests that a renewal info holds from its signing until the next one is signed, so that the past stays as it was.
@Suite("Renewal infos over time") struct RenewalInfosOverTimeTests {
    private static let first = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
    private static let id = TestShop.gold.id

    private static func info(_ day: Int, _ change: (RenewalInfoDraft) -> RenewalInfoDraft = { $0 }) -> RenewalInfoDraft
    {
        change(RenewalInfoDraft(for: first, signedAt: .day(day)))
    }

    private func status(_ infos: [RenewalInfoDraft], at day: Int) throws -> SubscriptionStatus {
        try #require(try TestShop.resolution([Self.first], infos).group("membership")?.highest(at: .day(day)))
    }

    private func runs(_ infos: [RenewalInfoDraft], policy: EntitlementPolicy = EntitlementPolicy()) throws -> [String] {
        let timeline = try TestShop.resolution([Self.first], infos, policy: policy).product(Self.id)?.timeline
        return try #require(timeline).runs.dropFirst().map { run in
            "\((run.from ?? .testEpoch).milliseconds(since: .testEpoch) / 86_400_000) \(run.value.reasonWord)"
        }
    }

    @Test("Billing retry stays billing retry after the App Store has given up")
    func retry() throws {
        let infos = [Self.info(31) { $0.billingRetry() }, Self.info(91) { $0.cancelled(reason: .billingError) }]
        #expect(try runs(infos) == ["0 active", "31 billingRetry", "91 expired"])
        let policy = EntitlementPolicy(billingRetryEntitles: true)
        #expect(try runs(infos, policy: policy) == ["0 active", "31 gracePeriod", "91 expired"])
        // Cancelling in retry ends it when it is signed.
        let cancelled = [infos[0], Self.info(40) { $0.cancelled(reason: .autoRenewDisabled) }]
        #expect(try runs(cancelled) == ["0 active", "31 billingRetry", "40 expired"])
        #expect(try status(cancelled, at: 39).isInBillingRetry(at: .day(39)) == true)
        #expect(try status(cancelled, at: 40).isInBillingRetry(at: .day(40)) == false)
    }

    @Test("Auto-renewal is what the info that holds says; the first info also holds before its signing")
    func autoRenewal() throws {
        let infos = [
            Self.info(5), Self.info(10) { $0.cancelled() },
            with(Self.info(20)) { $0.autoRenewProductID = TestShop.silver.id },
        ]
        for (day, willRenew, product) in [
            (0, true, Self.id), (5, true, Self.id), (9, true, Self.id), (10, false, Self.id), (19, false, Self.id),
            (20, true, TestShop.silver.id), (200, true, TestShop.silver.id),
        ] {
            let renewalInfo = try status(infos, at: day).renewalInfo
            #expect(renewalInfo?.willAutoRenew == willRenew && renewalInfo?.autoRenewProductID == product, "day \(day)")
        }
    }

    @Test("The first info of a failed renewal holds from the expiry, and auto-renewal is what the earlier one says")
    func failure() throws {
        let infos = [Self.info(5), Self.info(33) { with($0.billingRetry()) { $0.autoRenewStatus = .off } }]
        #expect(try runs(infos) == ["0 active", "31 billingRetry", "91 expired"])
        let before = try status(infos, at: 30)
        #expect(before.isInBillingRetry(at: .day(30)) == false && before.expirationReason == nil)
        let between = try status(infos, at: 32)
        #expect(between.isInBillingRetry(at: .day(32)) == true && between.expirationReason == .billingError)
        #expect(between.renewalInfo?.willAutoRenew == true)
        #expect(try status(infos, at: 33).renewalInfo?.willAutoRenew == false)
        #expect(try status(infos, at: 91).isInBillingRetry(at: .day(91)) == false)
    }

    @Test("Grace before a payment that came later stays, and so does a gap in the service")
    func recovered() throws {
        let second = TransactionDraft.change(of: Self.first, at: .day(50), expires: .day(81))
        let infos = [
            Self.info(31) { $0.billingRetry() }, Self.info(33) { $0.grace(until: .day(47)) },
            RenewalInfoDraft(for: second),
        ]
        let timeline = try #require(try TestShop.resolution([Self.first, second], infos).product(Self.id)?.timeline)
        #expect(
            timeline.runs.map(\.value.reasonWord)
                == ["noPurchase", "active", "billingRetry", "gracePeriod", "billingRetry", "active", "expired"])
    }

    @Test("The same state that is signed again changes nothing")
    func again() throws {
        let infos = [Self.info(31) { $0.grace(until: .day(47)) }]
        let resigned = infos + [33, 40, 46, 80].map { day in Self.info(day) { $0.grace(until: .day(47)) } }
        #expect(try runs(infos) == ["0 active", "31 gracePeriod", "47 billingRetry", "91 expired"])
        #expect(try runs(resigned) == runs(infos))
        let resolution = try TestShop.resolution([Self.first], resigned)
        #expect(resolution.nextChange(after: .day(31)) == .day(47))
    }

    @Test("A revoked or upgraded transaction keeps the info that holds")
    func revoked() throws {
        let infos = [Self.info(5), Self.info(20) { $0.cancelled() }]
        for draft in [Self.first.revoked(at: .day(10)), Self.first.upgraded(signedAt: .day(10))] {
            let group = try #require(try TestShop.resolution([draft], infos).group("membership"))
            #expect(group.highest(at: .day(19))?.renewalInfo?.willAutoRenew == true)
            #expect(group.highest(at: .day(20))?.renewalInfo?.willAutoRenew == false)
            #expect(group.nextChange(after: .day(12)) == (draft.revokedAt == nil ? .day(31) : nil))
        }
    }
}
