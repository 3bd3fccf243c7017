import Storekeeper
import StorekeeperTesting
import Testing

/// Tests of the answers if the evidence is incomplete or stale.
struct FreshnessTests {
    private func snapshot(_ drafts: [TransactionDraft], _ freshness: Freshness) throws -> StoreSnapshot {
        StoreSnapshot(customer: "ada", resolution: try TestShop.resolution(drafts), freshness: freshness)
    }

    private func text(_ answer: EntitlementAnswer) -> String { "\(answer.word) \(answer.reasonWord)" }

    @Test(
        "No evidence means never only if the whole history was read and the backend answers",
        arguments: [
            (Freshness(), "unknown neverSynced"),
            (Freshness(failingSince: .day(1)), "unknown neverSynced"),
            (Freshness(syncedAt: .day(0)), "never noPurchase"),
            (Freshness(syncedAt: .day(0), failingSince: .day(5)), "unknown backendFailed"),
            (Freshness(syncedAt: .day(0), failingSince: .day(6)), "never noPurchase"),
            (Freshness(syncedAt: .day(6), failingSince: .day(2)), "never noPurchase"),
        ])
    func silence(freshness: Freshness, expected: String) throws {
        let snapshot = try snapshot([], freshness)
        for id in [TestShop.gold.id, TestShop.removeAds.id] {
            #expect(text(snapshot.entitlement(for: id, at: .day(5))) == expected)
        }
        #expect(text(snapshot.feature("pro", at: .day(5))) == expected)
        #expect(text(snapshot.entitlement(for: "nobody.knows", at: .day(5))) == "unknown notInCatalog")
        #expect(text(snapshot.feature("nobody.knows", at: .day(5))) == "unknown notInCatalog")
        #expect(snapshot.entitlement(for: TestShop.coins.id, at: .day(5)) == .never)
    }

    @Test("A failure changes no answer before the trust ends, and afterwards only answers that give access")
    func staleness() throws {
        let lapsed = TransactionDraft.purchase(of: TestShop.news, at: .day(-60), id: "1")
        let owned = TransactionDraft.purchase(of: TestShop.removeAds, at: .day(0), id: "2")
        let running = TransactionDraft.purchase(of: TestShop.goldYearly, at: .day(0), id: "3")
        let freshness = Freshness(syncedAt: .day(1), failingSince: .day(2), maximumStaleness: .seconds(3 * 86_400))
        let snapshot = try snapshot([lapsed, owned, running], freshness)
        let end = Instant.day(5)
        let before = end.adding(milliseconds: -1)

        for id in [TestShop.removeAds.id, TestShop.goldYearly.id] {
            #expect(snapshot.isEntitled(id, at: before))
            let answer = snapshot.entitlement(for: id, at: end)
            #expect(text(answer) == "unknown backendFailed")
            #expect(answer.basis?.transaction.productID == id)
        }
        #expect(text(snapshot.entitlement(for: TestShop.news.id, at: end)) == "lapsed expired")
        #expect(snapshot.hasFeature("pro", at: before))
        #expect(!snapshot.hasFeature("pro", at: end))
        #expect(snapshot.highestStatus(group: "membership", at: before)?.isEntitled == true)
        #expect(snapshot.highestStatus(group: "membership", at: end)?.isEntitled == false)
        #expect(snapshot.highestStatus(group: "membership", at: end)?.state == .subscribed)
        #expect(snapshot.subscriptionStatuses(group: "membership", at: end).map(\.isEntitled) == [false])
        #expect(snapshot.currentEntitlements(at: before).map(\.id) == ["3", "2"])
        #expect(snapshot.currentEntitlements(at: end).isEmpty)
        #expect(snapshot.nextChange(after: .day(3)) == end)
    }

    @Test("A success after the failure restarts the trust, and without a limit trust never ends")
    func trust() {
        let day = Duration.seconds(86_400)
        #expect(Freshness(syncedAt: .day(9), maximumStaleness: day).trustEndsAt == nil)
        #expect(Freshness(syncedAt: .day(9), failingSince: .day(2), maximumStaleness: day).trustEndsAt == .day(10))
        #expect(Freshness(syncedAt: .day(1), failingSince: .day(2), maximumStaleness: day).trustEndsAt == .day(3))
        #expect(Freshness(failingSince: .day(2), maximumStaleness: .milliseconds(-1)).trustEndsAt == .day(2))
        #expect(Freshness(failingSince: .day(2)).trustEndsAt == nil)
    }

    @Test("A feature with a lapsed product is unknown if another product may have been bought")
    func featureOfSeveralProducts() throws {
        let lapsed = TransactionDraft.purchase(of: TestShop.gold, at: .day(-60))
        #expect(
            text(try snapshot([lapsed], Freshness(syncedAt: .day(0))).feature("pro", at: .day(1))) == "lapsed expired")
        #expect(text(try snapshot([lapsed], Freshness()).feature("pro", at: .day(1))) == "unknown neverSynced")
    }

    @Test(
        "A backend failure changes only answers of never, and access after the limit"
    )
    func failureKeepsAccess() {
        checkProperty(
            "a failure does not remove access", cases: 50, generate: HistoryGenerator().generate, shrink: \.smaller
        ) { evidence in
            let resolution = try evidence.resolution()
            let sound = StoreSnapshot(
                customer: "ada", resolution: resolution, freshness: Freshness(syncedAt: .distantPast))
            let failing = StoreSnapshot(
                customer: "ada", resolution: resolution,
                freshness: Freshness(failingSince: .distantPast, maximumStaleness: nil))
            return evidence.instantsOfInterest.allSatisfy { instant in
                evidence.productIDs.allSatisfy { id in
                    let (expected, found) = (
                        sound.entitlement(for: id, at: instant), failing.entitlement(for: id, at: instant)
                    )
                    if case .never = expected {
                        return resolution.isConsumable(id) ? found == .never : found == .unknown(.neverSynced)
                    }
                    return found == expected
                }
                    && evidence.catalog.features.allSatisfy { feature in
                        failing.hasFeature(feature.id, at: instant) == sound.hasFeature(feature.id, at: instant)
                    }
            }
        }
    }
}
