import FoundationEssentials
import Testing

@testable import StorekeeperEngine

/// Tests of lists that other makers write: StoreKit 2, App Store Connect, Unity and React Native.
struct ForeignListTests {
    private func price(_ hundredths: Int) -> Decimal {
        Decimal(sign: .plus, exponent: -2, significand: Decimal(hundredths))
    }

    // MARK: StoreKit 2

    private static let gold = """
        {"id":"1B7B8E9C","type":"in-apps","href":"/v1/catalog/usa/in-apps/1B7B8E9C","attributes":{
         "offerName":"gold.monthly","kind":"Auto-Renewable Subscription","name":"Gold",
         "description":{"standard":"Everything"},"icuLocale":"en_US@currency=USD","isFamilyShareable":1,
         "offers":[{"currencyCode":"USD","price":"9.99","priceFormatted":"$9.99","recurringSubscriptionPeriod":"P1M",
          "discounts":[{"modeType":"FreeTrial","numOfPeriods":1,"priceFormatted":"$0.00","priceString":"0.00",
            "recurringSubscriptionPeriod":"P1W","type":"IntroOffer"},
           {"modeType":"PayAsYouGo","numOfPeriods":3,"offerId":"loyal","priceString":"4.99",
            "recurringSubscriptionPeriod":"P1M","type":"AdhocOffer"}]}],
         "subscriptionFamilyId":"21","subscriptionFamilyName":"Membership","subscriptionFamilyRank":1}}
        """
    private static let coins = """
        {"id":"9","type":"in-apps","attributes":{"offerName":"coins","kind":"Consumable","name":"",
         "isFamilyShareable":0,"offers":[{"currencyCode":"USD","priceString":"0.99","price":0.99}]}}
        """

    @Test("A product of StoreKit 2 is read by its offer name, not by its internal id")
    func storeKit() throws {
        let catalog = try CatalogFixtures.read(Self.gold)
        #expect(catalog.ids == ["gold.monthly"])
        let gold = try #require(catalog.product("gold.monthly"))
        #expect(gold.type == .autoRenewable)
        #expect(gold.displayName == "Gold" && gold.description == "Everything")
        #expect(gold.price == price(999) && gold.currencyCode == "USD")
        #expect(gold.isFamilyShareable == true)
        #expect(gold.subscription?.subscriptionGroupID == "21")
        #expect(gold.subscription?.groupLevel == 1)
        #expect(gold.subscription?.subscriptionPeriod?.text == "P1M")
        #expect(gold.offers.map(\.kind) == [.introductory, .promotional])
        #expect(gold.offers.map(\.id) == [nil, "loyal"])
        #expect(gold.offers.map(\.paymentMode) == [.freeTrial, .payAsYouGo])
        #expect(gold.offers.map(\.price) == [0, price(499)])
        #expect(catalog.group(named: "Membership")?.productIDs == ["gold.monthly"])
        #expect(catalog.diagnostics.isEmpty)
    }

