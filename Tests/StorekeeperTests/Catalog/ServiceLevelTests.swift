import FoundationEssentials
import Testing

@testable import StorekeeperEngine

struct ServiceLevelTests {
    private func subscription(
        _ id: Product.ID, level: Int? = nil, price: Int? = nil, currency: String? = "USD", period: String = "P1M"
    ) -> Product {
        Product(
            id: id, type: .autoRenewable, price: price.map { Decimal($0) }, currencyCode: currency,
            subscription: Product.SubscriptionInfo(
                groupLevel: level, subscriptionPeriod: SubscriptionPeriod(period)))
    }

    private func catalog(_ products: [Product]) -> Catalog {
        Catalog(
            products: products, groups: [SubscriptionGroup(id: "m", productIDs: products.map(\.id))], features: [])
    }

    // MARK: Catalogs made in Swift

    @Test("The order of a group's products gives the levels, the highest service first")
    func order() {
        let bare = Product(id: "bronze")
        let products = [subscription("silver"), subscription("gold"), bare]
        let catalog = Catalog(
            products: products, groups: [SubscriptionGroup(id: "m", productIDs: ["gold", "silver", "bronze"])],
            features: [])
        #expect(catalog.products.map { $0.subscription?.groupLevel } == [2, 1, 3])
        #expect(catalog.products.map { $0.subscription?.subscriptionGroupID } == ["m", "m", "m"])
        #expect(catalog.product("silver")?.subscription?.subscriptionPeriod?.text == "P1M")
        #expect(catalog.diagnostics.isEmpty)
    }

    @Test("Explicit levels take precedence over the order, and a product without one is reported")
    func explicitLevels() {
        let levelled = catalog([subscription("gold", level: 2), subscription("silver", level: 2)])
        #expect(levelled.products.map { $0.subscription?.groupLevel } == [2, 2])
        #expect(levelled.diagnostics.isEmpty)
        let mixed = catalog([subscription("gold", level: 2), subscription("silver")])
        #expect(mixed.products.map { $0.subscription?.groupLevel } == [2, nil])
        #expect(mixed.codes == ["unknownValue"])
        #expect(mixed.diagnostics.map(\.subject) == ["silver"])
    }

    @Test("Subscriptions outside of every group have no level, which is reported")
    func groupless() {
        let catalog = Catalog(
            products: [subscription("gold"), subscription("silver")], groups: [], features: [])
        #expect(catalog.diagnostics.map(\.subject) == ["gold", "silver"])
        #expect(catalog.diagnostics.allSatisfy { $0.severity == .warning })
    }

    // MARK: Files

