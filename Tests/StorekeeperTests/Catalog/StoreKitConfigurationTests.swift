import FoundationEssentials
import Testing

@testable import StorekeeperEngine

struct StoreKitConfigurationTests {
    /// Returns the catalog of a configuration with one subscription that has additional members.
    private func subscription(_ members: String, settings: String = "{}") throws -> Catalog {
        try CatalogFixtures.read(
            #"""
            {"settings":\#(settings),"subscriptionGroups":[{"id":"21","name":"M","subscriptions":[
            {"productID":"a","type":"RecurringSubscription","groupNumber":1\#(members)}]}]}
            """#)
    }

    /// Returns the catalog of a configuration with one product that has additional members.
    private func product(_ members: String, settings: String = "{}") throws -> Catalog {
        try CatalogFixtures.read(
            #"{"settings":\#(settings),"products":[{"productID":"a","type":"Consumable"\#(members)}]}"#)
    }

    private func decimal(_ hundredths: Int) -> Decimal {
        Decimal(sign: .plus, exponent: -2, significand: Decimal(hundredths))
    }

    @Test("A configuration gives products, groups, levels, prices and offers")
    func wholeFile() throws {
        let catalog = try CatalogFixtures.read(CatalogFixtures.configuration)
        #expect(catalog.ids == ["season", "coins", "silver", "gold"])
        #expect(catalog.products.map(\.type) == [.nonRenewable, .consumable, .autoRenewable, .autoRenewable])
        let coins = try #require(catalog.product("coins"))
        #expect(coins.displayName == "Münzen")
        #expect(coins.description == "Viele")
        #expect(coins.price == decimal(99))
        #expect(coins.currencyCode == "EUR")
        #expect(coins.isFamilyShareable == false)
        #expect(catalog.product("season")?.displayName == "season")
        #expect(catalog.groups == [SubscriptionGroup(id: "21", name: "Membership", productIDs: ["gold", "silver"])])
        #expect(catalog.group(named: "Membership")?.id == "21")
        #expect(catalog.group(named: "21")?.id == "21")
        #expect(catalog.group(named: "membership") == nil)
        let offers = try #require(catalog.product("silver")?.subscription?.offers)
        #expect(offers.map(\.kind) == [.introductory, .promotional, .code, .winBack])
        #expect(offers.map(\.id) == [nil, "loyal", "Code", "back"])
        #expect(offers.map(\.price) == [0, decimal(199), 2, 0])
        #expect(offers.map(\.periodCount) == [1, 3, 1, 1])
        #expect(offers.map(\.paymentMode) == [.freeTrial, .payAsYouGo, .payUpFront, .freeTrial])
        #expect(offers.map(\.eligibility) == [[], [], [.new], []])
        #expect(offers.map(\.isStackable) == [false, false, true, false])
        #expect(catalog.product("gold")?.subscription?.offers == [])
        #expect(catalog.diagnostics.isEmpty)
    }

    @Test("An introductory offer that is written twice counts once; offers with different ids both count")
    func introductoryUnion() throws {
        let offer = #"{"internalID":"X","paymentMode":"free","subscriptionPeriod":"P1W"}"#
        let other = #"{"internalID":"Y","paymentMode":"free","subscriptionPeriod":"P1W","billingPlanType":"MONTHLY"}"#
        func count(_ members: String) throws -> Int? {
            try subscription(members).product("a")?.subscription?.offers.count
        }
        #expect(try count(#","introductoryOffer":\#(offer),"introductoryOffers":[\#(offer)]"#) == 1)
        #expect(try count(#","introductoryOffer":\#(offer),"introductoryOffers":[\#(offer),\#(other)]"#) == 2)
        #expect(try count(#","introductoryOffer":\#(offer),"introductoryOffers":[]"#) == 1)
        #expect(try count(#","introductoryOffer":\#(offer)"#) == 1)
        #expect(try count(#","introductoryOffer":{"internalID":"Z","paymentMode":"none"}"#) == 0)
        #expect(try count("") == 0)
    }

    @Test(
        "Prices are exact, and an invalid price is omitted",
        arguments: [
            (#""9.99""#, 999, false), (#""5""#, 500, false), (#""0.5""#, 50, false), ("6.99", 699, false),
            ("1e1", 1000, false), (#"" 1.00\n""#, 100, false), (#""""#, nil, true), (#""9,99""#, nil, true),
            (#""$9.99""#, nil, true), (#""-1""#, nil, true), (#""1.""#, nil, true), ("true", nil, true),
            (#""NaN""#, nil, true), ("null", nil, false), (#""0""#, 0, false),
            (#""99999999999999999999999999""#, nil, true),
        ] as [(String, Int?, Bool)])
    func prices(text: String, hundredths: Int?, isBad: Bool) throws {
        let catalog = try product(#","displayPrice":\#(text)"#)
        #expect(catalog.product("a")?.price == hundredths.map(decimal))
        #expect(catalog.product("a")?.currencyCode == (hundredths == nil ? nil : "USD"))
        #expect(catalog.codes == (isBad ? ["badPrice"] : []))
        #expect(catalog.diagnostics.allSatisfy { $0.location == "products[0].displayPrice" })
    }

    @Test("The price of an enabled plan billed up front replaces the displayed price")
    func billingPlans() throws {
        func price(_ plan: String) throws -> Decimal? {
            try subscription(
                #","displayPrice":"11.88","billingPlans":[{"billingPlanType":"MONTHLY","displayPrice":"0.5"},\#(plan)]"#
            )
            .product("a")?.price
        }
        #expect(
            try price(#"{"billingPlanType":"BILLED_UPFRONT","displayPrice":"0.99","isEnabled":true}"#) == decimal(99))
        #expect(
            try price(#"{"billingPlanType":"BILLED_UPFRONT","displayPrice":"0.99","isEnabled":false}"#) == decimal(1188)
        )
        #expect(try price(#"{"billingPlanType":"BILLED_UPFRONT","isEnabled":true}"#) == decimal(1188))
    }

    @Test("Billing plans keep their prices and the order of the file")
    func billingPlanPrices() throws {
        let catalog = try subscription(
            #"""
            ,"displayPrice":"6","billingPlans":[
            {"billingPlanType":"BILLED_UPFRONT","displayPrice":"6","commitmentDisplayPrice":"6.00","isEnabled":true},
            {"billingPlanType":"MONTHLY","displayPrice":"0.5","commitmentDisplayPrice":"6.00","internalID":"X"},
            {"billingPlanType":"WEEKLY","displayPrice":"x","isEnabled":false,"shiny":1},{"displayPrice":"1"},7]
            """#)
        #expect(
            catalog.product("a")?.subscription?.billingPlans == [
                BillingPlan(type: .billedUpfront, price: 6, commitmentPrice: 6),
                BillingPlan(type: .monthly, price: decimal(50), commitmentPrice: 6),
                BillingPlan(type: BillingPlanType(rawValue: "WEEKLY"), isEnabled: false),
            ])
        let path = "subscriptionGroups[0].subscriptions[0].billingPlans"
        #expect(
            Set(catalog.diagnostics.map { "\($0.code.rawValue) \($0.location ?? "")" }) == [
                "unknownValue \(path)[2].billingPlanType", "badPrice \(path)[2].displayPrice",
                "unknownKey \(path)[2].shiny", "skippedEntry \(path)[3]",
                "skippedEntry \(path)[4]",
            ])
        #expect(try subscription("").product("a")?.subscription?.billingPlans == [])
    }

    @Test(
        "An offer code lists the customers who may redeem it",
        arguments: [
            (#"["expired","new","existing"]"#, [.new, .existing, .expired], []), (#"["NEW"]"#, [.new], []),
            ("[]", [], []), ("null", [], []), (#"["new","gone",3]"#, [.new], ["[1]", "[2]"]), (#""new""#, [], [""]),
        ] as [(String, Set<SubscriptionOffer.CustomerEligibility>, [String])])
    func eligibility(text: String, eligibility: Set<SubscriptionOffer.CustomerEligibility>, odd: [String]) throws {
        let code = #"{"referenceName":"Spring","paymentMode":"free","subscriptionPeriod":"P1W","eligibility":\#(text)}"#
        let catalog = try subscription(#","codeOffers":[\#(code)]"#)
        let offer = try #require(catalog.product("a")?.subscription?.offers.first)
        #expect(offer.id == "Spring" && offer.eligibility == eligibility && !offer.isStackable)
        let path = "subscriptionGroups[0].subscriptions[0].codeOffers[0].eligibility"
        #expect(catalog.diagnostics.map(\.location) == odd.map { path + $0 })
        #expect(catalog.diagnostics.allSatisfy { $0.code == .unknownValue && $0.severity == .warning })
    }

    @Test(
        "The storefront determines the currency",
        arguments: [
            ("{}", "USD"), (#"{"_storefront":"USA"}"#, "USD"), (#"{"_storefront":"JPN"}"#, "JPY"),
            (#"{"_storefront":"NOR"}"#, "NOK"), (#"{"_storefront":"sgp"}"#, "SGD"),
            (#"{"_storefront":"XXX"}"#, nil),
        ] as [(String, String?)])
    func storefronts(settings: String, currency: String?) throws {
        let catalog = try product(#","displayPrice":"1""#, settings: settings)
        #expect(catalog.product("a")?.currencyCode == currency)
        #expect(catalog.codes == (currency == nil ? ["unknownValue"] : []))
    }

    @Test(
        "The name is the one of the requested locale, otherwise of American English, otherwise the first",
        arguments: [
            (#"{"_locale":"fr_CA"}"#, "Or"), (#"{"_locale":"fr-FR"}"#, "Or"), (#"{"_locale":"nb"}"#, "Gold"),
            ("{}", "Gold"),
        ])
    func locales(settings: String, name: String) throws {
        let texts = #","localizations":[{"locale":"fr","displayName":"Or"},{"locale":"en_US","displayName":"Gold"}]"#
        #expect(try product(texts, settings: settings).product("a")?.displayName == name)
    }

    @Test(
        "A missing name falls back to the reference name, then to the id",
        arguments: [
            (#","localizations":[{"locale":"de","displayName":"Erster"}],"referenceName":"R""#, "Erster"),
            (#","localizations":[{"locale":"en_US","displayName":""}],"referenceName":"R""#, "R"),
            (#","localizations":[],"referenceName":"R""#, "R"), (#","displayName":"D","referenceName":"R""#, "D"),
            (#","referenceName":null"#, "a"), ("", "a"),
        ])
    func names(members: String, name: String) throws {
        #expect(try product(members).product("a")?.displayName == name)
    }

    @Test("Levels come from groupNumber, otherwise from the order of the file")
    func levels() throws {
        let catalog = try CatalogFixtures.read(
            #"""
            {"subscriptionGroups":[{"id":"21","name":"M","subscriptions":[{"productID":"a","groupNumber":3},
            {"productID":"b"},{"productID":"c","groupNumber":0},{"productID":"d","groupNumber":1}]}]}
            """#)
        #expect(catalog.products.map { $0.subscription?.groupLevel } == [3, 2, 3, 1])
        #expect(catalog.groups.first?.productIDs == ["d", "b", "a", "c"])
        #expect(catalog.diagnostics.map(\.location) == ["subscriptionGroups[0].subscriptions[2].groupNumber"])
    }

    @Test("Subscriptions are found in all places that hand-written files use")
    func subscriptionsElsewhere() throws {
        let catalog = try CatalogFixtures.read(
            #"""
            {"products":[{"productID":"a","type":"AutoRenewable"},{"productID":"b","type":"SUBSCRIPTION",
            "subscriptionGroupID":"22"},{"productID":"c","type":"auto-renewable-subscription"}],
            "subscriptionGroups":[{"id":"21","name":"M","subscriptions":["c","nowhere"]},{"id":"23","name":"E"}]}
            """#)
        #expect(catalog.ids == ["a", "b", "c"])
        #expect(catalog.products.allSatisfy { $0.type == .autoRenewable })
        #expect(catalog.products.map { $0.subscription?.subscriptionGroupID } == [nil, "22", "21"])
        #expect(catalog.codes == ["inferredGroup", "inferredGroup", "skippedEntry"])
        #expect(catalog.diagnostics.map(\.subject) == ["a", "b", "nowhere"])
    }

    @Test("A subscription that is also outside of its group keeps its first price, its group and its level")
    func subscriptionListedTwice() throws {
        let catalog = try CatalogFixtures.read(
            #"""
            {"products":[{"productID":"gold","type":"RecurringSubscription","displayPrice":"9.99"}],
            "subscriptionGroups":[{"id":"21","name":"M","subscriptions":[{"productID":"silver","groupNumber":2},
            {"productID":"gold","groupNumber":1,"displayPrice":"5"},{"productID":"gold","groupNumber":3}]},
            {"id":"22","name":"N","subscriptions":[{"productID":"gold","groupNumber":4}]}]}
            """#)
        #expect(catalog.ids == ["gold", "silver"])
        #expect(catalog.groups.map(\.productIDs) == [["gold", "silver"], []])
        let gold = try #require(catalog.product("gold"))
        #expect(gold.price == decimal(999) && gold.subscription?.groupLevel == 1)
        #expect(catalog.codes == ["duplicateProduct", "duplicateProduct", "duplicateProduct"])
    }

    @Test("Groups with one id are read as one group")
    func duplicateGroups() throws {
        let catalog = try CatalogFixtures.read(
            #"""
            {"subscriptionGroups":[{"id":"21","name":"A","subscriptions":[{"productID":"a"}]},
            {"id":"21","name":"B","subscriptions":[{"productID":"b"}]}]}
            """#)
        #expect(catalog.groups == [SubscriptionGroup(id: "21", name: "A", aliases: ["B"], productIDs: ["a", "b"])])
        #expect(catalog.codes == ["duplicateGroup"])
    }

    @Test("An invalid part is dropped with a diagnostic, and as little as possible with it")
    func faults() throws {
        let catalog = try CatalogFixtures.read(
            #"""
            {"version":1,"madeUp":{"k":"hush"},"subscriptionOffersKeyPair":{"id":"K","privateKey":"hush"},"products":[
            {"productID":"a\n","type":"Widget","familySharable":true},{"productID":"a","type":"Consumable"},
            {"productID":""},{"productID":7},"x",{"identifier":"b","type":"NonConsumable","shiny":1},
            {"type":"Consumable"}],"nonRenewingSubscriptions":{"a":1},
            "subscriptionGroups":[{"id":"21","subscriptions":[{"productID":"s","recurringSubscriptionPeriod":"P1M2D",
            "subscriptionGroupID":"99","adHocOffers":[{"offerID":"o","paymentMode":"gift"},3]}]}, 4]}
            """#)
        #expect(catalog.ids == ["a", "b", "s"])
        #expect(catalog.product("a")?.type == nil)
        #expect(catalog.product("a")?.isFamilyShareable == true)
        #expect(catalog.product("s")?.subscription?.subscriptionPeriod?.text == "P1M2D")
        #expect(catalog.product("s")?.subscription?.subscriptionGroupID == "21")
        #expect(catalog.product("s")?.subscription?.offers.first?.paymentMode == nil)
        var counts: [String: Int] = [:]
        for code in catalog.codes { counts[code, default: 0] += 1 }
        #expect(
            counts == [
                "badPeriod": 2, "duplicateProduct": 1, "skippedEntry": 7, "trimmedID": 1, "unknownKey": 3,
                "unknownType": 1, "unknownValue": 2,
            ])
        #expect(!"\(catalog)".contains("hush"))
    }

    @Test(
        "A file without products is valid and gives a diagnostic",
        arguments: [#"{"settings":{}}"#, #"{"subscriptionGroups":[]}"#])
    func empty(text: String) throws {
        let catalog = try CatalogFixtures.read(text)
        #expect(catalog.products.isEmpty)
        #expect(catalog.diagnostics.map(\.severity) == [.note])
    }

    @Test("The table of currencies has every storefront once")
    func currencies() {
        #expect(StorefrontCurrency.count == 175)
        #expect(StorefrontCurrency.code(forCountry: "DEU") == "EUR")
        #expect(StorefrontCurrency.code(forCountry: "") == nil)
    }
}
