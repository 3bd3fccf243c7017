import Foundation
import Storekeeper
import StorekeeperKit
import StorekeeperSimulator
import Testing

/// Tests of the shop, which has the calls of StoreHelper's main class and starts a detached task.
@Suite(.serialized) @MainActor struct ShopTests {
    private static let ids = ["gold.monthly", "silver.monthly", "coins.100", "remove.ads", "misspelt"]

    @Test("The shop lists products, buys them, and answers what the customer has")
    func shop() async throws {
        let session = try KitShop.session()
        try await session.running(deliver: StoreKit.deliversInApp) { store in
            StoreKit.setDefaultStore(store)
            defer { StoreKit.setDefaultStore(nil) }
            let shop = Shop()
            await shop.start(Self.ids)
            defer { shop.stop() }
            #expect(shop.products?.map(\.id) == Array(Self.ids.dropLast()))
            #expect(shop.subscriptionProducts?.count == 2)
            #expect(shop.consumableProducts?.count == 1)
            #expect(shop.nonConsumableProducts?.count == 1)

            let gold = try #require(shop.product(from: "gold.monthly"))
            let ads = try #require(shop.product(from: "remove.ads"))
            #expect(await shop.isEligibleForIntroductoryOffer(of: gold))
            #expect(try await !shop.isPurchased(productID: "remove.ads"))
            #expect(await shop.purchaseInfo(for: ads) == nil)

            let bought = try await shop.purchase(ads)
            #expect(bought.state == .purchased)
            #expect(try await shop.isPurchased(productID: "remove.ads"))
            #expect(await shop.purchaseInfo(for: ads)?.latestVerifiedTransaction == bought.transaction)
            #expect(await shop.mostRecentTransactionID(for: "remove.ads") == bought.transaction?.id)
            #expect(await shop.currentEntitlements() == ["remove.ads"])

            try session.perform(.refund(.id(session.newest("remove.ads")), percentage: nil, reason: .developerIssue))
            try await eventually("the listener learns of the refund") { shop.revocationReason == .developerIssue }
            #expect(try await !shop.isPurchased(productID: "remove.ads"))
        }
    }

    @Test("If a customer has an own and a shared subscription, the shop shows the highest")
    func highest() async throws {
        let session = try KitShop.session()
        let owner = try SimulatedSession(customer: "owner", in: session.store)
        try session.perform(.createFamily(organizer: "owner"))
        try session.perform(.joinFamily("anna", of: "owner"))
        try owner.buyProduct(productIdentifier: "gold.monthly")
        try session.buyProduct(productIdentifier: "silver.monthly")
        let info = try await session.synced {
            let shop = Shop()
            await shop.start(Self.ids)
            defer { shop.stop() }
            let silver = try #require(shop.product(from: "silver.monthly"))
            #expect(await shop.allSubscriptionTransactions().count == 2)
            #expect(await !shop.isEligibleForIntroductoryOffer(of: silver))
            return await shop.subscriptionInfo(ofGroupWith: silver)
        }
        #expect(info?.product?.id == "gold.monthly")
        #expect(info?.latestVerifiedTransaction?.ownershipType == .familyShared)
        #expect(info?.subscriptionStatus?.state == .subscribed)
    }

    @Test("A refused purchase fails, and one that waits for a guardian is pending")
    func failures() async throws {
        let session = try KitShop.session()
        session.askToBuyEnabled = true
        try await session.running { _ in
            let shop = Shop()
            await shop.start(Self.ids)
            defer { shop.stop() }
            let ads = try #require(shop.product(from: "remove.ads"))
            #expect(try await shop.purchase(ads).state == .pending)
            await #expect(throws: Shop.Failure.purchaseFailed) {
                try await shop.purchase(ads, options: [.quantity(2)])
            }
        }
    }
}
