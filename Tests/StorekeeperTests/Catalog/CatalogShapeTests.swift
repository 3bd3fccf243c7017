import Testing

@testable import StorekeeperEngine

/// Tests of files with less structure than expected, or with another structure.
struct CatalogShapeTests {
    @Test(
        "A dictionary from ids to products is a product list, whether or not the ids contain dots",
        arguments: [
            (#"{"gold":{"type":"autoRenewable"},"coins":{"title":"Coins"}}"#, ["gold", "coins"]),
            (#"{"gold":{"period":"P1M"}}"#, ["gold"]), (#"{"pass":{"accessDuration":"P90D"}}"#, ["pass"]),
            (#"{"gold":{"Product-Type":"Non-Consumable","price":5}}"#, ["gold"]),
            (#"{"coins":{"grants":{"purse":5}}}"#, ["coins"]), (#"{"gold":{"familyShareable":false}}"#, ["gold"]),
            (#"{"gold":{"subscriptionGroupID":"21"}}"#, ["gold"]),
        ])
    func dictionaryOfProducts(text: String, ids: [String]) throws {
        #expect(try CatalogFixtures.read(text).ids == ids.map { Product.ID($0) })
    }

    @Test(
        "A dictionary of other objects is not a product list",
        arguments: [
            #"{"shoe":{"price":1}}"#, #"{"shoe":{"type":"leather"}}"#, #"{"shoe":{"duration":"long"}}"#,
            #"{"red shoe":{"type":"consumable"}}"#, #"{"shoe":{"type":"consumable"},"hat":7}"#, #"{"shoe":{}}"#,
        ])
    func dictionaryOfOtherThings(text: String) {
        #expect(CatalogFixtures.error(text)?.code == .noProductList)
    }

    @Test(
        "A configured group without an id takes its subscriptions' group id, its name or its first product, with a warning",
        arguments: [
            (#""id":"","name":"Gold","subscriptions":[{"productID":"a","subscriptionGroupID":"21"}]"#, "21", "Gold"),
            (#""name":"Gold","subscriptions":[{"productID":"a"}]"#, "Gold", "Gold"),
            (#""subscriptions":[{"productID":" a "},{"productID":"b"}]"#, "a", nil),
            (#""id":null,"subscriptions":["b",{"productID":"a"}]"#, "b", nil),
        ] as [(String, String, String?)])
    func groupsWithoutID(members: String, id: String, name: String?) throws {
        let text =
            #"{"products":[{"productID":"b","type":"RecurringSubscription"}],"subscriptionGroups":[{\#(members)}]}"#
        let catalog = try CatalogFixtures.read(text)
        #expect(catalog.groups.map(\.id.rawValue) == [id])
        #expect(catalog.groups.map(\.name) == [name])
        #expect(catalog.group(containing: "a")?.id.rawValue == id)
        let inferred = catalog.diagnostics.filter { $0.location == "subscriptionGroups[0]" }
        #expect(inferred.map(\.code) == [.inferredGroup] && inferred.map(\.subject) == [id])
    }

    @Test func `A group without id, name and products is skipped`() throws {
        let catalog = try CatalogFixtures.read(#"{"settings":{},"subscriptionGroups":[{"subscriptions":[]},{}]}"#)
        #expect(catalog.groups.isEmpty)
        #expect(catalog.diagnostics.filter { $0.code == .skippedEntry && $0.severity == .warning }.count == 2)
        let list = try CatalogFixtures.read(#"{"products":["x"],"subscriptions":[{"products":[]}]}"#)
        #expect(list.groups.isEmpty && list.codes == ["skippedEntry"])
    }

    @Test func `A list's group without a word takes the id of its first product`() throws {
        let catalog = try CatalogFixtures.read(
            #"{"subscriptions":[{"products":[["gold.y","gold.m"],"silver"]},{"products":[{"id":"news"}]}]}"#)
        #expect(catalog.groups.map(\.id) == ["gold.y", "news"])
        #expect(catalog.groups.map(\.name) == [nil, nil])
        #expect(catalog.codes == ["inferredGroup", "inferredGroup"])
        #expect(catalog.groups.allSatisfy { !$0.id.rawValue.contains("[") })
    }

    @Test func `Groups without a word in two files are not merged`() throws {
        let catalog = try CatalogFixtures.read([
            ("a.json", #"{"subscriptions":[{"products":["a"]}]}"#),
            ("b.json", #"{"subscriptions":[{"products":["b"]}]}"#),
        ])
        #expect(catalog.groups.map(\.productIDs) == [["a"], ["b"]])
    }

    @Test func `The members of MKStoreKit's batches become features`() throws {
        let catalog = try CatalogFixtures.read(
            #"{"Non-Consumables-batch":{"all":["x","y"],"more":["y","z",""],"none":[],"odd":7}}"#)
        #expect(catalog.ids == ["all", "x", "y", "more", "z", "none", "odd"])
        #expect(
            catalog.features == [
                Feature(id: "x", productIDs: ["x", "all"]), Feature(id: "y", productIDs: ["y", "all", "more"]),
                Feature(id: "z", productIDs: ["z", "more"]),
            ])
        let notes = catalog.diagnostics.filter { $0.severity == .note }
        #expect(notes.map(\.code) == [.inferredFeature, .inferredFeature])
        #expect(notes.map(\.location) == ["Non-Consumables-batch.all", "Non-Consumables-batch.more"])
    }

    @Test(
        "The error for bytes that are not UTF-8 names their location",
        arguments: [
            ([0xFF, 0xFE, 0x7B, 0x00], "line 1, column 1"),
            (Array("[\"a\",\n \"".utf8) + [0xE9, 0x22], "line 2, column 3"),
            (Array("[\"é".utf8) + [0xED, 0xA0, 0x80], "line 1, column 5"),
            (Array("<plist>\n\n".utf8) + [0xC0], "line 3, column 1"),
            (Array("{\"a\":\"".utf8) + [0xE2, 0x82], "line 1, column 7"), ([0x00, 0x5B], "line 1, column 1"),
        ] as [([UInt8], String)])
    func notUTF8(bytes: [UInt8], place: String) throws {
        let error = try #require(CatalogFixtures.error(bytes))
        #expect(error.code == .notUTF8 && error.location == place)
    }

    @Test(
        "Settings of the wrong type give diagnostics and change nothing else",
        arguments: [
            ("5", ["settings"], "USD"), ("[]", ["settings"], "USD"), (#""x""#, ["settings"], "USD"),
            ("null", [], "USD"),
            (#"{"_storefront":5}"#, ["settings._storefront"], "USD"), (#"{"_storefront":""}"#, [], "USD"),
            (#"{"_storefront":"DEU"}"#, [], "EUR"),
        ] as [(String, [String], String)])
    func settings(text: String, places: [String], currency: String) throws {
        let file = #"""
            {"version":{"major":4,"minor":0},"settings":\#(text),
            "products":[{"productID":"a","type":"Consumable","displayPrice":"1"}]}
            """#
        let catalog = try CatalogFixtures.read(file)
        #expect(catalog.ids == ["a"] && catalog.product("a")?.currencyCode == currency)
        #expect(catalog.diagnostics.map(\.location) == places)
        #expect(catalog.diagnostics.allSatisfy { $0.code == .unknownValue && $0.severity == .warning })
    }

    @Test func `Groups that only products name follow those that the file describes`() throws {
        let catalog = try CatalogFixtures.read(
            #"{"products":[{"id":"a","group":"loose"},{"id":"b","group":"told"}],"subscriptions":[{"group":"told","products":["c"]}]}"#
        )
        #expect(catalog.groups.map(\.id) == ["told", "loose"])
        #expect(catalog.groups.first?.productIDs == ["c", "b"])
        #expect(catalog.product("b")?.subscription?.groupLevel == nil)
    }

    @Test func `A list may give a group several words`() throws {
        let catalog = try CatalogFixtures.read(
            #"{"subscriptions":[{"group":"21","name":"Gold","aliases":["vip","21","Gold",5,""],"products":["a"]}]}"#)
        #expect(catalog.groups == [SubscriptionGroup(id: "21", name: "Gold", aliases: ["vip"], productIDs: ["a"])])
        #expect(catalog.group(named: "vip")?.id == "21")
        #expect(catalog.diagnostics.map(\.location) == ["subscriptions[0].aliases[3]"])
    }
}
