import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

/// Tests of the product lists in `Configuration`, which are examples and documentation.
struct ShippedCatalogTests {
    private static let files = ["Products.plist", "Products.json", "Store.storekit"]

    private static func file(_ name: String) throws -> CatalogFile {
        let folder = try #require(ExampleStory.repository()).appending(path: "Configuration")
        return CatalogFile(name: name, bytes: Array(try Data(contentsOf: folder.appending(path: name))))
    }

    private static func catalog(_ names: [String]) throws -> Catalog {
        try Catalog(reading: names.map(file))
    }

    @Test(
        "Each file alone, and all files in any order, give no diagnostic",
        arguments: [
            ["Products.plist"], ["Products.json"], ["Store.storekit"],
            ["Products.plist", "Products.json", "Store.storekit"],
            ["Store.storekit", "Products.json", "Products.plist"],
            ["Store.storekit", "Products.json"], ["Products.json", "Store.storekit"],
        ])
    func noDiagnostics(names: [String]) throws {
        #expect(try Self.catalog(names).diagnostics == [])
    }

    @Test("All files name the same products", arguments: files)
    func sameProducts(name: String) throws {
        let ids = Set(try Self.catalog([name]).products.map(\.id))
        #expect(ids == Set(try Self.catalog(Self.files).products.map(\.id)))
        #expect(ids.count == 14)
    }

    @Test("All files give the memberships the same levels", arguments: files)
    func sameLevels(name: String) throws {
        let catalog = try Self.catalog([name])
        let levels = Dictionary(
            uniqueKeysWithValues: catalog.products.compactMap { product in
                product.subscription?.groupLevel.map { (product.id, $0) }
            })
        #expect(
            levels == [
                "gold.monthly": 1, "gold.yearly": 1, "silver.monthly": 2, "silver.yearly": 2, "bronze.monthly": 3,
                "bronze.yearly": 3, "news.monthly": 1,
            ])
        #expect(catalog.groups.map { $0.name ?? $0.id.rawValue } == ["Membership", "News"])
    }

    @Test("The files together give ids, levels, offers, grants, durations and features")
    func merged() throws {
        let catalog = try Self.catalog(["Store.storekit", "Products.json", "Products.plist"])
        #expect(catalog.groups.map(\.id) == ["21400001", "21400002"])
        #expect(catalog.features.map(\.id) == ["pro", "ad-free", "daily-lantern", "season-arena", "news"])
        #expect(catalog.product("coins.1200")?.grants == ["coins": 1200])
        #expect(catalog.product("season.pass")?.accessDuration == SubscriptionPeriod("P90D"))
        #expect(catalog.product("gold.monthly")?.price == 9.99)
        #expect(catalog.product("gold.monthly")?.currencyCode == "USD")
        let shared = catalog.products.filter { $0.isFamilyShareable == true }.map(\.id)
        #expect(shared == ["gold.monthly", "gold.yearly"])
        let offers = Set(catalog.products.flatMap { $0.subscription?.offers ?? [] }.map(\.kind))
        #expect(offers == [.introductory, .promotional, .code, .winBack])
        let promotional = catalog.product("silver.monthly")?.subscription?.offers.first
        #expect(promotional?.id == "silver.loyal" && promotional?.periodCount == 3 && promotional?.price == 2.99)
    }

    @Test("A feature names only products that the store sells")
    func featuresNameProducts() throws {
        let catalog = try Self.catalog(Self.files)
        let unsold = catalog.features.flatMap(\.productIDs).filter { catalog.product($0)?.type == nil }
        #expect(unsold == [])
    }
}
