import Foundation
import StorekeeperTesting
import Testing

@testable import StorekeeperEngine

/// Tests that the JSON schema describes the lists that the reader reads and the writer writes.
struct ProductListSchemaTests {
    private typealias Value = SchemaValidator.Value

    private static let schema: Result<Value, any Error> = Result { try Self.value(ProductListSchema.json.bytes()) }

    private static func value(_ bytes: [UInt8]) throws -> Value { Value(try JSONReader().read(bytes).root) }

    private func allows(_ bytes: [UInt8]) throws -> Bool {
        try SchemaValidator(schema: Self.schema.get()).allows(Self.value(bytes))
    }

    /// A list with every key.
    private static let sample = #"""
        {"$schema":"products.schema.json","version":"7","locale":"en_US",
         "products":["coins.100",
           {"id":"coins.500","type":"consumable","displayName":"Coins","description":"d","price":"4.99",
            "currency":"USD","familyShareable":false,"grants":{"coins":500},
            "localizations":[{"locale":"de","displayName":"Münzen","description":"d"}]},
           {"id":"season.pass","type":"nonRenewable","accessDuration":"P90D","stacking":"extend"},
           {"id":"all","type":"subscriptionBundle","members":["gold.monthly"]},
           {"id":"gold.monthly","type":"autoRenewable","group":"membership","level":1,"period":"P1M",
            "billingPlans":[{"type":"monthly","price":"1","commitmentPrice":"12","enabled":false}],
            "offers":[{"kind":"code","id":"spring","paymentMode":"payAsYouGo","period":"P1M","periodCount":3,
                       "price":"1","billingPlan":"monthly","eligibility":["new","lapsed"],"stackable":true},
                      {"kind":"winBack","id":"back","paymentMode":"freeTrial","period":"P1W","eligible":true}]}],
         "subscriptions":[{"group":"membership","name":"Membership","aliases":["club"],
           "localizations":[{"locale":"de","displayName":"M","customAppName":"A","description":"d"}],
           "products":[["gold.monthly"],{"id":"silver.monthly","period":"P1M"}]}],
         "features":{"ad-free":"gold.monthly","pro":["gold.monthly"],
           "lounge":{"products":["gold.monthly"],"paidPeriods":true,"originalVersionBefore":"2.0",
                     "originalPurchaseBefore":"2025-03-01"}}}
        """#

    /// The keys of a value and of all values in it.
    private static func keys(_ value: Value) -> Set<String> {
        if let list = value.list { return list.reduce(into: []) { $0.formUnion(keys($1)) } }
        return (value.object ?? [:]).reduce(into: []) { $0.formUnion(keys($1.value).union([$1.key])) }
    }

    @Test("The reader knows every key of the schema")
    func known() throws {
        let bytes = Array(Self.sample.utf8)
        #expect(try allows(bytes))
        let schema = try Self.schema.get()
        let objects = [schema] + (schema["$defs"]?.object ?? [:]).values
        let described = Set(objects.flatMap { ($0["properties"]?.object ?? [:]).keys })
        let used = Self.keys(try Self.value(bytes))
        #expect(described.isSubset(of: used), "the sample lacks \(described.subtracting(used))")
        let catalog = try CatalogFixtures.read(Self.sample)
        #expect(!catalog.diagnostics.contains { $0.code == .unknownKey }, "\(catalog.diagnostics)")
        // The reference to the schema is kept for editors.
        #expect(String(decoding: catalog.written(as: .json).bytes, as: UTF8.self).contains(#""$schema""#))
    }

    @Test(
        "The schema refuses a key that the reader does not know, and values of another kind",
        arguments: [
            #"{"products":[{"id":"a","tpye":"consumable"}]}"#, #"{"produtcs":["a"]}"#,
            #"{"products":[{"type":"consumable"}]}"#,
            #"{"products":[{"id":"a","type":"coin"}]}"#, #"{"products":[{"id":"a","grants":{"coins":0}}]}"#,
            #"{"products":[{"id":"a","level":"high"}]}"#, #"{"features":{"pro":[1]}}"#,
            #"{"subscriptions":[{"group":"a"}]}"#, #"{"products":[{"id":"a","offers":[{"id":"b"}]}]}"#,
        ])
    func refused(list: String) throws { #expect(try !allows(Array(list.utf8))) }

    @Test("Each list that is written satisfies the schema", arguments: 0..<8)
    func written(shard: Int) throws {
        for seed in 0..<GeneratedCatalog.count {
            let catalog = GeneratedCatalog(seed: UInt64(seed * 8 + shard)).catalog
            try #require(try allows(catalog.written(as: .json).bytes), "seed \(seed * 8 + shard)")
        }
    }

    @Test(
        "The lists in Configuration satisfy the schema",
        arguments: [
            "Products.json", "Products.plist", "Store.storekit", "scenarios/Club.storekit",
        ])
    func shipped(name: String) throws {
        let folder = try #require(ExampleStory.repository()).appending(path: "Configuration")
        let bytes = Array(try Data(contentsOf: folder.appending(path: name)))
        if name.hasSuffix(".json") { #expect(try allows(bytes)) }
        let catalog = try Catalog(reading: [CatalogFile(name: name, bytes: bytes)])
        #expect(try allows(catalog.written(as: .json).bytes))
    }

    @Test("The reference lists every key of the schema with its meaning")
    func reference() throws {
        let folder = try #require(ExampleStory.repository())
        let page = try String(contentsOf: folder.appending(path: "Documentation/ProductList.md"), encoding: .utf8)
        let schema = try Self.schema.get()
        for object in [schema] + (schema["$defs"]?.object ?? [:]).values {
            for (key, property) in object["properties"]?.object ?? [:] {
                let meaning = property["description"]?.text ?? "?"
                #expect(page.contains("| `\(key)` |") && page.contains("| \(meaning) |"), "\(key): \(meaning)")
            }
        }
    }
}
