/// The indices of an update: chains by the ids in evidence, features by their products.
struct UpdateLookup: Sendable {
    private var linesByKey = LayeredMap<RenewalInfoKey, [Int]>()
    private var featuresByProduct: [Product.ID: [Int]] = [:]

    init(_ state: ResolutionState) {
        for (index, line) in state.lines.enumerated() { add(index, line.id) }
        for (index, feature) in state.resolver.catalog.features.enumerated() {
            for id in Set(feature.productIDs) { featuresByProduct[id, default: []].append(index) }
        }
    }

    mutating func add(_ line: Int, _ id: PurchaseChain.ID) {
        linesByKey.change(RenewalInfoKey(id), default: []) { $0.append(line) }
    }

    /// Makes further changes cheaper; see ``LayeredMap/fold()``.
    mutating func fold() { linesByKey.fold() }

    /// Returns the chains that a renewal info may apply to: those of any app, as it names none.
    func lines(_ key: RenewalInfoKey) -> [Int] { linesByKey[key] ?? [] }

    /// Returns the chain with an id.
    func line(_ id: PurchaseChain.ID, in lines: LeafArray<GroupChain>) -> Int? {
        linesByKey[RenewalInfoKey(id)]?.first { lines[$0].id == id }
    }

    /// Returns the features that a product gives.
    func features(of id: Product.ID) -> [Int] { featuresByProduct[id] ?? [] }
}
