import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperEngine

/// Tests of texts in several languages, of the version of a list, and of unknown members.
struct CatalogLocalizationTests {
    private static let configuration = #"""
        {"version":{"major":5,"minor":0},"appPolicies":{"eula":"","policies":[
           {"locale":"de","policyText":"Wir speichern nichts.","policyURL":"example.com"}]},
         "novelty":{"a":[1,true,"x"],"privateKey":"SECRET-1"},
         "subscriptionOffersKeyPair":{"id":"K","privateKey":"SECRET-2"},"sharedSecret":"SECRET-3",
         "settings":{"_locale":"de","_storefront":"DEU"},
         "products":[{"productID":"coins","type":"Consumable","displayPrice":"0.99","referenceName":"Coins",
           "colour":"gold","promotionalImageID":"1E2CBF53","localizations":[
             {"locale":"en_US","displayName":"Coins","description":"A hundred"},
             {"locale":"de","displayName":"Münzen","description":"Hundert"},
             {"locale":"ja","displayName":"","description":""}]}],
         "subscriptionGroups":[{"id":"21","name":"Club","glow":1.50,"localizations":[
             {"locale":"fr","displayName":"Le club","customAppName":"Appli","description":"Tout"}],
           "subscriptions":[{"productID":"gold","type":"RecurringSubscription","displayPrice":"9.99","groupNumber":1,
             "recurringSubscriptionPeriod":"P1M","localizations":[{"locale":"fr","displayName":"Or"}],
             "introductoryOffer":{"paymentMode":"free","subscriptionPeriod":"P1W","sparkle":"yes"},
             "billingPlans":[{"billingPlanType":"BILLED_UPFRONT","displayPrice":"9.99","twinkle":null,"shine":[]}]}]}]}
        """#

    private static func read(_ written: WrittenCatalog) throws -> Catalog {
        try Catalog(reading: [CatalogFile(name: "Written", bytes: written.bytes)])
    }

    @Test func `All texts of a configuration are kept, and those of its locale count without a language`() throws {
        let catalog = try CatalogFixtures.read(Self.configuration)
        let coins = try #require(catalog.product("coins"))
        #expect(coins.displayName == "Münzen" && coins.description == "Hundert")
        #expect(coins.localizations.map(\.locale) == ["en_US", "de"])
        #expect(coins.displayName(in: "en_GB") == "Coins" && coins.description(in: "en-GB") == "A hundred")
        #expect(coins.displayName(in: "ja") == "Münzen")
        #expect(coins.displayPrice(in: "de_DE") == "0,99\u{A0}€" && coins.displayPrice(in: "en_US") == "€0.99")
        let gold = try #require(catalog.product("gold"))
        #expect(gold.displayName == "Or")
        #expect(gold.subscription?.subscriptionPeriod?.displayText(in: "fr_CA") == "1 mois")
        #expect(catalog.groups.first?.displayName(in: "fr") == "Le club")
        #expect(catalog.groups.first?.displayName(in: "de") == "Club")
        #expect(catalog.products(of: .consumable).map(\.id) == ["coins"])
        #expect(catalog.products(inGroup: "Club").map(\.id) == ["gold"] && catalog.products(inGroup: "x").isEmpty)
    }

    @Test func `A configuration that is written again has all texts and unknown keys, and no secret`() throws {
        let catalog = try CatalogFixtures.read(Self.configuration)
        let written = catalog.written(as: .storeKitConfiguration)
        let text = String(decoding: written.bytes, as: UTF8.self)
        for kept in [
            #""locale" : "de""#, #""_locale" : "de""#, #""customAppName" : "Appli""#, #""colour" : "gold""#,
            #""sparkle" : "yes""#, #""shine" : ["#, #""glow" : 1.50"#, #""novelty" : {"#,
            #""policyText" : "Wir speichern nichts.""#, #""promotionalImageID" : "1E2CBF53""#,
            #""description" : "Tout""#,
        ] { #expect(text.contains(kept), "\(kept)\n\(text)") }
        #expect(!text.contains("SECRET") && !text.contains("twinkle"))
        let again = try Self.read(written)
        #expect(again.products == catalog.products && again.groups == catalog.groups)
        #expect(again.unknown.configuration == catalog.unknown.configuration && !again.unknown.isEmpty)
        // A catalog does not use the policies and images, but they belong to the format.
        let unknown = Set(catalog.diagnostics.filter { $0.code == .unknownKey }.compactMap(\.subject))
        #expect(unknown.isSuperset(of: ["novelty", "colour"]))
        #expect(unknown.isDisjoint(with: ["appPolicies", "promotionalImageID"]))
        // The value of an unknown member may be a secret, so the description does not contain it.
        #expect(!"\(catalog)".contains("yes"))
        #expect(again.written(as: .storeKitConfiguration).bytes == written.bytes)
        // A product list contains the texts, but not the unknown members of a configuration, because they have no
        // meaning in a list.
        let list = String(decoding: catalog.written(as: .json).bytes, as: UTF8.self)
        #expect(list.contains("Münzen") && list.contains("Coins") && !list.contains("sparkle"))
    }

    @Test(
        "A configuration that becomes a list and then a configuration again keeps its locale and its texts",
        arguments: [WrittenCatalog.Format.json, .propertyList])
    func localeOfList(format: WrittenCatalog.Format) throws {
        let catalog = try CatalogFixtures.read(Self.configuration)
        let list = try Self.read(catalog.written(as: format))
        #expect(list.locale == "de" && list.codes == [])
        let again = try Self.read(list.written(as: .storeKitConfiguration))
        #expect(again.locale == "de" && again.products == catalog.products && again.groups == catalog.groups)
        #expect(again.product("coins")?.displayName(in: "en_US") == "Coins")
    }

    @Test(
        "A list keeps its version, its texts and its unknown keys",
        arguments: [WrittenCatalog.Format.json, .propertyList])
    func list(format: WrittenCatalog.Format) throws {
        let catalog = try CatalogFixtures.read(
            #"""
            {"version":7,"channel":{"name":"beta","nothing":null},"products":[{"id":"a","shade":["x",{"y":2}],
              "displayName":"A","localizations":[{"locale":"de","displayName":"Ä","description":"B"}],
              "offers":[{"kind":"code","id":"c","gift":true}]}],
             "subscriptions":[{"group":"g","name":"G","rank":-0.5,"products":["b"],
               "localizations":[{"locale":"de","displayName":"Gruppe"}]}]}
            """#)
        #expect(catalog.version == "7")
        let again = try Self.read(catalog.written(as: format))
        #expect(again.version == "7" && again.products == catalog.products && again.groups == catalog.groups)
        #expect(again.unknown.list == catalog.unknown.list && again.unknown.list.map(\.name) == ["channel"])
        #expect(again.product("a")?.displayName(in: "de_AT") == "Ä")
        #expect(again.product("a")?.unknown.list.map(\.name) == ["shade"])
        #expect(again.written(as: format).bytes == catalog.written(as: format).bytes)
    }

    @Test func `Of two files the later one's texts count, language by language`() throws {
        let catalog = try Catalog(reading: [
            CatalogFile(name: "Store.storekit", bytes: Array(Self.configuration.utf8)),
            CatalogFile(
                name: "more.json",
                bytes: Array(
                    #"""
                    {"version":"2026-3","products":[{"id":"coins","displayName":"Taler","localizations":[
                      {"locale":"en-us","displayName":"Pennies"},{"locale":"it","displayName":"Monete"}]}]}
                    """#.utf8)),
        ])
        let coins = try #require(catalog.product("coins"))
        #expect(catalog.version == "2026-3" && coins.displayName == "Taler")
        #expect(coins.localizations.map(\.displayName) == ["Pennies", "Münzen", "Monete"])
        // The display name is written as the name for the locale of the file.
        let again = try Self.read(catalog.written(as: .storeKitConfiguration))
        #expect(again.product("coins")?.displayName == "Taler" && again.product("coins")?.description == "Hundert")
        #expect(again.product("coins")?.displayName(in: "it") == "Monete")
    }

    @Test("The printed catalog is a list with all texts", arguments: [Catalog.Texts.names, .all, .localized("de")])
    func printed(texts: Catalog.Texts) throws {
        let catalog = try CatalogFixtures.read(Self.configuration)
        let again = try CatalogFixtures.read(catalog.json(texts).text())
        #expect(again.products.map(\.id) == catalog.products.map(\.id) && again.groups.map(\.id) == ["21"])
        #expect(again.product("gold")?.subscription?.offers.map(\.kind) == [.introductory])
        #expect(again.diagnostics.filter { $0.code == .unknownKey } == [])
        if texts == .all {
            #expect(again.products.map(\.localizations) == catalog.products.map(\.localizations))
            #expect(again.groups.map(\.localizations) == catalog.groups.map(\.localizations))
            #expect(again.product("coins")?.description == "Hundert")
        }
    }
}

/// Tests of catalogs from files and folders, and of a store that reads them.
struct CatalogFileTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "catalog-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try write(#"{"products":[{"id":"coins","type":"consumable"}]}"#, "b.json")
        try write(#"{"products":[{"id":"coins","displayName":"Coins"},"gold"]}"#, "a.JSON")
        try write(#"{"CFBundleIdentifier":"x","LSRequiresIPhoneOS":true,"UIDeviceFamily":[1]}"#, "Info.json")
        try write("not read", ".hidden.json")
        try write("not read", "notes.txt")
        try FileManager.default.createDirectory(
            at: folder.appending(path: "old.json"), withIntermediateDirectories: true)
    }

    private func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: folder.appending(path: name))
    }

    @Test func `A folder is one catalog of its files, in the order of their names`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let catalog = try Catalog(contentsOf: folder)
        #expect(catalog.products.map(\.id) == ["coins", "gold"])
        #expect(catalog.product("coins")?.type == .consumable && catalog.product("coins")?.displayName == "Coins")
        #expect(try Catalog(contentsOf: folder.appending(path: "b.json")).products.count == 1)
        #expect(try Catalog(contentsOf: []).products.isEmpty)
    }

    @Test func `What cannot be read is named`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        func code(_ url: URL) -> CatalogError.Code? {
            do throws(CatalogError) {
                _ = try Catalog(contentsOf: url)
                return nil
            } catch { return error.code }
        }
        #expect(code(folder.appending(path: "gone.json")) == .unreadable)
        #expect(code(try #require(URL(string: "https://example.com/a.json"))) == .unreadable)
        #expect(code(folder.appending(path: "Info.json")) == .noProductList)
        try write("{", "c.json")
        #expect(code(folder) == .truncated)
        let empty = folder.appending(path: "empty")
        try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
        #expect(code(empty) == .noProductList)
    }

    @Test func `A store opens with the catalog of a folder, and has its products`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try write(
            #"{"subscriptions":[{"group":"g","name":"Club","products":["gold","silver"]}]}"#, "groups.json")
        let store = try await Store.open(
            customer: "anna", catalog: folder, vault: InMemoryVault(), verifier: DraftVerifier())
        #expect(store.products.map(\.id) == ["coins", "gold", "silver"])
        #expect(store.product(for: "coins")?.displayName == "Coins" && store.product(for: "x") == nil)
        #expect(store.products(of: .consumable).map(\.id) == ["coins"])
        #expect(store.products(inGroup: "Club").map(\.id) == ["gold", "silver"])
        await #expect(throws: CatalogError.self) {
            _ = try await Store.open(
                customer: "anna", catalog: folder.appending(path: "gone"), vault: InMemoryVault(),
                verifier: DraftVerifier())
        }
    }
}
