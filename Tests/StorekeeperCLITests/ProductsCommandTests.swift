import Foundation
import StorekeeperTesting
import Testing

@Suite(.system) struct ProductsCommandTests {
    private let folder: Folder

    private static let list = """
        {"products":["coins.100",{"id":"gold.monthly","type":"autoRenewable","group":"membership","level":1,
                      "period":"P1M"},
                     {"id":"season.pass","type":"nonRenewable","accessDuration":"P90D"},
                     {"id":"coins.500","type":"consumable","grants":{"coins":500}},"silver.monthly"],
         "subscriptions":[{"group":"membership","products":["gold.monthly","silver.monthly"]}],
         "features":{"pro":["gold.monthly"]}}
        """

    private static let configuration = """
        {"identifier":"A","version":{"major":4,"minor":0},"settings":{},"nonRenewingSubscriptions":[],
         "products":[{"productID":"coins.100","type":"Consumable","displayPrice":"0.990","internalID":"1",
                      "familyShareable":false,"referenceName":"Coins",
                      "localizations":[{"displayName":"100 Coins","description":"d","locale":"en_US"}]}],
         "subscriptionGroups":[{"id":"21","name":"Membership","localizations":[],"subscriptions":[
           {"productID":"gold.monthly","type":"RecurringSubscription","displayPrice":"9.99","internalID":"2",
            "familyShareable":true,"groupNumber":1,"recurringSubscriptionPeriod":"P1M","referenceName":"Gold",
            "subscriptionGroupID":"21","codeOffers":[],"winbackOffers":[],
            "localizations":[{"displayName":"Gold","description":"d","locale":"en_US"}],
            "introductoryOffer":{"internalID":"3","numberOfPeriods":1,"paymentMode":"free",
                                 "subscriptionPeriod":"P1W"},
            "adHocOffers":[{"offerID":"loyal","internalID":"4","displayPrice":"4.99","numberOfPeriods":3,
                            "paymentMode":"payAsYouGo","referenceName":"l","subscriptionPeriod":"P1M"}]}]}]}
        """

