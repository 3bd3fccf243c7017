import FoundationEssentials
import StorekeeperTesting
import Testing

@testable import StorekeeperEngine

struct CatalogMergeTests {
    private let configuration = (
        "Store.storekit",
        #"""
        {"subscriptionGroups":[{"id":"21","name":"Membership","subscriptions":[
        {"productID":"silver","groupNumber":2,"displayPrice":"4.99"},
        {"productID":"gold","groupNumber":1,"displayPrice":"9.99","localizations":[{"displayName":"Gold"}]}]}]}
        """#
    )

    private func levels(_ catalog: Catalog) -> [Product.ID: Int] {
        Dictionary(
            uniqueKeysWithValues: catalog.products.compactMap { product in
                product.subscription?.groupLevel.map { (product.id, $0) }
            })
    }

    @Test("An explicit level beats the order of a list in any order of files, without a diagnostic")
    func explicitLevels() throws {
        let list = ("List", #"{"Subscriptions":[{"Group":"vip","Products":["silver","gold","bronze"]}]}"#)
        for files in [[configuration, list], [list, configuration]] {
            let catalog = try CatalogFixtures.read(files)
            #expect(levels(catalog) == ["gold": 1, "silver": 2, "bronze": 3])
            #expect(
                catalog.groups
                    == [
                        SubscriptionGroup(
                            id: "21", name: "Membership", aliases: ["vip"], productIDs: ["gold", "silver", "bronze"])
                    ])
            #expect(catalog.products.allSatisfy { $0.subscription?.subscriptionGroupID == "21" })
            for name in ["21", "Membership", "vip"] { #expect(catalog.group(named: name)?.id == "21") }
            #expect(catalog.diagnostics.isEmpty)
        }
        let both = try CatalogFixtures.read(
            #"{"subscriptions":[{"group":"m","products":["a","b"]}],"products":[{"id":"b","level":1},{"id":"a","level":2}]}"#
        )
        #expect(levels(both) == ["b": 1, "a": 2])
        #expect(both.diagnostics.isEmpty)
    }

    @Test("If two explicit levels differ, the later file's counts and the diagnostic names both places")
    func conflictingLevels() throws {
        let list = ("List.json", #"{"products":[{"id":"gold","level":2}]}"#)
        let catalog = try CatalogFixtures.read([configuration, list])
        #expect(levels(catalog) == ["gold": 2, "silver": 2])
        let diagnostic = try #require(catalog.diagnostics.first)
        #expect(catalog.diagnostics.count == 1)
        #expect(diagnostic.code == .conflictingLevel)
        #expect(diagnostic.subject == "gold")
        #expect(diagnostic.location == "List.json: products[0].level")
        #expect(diagnostic.message.contains("Store.storekit: subscriptionGroups[0].subscriptions[1].groupNumber"))
        #expect(levels(try CatalogFixtures.read([list, configuration])) == ["gold": 1, "silver": 2])
    }

    @Test("If two types differ, the later file's counts and the diagnostic names both places")
    func conflictingTypes() throws {
        let catalog = try CatalogFixtures.read([
            ("a", #"[{"id":"x","type":"consumable"},{"id":"y","type":"consumable"}]"#),
            ("b", #"[{"id":"x","type":"nonConsumable"},"y"]"#),
        ])
        #expect(catalog.products.map(\.type) == [.nonConsumable, .consumable])
        #expect(catalog.codes == ["conflictingType"])
        #expect(catalog.diagnostics.first?.location == "b: [0].type")
        #expect(catalog.diagnostics.first?.message.contains("a: [0].type") == true)
    }

    @Test("A product of another type in a subscription group keeps its type, with a warning")
    func oddTypes() throws {
        let catalog = try CatalogFixtures.read(
            #"{"products":[{"id":"x","type":"nonConsumable"}],"subscriptions":[{"group":"m","products":["x"]}]}"#)
        #expect(catalog.product("x")?.type == .nonConsumable)
        #expect(catalog.codes == ["conflictingType"])
        #expect(catalog.diagnostics.first?.location == "products[0].type")
    }

    @Test("Products keep the position of their first mention; later values replace earlier ones")
    func factsAndOrder() throws {
        let catalog = try CatalogFixtures.read([
            ("List.plist", CatalogFixtures.plist("<array><string>gold</string><string>coins</string></array>")),
            configuration,
            (
                "Late.json",
                #"[{"id":"gold","displayName":"Best","price":8,"currency":"EUR"},{"id":"silver","price":"3"}]"#
            ),
        ])
        #expect(catalog.ids == ["gold", "coins", "silver"])
        let gold = try #require(catalog.product("gold"))
        #expect(gold.displayName == "Best")
        #expect(gold.price == 8)
        #expect(gold.currencyCode == "EUR")
        #expect(gold.type == .autoRenewable)
        // A price from a file without a currency does not get the currency of another file.
        #expect(catalog.product("silver")?.price == 3)
        #expect(catalog.product("silver")?.currencyCode == nil)
        #expect(catalog.product("silver")?.displayName == "silver")
        #expect(catalog.product("coins")?.displayName == nil)
        #expect(catalog.product("coins")?.isFamilyShareable == nil)
        #expect(gold.isFamilyShareable == false)
    }

    @Test("Groups that share products, even through other groups, are one group")
    func sharedProducts() throws {
        let catalog = try CatalogFixtures.read([
            ("1", #"{"subscriptions":[{"group":"x","products":["a","b"]},{"group":"y","products":["c","d"]}]}"#),
            ("2", #"{"subscriptions":[{"group":"z","products":["b","c"]}]}"#),
            ("3", #"{"products":[{"id":"lone","group":"w"}]}"#),
        ])
        #expect(
            catalog.groups == [
                SubscriptionGroup(id: "x", aliases: ["y", "z"], productIDs: ["a", "b", "c", "d"]),
                SubscriptionGroup(id: "w", productIDs: ["lone"]),
            ])
        #expect(levels(catalog) == ["a": 1, "b": 2, "c": 3, "d": 4])
        #expect(catalog.product("d")?.subscription?.subscriptionGroupID == "x")
        #expect(catalog.product("lone")?.subscription?.groupLevel == nil)
        #expect(catalog.group(containing: "c")?.id == "x")
    }

    @Test("The word in a list becomes the name of a group that has none in the configuration")
    func groupNames() throws {
        let nameless = ("S", #"{"subscriptionGroups":[{"id":"21","subscriptions":[{"productID":"gold"}]}]}"#)
        let list = ("L", #"{"subscriptions":[{"group":"membership","products":["gold"]}]}"#)
        #expect(try CatalogFixtures.read([nameless, list]).groups.first?.name == "membership")
        #expect(try CatalogFixtures.read([list, nameless]).group(named: "membership")?.id == "21")
        #expect(try CatalogFixtures.read([list, configuration]).groups.first?.name == "Membership")
        #expect(try CatalogFixtures.read([list]).groups.first?.name == nil)
    }

    @Test("If one group has two configured ids, the later file's counts")
    func configuredIDs() throws {
        let other = ("T", #"{"subscriptionGroups":[{"id":"22","name":"N","subscriptions":[{"productID":"gold"}]}]}"#)
        let catalog = try CatalogFixtures.read([configuration, other])
        #expect(catalog.groups.map(\.id) == ["22"])
        #expect(catalog.groups.first?.name == "N")
        #expect(catalog.codes == ["duplicateGroup"])
    }

    @Test("Features merge by id, in order, with each product once")
    func features() throws {
        let catalog = try CatalogFixtures.read([
            ("a", #"{"features":{"pro":["x","y"],"ads":["z"]}}"#),
            ("b", #"{"features":{"ads":["x"],"pro":["y","w"],"new":"x"}}"#),
        ])
        #expect(
            catalog.features == [
                Feature(id: "pro", productIDs: ["x", "y", "w"]), Feature(id: "ads", productIDs: ["z", "x"]),
                Feature(id: "new", productIDs: ["x"]),
            ])
        #expect(catalog.ids == ["x", "y", "z", "w"])
    }

    @Test("Locations name their file only if there are several files")
    func places() throws {
        let text = #"{"products":["a","a"]}"#
        #expect(try CatalogFixtures.read([("P.json", text)]).diagnostics.map(\.location) == ["products[1]"])
        #expect(
            try CatalogFixtures.read([("P.json", text), ("Q.json", "[]")]).diagnostics.map(\.location)
                == ["P.json: products[1]", "Q.json"])
    }

    @Test("No files give the empty catalog")
    func noFiles() throws {
        #expect(try Catalog(reading: []).products.isEmpty)
    }

    @Test(
        "Lists of one group are merged so that each keeps its order",
        arguments: [
            ([["gold", "silver"], ["silver", "bronze"]], ["gold", "silver", "bronze"]),
            ([["silver", "bronze"], ["gold", "silver"]], ["gold", "silver", "bronze"]),
            ([["gold"], ["silver"]], ["gold", "silver"]),
            ([["gold", "silver"], ["silver", "gold"]], ["silver", "gold"]),
            ([["gold", "ruby", "silver"], ["gold", "silver"]], ["gold", "ruby", "silver"]),
        ] as [([[Product.ID]], [Product.ID])])
    func serviceOrder(lists: [[Product.ID]], merged: [Product.ID]) {
        var order = ServiceOrder()
        for list in lists.reversed() { order.add(earlier: list.map { [$0] }) }
        let levels = order.levels
        #expect(merged.map { levels[$0] } == merged.indices.map { $0 + 1 })
    }

    @Test("Merging any lists gives the same result as the written-out rule")
    func serviceOrderByTheRule() {
        var random = SplitMix64(seed: 21)
        for _ in 0..<2000 {
            var order = ServiceOrder()
            var tiers: [[Product.ID]] = []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let products = "abcdefgh".map { Product.ID(String($0)) }.shuffled(using: &random)
                var list: [[Product.ID]] = []
                for id in products.prefix(Int.random(in: 0...6, using: &random)) {
                    if list.isEmpty || Bool.random(using: &random) { list.append([]) }
                    list[list.count - 1].append(id)
                }
                order.add(earlier: list)
                tiers = Self.merged(list, before: tiers)
            }
            var expected: [Product.ID: Int] = [:]
            for (index, tier) in tiers.enumerated() { for id in tier { expected[id] = index + 1 } }
            #expect(order.levels == expected)
        }
    }

    /// Returns the tiers with the products of a list, in a plain form of the rule.
    ///
    /// A new product follows the known product that precedes it in the list.
    private static func merged(_ list: [[Product.ID]], before tiers: [[Product.ID]]) -> [[Product.ID]] {
        var gaps: [[[Product.ID]]] = Array(repeating: [], count: tiers.count + 1)
        var grown = tiers
        var pending: [[Product.ID]] = []
        var gap: Int?
        for tier in list {
            let known = tier.lazy.compactMap { id in tiers.firstIndex { $0.contains(id) } }.first
            let new = tier.filter { id in !tiers.contains { $0.contains(id) } }
            if let known {
                if gap == nil { (gaps[known], pending) = (gaps[known] + pending, []) }
                grown[known] += new
                gap = known + 1
            } else if let gap {
                gaps[gap].append(new)
            } else {
                pending.append(new)
            }
        }
        return (pending + zip(gaps, grown).flatMap { $0 + [$1] } + gaps[tiers.count]).filter { !$0.isEmpty }
    }

    @Test(
        "The time to merge a group of ten thousand parts grows in proportion to their number", .timeLimit(.minutes(20)),
        arguments: [#"["p0"]"#, #"["same","p0"]"#, #"["p0","same"]"#])
    func manyParts(products: String) throws {
        let parts = (0..<10_000).map { #"{"group":"m","products":\#(products.replacing("p0", with: "p\($0)"))}"# }
        let catalog = try CatalogFixtures.read(#"{"subscriptions":[\#(parts.joined(separator: ","))]}"#)
        #expect(catalog.groups.count == 1)
        #expect(catalog.products.filter { $0.id != "same" }.count == 10_000)
    }

    @Test("The same files always give the same catalog and diagnostics")
    func deterministic() throws {
        let files = CatalogFixtures.samples.enumerated().map { CatalogFile(name: "\($0)", bytes: $1) }
        let first = try Catalog(reading: files)
        for _ in 0..<5 {
            let again = try Catalog(reading: files)
            #expect(again.products == first.products)
            #expect(again.groups == first.groups)
            #expect(again.diagnostics == first.diagnostics)
        }
    }
}
