/// Questions about names that neither the catalog nor the customer's data contains, such as misspelled ids.
///
/// A catalog without products knows no names, so every name is accepted.
extension StoreSnapshot {
    private var catalog: Catalog { resolution.catalog }

    /// Returns whether neither the catalog nor the evidence contains a product.
    func isUnknown(_ id: Product.ID) -> Bool {
        !catalog.products.isEmpty && catalog.product(id) == nil && resolution.product(id) == nil
            && !resolution.isConsumable(id)
    }

    /// Returns whether the catalog does not contain a feature.
    func isUnknown(_ id: Feature.ID) -> Bool { !catalog.products.isEmpty && resolution.feature(id) == nil }

    /// Returns whether neither the catalog nor the customer's account contains a balance.
    package func isUnknown(_ id: Balance.ID) -> Bool {
        !catalog.products.isEmpty && !catalog.balances.contains(id) && !balances.contains { $0.id == id }
    }

    /// The names of all balances of the catalog and the account.
    package var balanceNames: [String] {
        let named = catalog.balances
        return (named + balances.map(\.id).filter { !named.contains($0) }).map(\.rawValue)
    }

    /// Returns a diagnostic that suggests the most similar product; `nil` if the catalog or the evidence contains the
    /// product.
    public func diagnostic(aboutUnknownProduct id: Product.ID) -> Diagnostic? {
        guard isUnknown(id) else { return nil }
        let other =
            resolution.feature(Feature.ID(id.rawValue)) != nil
            ? "'\(id)' is a feature" : catalog.group(named: id.rawValue) != nil ? "'\(id)' is a group" : nil
        return .unknownName("product", id.rawValue, known: catalog.products.map(\.id.rawValue), other: other)
    }

    /// Returns a diagnostic that suggests the most similar feature; `nil` if the catalog contains the feature.
    public func diagnostic(aboutUnknownFeature id: Feature.ID) -> Diagnostic? {
        guard isUnknown(id) else { return nil }
        let isProduct = catalog.product(Product.ID(id.rawValue)) != nil
        return .unknownName(
            "feature", id.rawValue, known: catalog.features.map(\.id.rawValue),
            other: isProduct ? "'\(id)' is a product" : nil)
    }

    /// Returns a diagnostic that suggests the most similar balance; `nil` if the catalog or the customer's account
    /// contains the balance.
    public func diagnostic(aboutUnknownBalance id: Balance.ID) -> Diagnostic? {
        guard isUnknown(id) else { return nil }
        let isProduct = catalog.product(Product.ID(id.rawValue)) != nil
        return .unknownName(
            "balance", id.rawValue, known: balanceNames, other: isProduct ? "'\(id)' is a product" : nil)
    }
}

extension Diagnostic {
    fileprivate static func unknownName(_ kind: String, _ name: String, known: [String], other: String?) -> Diagnostic {
        let advice = other ?? NearestWord.advice(for: name, among: known)
        return Diagnostic(
            .unknownProduct, subject: name, message: "no catalog has a \(kind) '\(name)': \(advice)")
    }
}
