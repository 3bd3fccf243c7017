import Foundation
import Storekeeper
import StorekeeperKit
import StorekeeperSimulator
import Testing

/// Tests of the store to which StoreKit's names are bound.
struct BindingTests {
    @Test("Two tasks with different stores see their own customers")
    func twoCustomers() async throws {
        let anna = try KitShop.session("anna")
        let bert = try KitShop.session("bert")
        try anna.buyProduct(productIdentifier: "gold.monthly")
        try bert.buyProduct(productIdentifier: "remove.ads")
        async let hers = anna.synced { await unlockedProducts() }
        async let his = bert.synced { await unlockedProducts() }
        #expect(try await hers == ["gold.monthly"])
        #expect(try await his == ["remove.ads"])
    }

    @Test("A store on a backend without purchases cannot make payments")
    func withoutPurchases() async throws {
        let session = try KitShop.session()
        try session.buyProduct(productIdentifier: "remove.ads")
        let store = try await session.openStore().store
        try await StoreKit.withStore(store) {
            try await AppStore.sync()
            #expect(!AppStore.canMakePayments)
            let ads = try #require(try await Product.products(for: ["remove.ads"]).first)
            #expect(await ads.currentEntitlement != nil)
            await #expect(throws: StorekeeperKit.Product.PurchaseError.purchaseNotAllowed) { try await ads.purchase() }
        }
    }

    @Test("Values remember their store in tasks that are not bound")
    func detached() async throws {
        let session = try KitShop.session()
        let product = try await session.synced { try await Product.products(for: ["remove.ads"]).first }
        let ads = try #require(product)
        let id = try await Task.detached {
            guard case .success(.verified(let transaction)) = try await ads.purchase() else { return UInt64.max }
            await transaction.finish()
            return await ads.latestTransaction?.unsafePayloadValue.id ?? 0
        }.value
        #expect(try session.newest("remove.ads").rawValue == "\(id)")
    }
}

extension ShopTests {
    @Test("Without a store calls throw, sequences are empty, and nothing is owned")
    func unbound() async throws {
        await #expect(throws: StoreKitError.self) { try await Product.products(for: ["remove.ads"]) }
        await #expect(throws: StoreKitError.self) { try await AppStore.sync() }
        await #expect(throws: StoreKitError.self) { try await AppTransaction.shared }
        await #expect(throws: StoreKitError.self) {
            try await StorekeeperKit.Product.SubscriptionInfo.status(for: "21400001")
        }
        #expect(await unlockedProducts().isEmpty)
        #expect(await Transaction.latest(for: "remove.ads") == nil)
        for await _ in Transaction.updates { Issue.record("there is no store") }
        for await _ in Message.messages { Issue.record("there is no store") }
        #expect(!AppStore.canMakePayments)
        #expect(await Storefront.current == nil)
        #expect(await StorekeeperKit.Product.SubscriptionInfo.isEligibleForIntroOffer(for: "21400001") == false)
    }
}