    @Test(
        "Products of StoreKit 2 are read from every form in which apps save them",
        arguments: ["[\(gold),\(coins)]", #"{"data":[\#(gold),\#(coins)]}"#])
    func storeKitForms(text: String) throws {
        let catalog = try CatalogFixtures.read(text)
        #expect(catalog.ids == ["gold.monthly", "coins"])
        #expect(catalog.products.map(\.type) == [.autoRenewable, .consumable])
        #expect(catalog.product("coins")?.price == price(99))
        #expect(catalog.diagnostics.isEmpty)
    }

    @Test("An entry of StoreKit 2 without an offer name is skipped, and its internal id is not a product")
    func storeKitWithoutOfferName() throws {
        let catalog = try CatalogFixtures.read(
            #"[\#(Self.coins),{"id":"1B7B8E9C","type":"in-apps","attributes":{"kind":"Consumable"}}]"#)
        #expect(catalog.ids == ["coins"])
        #expect(catalog.codes == ["skippedEntry"])
        let alone = try CatalogFixtures.read(#"{"id":"1B7B8E9C","type":"in-apps","attributes":{"name":"x"}}"#)
        #expect(alone.ids == [])
    }

    // MARK: App Store Connect

    @Test("A response with subscription groups gives groups, levels, periods and names")
    func subscriptionGroups() throws {
        let catalog = try CatalogFixtures.read(
            #"""
            {"data":[{"type":"subscriptionGroups","id":"21","attributes":{"referenceName":"Membership"},
              "relationships":{"subscriptions":{"data":[{"type":"subscriptions","id":"601"},
               {"type":"subscriptions","id":"602"}]}}}],
             "included":[
              {"type":"subscriptions","id":"602","attributes":{"name":"Silver","productId":"silver","groupLevel":2,
               "familySharable":false,"subscriptionPeriod":"ONE_YEAR","state":"APPROVED"}},
              {"type":"subscriptions","id":"601","attributes":{"name":"Gold","productId":"gold","groupLevel":1,
               "familySharable":true,"subscriptionPeriod":"ONE_MONTH"}},
              {"type":"subscriptionPrices","id":"9","attributes":{"startDate":null}}],
             "links":{"self":"https://api.appstoreconnect.apple.com/v1/apps/1/subscriptionGroups"},"meta":{}}
            """#)
        #expect(catalog.ids == ["silver", "gold"])
        #expect(catalog.products.map(\.type) == [.autoRenewable, .autoRenewable])
        #expect(catalog.products.map(\.displayName) == ["Silver", "Gold"])
        #expect(catalog.products.map(\.isFamilyShareable) == [false, true])
        #expect(catalog.products.map { $0.subscription?.groupLevel } == [2, 1])
        #expect(catalog.products.map { $0.subscription?.subscriptionPeriod?.text } == ["P1Y", "P1M"])
        #expect(catalog.groups == [SubscriptionGroup(id: "21", name: "Membership", productIDs: ["gold", "silver"])])
        #expect(catalog.diagnostics.isEmpty)
    }

    @Test(
        "The group of a subscription is found by its relationship or in the address of the response",
        arguments: [
            (#""relationships":{"group":{"data":{"type":"subscriptionGroups","id":"21"}}},"#, "x"),
            ("", "https://api.appstoreconnect.apple.com/v1/subscriptionGroups/21/subscriptions?limit=50"),
        ])
    func group(relationships: String, address: String) throws {
        let catalog = try CatalogFixtures.read(
            #"""
            {"data":[{"type":"subscriptions","id":"601",\#(relationships)"attributes":{"productId":"gold",
             "groupLevel":1}}],"links":{"self":"\#(address)"}}
            """#)
        #expect(catalog.groups.map(\.id) == ["21"])
        #expect(catalog.groups.map(\.productIDs) == [["gold"]])
    }

    @Test(
        "In-app purchases have the type that App Store Connect states",
        arguments: [
            ("CONSUMABLE", Product.ProductType.consumable), ("NON_CONSUMABLE", .nonConsumable),
            ("NON_RENEWING_SUBSCRIPTION", .nonRenewable), ("AUTOMATICALLY_RENEWABLE_SUBSCRIPTION", .autoRenewable),
        ])
    func inAppPurchases(word: String, type: Product.ProductType) throws {
        let catalog = try CatalogFixtures.read(
            #"""
            {"data":{"type":"inAppPurchases","id":"7","attributes":{"name":"Coins","productId":"coins.100",
             "inAppPurchaseType":"\#(word)","familySharable":false}},"links":{"self":"x"}}
            """#)
        #expect(catalog.ids == ["coins.100"])
        #expect(catalog.products.map(\.type) == [type])
        #expect(catalog.product("coins.100")?.displayName == "Coins")
    }

    // MARK: Unity

    @Test("Unity's payouts in a currency are grants")
    func payouts() throws {
        let catalog = try CatalogFixtures.read(
            #"""
            {"appleSKU":"","products":[{"id":"a","type":0,"storeIDs":[],"payouts":[
              {"t":"Currency","st":"gold","q":100.0,"d":""},{"t":"Item","st":"sword","q":1},
              {"t":"Currency","st":"gold","q":5},{"t":1,"st":"gems","q":3},{"t":"Currency","st":"","q":7},
              {"t":"Currency","st":"half","q":0.5},{"t":"Currency","st":"much","q":1e300}]},
             {"id":"b","type":0,"payouts":[]}]}
            """#)
        #expect(catalog.product("a")?.grants == ["gold": 105, "gems": 3])
        #expect(catalog.product("b")?.grants == [:])
        #expect(catalog.codes == ["unknownValue", "unknownValue", "unknownValue"])
    }

    // MARK: React Native

    @Test("The type for the App Store has precedence over the type for all stores")
    func reactNative() throws {
        let catalog = try CatalogFixtures.read(
            #"""
            [{"id":"gold","platform":"ios","type":"subs","typeIOS":"auto-renewable-subscription","title":"Gold",
              "displayPrice":"$9.99","price":9.99,"currency":"USD","subscriptionPeriodNumberIOS":"3",
              "subscriptionPeriodUnitIOS":"MONTH","subscriptionGroupIdIOS":"21","isFamilyShareableIOS":true,
              "jsonRepresentationIOS":"{}","displayNameIOS":"Gold"},
             {"id":"coins","type":"in-app","typeIOS":"consumable"},
             {"id":"pass","type":"in-app","typeIOS":"non-renewing-subscription"},
             {"id":"ads","type":"in-app","typeIOS":"non-consumable"},
             {"id":"silver","type":"subs","typeIOS":"auto-renewable-subscription","subscriptionInfoIOS":
              {"subscriptionGroupId":"21","subscriptionPeriod":{"unit":"year","value":1}}}]
            """#)
        #expect(catalog.ids == ["gold", "coins", "pass", "ads", "silver"])
        #expect(
            catalog.products.map(\.type)
                == [.autoRenewable, .consumable, .nonRenewable, .nonConsumable, .autoRenewable])
        #expect(catalog.product("gold")?.price == price(999))
        #expect(catalog.product("gold")?.isFamilyShareable == true)
        #expect(catalog.product("gold")?.subscription?.subscriptionPeriod?.text == "P3M")
        #expect(catalog.product("silver")?.subscription?.subscriptionPeriod?.text == "P1Y")
        #expect(catalog.groups.map(\.productIDs) == [["gold", "silver"]])
        #expect(Set(catalog.codes) == ["unknownValue"], "the subscriptions have no level")
    }

    // MARK: Ids

    @Test(
        "An id that the App Store does not accept is noted once",
        arguments: [
            ("com.example.coins_100", true), ("gold-monthly", true), ("gold monthly", false), ("gold/monthly", false),
            ("Münzen", false), ("coins#1", false), (String(repeating: "a", count: 255), true),
            (String(repeating: "a", count: 256), false),
        ])
    func characters(id: String, isPossible: Bool) throws {
        let catalog = try CatalogFixtures.read(#"{"products":["\#(id)"],"features":{"pro":["\#(id)"]}}"#)
        #expect(catalog.ids == [Product.ID(id)])
        #expect(catalog.diagnostics.map(\.subject) == (isPossible ? [] : [id]))
        #expect(catalog.diagnostics.allSatisfy { $0.severity == .note && $0.code == .unknownValue })
    }
}
