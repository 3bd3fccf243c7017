/// A convenience that users of StoreHelper know.
extension StoreSnapshot {
    /// Returns whether the customer has a product of any type at an instant.
    ///
    /// For a consumable: whether a balance that it adds to is above zero now. For other types: whether the product
    /// gives access.
    public func isPurchased(_ id: Product.ID, at instant: Instant) -> Bool {
        guard resolution.isConsumable(id), resolution.product(id) == nil else { return isEntitled(id, at: instant) }
        let grants = resolution.catalog.product(id)?.grants ?? [:]
        let names = grants.isEmpty ? [Balance.ID(id.rawValue)] : Array(grants.keys)
        return names.contains { balance(of: $0).amount > 0 }
    }
}
