import Storekeeper

extension Catalog {
    /// What is to be said of features that name products which neither a list nor what the customer bought knows.
    func unlistedProducts(besides resolution: Resolution) -> [Diagnostic] {
        diagnostics.filter { diagnostic in
            guard diagnostic.code == .unknownProduct, let id = diagnostic.subject.map({ Product.ID($0) })
            else { return false }
            // Nothing ever changes in what nobody bought.
            let wasBought = resolution.product(id)?.timeline.nextChange(after: .distantPast) != nil
            return !wasBought && !resolution.isConsumable(id)
        }
    }
}
