import Storekeeper

extension Catalog {
    /// What is to be said of features that name products which neither a list nor what the customer bought knows.
    func unlistedProducts(besides resolution: Resolution) -> [Diagnostic] {
        diagnostics.filter { diagnostic in
            guard diagnostic.code == .unknownProduct, let id = diagnostic.subject else { return false }
            return resolution.product(id) == nil && !resolution.isConsumable(id)
        }
    }
}
