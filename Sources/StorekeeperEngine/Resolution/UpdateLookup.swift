/// The lookup tables that an update uses: chains by the ids in renewal infos, and features by their products.
struct UpdateLookup: Sendable {
    private var linesByKey = [RenewalInfoKey: [Int]]()
    private var featuresByProduct: [Product.ID: [Int]] = [:]

    init(_ state: ResolutionState) {
        for (index, line) in state.lines.enumerated() { add(index, line.id) }
        for (index, feature) in state.resolver.catalog.features.enumerated() {
            for id in Set(feature.productIDs) { featuresByProduct[id, default: []].append(index) }
        }
    }

    mutating func add(_ line: Int, _ id: PurchaseChain.ID) {
        linesByKey[RenewalInfoKey(id), default: []].append(line)
    }

    /// Returns the chains that a renewal info may apply to: chains of every app, because a renewal info does not name
    /// its app.
    func lines(_ key: RenewalInfoKey) -> [Int] { linesByKey[key] ?? [] }

    /// Returns the index of the chain with an id; `nil` if no such chain is known.
    func line(_ id: PurchaseChain.ID, in lines: [GroupChain]) -> Int? {
        linesByKey[RenewalInfoKey(id)]?.first { lines[$0].id == id }
    }

    /// Returns the indices of the features that a product unlocks.
    func features(of id: Product.ID) -> [Int] { featuresByProduct[id] ?? [] }
}
