import Foundation
import Storekeeper
import Testing

@testable import StorekeeperSimulator

/// Tests of offer codes of one-time products.
@Suite("Codes for one-time products") struct OneTimeCodeTests {
    private static func code(_ id: SubscriptionOffer.ID, _ price: Decimal) -> SubscriptionOffer {
        SubscriptionOffer(kind: .code, id: id, paymentMode: .oneTime, price: price)
    }

    /// Returns a session in a shop of coins, a non-consumable and a season pass, each with a code.
    private static func session() throws -> SimulatedSession {
        var coins = Product(id: "coins", type: .consumable, price: 2)
        coins.codeOffers = [code("HALF", 1), code("GIFT", 0)]
        var ads = Product(id: "ads", type: .nonConsumable, price: 4)
        ads.codeOffers = [code("CALM", 1)]
        var season = Product(id: "season", type: .nonRenewable, price: 9)
        season.codeOffers = [code("EARLY", 5)]
        let catalog = Catalog(products: [coins, ads, season], groups: [], features: [])
        return try SimulatedSession(catalog: catalog, environment: .sandbox)
    }

    @Test(
        "The transaction has the code, the one-time payment mode and the reduced price",
        arguments: [("coins", "HALF", 1000), ("coins", "GIFT", 0), ("ads", "CALM", 1000), ("season", "EARLY", 5000)])
    func redeems(product: String, code: String, price: Int64) throws {
        let session = try Self.session()
        try session.perform(.redeemOfferCode(code, product: Product.ID(product), by: session.customer))
        let bought = try session.newest()
        #expect(bought.offer?.type == .code)
        #expect(bought.offer?.id == SubscriptionOffer.ID(code))
        #expect(bought.offer?.paymentMode == .oneTime)
        #expect(bought.offer?.period == nil)
        #expect(bought.priceInMilliunits == price)
        #expect(try session.notifications() == ["ONE_TIME_CHARGE"])
    }

    @Test("Each customer redeems a code once, inside or outside the app, and otherwise pays the full price")
    func once() async throws {
        let session = try Self.session()
        let request = PurchaseRequest(quantity: 3, offer: OfferReference(.code, id: "HALF"))
        #expect(try await session.buyProduct(identifier: "coins", request: request).priceInMilliunits == 3000)
        #expect(
            await refusal { try await session.buyProduct(identifier: "coins", request: request) }
                == .ineligibleForOffer)
        let full = try await session.buyProduct(identifier: "coins")
        #expect(full.offer == nil)
        #expect(full.priceInMilliunits == 2000)
        let other = try session.joined(by: "ben")
        #expect(try await other.buyProduct(identifier: "coins", request: request).offer?.id == "HALF")
    }

    @Test("A code of another product, or an offer of another kind, is refused")
    func unknown() async throws {
        let session = try Self.session()
        for offer in [OfferReference(.code, id: "CALM"), OfferReference(.promotional, id: "HALF")] {
            #expect(
                await refusal {
                    try await session.buyProduct(identifier: "coins", request: PurchaseRequest(offer: offer))
                } == .invalidOfferIdentifier)
        }
    }

    @Test("A StoreKit configuration lists these codes like those of subscriptions")
    func configuration() throws {
        let file = """
            {"version":{"major":4,"minor":0},
             "products":[{"productID":"gem","type":"Consumable","displayPrice":"2.00","codeOffers":[
              {"referenceName":"gem.gift","internalID":"1","paymentMode":"free","eligibility":["new"]}]}]}
            """
        let catalog = try Catalog(reading: [CatalogFile(name: "Gems.storekit", bytes: Array(file.utf8))])
        #expect(catalog.product("gem")?.codeOffers.map(\.id) == ["gem.gift"])
        #expect(catalog.product("gem")?.subscription == nil)
        let session = try SimulatedSession(catalog: catalog, environment: .sandbox)
        try session.perform(.redeemOfferCode("gem.gift", product: "gem", by: session.customer))
        #expect(try session.newest().priceInMilliunits == 0)
        #expect(try session.newest().offer?.paymentMode == .oneTime)
    }
}
