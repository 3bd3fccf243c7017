import Foundation
import StorekeeperTesting
import Testing

@testable import StorekeeperEngine

/// Tests of catalogs that are written as files and read back.
struct CatalogWritingTests {
    private static func read(_ written: WrittenCatalog) throws -> Catalog {
        try Catalog(reading: [CatalogFile(name: "Written", bytes: written.bytes)])
    }

    private static func text(_ catalog: Catalog, as format: WrittenCatalog.Format) -> String {
        String(decoding: catalog.written(as: format).bytes, as: UTF8.self)
    }

    @Test("Generated catalogs survive writing and reading as lists in every part", arguments: 0..<8)
    func lists(shard: Int) throws {
        for seed in 0..<GeneratedCatalog.count {
            let catalog = GeneratedCatalog(seed: UInt64(seed * 8 + shard), isLocalized: true).catalog
            for format in [WrittenCatalog.Format.json, .propertyList] {
                let written = catalog.written(as: format)
                #expect(written.diagnostics == [])
                let again = try Self.read(written)
                try #require(again.products == catalog.products, "seed \(seed * 8 + shard)")
                try #require(again.groups == catalog.groups, "seed \(seed * 8 + shard)")
                try #require(again.features == catalog.features, "seed \(seed * 8 + shard)")
                #expect(again.version == catalog.version)
                #expect(again.written(as: format).text == written.text)
                #expect(catalog.written(as: format).text == written.text)
            }
        }
    }