    @Test(
        "A subscription of a list without a level is reported",
        arguments: [
            (#"{"products":[{"id":"a","type":"autoRenewable"},{"id":"b","type":"autoRenewable"}]}"#, ["a", "b"]),
            (
                #"[{"id":"a","type":"autoRenewable","group":"m"},{"id":"b","type":"autoRenewable","group":"m"}]"#,
                ["a", "b"]
            ),
            (#"{"products":[{"id":"a","type":"autoRenewable","level":1},{"id":"b","type":"autoRenewable"}]}"#, ["b"]),
            (#"{"Subscriptions":{"a":30,"b":365}}"#, ["a", "b"]),
            (#"{"subscriptions":[{"group":"m","products":["a","b"]}]}"#, []),
            (#"{"products":["a","b"]}"#, []),
        ])
    func unranked(text: String, subjects: [String]) throws {
        let catalog = try CatalogFixtures.read(text)
        #expect(catalog.diagnostics.map(\.subject) == subjects)
        #expect(catalog.diagnostics.allSatisfy { $0.code == .unknownValue && $0.severity == .warning })
    }

    @Test(
        "A single subscription needs no level, because there is no other one to rank above or below",
        arguments: [
            #"{"products":[{"id":"a","type":"autoRenewable"},"b"]}"#,
            #"[{"id":"a","type":"autoRenewable","group":"m"},{"id":"b","type":"autoRenewable","group":"n"}]"#,
            #"[{"id":"a","type":"autoRenewable"},{"id":"b","type":"autoRenewable","group":"n"}]"#,
        ])
    func single(text: String) throws {
        #expect(try CatalogFixtures.read(text).diagnostics.isEmpty)
    }

    @Test(
        "A name in subscriptions that products lacks is reported with a suggestion",
        arguments: [
            (
                #"["gold.monthly","silver.monthly"]"#, #"["gold.monthly","silver.montly"]"#, "silver.montly",
                "did you mean 'silver.monthly'?"
            ),
            (#"["gold.monthly"]"#, #"["gold.montly"]"#, "gold.montly", "did you mean 'gold.monthly'?"),
            (#"["gold.monthly"]"#, #"["gold.monthly","platinum"]"#, "platinum", "add it to products"),
            (#"[{"id":"gold.monthly"}]"#, #"["gold.monthly",["platinum"]]"#, "platinum", "add it to products"),
            (#"["coins",{"id":"gold","type":"autoRenewable"}]"#, #"["platinum"]"#, "platinum", "add it to products"),
        ])
    func unlisted(products: String, subscriptions: String, subject: String, advice: String) throws {
        for list in [#"[{"group":"m","products":\#(subscriptions)}]"#, #"{"m":\#(subscriptions)}"#] {
            let catalog = try CatalogFixtures.read(#"{"products":\#(products),"subscriptions":\#(list)}"#)
            let found = catalog.diagnostics.filter { $0.code == .unknownProduct }
            #expect(found.map(\.subject) == [subject])
            #expect(found.first?.severity == .warning)
            #expect(found.first?.message.contains(advice) == true)
            #expect(found.first?.location?.contains("subscriptions") == true)
        }
    }

    @Test(
        "A name in subscriptions is not reported if it is described there, or if the lists have nothing in common",
        arguments: [
            #"{"products":["coins"],"subscriptions":[{"group":"m","products":["gold","silver"]}]}"#,
            #"{"subscriptions":[{"group":"m","products":["gold","silver"]}]}"#,
            #"{"products":["gold"],"subscriptions":[{"group":"m","products":["gold",{"id":"silver"}]}]}"#,
            #"{"products":["gold","silver"],"subscriptions":[{"group":"m","products":["gold","silver"]}]}"#,
            #"{"subscriptions":[{"group":"m","products":[{"id":"gold.1m"},"gold.1y"]}]}"#,
        ])
    func listed(text: String) throws {
        #expect(try CatalogFixtures.read(text).diagnostics.isEmpty)
    }

    @Test("A list of subscriptions may name the products of another file")
    func otherFile() throws {
        let catalog = try CatalogFixtures.read([
            (name: "ids", text: #"["gold","silver"]"#),
            (name: "groups", text: #"{"subscriptions":[{"group":"m","products":["gold","silver","platinum"]}]}"#),
        ])
        #expect(catalog.diagnostics.map(\.subject) == ["platinum"])
    }

    @Test("A list may add subscriptions to a StoreKit configuration, but not with a misspelled name")
    func configuredProducts() throws {
        let configuration = #"""
            {"subscriptionGroups":[{"id":"21","name":"M","subscriptions":[{"productID":"gold","groupNumber":1}]}]}
            """#
        for (name, subjects) in [("platinum", []), ("gols", ["gols"])] as [(String, [String])] {
            let catalog = try CatalogFixtures.read([
                (name: "Store.storekit", text: configuration),
                (name: "groups", text: #"{"subscriptions":[{"group":"m","products":["gold","\#(name)"]}]}"#),
            ])
            #expect(catalog.diagnostics.map(\.subject) == subjects)
        }
    }

    @Test("A printed catalog has no diagnostics about names, whatever the files lacked")
    func printed() throws {
        let catalog = try CatalogFixtures.read(CatalogFixtures.ownList)
        #expect(!catalog.diagnostics.isEmpty)
        #expect(try CatalogFixtures.read(catalog.json(.names).text()).diagnostics == [])
    }

    // MARK: Upside down

    /// Subscriptions with their levels, prices and periods, and the subjects of the expected notes.
    private static let rankings: [([(level: Int, price: Int, period: String)], [String])] = [
        ([(1, 5, "P1M"), (2, 10, "P1M")], ["p0"]),
        ([(1, 10, "P1M"), (2, 5, "P1M")], []),
        ([(1, 5, "P1M"), (2, 10, "P1Y")], []),
        ([(1, 10, "P12M"), (2, 20, "P1Y")], ["p0"]),
        ([(1, 5, "P1M"), (1, 10, "P1M")], []),
        ([(1, 5, "P1M"), (2, 5, "P1M")], []),
        ([(1, 1, "P1M"), (2, 2, "P1M"), (3, 3, "P1M")], ["p0", "p1"]),
        ([(3, 3, "P1M"), (1, 1, "P1M"), (2, 9, "P1M"), (2, 2, "P1M")], ["p1", "p3"]),
    ]

    @Test("A product that ranks above a dearer one with an equal period is noted", arguments: rankings)
    func upsideDown(products: [(level: Int, price: Int, period: String)], subjects: [String]) {
        let catalog = catalog(
            products.enumerated().map { index, product in
                subscription(
                    Product.ID("p\(index)"), level: product.level, price: product.price, period: product.period)
            })
        #expect(catalog.diagnostics.map(\.subject) == subjects)
        #expect(catalog.diagnostics.allSatisfy { $0.code == .conflictingLevel && $0.severity == .note })
    }

    @Test("Prices in two currencies and of two groups are not compared")
    func incomparable() {
        let (low, high) = (subscription("low", level: 1, price: 1), subscription("high", level: 2, price: 2))
        var foreign = high
        foreign.currencyCode = "EUR"
        #expect(catalog([low, foreign]).diagnostics.isEmpty)
        let groups = [
            SubscriptionGroup(id: "a", productIDs: ["low"]), SubscriptionGroup(id: "b", productIDs: ["high"]),
        ]
        #expect(Catalog(products: [low, high], groups: groups, features: []).diagnostics.isEmpty)
    }
}
