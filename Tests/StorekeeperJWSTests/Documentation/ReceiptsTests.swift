import Storekeeper
import StorekeeperJWS
import Testing

@Suite("The article Receipts") struct ReceiptsArticleTests {
    @Test("The article's code signs and verifies a receipt") func receipts() throws {
        let authority = try LocalAuthority()
        let now = Instant(clamped: 1_577_836_800_000)
        var owned: [Product.ID] = []

        let signed = try authority.makeReceiptSigner().sign(
            AppReceipt(
                type: "Production", bundleID: "com.example.game", createdAt: now,
                purchases: [.init(productID: "remove.ads", transactionID: "1000", purchasedAt: now)]))

        let (root, receiptFile) = (authority.root, signed)

        let verifier = ReceiptVerifier(.init(roots: [root], bundleID: "com.example.game"))
        let checked = verifier.verify(receiptFile)
        for purchase in checked.receipt?.purchases ?? [] where checked.isVerified {
            owned.append(purchase.productID)
        }

        var history = PurchaseHistory()
        let catalog = Catalog(products: [Product(id: "remove.ads", type: .nonConsumable)], groups: [], features: [])

        for purchase in checked.evidence(catalog: catalog) { history.merge(purchase) }
        let resolution = EntitlementResolver(catalog: catalog).resolve(history)

        #expect(resolution.product("remove.ads")?.timeline.value(at: now).isEntitled == true)
        #expect(checked.error == nil && owned == ["remove.ads"])
    }
}
