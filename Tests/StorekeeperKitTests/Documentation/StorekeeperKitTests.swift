import StorekeeperKit
import StorekeeperSimulator
import Testing

/// Tests of the code of the documentation page about the module.
struct StorekeeperKitPageTests {
    @Test("The page's code buys a product and lists what is owned")
    func page() async throws {
        let session = try KitShop.session()
        var owned: [String] = []
        func print(_ product: String) { owned.append(product) }

        let shop = try await session.openStore()
        try await StoreKit.withStore(shop) {
            for product in try await Product.products(for: ["gold.monthly"]) {
                guard case .success(let result) = try await product.purchase() else { continue }
                await result.unsafePayloadValue.finish()
            }
            for await entitlement in Transaction.currentEntitlements {
                print(try entitlement.payloadValue.productID)
            }
        }
        #expect(owned == ["gold.monthly"])
    }
}
