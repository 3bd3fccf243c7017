import Storekeeper
import StorekeeperTesting
import Testing

/// Tests that a renewal info about a failed renewal has no effect on the next renewal.
@Suite("Renewal infos about the previous renewal") struct StaleRenewalInfoTests {
    private static let first = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
    /// The renewal that was paid in the grace period.
    ///
    /// Its period begins at the end of the previous period, although it was signed a week later.
    private static let recovered = TransactionDraft.renewal(of: first, expires: .month(2)).signed(at: .day(38))
    /// The renewal info that was signed when the renewal on 1 February failed.
    private static let failure = RenewalInfoDraft(for: first, signedAt: .day(32)).grace(until: .day(47))
    private static let id = TestShop.gold.id

    @Test("The recovered period does not end in billing retry")
    func recovery() throws {
        let resolution = try TestShop.resolution([Self.first, Self.recovered], [Self.failure])
        #expect(resolution.text(Self.id, at: .day(40)) == "entitled active 1001")
        let later = Instant.month(2).adding(days: 9)
        #expect(resolution.text(Self.id, at: later) == "lapsed expired 1001")
        let status = try #require(resolution.group("membership")?.highest(at: later))
        #expect(status.state == .expired && status.expirationReason == .unknown)
        #expect(status.gracePeriodExpiresAt == nil && status.isInBillingRetry(at: later) == false)
        #expect(status.renewalInfo?.autoRenewStatus == .on, "its auto-renewal setting still counts")
        let model = try ReferenceModel(
            GeneratedEvidence(
                catalog: TestShop.catalog, transactions: [Self.first, Self.recovered], renewalInfos: [Self.failure]))
        #expect(model.answer(product: Self.id, at: later).reason == "expired")
    }

    /// The renewal infos are about a period that ends on day 31.
    @Test(
        "A renewal info counts if it was signed at most 24 hours before the expiry, when the App Store first tries to renew",
        arguments: [
            (Instant.day(30).adding(milliseconds: -1), "lapsed expired 1000"), (.day(30), "lapsed billingRetry 1000"),
            (.day(31), "lapsed billingRetry 1000"),
        ])
    func boundary(signedAt: Instant, text: String) throws {
        let info = RenewalInfoDraft(for: Self.first, signedAt: signedAt).billingRetry()
        #expect(try TestShop.resolution([Self.first], [info]).text(Self.id, at: .day(40)) == text)
        let grace = RenewalInfoDraft(for: Self.first, signedAt: signedAt).grace(until: .day(45))
        let isCounted = signedAt >= .day(30)
        #expect(
            try TestShop.resolution([Self.first], [grace]).text(Self.id, at: .day(40))
                == (isCounted ? "entitled gracePeriod 1000" : "lapsed expired 1000"))
        let reason = try TestShop.resolution([Self.first], [info]).group("membership")?.highest(at: .day(120))?
            .expirationReason
        #expect(reason == (isCounted ? .billingError : .unknown))
    }

    @Test("An old renewal info does not remove the leeway of an expected renewal")
    func leeway() throws {
        let info = RenewalInfoDraft(for: Self.first, signedAt: .day(20)).billingRetry()
        let policy = EntitlementPolicy(renewalLeeway: .milliseconds(3_600_000))
        let resolution = try TestShop.resolution([Self.first], [info], policy: policy)
        #expect(resolution.text(Self.id, at: .month(1)) == "entitled renewalLeeway 1000")
    }

    @Test("Only 0 and 1 are known values of the auto-renewal status", arguments: [0, 1, 7, -1])
    func autoRenewStatus(number: Int64) throws {
        let info = with(RenewalInfoDraft(for: Self.first)) { $0.autoRenewStatus = AutoRenewStatus(rawValue: number) }
        let resolution = try TestShop.resolution([Self.first], [info])
        let status = try #require(resolution.group("membership")?.highest(at: .day(3)))
        #expect(
            status.renewalInfo?.autoRenewStatus?.isOn == (number == 0 ? false : number == 1 ? true : nil))
        #expect(status.state == .subscribed && status.isEntitled)
    }
}
