import FoundationEssentials
import Testing

@testable import StorekeeperEngine

struct ProductListTests {
    @Test("The project's own list format gives products, levels, grants and features")
    func ownList() throws {
        let catalog = try CatalogFixtures.read(CatalogFixtures.ownList)
        #expect(
            catalog.ids == ["coins.100", "gold.monthly", "season.pass", "coins.500", "silver.monthly", "remove.ads"])
        let gold = try #require(catalog.product("gold.monthly"))
        #expect(gold.type == .autoRenewable)
        #expect(gold.subscription?.subscriptionGroupID == "membership")
        #expect(gold.subscription?.groupLevel == 1)
        #expect(gold.subscription?.subscriptionPeriod?.text == "P1M")
        #expect(catalog.product("silver.monthly")?.subscription?.groupLevel == 2)
        #expect(catalog.product("silver.monthly")?.type == .autoRenewable)
        #expect(catalog.product("season.pass")?.accessDuration?.text == "P90D")
        #expect(catalog.product("coins.500")?.grants == ["coins": 500])
        #expect(catalog.product("remove.ads")?.type == nil)
        #expect(catalog.groups.map(\.productIDs) == [["gold.monthly", "silver.monthly"]])
        #expect(catalog.features.map(\.id) == ["ad-free", "pro"])
        #expect(
            catalog.diagnostics.map(\.subject) == ["remove.ads", "silver.monthly"],
            "only a feature or a group names these products")
    }

    @Test("The same keys have the same meaning in property lists, XML or binary")
    func ownListAsPropertyList() throws {
        let xml = try CatalogFixtures.read(
            CatalogFixtures.plist(
                """
                <dict><key>products</key><array><string>coins.100</string><dict><key>id</key>
                <string>gold.monthly</string><key>level</key><integer>1</integer><key>price</key>
                <string>9.99</string><key>familyShareable</key><true/></dict></array>
                <key>subscriptions</key><array><dict><key>group</key><string>membership</string>
                <key>products</key><array><string>gold.monthly</string><string>silver.monthly</string></array>
                </dict></array><key>features</key><dict><key>pro</key><array><string>gold.monthly</string></array>
                </dict></dict>
                """))
        let binary = try Catalog(reading: [CatalogFile(name: "b", bytes: CatalogFixtures.binaryOwnList)])
        #expect(xml.products == binary.products)
        #expect(xml.groups == binary.groups)
        #expect(xml.features == binary.features)
        #expect(xml.ids == ["coins.100", "gold.monthly", "silver.monthly"])
        #expect(xml.product("gold.monthly")?.price == Decimal(sign: .plus, exponent: -2, significand: 999))
        #expect(xml.product("gold.monthly")?.currencyCode == nil)
        #expect(xml.product("gold.monthly")?.isFamilyShareable == true)
    }

    @Test("A nested list in a group is one level, and levels have no gaps")
    func nestedLevels() throws {
        let catalog = try CatalogFixtures.read(
            #"{"subscriptions":[{"group":"m","products":[["gold.m","gold.y"],[],"silver",["bronze"]]}]}"#)
        let levels = catalog.products.map { $0.subscription?.groupLevel }
        #expect(catalog.ids == ["gold.m", "gold.y", "silver", "bronze"])
        #expect(levels == [1, 1, 2, 3])
    }

    @Test(
        "Ids are found in simple structures",
        arguments: [
            (#"["a","b"]"#, ["a", "b"]),
            (#"[{"productIdentifier":"a","Title":"x"},{"ProductId":"b"},{"ID":"c"}]"#, ["a", "b", "c"]),
            (#"{"Products":["b","a"]}"#, ["b", "a"]),
            (#"{"products":{"b":{"type":"consumable"},"a":{}}}"#, ["b", "a"]),
            (#"{"com.example.b":"🚗","a":"label"}"#, ["com.example.b", "a"]),
            (#"{"5 boosts":"consumable.boosts.5","z":"a.b"}"#, ["consumable.boosts.5", "a.b"]),
            (#"{"com.example.b":{"Type":"Consumable"},"com.example.a":{}}"#, ["com.example.b", "com.example.a"]),
            (#"{"ID":"com.example.one","Title":"One"}"#, ["com.example.one"]),
            (#"{"Non-Consumables":["a"],"Others":["b"],"Subscriptions":{"c":30}}"#, ["a", "b", "c"]),
            (#"{"Non-Consumables":{"a":"x"}}"#, ["a"]),
            (#"{"Non-Consumables-batch":{"all":["x","y"]}}"#, ["all", "x", "y"]),
            ("[]", []), ("{}", []), (#"{"products":[]}"#, []),
        ])
    func plainShapes(text: String, ids: [String]) throws {
        #expect(try CatalogFixtures.read(text).ids == ids.map { Product.ID($0) })
    }

    @Test("A list whose products have the keys of a configuration is a list")
    func keysOfConfigurations() throws {
        let catalog = try CatalogFixtures.read(
            #"{"products":[{"productID":"coins","displayPrice":"0.99","grants":{"purse":5}}]}"#)
        let coins = try #require(catalog.product("coins"))
        #expect(coins.type == .consumable && coins.grants == ["purse": 5])
        #expect(coins.price == Decimal(sign: .plus, exponent: -2, significand: 99) && coins.currencyCode == nil)
        #expect(catalog.diagnostics.isEmpty)
    }

    @Test(
        "Any other content is not a product list",
        arguments: [
            #"{"items":[{"assets":[]}]}"#, #"[["Apples","1"]]"#, #"[{"name":"apple"}]"#, #"[1,2]"#, "7", #""x""#,
            #"{"products":[{"id":7,"title":"Shoe"}]}"#, #"{"shoe":{"price":1}}"#,
            #"{"contactUsUrl":"x","termsOfServiceUrl":"y"}"#,
        ])
    func noProductList(text: String) {
        #expect(CatalogFixtures.error(text)?.code == .noProductList)
    }

    @Test("The error for a file that is not a product list names its top-level keys and no value")
    func noProductListNamesKeys() throws {
        let error = try #require(CatalogFixtures.error(#"{"SharedSecret":["hush"],"goods":[1]}"#))
        #expect(error.description.contains("\"goods\""))
        #expect(!error.description.contains("hush"))
    }

    @Test("MKStoreKit's wallets become grants, and its shared secret is never printed")
    func mkStoreKit() throws {
        let catalog = try CatalogFixtures.read(
            #"""
            {"Consumables":{"c.50":{"Name":"coins","Count":50},"c.10":{"ConsumableId":"coins","ConsumableCount":10.0},
            "gem":3,"odd":{"Name":"coins","Count":1.5}},"Subscriptions":{"sub":30,"zero":0},"SharedSecret":"hush"}
            """#)
        #expect(catalog.ids == ["c.50", "c.10", "gem", "odd", "sub", "zero"])
        #expect(catalog.product("c.50")?.grants == ["coins": 50])
        #expect(catalog.product("c.10")?.grants == ["coins": 10])
        #expect(catalog.product("gem")?.grants == ["gem": 3])
        #expect(catalog.product("odd")?.grants == [:])
        #expect(catalog.product("sub")?.subscription?.subscriptionPeriod?.text == "P30D")
        #expect(catalog.product("zero")?.subscription?.subscriptionPeriod == nil)
        #expect(catalog.codes == ["unknownValue", "unknownValue", "unknownValue"])
        #expect(
            catalog.diagnostics.map(\.subject) == ["odd", "sub", "zero"],
            "a count is not a whole number, and the format has no levels")
        #expect(!"\(catalog)".contains("hush"))
    }

    @Test("Products of binary dictionaries are sorted by id")
    func binarySorted() throws {
        let mk = try Catalog(reading: [CatalogFile(name: "b", bytes: CatalogFixtures.binaryMKStoreKit)])
        #expect(mk.ids == ["com.example.coins.a", "com.example.coins.b", "com.example.pro", "com.example.other"])
        #expect(mk.product("com.example.coins.b")?.grants == ["coins": 50])
        #expect(!"\(mk)".contains("hush"))
        let labels = try Catalog(reading: [CatalogFile(name: "b", bytes: CatalogFixtures.binaryLabels)])
        #expect(labels.ids == ["com.example.a", "com.example.b", "com.example.c"])
        let strings = try Catalog(reading: [CatalogFile(name: "b", bytes: CatalogFixtures.binaryStrings)])
        #expect(strings.ids == ["com.example.ü", "com.example.a"])
    }

    @Test("Products of XML dictionaries keep their order")
    func xmlOrder() throws {
        let catalog = try CatalogFixtures.read(
            CatalogFixtures.plist(
                "<dict><key>z.z</key><string>1</string><key>a.a</key><string>2</string></dict>"))
        #expect(catalog.ids == ["z.z", "a.a"])
    }

    @Test("A group is inferred from StoreHelper's naming scheme only if nothing else names one")
    func inferredGroups() throws {
        let names = #"""
            {"Products":["com.a.consumable.x","com.a.Subscription.VIP.gold","com.a.subscription.vip.silver",
            "com.a.subscription.short"]}
            """#
        let catalog = try CatalogFixtures.read(names)
        #expect(catalog.groups.map(\.id) == ["vip"])
        #expect(catalog.groups.first?.productIDs == ["com.a.Subscription.VIP.gold", "com.a.subscription.vip.silver"])
        #expect(catalog.product("com.a.subscription.vip.silver")?.subscription?.groupLevel == 2)
        #expect(catalog.codes == ["inferredGroup", "inferredGroup"])
        let explicit = try CatalogFixtures.read(
            #"""
            {"Products":["com.a.subscription.vip.gold"],
            "Subscriptions":[{"Group":"other","Products":["com.a.subscription.vip.gold"]}]}
            """#)
        #expect(explicit.groups.map(\.id) == ["other"])
        #expect(explicit.diagnostics.isEmpty)
        let typed = try CatalogFixtures.read([
            ("a", names),
            ("b", #"{"products":[{"id":"com.a.subscription.vip.silver","type":"consumable"}]}"#),
        ])
        #expect(typed.groups.first?.productIDs == ["com.a.Subscription.VIP.gold"])
    }

    @Test("Unity's catalogue gives the App Store's ids, and types by number")
    func unity() throws {
        let catalog = try CatalogFixtures.read(
            #"""
            {"appleSKU":"","products":[
            {"id":"a","type":0,"storeIDs":[{"store":"GooglePlay","id":"g"},{"store":"AppleAppStore","id":"com.x.a"}],
             "defaultDescription":{"title":"T","description":""}},
            {"id":"b","type":1,"storeIDs":[]},{"id":"c","type":2},{"id":"d","type":9},{"id":""}]}
            """#)
        #expect(catalog.ids == ["com.x.a", "b", "c", "d"])
        #expect(catalog.products.map(\.type) == [.consumable, .nonConsumable, .autoRenewable, nil])
        #expect(catalog.product("com.x.a")?.displayName == "T")
        #expect(catalog.codes == ["skippedEntry", "unknownType"])
    }

    @Test("Subscriptions next to a described group belong to it")
    func subscriptionGroupShape() throws {
        let catalog = try CatalogFixtures.read(
            #"""
            {"subscriptionGroup":{"name":"Premium","referenceName":"premium"},"subscriptions":[
            {"productId":"m","duration":"1 month","priceUSD":6.990,"freeTrial":"1 week","displayName":"Monthly"},
            {"productId":"y","duration":"1 year","priceUSD":49.00,"freeTrial":null}]}
            """#)
        let monthly = try #require(catalog.product("m"))
        #expect(monthly.price == Decimal(sign: .plus, exponent: -2, significand: 699))
        #expect(monthly.currencyCode == "USD")
        #expect(monthly.subscription?.subscriptionPeriod?.text == "P1M")
        #expect(monthly.subscription?.introductoryOffer?.paymentMode == .freeTrial)
        #expect(monthly.subscription?.introductoryOffer?.period?.text == "P1W")
        #expect(catalog.product("y")?.subscription?.groupLevel == 2)
        #expect(catalog.group(named: "Premium")?.productIDs == ["m", "y"])
    }

    @Test(
        "Types are recognised by every word in use",
        arguments: [
            ("consumable", Product.ProductType.consumable), ("Non-Consumable", .nonConsumable),
            ("nonRenewable", .nonRenewable), ("Non-Renewing Subscription", .nonRenewable),
            ("NonRenewingSubscription", .nonRenewable), ("autoRenewable", .autoRenewable),
            ("Auto-Renewable Subscription", .autoRenewable), ("auto-renewable-subscription", .autoRenewable),
            ("RecurringSubscription", .autoRenewable), ("SUBSCRIPTION", .autoRenewable),
        ])
    func types(word: String, type: Product.ProductType) throws {
        let catalog = try CatalogFixtures.read(#"[{"id":"a","type":"\#(word)"}]"#)
        #expect(catalog.product("a")?.type == type)
        #expect(catalog.diagnostics.isEmpty)
    }

    @Test("An invalid member is dropped with a diagnostic; the rest of its product stays")
    func faultyMembers() throws {
        let catalog = try CatalogFixtures.read(
            #"""
            {"products":[{"id":" a\n","type":"gadget","price":"$5","period":"monthly","level":0,"offers":[{"kind":"x"}]},
            "a","b",7,"",{"id":"b","type":"consumable"},{"id":"c","color":"red","stacking":"up","currency":"usd"}]}
            """#)
        #expect(catalog.ids == ["a", "b", "c"])
        #expect(catalog.product("a")?.type == nil)
        #expect(catalog.product("a")?.price == nil)
        #expect(catalog.product("a")?.subscription?.subscriptionPeriod?.text == "monthly")
        #expect(catalog.product("b")?.type == nil)
        let places = catalog.diagnostics.map { "\($0.code.rawValue) \($0.location ?? "")" }
        #expect(
            places == [
                "badPeriod products[0].period", "badPrice products[0].price", "duplicateProduct products[1]",
                "duplicateProduct products[5]", "skippedEntry products[3]", "skippedEntry products[4]",
                "skippedEntry products[0].offers[0]", "trimmedID products[0].id", "unknownKey products[6].color",
                "unknownType products[0].type", "unknownValue products[0].level", "unknownValue products[6].stacking",
            ])
        let notes = catalog.diagnostics.filter { $0.severity == .note }
        #expect(notes.map(\.code) == [.unknownKey])
    }

    @Test("Keys of offers and billing plans that are not known are reported")
    func unknownKeysOfOffers() throws {
        let catalog = try CatalogFixtures.read(
            #"""
            {"products":[{"id":"gold","type":"autoRenewable","period":"P1M",
            "offers":[{"kind":"introductory","paymentMode":"payAsYouGo","period":"P1M","numberOfPeriods":3,"price":1}],
            "billingPlans":[{"type":"monthly","prise":1}]}]}
            """#)
        let places = catalog.diagnostics.filter { $0.code == .unknownKey }.map(\.location)
        #expect(places == ["products[0].offers[0].numberOfPeriods", "products[0].billingPlans[0].prise"])
    }

    @Test("Keys of groups that are not known are reported and kept", arguments: [#""group":"m","#, ""])
    func unknownKeysOfGroups(head: String) throws {
        let catalog = try CatalogFixtures.read(
            #"{"subscriptions":[{\#(head)"rank":1,"aliases":["vip"],"products":["gold"]}]}"#)
        let unknown = catalog.diagnostics.filter { $0.code == .unknownKey }
        #expect(unknown.map(\.location) == ["subscriptions[0].rank"])
        #expect(catalog.groups.map { $0.unknown.list.map(\.name) } == [["rank"]])
        #expect(catalog.group(named: "vip")?.productIDs == ["gold"])
    }

    @Test(
        "The period of a non-renewing product is reported, because it does not end the access",
        arguments: [
            (#""type":"nonRenewable","period":"P90D""#, ["badPeriod"]),
            (#""type":"nonRenewable","period":"P90D","accessDuration":"P90D""#, []),
            (#""type":"nonRenewable","accessDuration":"P90D""#, []), (#""type":"autoRenewable","period":"P1M""#, []),
        ])
    func periodsOfPasses(members: String, codes: [String]) throws {
        let catalog = try CatalogFixtures.read(#"{"products":[{"id":"pass",\#(members)}]}"#)
        #expect(catalog.codes == codes)
    }

    @Test("Locations are spelled as in the file")
    func placesKeepSpelling() throws {
        let catalog = try CatalogFixtures.read(#"{"Products":["a","b","c","a"]}"#)
        #expect(catalog.diagnostics.map(\.location) == ["Products[3]"])
        #expect(catalog.diagnostics.map(\.subject) == ["a"])
    }

    @Test("A product with grants and without a type is a consumable, and invalid grants are refused")
    func grants() throws {
        let catalog = try CatalogFixtures.read(#"[{"id":"a","grants":{"coins":5,"gems":2}}]"#)
        #expect(catalog.product("a")?.type == .consumable)
        #expect(catalog.product("a")?.grants == ["coins": 5, "gems": 2])
        for bad in ["0", "-1", "1.5", "\"5\"", "1e300", "null", "99999999999999999999"] {
            let error = CatalogFixtures.error(#"{"products":[{"id":"a","grants":{"coins":\#(bad)}}]}"#)
            #expect(error?.code == .badGrants, "\(bad)")
            #expect(error?.location == "products[0].grants.coins")
        }
        #expect(CatalogFixtures.error(#"[{"id":"a","grants":5}]"#)?.code == .badGrants)
    }

    @Test("The catalog that the command line prints can be read again")
    func printedCatalog() throws {
        let catalog = try CatalogFixtures.read(
            #"""
            {"products":[{"id":"gold","type":"autoRenewable","displayName":"Gold","price":"9.99","currency":"USD",
            "familyShareable":true,"subscriptionGroupID":"21","groupLevel":1,"period":"P1M",
            "offers":[{"kind":"introductory","paymentMode":"freeTrial","period":"P1W","periodCount":1,"price":"0"},
            {"kind":"promotional","id":"loyal","paymentMode":"payAsYouGo","period":"P1M","periodCount":3,"price":"4.99"}]}],
            "subscriptionGroups":[{"id":"21","name":"Membership","products":["gold","silver"]}],
            "features":[{"id":"pro","products":["gold"]}],"diagnostics":[]}
            """#)
        #expect(catalog.groups == [SubscriptionGroup(id: "21", name: "Membership", productIDs: ["gold", "silver"])])
        #expect(catalog.product("gold")?.subscription?.offers.map(\.id) == [nil, "loyal"])
        #expect(catalog.product("gold")?.subscription?.offers.last?.periodCount == 3)
        #expect(catalog.feature("pro")?.productIDs == ["gold"])
        #expect(catalog.diagnostics.isEmpty)
    }

    @Test("A printed catalog gives no level to a product that has none")
    func printedCatalogWithoutLevels() throws {
        let catalog = try CatalogFixtures.read(
            #"""
            {"products":[{"id":"loose","group":"m"},{"id":"gold","group":"m","level":2},{"id":"open","group":"n"}]}
            """#)
        #expect(catalog.products.map { $0.subscription?.groupLevel } == [nil, 2, nil])
        let printed = try CatalogFixtures.read(catalog.json(.names).text())
        #expect(printed.products == catalog.products && printed.groups == catalog.groups)
        // In a list that an author has written, the order of a group gives levels to its products.
        let list = try CatalogFixtures.read(
            #"{"products":[{"id":"loose","group":"m"}],"subscriptions":[{"group":"m","products":["loose"]}]}"#)
        #expect(list.product("loose")?.subscription?.groupLevel == 1)
    }
}
