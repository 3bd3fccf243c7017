import Testing

struct ProductsCommandTests {
    private let folder: Folder

    private static let list = """
        {"products":["coins.100",{"id":"gold.monthly","type":"autoRenewable","group":"membership","level":1,
                      "period":"P1M"},
                     {"id":"season.pass","type":"nonRenewable","accessDuration":"P90D"},
                     {"id":"coins.500","type":"consumable","grants":{"coins":500}}],
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

    @Test("JSON has the shape of the contract, without nulls, with sorted keys")
    func json() throws {
        let result = try Program.run(["products", "Store.storekit", "--format", "json"], in: folder)
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

    @Test("Text is aligned tables of products, groups and features")
    func text() throws {
        let result = try Program.run(["products", "Products.json", "Store.storekit"], in: folder)
        let expected = """
            PRODUCT         TYPE           GROUP  LEVEL  PRICE     PERIOD  OFFERS
            coins.100       consumable                   0.99 USD
            gold.monthly    autoRenewable  21     1      9.99 USD  P1M     introductory P1W free, promotional "loyal" 3 × P1M at 4.99 USD
            season.pass     nonRenewable                           P90D
            coins.500       consumable
            silver.monthly  autoRenewable  21     2

            GROUP  NAME        PRODUCTS, HIGHEST SERVICE FIRST
            21     Membership  gold.monthly > silver.monthly

            FEATURE  PRODUCTS THAT GIVE IT
            pro      gold.monthly

            """
        #expect(result.output == expected)
        #expect(result.status == 0)
    }

    @Test("What is odd is told on standard error and in JSON")
    func diagnostics() throws {
        let result = try Program.run(["products", "odd.json", "--format", "json"], in: folder)
        #expect(result.status == 0)
        #expect(result.errorLines.count == 2)
        #expect(result.errorLines.allSatisfy { $0.hasPrefix("storekeeper: warning: ") })
        #expect(result.output.contains(#""code": "duplicateProduct""#))
        #expect(result.output.contains(#""code": "trimmedID""#))
    }

    @Test("Standard input is a file like any other, and an empty list an empty catalog")
    func standardInput() throws {
        let list = try Program.run(["products", "-"], in: folder, input: Array(#"["x.y"]"#.utf8))
        #expect(list.output == "PRODUCT  TYPE  GROUP  LEVEL  PRICE  PERIOD  OFFERS\nx.y\n")
        let empty = try Program.run(["products", "empty.json"], in: folder)
        #expect(empty.output == "The catalog is empty.\n")
    }
}
