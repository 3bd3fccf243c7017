import Foundation
import Storekeeper

/// Reading catalog files, compared with Foundation's decoders, which check less and keep a part.
func catalogCases() throws -> BenchmarkGroup {
    let (storeKit, list) = (SampleCatalogs.storeKit(1_000), SampleCatalogs.propertyList(1_000))
    let (storeKitData, listData) = (Data(storeKit), Data(list))
    func read(_ name: String, _ bytes: [UInt8], _ other: String) throws -> BenchmarkCase {
        let file = CatalogFile(name: "Sample", bytes: bytes)
        guard try Catalog(reading: [file]).products.count == 1_000 else { throw BenchmarkError("a product is missing") }
        return BenchmarkCase(name, operations: 1_000, .time(of: other)) { blackHole(try Catalog(reading: [file])) }
    }
    let jsonName = "JSONDecoder, .storekit", listName = "PropertyListDecoder, ids"
    return BenchmarkGroup(
        title: "Reading a catalog of 1,000 products (per product)",
        cases: [
            BenchmarkCase(jsonName, operations: 1_000) {
                blackHole(try JSONDecoder().decode(PlainCatalog.self, from: storeKitData))
            },
            try read("a catalog, .storekit", storeKit, jsonName),
            BenchmarkCase(listName, operations: 1_000) {
                blackHole(try PropertyListDecoder().decode([String: [String]].self, from: listData))
            },
            try read("a catalog, a property list of ids", list, listName),
        ])
}

/// The part of a StoreKit configuration that a server would decode.
private struct PlainCatalog: Decodable {
    struct Product: Decodable {
        let productID, type, displayPrice: String
        let familyShareable: Bool
    }

    struct Group: Decodable {
        let id, name: String
        let subscriptions: [Subscription]
    }

    struct Subscription: Decodable {
        let productID, displayPrice, recurringSubscriptionPeriod, subscriptionGroupID: String
        let familyShareable: Bool
        let groupNumber: Int
        let introductoryOffer: Offer?
    }

    struct Offer: Decodable { let paymentMode, subscriptionPeriod: String }

    let products: [Product]
    let subscriptionGroups: [Group]
}
