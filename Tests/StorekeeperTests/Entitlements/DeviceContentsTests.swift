import Storekeeper
import StorekeeperTesting
import Testing

/// Tests of what StoreKit 2 would contain on a device.
@Suite("The contents of a device") struct DeviceContentsTests {
    private static let gold = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))

    private func contents(
        _ transactions: [TransactionDraft], _ infos: [RenewalInfoDraft] = [], at instant: Instant = .day(40),
        policy: EntitlementPolicy = EntitlementPolicy()
    ) throws -> DeviceContents {
        EntitlementResolver(catalog: TestShop.catalog, policy: policy)
            .deviceContents(of: try TestShop.history(transactions, infos), at: instant)
    }

    private func absences(_ contents: DeviceContents) -> [String] {
        contents.absent.map { "\($0.transaction?.id.rawValue ?? $0.productID.rawValue) \($0.reason.rawValue)" }
    }

    @Test("Each absent transaction has a reason")
    func reasons() throws {
        let renewal = TransactionDraft.renewal(of: Self.gold)
        let found = try contents([
            Self.gold, renewal,
            TransactionDraft.purchase(of: TestShop.removeAds, at: .day(1), id: "2000").revoked(at: .day(2)),
            .purchase(of: "coins.100", type: .consumable, at: .day(3), id: "3000"),
            with(TransactionDraft.purchase(of: TestShop.silver, at: .day(4), id: "4000")) { $0.environment = .sandbox },
        ])
        #expect(found.currentEntitlements.map(\.id) == [Transaction.ID(renewal.id.rawValue)])
        #expect(
            absences(found).sorted() == ["1000 superseded", "2000 revoked", "3000 consumable", "4000 environment"])
        #expect(found.all.map(\.id) == [Transaction.ID(renewal.id.rawValue), "2000", "1000"])
        #expect(found.latest.map(\.productID) == ["gold.monthly", "remove.ads"])
        #expect(found.statuses.flatMap(\.statuses).map(\.state) == [.subscribed])
    }

    @Test("Billing retry is absent and a grace period is not, whatever the server's policy")
    func failedPayment() throws {
        let policy = EntitlementPolicy(gracePeriodEntitles: false, billingRetryEntitles: true)
        let grace = RenewalInfoDraft(for: Self.gold, signedAt: .month(1)).grace(until: .day(47))
        #expect(try contents([Self.gold], [grace], policy: policy).currentEntitlements.map(\.id) == ["1000"])
        let retry = RenewalInfoDraft(for: Self.gold, signedAt: .month(1)).billingRetry()
        let found = try contents([Self.gold], [retry], policy: policy)
        #expect(found.currentEntitlements.isEmpty && absences(found) == ["1000 billingRetry"])
        let ended = RenewalInfoDraft(for: Self.gold, signedAt: .month(1)).cancelled()
        #expect(try absences(contents([Self.gold], [ended])) == ["1000 expired"])
    }

    @Test("A transaction that begins later is not there yet")
    func future() throws {
        let found = try contents([Self.gold, .renewal(of: Self.gold)], at: .day(3))
        #expect(found.currentEntitlements.map(\.id) == ["1000"] && found.absent.isEmpty && found.all.count == 1)
    }

    @Test("The JSON lists identifiers, statuses and absences")
    func json() throws {
        let text = try contents([Self.gold, .renewal(of: Self.gold)]).json.text()
        #expect(text.contains(#""currentEntitlements":[{"productID":"gold.monthly","transactionID":"#))
        #expect(text.contains(#""absentFrom":["currentEntitlements"]"#) && text.contains(#""reason":"superseded""#))
    }
}
