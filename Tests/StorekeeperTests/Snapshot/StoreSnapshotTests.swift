import Storekeeper
import StorekeeperTesting
import Testing

/// Tests of the questions that a snapshot answers.
struct StoreSnapshotTests {
    private func snapshot(
        _ transactions: [TransactionDraft], _ infos: [RenewalInfoDraft] = [], balances: [Balance] = []
    ) throws -> StoreSnapshot {
        StoreSnapshot(
            customer: "ada", resolution: try TestShop.resolution(transactions, infos), balances: balances,
            freshness: Freshness(syncedAt: .day(0)))
    }

    @Test("Every question has an answer for unknown ids and for consumables")
    func total() throws {
        let snapshot = try snapshot([.purchase(of: TestShop.coins, at: .day(0))])
        for id in ["", "nobody.knows", TestShop.coins.id] {
            let isKnown = id == TestShop.coins.id
            #expect(snapshot.entitlement(for: id, at: .day(1)) == (isKnown ? .never : .unknown(.notInCatalog)))
            #expect(!snapshot.isEntitled(id, at: .day(1)))
            #expect(!snapshot.isPurchased(id, at: .day(1)))
            #expect(snapshot.feature(Feature.ID(id.rawValue), at: .day(1)) == .unknown(.notInCatalog))
            #expect(snapshot.subscriptionStatuses(group: id.rawValue, at: .day(1)).isEmpty)
            #expect(snapshot.highestStatus(group: id.rawValue, at: .day(1)) == nil)
            let balance = Balance.ID(id.rawValue)
            #expect(snapshot.balance(of: balance) == Balance(id: balance))
        }
    }