    init() throws {
        folder = try Folder()
        try folder.write(Self.list, to: "Products.json")
        try folder.write(Self.configuration, to: "Store.storekit")
        try folder.write(#"["a"," b ","a"]"#, to: "odd.json")
        try folder.write("[]", to: "empty.json")
    }

    @Test("JSON has the documented members, without nulls, with sorted keys")
    func json() throws {
        let result = try Tool.run(["products", "Store.storekit", "--format", "json"], in: folder)
        let expected = """
            {
              "diagnostics": [],
              "features": [],
              "products": [
                {
                  "currency": "USD",
                  "displayName": "100 Coins",
                  "familyShareable": false,
                  "id": "coins.100",
                  "price": "0.99",
                  "type": "consumable"
                },
                {
                  "currency": "USD",
                  "displayName": "Gold",
                  "familyShareable": true,
                  "groupLevel": 1,
                  "id": "gold.monthly",
                  "offers": [
                    {
                      "kind": "introductory",
                      "paymentMode": "freeTrial",
                      "period": "P1W",
                      "periodCount": 1,
                      "price": "0"
                    },
                    {
                      "id": "loyal",
                      "kind": "promotional",
                      "paymentMode": "payAsYouGo",
                      "period": "P1M",
                      "periodCount": 3,
                      "price": "4.99"
                    }
                  ],
                  "period": "P1M",
                  "price": "9.99",
                  "subscriptionGroupID": "21",
                  "type": "autoRenewable"
                }
              ],
              "subscriptionGroups": [
                {
                  "id": "21",
                  "name": "Membership",
                  "products": [
                    "gold.monthly"
                  ]
                }
              ]
            }

            """
        #expect(result.output == expected)
        #expect(result.errors == "")
        #expect(result.status == 0)
    }

    @Test("Text consists of aligned tables of products, groups and features")
    func text() throws {
        let result = try Tool.run(["products", "Products.json", "Store.storekit"], in: folder)
        let expected = """
            PRODUCT         TYPE           PRICE     PERIOD
            coins.100       consumable     0.99 USD
            gold.monthly    autoRenewable  9.99 USD  P1M
            season.pass     nonRenewable             P90D
            coins.500       consumable
            silver.monthly  autoRenewable

            GROUPS, HIGHEST SERVICE FIRST
            21  Membership
              level 1  gold.monthly
              level 2  silver.monthly

            OFFERS AND BILLING PLANS
            gold.monthly
              introductory P1W free
              promotional "loyal" 3 × P1M at 4.99 USD

            FEATURES, AND WHAT GIVES THEM
            pro
              gold.monthly

            """
        #expect(result.output == expected)
        #expect(result.status == 0)
    }

    private static let localized = """
        {"version":"3","products":[{"id":"gold","type":"autoRenewable","period":"P1M","price":"1234.5","currency":"CHF",
          "displayName":"Gold","localizations":[{"locale":"de","displayName":"Gold-Abo","description":"Alles"}],
          "offers":[{"kind":"introductory","paymentMode":"freeTrial","period":"P1W"}]}],
         "subscriptions":[{"group":"g","products":["gold"],"localizations":[{"locale":"de","displayName":"Gruppe"}]}]}
        """

    @Test("--locale prints what a reader of that language sees")
    func locale() throws {
        try folder.write(Self.localized, to: "Localized.json")
        let text = try Tool.run(["products", "Localized.json", "--locale", "de_CH"], in: folder)
        #expect(
            text.output == """
                PRODUCT  TYPE           PRICE         PERIOD
                gold     autoRenewable  CHF\u{A0}1’234.50  1 Monat

                NAMES AND DESCRIPTIONS
                gold
                  Gold-Abo: Alles

                GROUPS, HIGHEST SERVICE FIRST
                g
                  level 1  gold

                OFFERS AND BILLING PLANS
                gold
                  introductory P1W free

                """)
        let json = try Tool.run(["products", "Localized.json", "--locale", "de_CH", "--format", "json"], in: folder)
        for part in [
            #""displayName": "Gold-Abo""#, #""description": "Alles""#, #""displayPrice": "CHF\#u{A0}1’234.50""#,
            #""periodText": "1 Monat""#, #""periodText": "1 Woche""#, #""displayName": "Gruppe""#,
            #""locale": "de_CH""#,
            #""version": "3""#, #""price": "1234.5""#, #""diagnostics": []"#,
        ] { #expect(json.output.contains(part), "\(part): \(json.output)") }
        #expect(!json.output.contains("localizations"))
    }

    @Test("--localizations prints all languages; without it, the output has none")
    func localizations() throws {
        try folder.write(Self.localized, to: "Localized.json")
        let json = try Tool.run(["products", "Localized.json", "--localizations", "--format", "json"], in: folder)
        #expect(json.output.contains(#""locale": "de""#) && json.output.contains(#""version": "3""#))
        #expect(json.output.contains(#""displayName": "Gold""#) && !json.output.contains("displayPrice"))
        let text = try Tool.run(["products", "Localized.json", "--localizations"], in: folder)
        #expect(text.output.contains("NAMES AND DESCRIPTIONS\ngold\n  de  Gold-Abo: Alles\n"), "\(text.output)")
        let plain = try Tool.run(["products", "Localized.json", "--format", "json"], in: folder)
        #expect(!plain.output.contains("Abo") && !plain.output.contains("version"))
    }

    @Test("One language or all of them, and it must be a language")
    func wrongLocale() throws {
        for arguments in [["--locale", "deutsch"], ["--locale", ""], ["--locale", "de", "--localizations"]] {
            let result = try Tool.run(["products", "Products.json"] + arguments, in: folder)
            #expect(result.status == 64 && result.output == "", "\(arguments): \(result.errors)")
        }
    }

    @Test("Diagnostics are printed to standard error and in JSON")
    func diagnostics() throws {
        let result = try Tool.run(["products", "odd.json", "--format", "json"], in: folder)
        #expect(result.status == 0)
        #expect(result.errorLines.count == 2)
        #expect(result.errorLines.allSatisfy { $0.hasPrefix("storekeeper: warning: ") })
        #expect(result.output.contains(#""code": "duplicateProduct""#))
        #expect(result.output.contains(#""code": "trimmedID""#))
    }

    @Test("Standard input is read like a file, and an empty list is an empty catalog")
    func standardInput() throws {
        let list = try Program.run(["products", "-"], in: folder, input: Array(#"["x.y"]"#.utf8))
        #expect(list.output == "PRODUCT  TYPE  PRICE  PERIOD\nx.y\n")
        let empty = try Tool.run(["products", "empty.json"], in: folder)
        #expect(empty.output == "The catalog is empty.\n")
    }

    @Test("JSON contains billing plans, and the members that distinguish offers")
    func offersAndPlans() throws {
        try folder.write(
            #"""
            {"products":[{"id":"gold.yearly","type":"autoRenewable","price":"11.88","currency":"USD","billingPlans":[
              {"type":"upFront","price":"11.880"},{"type":"monthly","price":"1.0","commitmentPrice":"12","enabled":false}],
             "offers":[{"kind":"code","id":"spring","paymentMode":"payUpFront","period":"P1M","price":"1",
               "eligibility":["lapsed","new"],"stackable":true,"billingPlan":"monthly"},
              {"kind":"winBack","id":"back","paymentMode":"freeTrial","period":"P1M","eligible":false}]}]}
            """#, to: "plans.json")
        let result = try Tool.run(["products", "plans.json", "--format", "json"], in: folder)
        let product = try #require(
            JSONDecoder().decode(Printed.self, from: Data(result.output.utf8)).products.first)
        #expect(
            product.billingPlans == [
                .init(type: "upFront", price: "11.88"),
                .init(type: "monthly", price: "1", commitmentPrice: "12", enabled: false),
            ])
        #expect(
            product.offers == [
                .init(
                    kind: "code", id: "spring", paymentMode: "payUpFront", price: "1", billingPlan: "monthly",
                    eligibility: ["new", "lapsed"], stackable: true),
                .init(kind: "winBack", id: "back", paymentMode: "freeTrial", price: "0", eligible: false),
            ])
        let text = try Tool.run(["products", "plans.json"], in: folder)
        #expect(
            text.outputLines.suffix(6) == [
                "gold.yearly", "  billed up front at 11.88 USD",
                "  billed monthly at 1 USD, 12 USD in all, not enabled",
                #"  code "spring" P1M up front at 1 USD; for new, lapsed customers; after the"#,
                "    introductory offer; billed monthly", #"  winBack "back" P1M free; switched off"#,
            ])
    }

    /// The part of the output about offers and billing plans.
    private struct Printed: Decodable {
        struct Plan: Decodable, Equatable {
            var type, price: String
            var commitmentPrice: String?
            var enabled: Bool?
        }
        struct Offer: Decodable, Equatable {
            var kind, id, paymentMode, price: String
            var billingPlan: String?
            var eligibility: [String]?
            var stackable, eligible: Bool?
        }
        struct Product: Decodable {
            var billingPlans: [Plan]
            var offers: [Offer]
        }
        var products: [Product]
    }

    @Test("--schema prints a JSON schema, and reads no file")
    func schema() throws {
        let result = try Tool.run(["products", "--schema"], in: folder)
        let schema = try result.object()
        #expect(result.status == 0 && schema["$schema"] as? String == "https://json-schema.org/draft/2020-12/schema")
        #expect((schema["properties"] as? [String: Any])?["products"] != nil)
        #expect(try Tool.run(["products", "--schema", "Products.json"], in: folder).status == 64)
        let none = try Tool.run(["products"], in: folder)
        #expect(none.status == 64 && none.errors.contains("no list of products is given (products)"), "\(none.errors)")
    }

    @Test("The printed JSON is read as the same catalog")
    func printedIsRead() throws {
        let files = ["Products.json", "Store.storekit"]
        let first = try Tool.run(["products"] + files + ["--format", "json"], in: folder)
        try folder.write(first.output, to: "printed.json")
        let second = try Tool.run(["products", "printed.json", "--format", "json"], in: folder)
        expectText(second.output, equals: first.output)
    }

    @Test("A catalog is written in each format and read back", arguments: ["json", "plist", "storekit", "JSON"])
    func written(format: String) throws {
        let path = "All.\(format)"
        let files = ["products", "Products.json", "Store.storekit", "--format", "json"]
        let first = try Tool.run(files + ["--output", path], in: folder)
        #expect(first.status == 0)
        let second = try Tool.run(["products", path, "--format", "json", "--output", "again.\(format)"], in: folder)
        #expect(try folder.text("again.\(format)") == folder.text(path))
        guard format != "storekit" else {
            let losses = first.errorLines.filter { $0.contains("notWritten") }
            let feature = losses.first { $0.contains("the products of a feature") }
            #expect(feature?.hasSuffix("(pro, All.storekit)") == true)
            #expect(try first.diagnostics().contains("notWritten pro"))
            #expect(try second.object()["features"] as? [String] == [])
            return
        }
        #expect(first.errors == "" && second.errors == "")
        expectText(second.output, equals: first.output)
    }

    @Test("Several files are written at once; an existing file is kept without --force")
    func force() throws {
        let both = ["products", "Products.json", "--output", "a.json", "--output", "a.plist"]
        #expect(try Tool.run(both, in: folder).status == 0)
        try folder.write("mine", to: "a.plist")
        let refused = try Tool.run(
            ["products", "Products.json", "--output", "new.json", "--output", "a.plist"], in: folder)
        #expect(refused.status == 73 && refused.output == "")
        #expect(
            refused.errors
                == "storekeeper: error: the file already exists (a.plist): name another, or replace it with --force\n")
        #expect(try folder.text("a.plist") == "mine")
        // Nothing is written if one of the files cannot be written.
        #expect(try Tool.run(["products", "new.json"], in: folder).status == 66)
        #expect(try Tool.run(both + ["--force"], in: folder).status == 0)
        #expect(try folder.text("a.plist").hasPrefix("<?xml"))
        // A catalog may be written to the file from which it was read.
        #expect(try Tool.run(["products", "a.plist", "--output", "a.plist", "--force"], in: folder).status == 0)
        #expect(try Tool.run(["products", "a.plist"], in: folder).status == 0)
    }

    @Test(
        "An output without a format, or given twice, is wrong usage, and an unwritable output ends with 73",
        arguments: [
            (["--output", "a.yaml"], 64), (["--output", "a"], 64), (["--output", "-"], 64),
            (["--output", ".json/"], 64),
            (["--output", "a.json", "--output", "a.json"], 64), (["--force"], 64),
            (["--output", "nowhere/a.json"], 73), (["--output", "folder.json"], 73),
            (["--output", "folder.json", "--force"], 73),
        ] as [([String], Int32)])
    func badOutput(arguments: [String], status: Int32) throws {
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("folder.json"), withIntermediateDirectories: true)
        let result = try Tool.run(["products", "Products.json"] + arguments, in: folder)
        #expect(result.status == status && result.output == "" && result.errorLines.count == 1)
    }

    @Test("Text fits the columns, also with long ids", arguments: [40, 80, 100])
    func width(columns: Int) throws {
        let ids = (1...5).map { "\"com.example.application.subscription.membership.number.\($0)\"" }
        let list = "[\(ids.joined(separator: ","))]"
        try folder.write(
            #"{"subscriptions":[{"group":"m","products":[\#(list)]}],"features":{"pro":\#(list)}}"#, to: "long.json")
        let result = try Tool.run(
            ["products", "long.json", "Store.storekit"], in: folder, environment: ["COLUMNS": "\(columns)"])
        #expect(result.status == 0)
        #expect(result.outputLines.allSatisfy { $0.count <= columns })
        #expect(result.outputLines.contains { $0.count > columns - 20 })
    }
}

extension Folder {
    /// Returns the content of a file.
    fileprivate func text(_ name: String) throws -> String {
        try String(contentsOf: url.appendingPathComponent(name), encoding: .utf8)
    }
}
