import FoundationEssentials
import Testing

@testable import StorekeeperEngine

/// Tests of offers and billing plans in configurations and in product lists.
struct CatalogOfferTests {
    private static let path = "subscriptionGroups[0].subscriptions[0]"

    /// Returns the catalog of a configuration with one subscription that has additional members.
    private func subscription(_ members: String) throws -> Catalog {
        try CatalogFixtures.read(
            #"""
            {"subscriptionGroups":[{"id":"21","name":"M","subscriptions":[
            {"productID":"a","type":"RecurringSubscription","groupNumber":1\#(members)}]}]}
            """#)
    }

    /// Returns the severities, codes and locations of a catalog's diagnostics.
    private func places(_ catalog: Catalog) -> [String] {
        catalog.diagnostics.map { "\($0.severity.rawValue) \($0.code.rawValue) \($0.location ?? "")" }
    }

    @Test(
        "An offer without payment mode, period or id is kept, with a warning for each",
        arguments: [
            (#"{"offerID":"o","paymentMode":"free","subscriptionPeriod":"P1W"}"#, []),
            (#"{"offerID":"o","subscriptionPeriod":"P1W"}"#, ["unknownValue"]),
            (#"{"offerID":"o","paymentMode":"free"}"#, ["badPeriod"]),
            (#"{"offerID":"o","paymentMode":"free","subscriptionPeriod":""}"#, ["badPeriod"]),
            (#"{"paymentMode":"free","subscriptionPeriod":"P1W"}"#, ["unknownValue"]),
            (#"{"offerID":"","referenceName":null,"paymentMode":"free","subscriptionPeriod":"P1W"}"#, ["unknownValue"]),
            (#"{"referenceName":"r","paymentMode":"free","subscriptionPeriod":"P1W"}"#, []),
            (#"{}"#, ["badPeriod", "unknownValue", "unknownValue"]),
        ] as [(String, [String])])
    func gaps(offer: String, codes: [String]) throws {
        for key in ["adHocOffers", "codeOffers", "winbackOffers"] {
            let catalog = try subscription(#","\#(key)":[\#(offer)]"#)
            #expect(catalog.product("a")?.subscription?.offers.count == 1)
            #expect(catalog.codes == codes)
            #expect(catalog.diagnostics.allSatisfy { $0.severity == .warning && $0.subject == "a" })
            #expect(catalog.diagnostics.allSatisfy { $0.location?.hasPrefix("\(Self.path).\(key)[0]") == true })
        }
    }

    @Test func `An introductory offer needs no id`() throws {
        let offer = #"{"internalID":"X","paymentMode":"free","subscriptionPeriod":"P1W"}"#
        #expect(try subscription(#","introductoryOffer":\#(offer)"#).codes == [])
        #expect(try subscription(#","introductoryOffer":{"internalID":"X"}"#).codes == ["badPeriod", "unknownValue"])
    }

    @Test func `Offers in a list give the same warnings`() throws {
        let catalog = try CatalogFixtures.read(
            #"{"products":[{"id":"a","type":"autoRenewable","offers":[{"kind":"promotional"},{"kind":"introductory","paymentMode":"freeTrial","period":"P1W"}]}]}"#
        )
        #expect(
            places(catalog) == [
                "warning badPeriod products[0].offers[0]", "warning unknownValue products[0].offers[0]",
                "warning unknownValue products[0].offers[0]",
            ])
    }

    @Test(
        "The eligibility of a win-back offer is kept as it is",
        arguments: [("true", true, 0), ("false", false, 0), ("null", nil, 0), ("1", nil, 1)] as [(String, Bool?, Int)])
    func eligible(text: String, isEligible: Bool?, faults: Int) throws {
        let offer = #"{"offerID":"o","paymentMode":"free","subscriptionPeriod":"P1W","isEligible":\#(text)}"#
        let catalog = try subscription(#","winbackOffers":[\#(offer)]"#)
        #expect(catalog.product("a")?.subscription?.offers.first?.isEligible == isEligible)
        #expect(catalog.diagnostics.count == faults)
        // Only win-back offers have this member.
        #expect(
            try subscription(#","adHocOffers":[\#(offer)]"#).product("a")?.subscription?.offers.first?.isEligible == nil
        )
    }

    @Test func `A list can describe every property of offers and billing plans`() throws {
        let catalog = try CatalogFixtures.read(
            #"""
            {"products":[{"id":"a","type":"autoRenewable","price":"6","billingPlans":[
              {"type":"upFront","price":"6"},{"type":"monthly","price":"0.5","commitmentPrice":"6","enabled":false},
              {"type":"BILLED_UPFRONT"},{"type":"weekly"},{"price":"1"},7],
             "offers":[{"kind":"code","id":"c","paymentMode":"oneTime","price":"1","eligibility":["lapsed","new","x"],
              "stackable":true,"billingPlan":"monthly"},
             {"kind":"winBack","id":"w","paymentMode":"freeTrial","period":"P1W","eligible":false,"billingPlan":"odd"}]}]}
            """#)
        let subscription = try #require(catalog.product("a")?.subscription)
        let half = Decimal(sign: .plus, exponent: -1, significand: 5)
        #expect(
            subscription.billingPlans == [
                BillingPlan(type: .billedUpfront, price: 6),
                BillingPlan(type: .monthly, price: half, commitmentPrice: 6, isEnabled: false),
                BillingPlan(type: .billedUpfront), BillingPlan(type: BillingPlanType(rawValue: "weekly")),
            ])
        #expect(
            subscription.offers == [
                SubscriptionOffer(
                    kind: .code, id: "c", paymentMode: .oneTime, price: 1, billingPlanType: .monthly,
                    eligibility: [.expired, .new], isStackable: true),
                SubscriptionOffer(
                    kind: .winBack, id: "w", paymentMode: .freeTrial, period: SubscriptionPeriod("P1W"), price: 0,
                    billingPlanType: BillingPlanType(rawValue: "odd"), isEligible: false),
            ])
        #expect(
            places(catalog) == [
                "warning skippedEntry products[0].billingPlans[4]", "warning skippedEntry products[0].billingPlans[5]",
                "warning unknownValue products[0].billingPlans[3].type",
                "warning unknownValue products[0].offers[0].eligibility[2]",
                "warning unknownValue products[0].offers[1].billingPlan",
            ])
        #expect(try CatalogFixtures.read(#"{"products":[{"id":"a","billingPlans":{}}]}"#).codes == ["skippedEntry"])
    }

    @Test(
        "The price of an offer or billing plan in a list has the keys of a product's price",
        arguments: [
            (#""price":"4.99""#, "price"), (#""displayPrice":"4.99""#, "displayPrice"),
            (#""displayPrice":"4,99 €","price":4.99"#, "price"),
        ])
    func priceKeys(member: String, key: String) throws {
        func list(_ price: String) throws -> Catalog {
            try CatalogFixtures.read(
                #"""
                {"products":[{"id":"a","type":"autoRenewable","billingPlans":[{"type":"monthly",\#(price)}],
                "offers":[{"kind":"code","id":"c","paymentMode":"payUpFront","period":"P1M",\#(price)}]}]}
                """#)
        }
        let catalog = try list(member)
        let price = Decimal(sign: .plus, exponent: -2, significand: 499)
        let subscription = try #require(catalog.product("a")?.subscription)
        #expect(subscription.offers.map(\.price) == [price] && subscription.billingPlans.map(\.price) == [price])
        #expect(catalog.codes == [])
        #expect(
            places(try list(#""\#(key)":"dear""#)) == [
                "warning badPrice products[0].billingPlans[0].\(key)", "warning badPrice products[0].offers[0].\(key)",
            ])
    }

    @Test func `An unknown billing plan type is kept, with a warning`() throws {
        let offer = #"{"offerID":"o","paymentMode":"free","subscriptionPeriod":"P1W","billingPlanType":"YEARLY"}"#
        let catalog = try subscription(#","adHocOffers":[\#(offer)]"#)
        #expect(catalog.product("a")?.subscription?.offers.first?.billingPlanType?.rawValue == "YEARLY")
        #expect(places(catalog) == ["warning unknownValue \(Self.path).adHocOffers[0].billingPlanType"])
    }

    @Test func `The price of the plan billed up front counts, and a note names a different displayPrice`() throws {
        func plan(_ price: String, isEnabled: Bool = true) -> String {
            #","billingPlans":[{"billingPlanType":"BILLED_UPFRONT","displayPrice":"\#(price)","isEnabled":\#(isEnabled)}]"#
        }
        let catalog = try subscription(#","displayPrice":"11.88""# + plan("0.99"))
        #expect(catalog.product("a")?.price == Decimal(sign: .plus, exponent: -2, significand: 99))
        #expect(places(catalog) == ["note badPrice \(Self.path).displayPrice"])
        #expect(catalog.diagnostics.first?.message.contains("11.88") == true)
        #expect(try subscription(#","displayPrice":"0.990""# + plan("0.99")).codes == [])
        #expect(try subscription(#","displayPrice":"11.88""# + plan("0.99", isEnabled: false)).codes == [])
        #expect(try subscription(plan("0.99")).codes == [])
    }

    @Test func `The billing plans of the later of two files count`() throws {
        let first = #"{"products":[{"id":"a","type":"autoRenewable","billingPlans":[{"type":"upFront","price":"1"}]}]}"#
        let second = #"{"products":[{"id":"a","billingPlans":[{"type":"monthly","price":"2"}]}]}"#
        let plain = #"["a"]"#
        func plans(_ texts: [String]) throws -> [BillingPlan]? {
            try CatalogFixtures.read(texts.map { (name: "f", text: $0) }).product("a")?.subscription?.billingPlans
        }
        #expect(try plans([first, second]) == [BillingPlan(type: .monthly, price: 2)])
        #expect(try plans([first, plain]) == [BillingPlan(type: .billedUpfront, price: 1)])
        #expect(try plans([plain, first]) == [BillingPlan(type: .billedUpfront, price: 1)])
    }
}
