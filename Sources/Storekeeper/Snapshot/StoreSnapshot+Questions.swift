/// A ready-made question that users of StoreHelper know.
extension StoreSnapshot {
    /// Whether the customer has something of a product at an instant, whatever sort it is.
    ///
    /// Of a consumable: whether any is left of what it adds to, now. Of everything else: whether it gives access.
    public func isPurchased(_ id: Product.ID, at instant: Instant) -> Bool {
        guard resolution.isConsumable(id), resolution.product(id) == nil else { return isEntitled(id, at: instant) }
        let grants = resolution.catalog.product(id)?.grants ?? [:]
        let names = grants.isEmpty ? [Balance.ID(id.rawValue)] : Array(grants.keys)
        return names.contains { balance(of: $0).amount > 0 }
    }
}
