import Foundation
import Storekeeper
import StorekeeperSimulator
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests of the catalog in the view "Store": of prices, additions and files.
@Suite struct PageCatalogTests {
    private static let product = [
        "id": "platinum.monthly", "type": "autoRenewable", "name": "Platinum", "price": "19.99", "group": "Membership",
        "period": "P1M", "level": "1", "family": "yes",
    ]

    @Test("An added product can be bought, the story stays, and a saved story contains it")
    func product() async throws {
        let served = try await ServedStore()
        let client = PageClient(local: served.local)
        for step in ["buy gold.monthly by anna", "advance 3 months", "buy coins.100 by bert"] {
            try await served.step(step)
        }
        let (before, now) = (served.store.transactions, served.store.now)
        let answer = try await send("add-product", Self.product, to: client)
        #expect(answer.status == 303, "\(answer.failure ?? "")")
        #expect(served.store.transactions == before && served.store.now == now)
        let page = await client.get(try #require(answer.location))
        let words = PageClient.words(page.text)
        #expect(words.contains("Platinum platinum.monthly $19.99 Auto-Renewable Subscription, 1 month, level 1"))
        #expect(page.text.contains("notice success"))

        #expect(try await client.act("buy-buy", ["subject": "platinum.monthly"], on: "/?person=anna").status == 303)
        let bought = try #require(served.store.transactions.last)
        #expect(bought.productID == "platinum.monthly" && bought.state == .purchased)
        // The upgrade shows that the product is in the group.
        #expect(served.store.transactions.contains { $0.productID == "gold.monthly" && $0.state == .upgraded })
        let saved = served.local.current.saved
        let edits = await client.get("/page/catalog-edits.json")
        #expect(Array(edits.text.utf8) == saved.catalogFiles["catalog-edits.json"]?.bytes)
        #expect(saved.text.contains("catalog-edits.json"))
        let again = try Scenario(reading: saved.text, file: "saved.yaml") { try #require(saved.catalogFiles[$0]) }
        var runner = try await ScenarioRunner(again)
        #expect(try await runner.run().isMet)
        #expect(runner.store.transactions == served.store.transactions)
    }

    @Test("An added offer applies to the next purchase")
    func offer() async throws {
        let served = try await ServedStore()
        let client = PageClient(local: served.local)
        for step in [
            "buy bronze.monthly by anna", "advance 1 month", "cancel bronze.monthly by anna", "advance 2 months",
            // This purchase is refused, because bert never subscribed. The story can still be replayed.
            "buy silver.monthly by bert offer \"promotional silver.loyal\"",
        ] { try await served.step(step) }
        let before = served.store.transactions
        let answer = try await send(
            "add-offer",
            [
                "product": "bronze.monthly", "kind": "promotional", "id": "spring", "mode": "payUpFront",
                "period": "P3M", "price": "4.5",
            ], to: client)
        #expect(answer.status == 303, "\(answer.failure ?? "")")
        let page = await client.get(try #require(answer.location))
        #expect(PageClient.words(page.text).contains("Promotional offer spring $4.50 once for 3 months"))
        let bought = try await client.act(
            "buy-buy", ["subject": "bronze.monthly", "key-offer": "promotional spring"], on: "/?person=anna")
        #expect(bought.status == 303, "\(bought.failure ?? "")")
        #expect(
            PageClient.words(await client.get().text).contains("$4.50 1 period, next on 2026-07-01 00:00 Offer spring"))
        // Two additions are stored in one file.
        #expect(try await send("add-product", Self.product, to: client).status == 303)
        #expect(served.local.current.scenario.catalogs == [["Store.storekit", "Products.json", "catalog-edits.json"]])
        let catalog = try served.store.catalog()
        #expect(catalog.product("bronze.monthly")?.offers.contains { $0.id == "spring" } == true)
        #expect(Array(served.store.transactions.dropLast()) == before)
    }

    @Test(
        "A mistake is reported at its field, and nothing changes",
        arguments: [
            ("product", ["id": ""], "id"), ("product", ["id": "gold.monthly"], "id"),
            ("product", ["id": "with blank"], "id"), ("product", ["type": "other"], "type"),
            ("product", ["price": "cheap"], "price"), ("product", ["price": "-1"], "price"),
            ("product", ["price": "1.2345"], "price"), ("product", ["price": "1,5"], "price"),
            ("product", ["group": ""], "group"), ("product", ["period": ""], "period"),
            ("product", ["period": "monthly"], "period"), ("product", ["level": "0"], "level"),
            ("product", ["level": "high"], "level"), ("offer", ["product": "none"], "product"),
            ("offer", ["kind": "other"], "kind"), ("offer", ["id": ""], "id"), ("offer", ["id": "silver.loyal"], "id"),
            ("offer", ["mode": "freeTrial"], "price"), ("offer", ["price": ""], "price"),
            ("offer", ["periods": "0"], "periods"), ("offer", ["mode": "oneTime"], "mode"),
            ("offer", ["product": "coins.100"], "kind"),
            ("offer", ["product": "gold.monthly", "kind": "introductory"], "kind"),
        ] as [(String, [String: String], String)])
    func mistakes(_ kind: String, _ fields: [String: String], _ marked: String) async throws {
        let served = try await ServedStore()
        let client = PageClient(local: served.local)
        let offer = [
            "product": "silver.monthly", "kind": "promotional", "id": "spring", "mode": "payUpFront", "period": "P3M",
            "price": "4.5",
        ]
        let filled = (kind == "product" ? Self.product : offer).merging(fields) { $1 }
        let products = try served.store.catalog().products
        let answer = try await send("add-\(kind)", filled, to: client)
        #expect(answer.status == 422)
        let id = "add-\(kind)-\(marked)"
        #expect(
            answer.text.contains("aria-invalid=\"true\" aria-describedby=\"\(id)-error\""), "\(answer.failure ?? "")")
        #expect(answer.text.contains("id=\"\(id)-error\"") && answer.text.contains("id=\"add-\(kind)-details\" open"))
        #expect(try served.store.catalog().products == products && served.local.current.number == 0)
    }

    @Test("The price of a product changes with its form, in the catalog and in the files")
    func price() async throws {
        let served = try await ServedStore()
        let client = PageClient(local: served.local)
        let answer = try await client.act("item-price", ["key-to": "12.49"], on: "/?view=store&item=silver.yearly")
        #expect(answer.status == 303, "\(answer.failure ?? "")")
        let page = await client.get(try #require(answer.location))
        #expect(PageClient.words(page.text).contains("Silver for a Year silver.yearly $12.49"))
        for (name, format) in [("catalog.storekit", "storekit"), ("catalog.json", "json")] {
            let file = await client.get("/page/\(name)")
            #expect(file.status == 200, "\(format)")
            #expect(file.header("Content-Disposition") == "attachment; filename=\"\(name)\"")
            let catalog = try Catalog(reading: [CatalogFile(name: name, bytes: Array(file.text.utf8))])
            #expect(catalog.product("silver.yearly")?.price == Decimal(string: "12.49"))
            #expect(catalog.products.count == (try served.store.catalog().products.count))
        }
    }

    @Test("Keys of the files that this version does not know are kept")
    func unknownKeys() async throws {
        let scenario = try Scenario(
            reading: "story: x\napp: a.b\ncatalog: [List.json]\npeople: [anna]\nsteps: []\n", file: "x.yaml"
        ) { name in
            CatalogFile(
                name: name,
                bytes: Array(#"{"products": [{"id": "a", "type": "consumable", "colour": "red"}], "later": [1]}"#.utf8))
        }
        let local = await LocalAppStore(store: try await ScenarioRunner(scenario).store, scenario: scenario)
        let client = PageClient(local: local)
        let answer = try await send("add-product", ["id": "b", "type": "nonConsumable"], to: client)
        #expect(answer.status == 303, "\(answer.failure ?? "")")
        let file = await client.get("/page/catalog.json")
        #expect(file.text.contains("\"colour\": \"red\"") && file.text.contains("\"later\""))
        #expect(file.text.contains("\"id\": \"b\""))
    }

    private func send(_ id: String, _ fields: [String: String], to client: PageClient) async throws -> PageClient.Page {
        let form = try #require(await client.get("/?view=store").form(id))
        return await client.send(form, fields, to: "/page/catalog")
    }
}