    @Test(
        "Generated catalogs survive writing and reading as configurations, except what these cannot hold",
        arguments: 0..<8)
    func configurations(shard: Int) throws {
        for seed in 0..<GeneratedCatalog.count {
            let catalog = GeneratedCatalog(seed: UInt64(seed * 8 + shard)).catalog
            let written = catalog.written(as: .storeKitConfiguration)
            let again = try Self.read(written)
            let expected = GeneratedCatalog.asConfiguration(catalog)
            try #require(again.products == expected.products, "seed \(seed * 8 + shard)")
            try #require(again.groups == expected.groups, "seed \(seed * 8 + shard)")
            #expect(again.features == [])
            let lost = Set(written.diagnostics.compactMap(\.subject))
            #expect(catalog.features.allSatisfy { lost.contains($0.id.rawValue) })
            #expect(catalog.products.allSatisfy { $0.grants.isEmpty || lost.contains($0.id.rawValue) })
            // If the catalog is read from the written configuration and written a second time, nothing more is lost.
            let second = again.written(as: .storeKitConfiguration)
            #expect(second.text == written.text)
            #expect(
                second.diagnostics.allSatisfy { $0.severity == .warning && !lost.isDisjoint(with: [$0.subject ?? ""]) })
        }
    }

    @Test func `The catalog that a command prints is a product list, too`() throws {
        let list = try CatalogFixtures.read(CatalogFixtures.ownList)
        let written = try Self.read(list.written(as: .json))
        #expect(written.products == list.products && written.groups == list.groups && written.features == list.features)
    }

    @Test func `A JSON list is written as the contract shows it`() throws {
        let catalog = try CatalogFixtures.read(
            #"""
            {"products":["coins.100",{"id":"coins.500","type":"consumable","grants":{"coins":500}}],
            "subscriptions":[{"group":"membership","products":[["gold.m","gold.y"],"silver.m"]}],"features":{"pro":["gold.m"]}}
            """#)
        let expected = """
            {
              "products": [
                "coins.100",
                {
                  "id": "coins.500",
                  "type": "consumable",
                  "grants": {
                    "coins": 500
                  }
                },
                {
                  "id": "gold.m",
                  "type": "autoRenewable",
                  "level": 1
                },
                {
                  "id": "gold.y",
                  "type": "autoRenewable",
                  "level": 1
                },
                {
                  "id": "silver.m",
                  "type": "autoRenewable",
                  "level": 2
                }
              ],
              "subscriptions": [
                {
                  "group": "membership",
                  "products": [
                    [
                      "gold.m",
                      "gold.y"
                    ],
                    "silver.m"
                  ]
                }
              ],
              "features": {
                "pro": [
                  "gold.m"
                ]
              }
            }

            """
        #expect(Self.text(catalog, as: .json) == expected)
    }

    @Test func `A property list escapes the characters that XML requires and keeps the order`() throws {
        let name = "a < b & c > d \"e\" 'f' ]]> \r\n\t é 🚗"
        let catalog = Catalog(
            products: [Product(id: "z", displayName: name), Product(id: "a")], groups: [], features: [])
        let text = Self.text(catalog, as: .propertyList)
        #expect(text.contains("<string>a &lt; b &amp; c &gt; d \"e\" 'f' ]]&gt; &#13;\n\t é 🚗</string>"))
        let again = try CatalogFixtures.read(text)
        #expect(again.ids == ["z", "a"])
        #expect(again.product("z")?.displayName.map { Array($0.utf8) } == Array(name.utf8))
        // Foundation's reader of property lists gives the same result.
        let root = try PropertyListSerialization.propertyList(from: Data(text.utf8), format: nil) as? [String: Any]
        let entry = (root?["products"] as? [Any])?.first as? [String: Any]
        #expect((entry?["displayName"] as? String).map { Array($0.utf8) } == Array(name.utf8))
    }

    @Test func `A configuration is written as Xcode writes it`() throws {
        let catalog = try CatalogFixtures.read(
            #"{"products":[{"id":"coins","type":"consumable","displayName":"Coins","price":"0.990","currency":"JPY"}]}"#
        )
        let text = Self.text(catalog, as: .storeKitConfiguration)
        let expected = """
            {
              "appPolicies" : {
                "eula" : "",
                "policies" : [
                  {
                    "locale" : "en_US",
                    "policyText" : "",
                    "policyURL" : ""
                  }
                ]
              },
              "identifier" : "3A0A9D5C",
              "nonRenewingSubscriptions" : [

              ],
              "products" : [
                {
                  "displayPrice" : "0.99",
                  "familyShareable" : false,
            """
        let head = text.split(separator: "\n", omittingEmptySubsequences: false).prefix(20)
        // The identifier is derived from the product ids. The test only checks that it has the form of an identifier.
        let lines = expected.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(
            zip(head, lines).allSatisfy { $0 == $1 || ($0.hasPrefix("  \"identifier\" : \"") && $0.count == $1.count) })
        #expect(text.contains(#""_storefront" : "JPN""#))
        let root = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(root["version"] as? [String: Int] == ["major": 4, "minor": 0])
        #expect(
            Set(root.keys) == [
                "appPolicies", "identifier", "nonRenewingSubscriptions", "products", "settings", "subscriptionGroups",
                "version",
            ])
    }

    @Test func `Each thing that a configuration cannot hold gives a diagnostic with its name`() throws {
        let catalog = try CatalogFixtures.read(
            #"""
            {"products":[{"id":"coins","type":"consumable","grants":{"purse":5},"price":"1","currency":"EUR"},
              {"id":"gems","type":"consumable","price":"2","currency":"EUR"},
              {"id":"dollars","type":"consumable","price":"3","currency":"USD"},
              {"id":"pass","type":"nonRenewable","accessDuration":"P90D","stacking":"extend"},"plain",
              {"id":"loose","type":"autoRenewable","group":"21"}],
             "subscriptions":[{"group":"21","aliases":["vip"],"products":["gold"]}],"features":{"pro":["gold"]}}
            """#)
        let written = catalog.written(as: .storeKitConfiguration)
        #expect(written.diagnostics.allSatisfy { $0.code == .notWritten })
        let subjects = written.diagnostics.filter { $0.severity == .warning }.compactMap(\.subject)
        #expect(subjects == ["21", "coins", "dollars", "loose", "pass", "pass", "plain", "pro"])
        let again = try Self.read(written)
        #expect(again.ids == ["pass", "coins", "gems", "dollars", "plain", "loose", "gold"])
        #expect(again.product("coins")?.currencyCode == "EUR" && again.product("coins")?.price == 1)
        #expect(again.product("dollars")?.price == nil)
        #expect(again.product("plain")?.type == nil)
        #expect(again.product("loose")?.subscription?.subscriptionGroupID == "21")
        #expect(again.product("loose")?.subscription?.groupLevel == nil)
    }

    @Test func `An access duration has several parts when it is read back; a period has one`() throws {
        let list = #"{"products":[{"id":"pass","type":"nonRenewable","accessDuration":"P1Y2M3D"}]}"#
        let catalog = try CatalogFixtures.read(list)
        #expect(catalog.codes == [])
        for format in [WrittenCatalog.Format.json, .propertyList] {
            let written = catalog.written(as: format)
            #expect(written.diagnostics == [] && written.text.contains("P1Y2M3D"))
            let again = try Self.read(written)
            #expect(again.products == catalog.products && again.codes == [])
        }
        #expect(try CatalogFixtures.read(list.replacing("P1Y2M3D", with: "P3D2M")).codes == ["badPeriod"])
        #expect(
            try CatalogFixtures.read(list.replacing("accessDuration", with: "period")).codes == [
                "badPeriod", "badPeriod",
            ])
    }

    @Test func `The products of a group keep the order of the file, not that of their levels`() throws {
        let catalog = try CatalogFixtures.read(
            #"""
            {"version":{"major":4,"minor":0},"subscriptionGroups":[{"id":"21","subscriptions":[
              {"productID":"premium","groupNumber":2},{"productID":"pro","groupNumber":1},
              {"productID":"plus","groupNumber":2}]}]}
            """#)
        #expect(catalog.ids == ["premium", "pro", "plus"])
        #expect(catalog.groups.map(\.productIDs) == [["pro", "premium", "plus"]])
        for format in WrittenCatalog.Format.allCases {
            let again = try Self.read(catalog.written(as: format))
            #expect(again.ids == catalog.ids && again.groups.map(\.productIDs) == catalog.groups.map(\.productIDs))
            #expect(again.products.map { $0.subscription?.groupLevel } == [2, 1, 2])
        }
    }

    @Test func `The group keeps its order of products of one level that the catalog lists in another order`() throws {
        let catalog = try CatalogFixtures.read(
            #"{"products":["monthly","yearly"],"subscriptions":[{"group":"21","products":[["yearly","monthly"]]}]}"#)
        #expect(catalog.ids == ["monthly", "yearly"])
        let again = try Self.read(catalog.written(as: .storeKitConfiguration))
        #expect(again.groups.map(\.productIDs) == [["yearly", "monthly"]])
    }

    @Test("Prices stay exact", arguments: ["0.1", "999999999999999999", "0.000000000000000001", "5e17", "9.99", "0"])
    func prices(text: String) throws {
        let catalog = try CatalogFixtures.read(#"{"products":[{"id":"a","price":\#(text),"currency":"USD"}]}"#)
        let price = try #require(catalog.product("a")?.price)
        for format in WrittenCatalog.Format.allCases {
            #expect(try Self.read(catalog.written(as: format)).product("a")?.price == price)
        }
    }

    @Test(
        "The extension of a file name determines the format",
        arguments: [
            ("a.json", WrittenCatalog.Format.json), ("A.JSON", .json), ("x/y.plist", .propertyList),
            ("Store.storekit", .storeKitConfiguration), ("a", nil), ("a.json/b", nil), ("json", nil), ("a.yaml", nil),
            ("a.", nil), ("", nil),
        ] as [(String, WrittenCatalog.Format?)])
    func formats(name: String, format: WrittenCatalog.Format?) {
        #expect(WrittenCatalog.Format(fileName: name) == format)
    }

    @Test func `The storefront that is written for a currency sells in this currency`() throws {
        for currency in ["USD", "EUR", "JPY", "GBP", "CHF", "TWD", "ZAR"] {
            let country = try #require(StorefrontCurrency.country(forCurrency: currency))
            #expect(StorefrontCurrency.code(forCountry: country) == currency)
        }
        #expect(StorefrontCurrency.country(forCurrency: "XXX") == nil)
    }
}

/// Tests of names and values that no file should have, but that code can put into a catalog.
struct CatalogHostileWritingTests {
    private static let names = [
        "", " ", "a ", "\n", "\u{0}", "a\u{1}b", "\u{1B}[31m", "\u{FFFE}", "a\rb", "\r\n", "<key>", "</dict>", "]]>",
        "&amp;", "&#0;", "\"", "\\", "\\u0000", "é", "e\u{301}", "\u{202E}gold", "🚗", "products",
        "com.a.subscription.vip.x",
        "settings", "null", "true", "1", "1e5", "../x", "\u{FEFF}", "\u{2028}", "__proto__",
        String(repeating: "x", count: 5000),
    ]

    private static func price(_ random: inout SplitMix64) -> Decimal? {
        let prices: [Decimal?] = [
            nil, 0, -1, .nan, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
            Decimal(sign: .plus, exponent: -30, significand: 1),
            Decimal(sign: .plus, exponent: 100, significand: 7), 9,
        ]
        return prices.randomElement(using: &random) ?? nil
    }

    private static func catalog(_ random: inout SplitMix64) -> Catalog {
        func name() -> String { names.randomElement(using: &random) ?? "" }
        func maybe() -> String? { Bool.random(using: &random) ? name() : nil }
        let numbers = [0, -1, 1, 2, 1_000_000, 1_000_001, .max, .min]
        var products: [Product] = []
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            var product = Product(
                id: Product.ID(name()), displayName: maybe(), description: maybe(), currencyCode: maybe())
            product.type = maybe().map { Product.ProductType(rawValue: $0) }
            if Bool.random(using: &random) {
                product.type =
                    [.consumable, .nonConsumable, .nonRenewable, .autoRenewable].randomElement(using: &random)
            }
            product.price = price(&random)
            product.accessDuration = maybe().map { SubscriptionPeriod($0) }
            product.grants = Dictionary(
                [
                    (BalanceID(name()), Int64.random(in: -2...3, using: &random)),
                    (BalanceID(name()), .max),
                ],
                uniquingKeysWith: { $1 })
            var info = Product.SubscriptionInfo(
                subscriptionGroupID: maybe().map { SubscriptionGroup.ID($0) },
                groupLevel: numbers.randomElement(using: &random))
            info.subscriptionPeriod = maybe().map { SubscriptionPeriod($0) }
            info.billingPlans = [
                BillingPlan(
                    type: BillingPlanType(rawValue: name()), price: price(&random), commitmentPrice: price(&random))
            ]
            let kinds: [SubscriptionOffer.Kind] = [.introductory, .promotional, .code, .winBack]
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                info.offers.append(
                    SubscriptionOffer(
                        kind: kinds.randomElement(using: &random) ?? .code,
                        id: maybe().map { SubscriptionOffer.ID($0) },
                        paymentMode: SubscriptionOffer.PaymentMode.allCases.randomElement(using: &random),
                        period: maybe().map { SubscriptionPeriod($0) },
                        periodCount: numbers.randomElement(using: &random) ?? 1, price: price(&random),
                        billingPlanType: maybe().map { BillingPlanType(rawValue: $0) }, eligibility: [.new],
                        isStackable: true, isEligible: true))
            }
            product.subscription = Bool.random(using: &random) ? info : nil
            products.append(product)
        }
        let groups = (0..<Int.random(in: 0...3, using: &random)).map { _ in
            SubscriptionGroup(
                id: SubscriptionGroup.ID(name()), name: maybe(),
                aliases: [SubscriptionGroup.ID(name()), SubscriptionGroup.ID(name())],
                productIDs: [Product.ID(name()), Product.ID(name())] + products.prefix(2).map(\.id))
        }
        let features = (0..<Int.random(in: 0...3, using: &random)).map { _ in
            Feature(id: Feature.ID(name()), productIDs: [Product.ID(name()), Product.ID(name())])
        }
        return Catalog(products: products, groups: groups, features: features)
    }

    @Test("Any catalog is written as a readable file that has only ids of the catalog", arguments: 0..<4)
    func hostile(shard: Int) throws {
        var random = SplitMix64(seed: 0xBAD + UInt64(shard))
        for _ in 0..<GeneratedCatalog.count {
            let catalog = Self.catalog(&random)
            // The ids are compared by bytes, because two ids that only look alike are different.
            let named = Set(
                (catalog.products.map(\.id) + catalog.groups.flatMap(\.productIDs)
                    + catalog.features.flatMap(\.productIDs)).map { Array($0.rawValue.utf8) })
            for format in WrittenCatalog.Format.allCases {
                let written = catalog.written(as: format)
                let again = try Catalog(reading: [CatalogFile(name: "Written", bytes: written.bytes)])
                let bytes = Set(again.products.map { Array($0.id.rawValue.utf8) })
                #expect(bytes.isSubset(of: named))
                #expect(again.products.allSatisfy { $0.grants.values.allSatisfy { $0 > 0 } })
                // A second round trip loses nothing more.
                let second = again.written(as: format)
                let third = try Catalog(reading: [CatalogFile(name: "Written", bytes: second.bytes)])
                // If a catalog has two groups with one id, which no reader makes, they are merged, and the order of
                // their products changes. So the products are compared without their order.
                #expect(Set(third.products.map(\.id)) == Set(again.products.map(\.id)))
                for before in again.products where third.product(before.id) != before {
                    Issue.record("\(format): \(before.id.rawValue.prefix(80)) changes when it is written a second time")
                }
            }
        }
    }

    @Test func `A control character removes its element from a property list, with a diagnostic`() throws {
        let catalog = Catalog(
            products: [Product(id: "a\u{1}"), Product(id: "b", displayName: "\u{0}x"), Product(id: "c")], groups: [],
            features: [Feature(id: "f\u{7}", productIDs: ["c"])])
        let written = catalog.written(as: .propertyList)
        let again = try Catalog(reading: [CatalogFile(name: "w", bytes: written.bytes)])
        #expect(again.ids == ["b", "c"] && again.product("b")?.displayName == nil && again.features == [])
        #expect(written.diagnostics.map(\.subject) == ["a\u{1}", "b", "f\u{7}"])
        let json = try Catalog(reading: [CatalogFile(name: "w", bytes: catalog.written(as: .json).bytes)])
        #expect(json.ids == ["a\u{1}", "b", "c"] && json.product("b")?.displayName == "\u{0}x")
    }
}

extension WrittenCatalog {
    /// The bytes as text, which is easier to read in failures.
    var text: String { String(decoding: bytes, as: UTF8.self) }
}
