import FoundationEssentials
import Testing

@testable import StorekeeperEngine

struct BundleAndSuiteTests {
    /// A configuration as Xcode 27 writes it, with a suite, a bundle and a subscription.
    private static let configuration = """
        {"subscriptionGroups":[{"id":"21","name":"M","subscriptions":[
          {"productID":"gold","type":"RecurringSubscription","groupNumber":1,"displayPrice":"9.99",
           "recurringSubscriptionPeriod":"P1M"}]}],
         "subscriptionSuiteGroups":[{"id":"31","name":"Suites","localizations":[],"subscriptions":[
          {"productID":"all","type":"SubscriptionSuite","referenceName":"All","internalID":"A1","displayPrice":"19.99",
           "duration":"P1Y","isFamilyShareable":true,"groupNumber":1,"subscriptionGroupID":"31",
           "introductoryOffers":[{"internalID":"X","paymentMode":"free","subscriptionPeriod":"P1W"}],
           "localizations":[],"members":["news",{"productID":"sport"},7]}]}],
         "subscriptionBundleGroups":[{"id":"41","subscriptions":[
          {"productID":"pair","displayPrice":"5","duration":"P1M","groupNumber":1,"members":["gold"]}]}],
         "settings":{},"version":{"major":6,"minor":3}}
        """

    @Test("Suites and bundles of a configuration are products with a type, a group, a level and members")
    func configuration() throws {
        let catalog = try CatalogFixtures.read(Self.configuration)
        #expect(catalog.ids == ["gold", "all", "pair"])
        let suite = try #require(catalog.product("all"))
        #expect(suite.type == .subscriptionSuite)
        #expect(suite.displayName == "All")
        #expect(suite.isFamilyShareable == true)
        #expect(suite.members == ["news", "sport"])
        #expect(suite.subscription?.subscriptionPeriod?.text == "P1Y")
        #expect(suite.subscription?.groupLevel == 1)
        #expect(suite.subscription?.subscriptionGroupID == "31")
        #expect(suite.subscription?.introductoryOffer?.paymentMode == .freeTrial)
        let bundle = try #require(catalog.product("pair"))
        #expect(bundle.type == .subscriptionBundle)
        #expect(bundle.members == ["gold"])
        #expect(bundle.subscription?.subscriptionGroupID == "41")
        #expect(catalog.groups.map(\.id) == ["21", "31", "41"])
        #expect(catalog.codes == ["skippedEntry"], "the member 7 has no id")
    }

    @Test("A suite outside of its group is kept with its type")
    func stray() throws {
        let catalog = try CatalogFixtures.read(
            #"{"settings":{},"products":[{"productID":"all","type":"SubscriptionSuite","groupNumber":1}]}"#)
        #expect(catalog.product("all")?.type == .subscriptionSuite)
        #expect(catalog.codes == ["inferredGroup"])
    }

    @Test(
        "Lists name the types and the members, and are written and read back",
        arguments: [WrittenCatalog.Format.json, .propertyList])
    func lists(format: WrittenCatalog.Format) throws {
        let catalog = try CatalogFixtures.read(
            #"""
            {"products":[{"id":"all","type":"subscriptionSuite","members":["news","sport"],"period":"P1M","level":1},
             {"id":"pair","type":"subscriptionBundle","members":["gold"],"period":"P1M","level":2},
             {"id":"gold","type":"autoRenewable","level":1}],"features":{"pro":["gold"]}}
            """#)
        #expect(catalog.products.map(\.type) == [.subscriptionSuite, .subscriptionBundle, .autoRenewable])
        #expect(catalog.products.map(\.members) == [["news", "sport"], ["gold"], []])
        let written = catalog.written(as: format)
        #expect(written.diagnostics == [])
        let again = try Catalog(reading: [CatalogFile(name: "x", bytes: written.bytes)])
        #expect(again.products == catalog.products)
        #expect(again.features == catalog.features)
        #expect(again.written(as: format).bytes == written.bytes)
        #expect(catalog.json(.names).text().contains(#""members":["gold"]"#))
    }

    @Test("A configuration of version 4 has neither bundles nor suites, and a diagnostic names each")
    func writtenAsConfiguration() throws {
        let catalog = try CatalogFixtures.read(Self.configuration)
        let written = catalog.written(as: .storeKitConfiguration)
        #expect(written.diagnostics.filter { $0.code == .notWritten }.map(\.subject) == ["all", "pair"])
        let again = try Catalog(reading: [CatalogFile(name: "x", bytes: written.bytes)])
        #expect(again.ids == ["gold"])
        #expect(again.groups.map(\.id) == ["21"])
    }

    @Test("A bundle unlocks the features of its members")
    func features() throws {
        let catalog = try CatalogFixtures.read(
            #"""
            {"products":[{"id":"pair","type":"subscriptionBundle","members":["gold","news"]},"gold","other"],
             "features":{"pro":["gold"],"both":["pair","gold"],"else":["other"]}}
            """#)
        #expect(catalog.features.map(\.productIDs) == [["gold", "pair"], ["pair", "gold"], ["other"]])
    }

    @Test("A misspelled member is reported; members of other developers are not")
    func misspelledMember() throws {
        let catalog = try CatalogFixtures.read(
            #"""
            {"products":["gold.monthly",
             {"id":"pair","type":"subscriptionBundle","level":1,"members":["gold.montly","org.example.news"]}]}
            """#)
        let found = catalog.diagnostics.filter { $0.code == .unknownProduct }
        #expect(found.map(\.subject) == ["gold.montly"])
        #expect(found.first?.message.contains("'gold.monthly'") == true)
    }

    @Test(
        "A transaction of a bundle may have the type of a subscription, but no other type",
        arguments: [
            (Product.ProductType.autoRenewable, false), (.subscriptionBundle, false), (.nonConsumable, true),
            (.consumable, true),
        ])
    func transactionTypes(type: Product.ProductType, contradicts: Bool) {
        let bundle = Product(id: "pair", type: .subscriptionBundle)
        #expect(Catalog(products: [bundle], groups: [], features: []).contradicts(type, of: "pair") == contradicts)
    }
}