    @Test("A misspelled id is reported with a suggestion, whatever else is known of the customer")
    func unknownNames() throws {
        let snapshot = try snapshot([])
        #expect(snapshot.diagnostic(aboutUnknownProduct: TestShop.gold.id) == nil)
        #expect(snapshot.diagnostic(aboutUnknownProduct: TestShop.coins.id) == nil)
        #expect(snapshot.diagnostic(aboutUnknownFeature: "pro") == nil)
        #expect(snapshot.diagnostic(aboutUnknownBalance: "coins") == nil)
        let product = try #require(snapshot.diagnostic(aboutUnknownProduct: "gold.montly"))
        #expect(product.code == .unknownProduct && product.subject == "gold.montly")
        #expect(product.message == "no catalog has a product 'gold.montly': did you mean 'gold.monthly'?")
        #expect(
            snapshot.diagnostic(aboutUnknownProduct: "pro")?.message
                == "no catalog has a product 'pro': 'pro' is a feature")
        #expect(
            snapshot.diagnostic(aboutUnknownFeature: "gold.monthly")?.message
                == "no catalog has a feature 'gold.monthly': 'gold.monthly' is a product")
        #expect(snapshot.diagnostic(aboutUnknownFeature: "ad-fre")?.message.contains("'ad-free'") == true)
        #expect(snapshot.diagnostic(aboutUnknownBalance: "coin")?.message.contains("'coins'") == true)
        #expect(snapshot.entitlement(for: "gold.montly", at: .day(1)).reason == .notInCatalog)
    }

    @Test("Without a catalog every id is accepted, and a product in the evidence needs no catalog")
    func withoutCatalog() throws {
        let bare = StoreSnapshot(
            customer: "ada", resolution: EntitlementResolver(catalog: .empty).resolve(PurchaseHistory()),
            freshness: Freshness(syncedAt: .day(0)))
        #expect(bare.entitlement(for: "anything", at: .day(1)) == .never)
        #expect(bare.feature("anything", at: .day(1)) == .never)
        #expect(bare.diagnostic(aboutUnknownProduct: "anything") == nil)
        #expect(bare.diagnostic(aboutUnknownBalance: "anything") == nil)
        let other = TransactionDraft.purchase(
            of: Product(id: "withdrawn", type: .nonConsumable), at: .day(0), id: "9")
        let snapshot = try snapshot([other])
        #expect(snapshot.entitlement(for: "withdrawn", at: .day(1)).isEntitled)
        #expect(snapshot.diagnostic(aboutUnknownProduct: "withdrawn") == nil)
    }

    @Test("A consumable counts as purchased while any of its grants are left")
    func consumable() throws {
        let purchase = TransactionDraft.purchase(of: TestShop.coins, at: .day(0))
        let full = try snapshot([purchase], balances: [Balance(id: "coins", credited: 500, spent: 499)])
        let empty = try snapshot([purchase], balances: [Balance(id: "coins", credited: 500, spent: 500)])
        #expect(full.isPurchased(TestShop.coins.id, at: .day(1)))
        #expect(!empty.isPurchased(TestShop.coins.id, at: .day(1)))
        #expect(full.balance(of: "coins").amount == 1)
    }

    @Test("Current entitlements are those of StoreKit 2")
    func currentEntitlements() throws {
        let expired = TransactionDraft.purchase(of: TestShop.news, at: .day(-40), id: "10")
        let silver = TransactionDraft.purchase(of: TestShop.silver, at: .day(0), id: "20").upgraded(signedAt: .day(3))
        let gold = TransactionDraft.change(of: silver, to: TestShop.gold.id, at: .day(3), expires: .day(33), id: "21")
        let family = TransactionDraft.purchase(of: TestShop.bronze, at: .day(1), id: "30").owned(as: .familyShared)
        let ads = TransactionDraft.purchase(of: TestShop.removeAds, at: .day(0), id: "40")
        let firstPass = TransactionDraft.purchase(of: TestShop.seasonPass, at: .day(-300), id: "50")
        let lastPass = TransactionDraft.purchase(of: TestShop.seasonPass, at: .day(-200), id: "51")
        let refundedPass = TransactionDraft.purchase(of: TestShop.seasonPass, at: .day(-100), id: "52")
            .revoked(at: .day(-99))
        let refundedBadge = TransactionDraft.purchase(of: TestShop.badge, at: .day(0), id: "60").revoked(at: .day(1))
        let coins = TransactionDraft.purchase(of: TestShop.coins, at: .day(0), id: "70")
        let snapshot = try snapshot([
            expired, silver, gold, family, ads, firstPass, lastPass, refundedPass, refundedBadge, coins,
        ])
        #expect(snapshot.currentEntitlements(at: .day(5)).map(\.id.rawValue) == ["30", "21", "40", "51"])
        #expect(snapshot.currentEntitlements(at: .day(-250)).map(\.id.rawValue) == ["50"])
    }

    @Test("A grace period is a current entitlement; billing retry is not")
    func grace() throws {
        let gold = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
        let expiry = try #require(gold.expiresAt)
        let info = RenewalInfoDraft(for: gold, signedAt: expiry).grace(until: expiry.adding(days: 6))
        let snapshot = try snapshot([gold], [info])
        #expect(snapshot.currentEntitlements(at: expiry.adding(days: 5)).map(\.id) == [gold.id])
        #expect(snapshot.currentEntitlements(at: expiry.adding(days: 6)).isEmpty)
    }

    @Test("The status and the answer name the deciding transaction and a reason that a program can compare")
    func deciding() throws {
        let gold = TransactionDraft.purchase(of: TestShop.gold, at: .day(0), id: "7")
        let snapshot = try snapshot([gold], [RenewalInfoDraft(for: gold)])
        let status = try #require(snapshot.highestStatus(group: "Membership", at: .day(1)))
        #expect((status.groupLevel, status.transaction.id, status.state) == (1, "7", .subscribed))
        #expect(status.renewalInfo?.willAutoRenew == true)
        let answer = snapshot.entitlement(for: TestShop.gold.id, at: .day(40))
        #expect((answer.kind, answer.reason) == (.lapsed, .expired))
        #expect(answer.basis?.accessEndsAt == gold.expiresAt)
        #expect(answer.basis?.transaction.id == "7")
        #expect("\(answer)" == "lapsed (expired)")
    }
}
