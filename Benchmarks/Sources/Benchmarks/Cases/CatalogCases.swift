import Storekeeper

/// Reading catalog files.
func catalogCases() throws -> BenchmarkGroup {
    func read(_ name: String, _ file: CatalogFile, _ count: Int) throws -> BenchmarkCase {
        let catalog = try Catalog(reading: [file])
        guard catalog.products.count == count else {
            throw BenchmarkError("\(name): \(catalog.products.count) products in place of \(count)")
        }
        return .serial(name, operations: count) { blackHole(try Catalog(reading: [file])) }
    }
    return BenchmarkGroup(
        title: "Reading a catalog (per product)",
        cases: [
            try read(".storekit of 10", SampleCatalogs.storeKit(10), 10),
            try read(".storekit of 1,000", SampleCatalogs.storeKit(1_000), 1_000),
            try read("property list of 1,000 ids", SampleCatalogs.propertyList(1_000), 1_000),
        ])
}
