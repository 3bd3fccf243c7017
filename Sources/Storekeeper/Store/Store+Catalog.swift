/// Another catalog while the store runs.
extension Store {
    /// Goes by another catalog from now on; answers and events follow.
    ///
    /// Balances stay: what a customer was given once a new catalog does not change.
    ///
    /// - Throws: ``VaultError`` where the changes cannot be written; the catalog then stays as it was.
    public func reload(_ catalog: Catalog) async throws(VaultError) {
        try await serially { () async throws(VaultError) in
            _ = try await write(Intake(catalog: catalog))
        }
    }

    /// Asks a source for descriptions of the products of the catalog, and of those that the app asks for.
    ///
    /// Groups, features and what the source does not describe stay as they are. Where the source fails, or describes
    /// nothing, all stays.
    ///
    /// - Returns: Whether the catalog was taken over.
    /// - Throws: ``VaultError`` where the changes cannot be written.
    @discardableResult
    public func refreshProducts(from source: any ProductSource) async throws(VaultError) -> Bool {
        let catalog = snapshot.resolution.catalog
        let ids = (catalog.products.map(\.id) + configuration.requestedProductIDs.sorted())
        let products: [Product]
        do {
            products = try await clock.within(configuration.callDeadline) { try await source.products(for: ids) }
        } catch {
            report(.productsFailed(error))
            return false
        }
        guard !products.isEmpty else {
            if !ids.isEmpty { report(.productsFailed(nil)) }
            return false
        }
        try await reload(catalog.describing(products))
        return true
    }
}

extension Catalog {
    /// The same with newer descriptions of products, and with products that it did not have.
    func describing(_ described: [Product]) -> Catalog {
        var newest: [Product.ID: Product] = [:]
        for product in described { newest[product.id] = product }
        var products = self.products
        for index in products.indices {
            guard let product = newest.removeValue(forKey: products[index].id) else { continue }
            products[index] = products[index].describing(product)
        }
        let added = described.filter { newest.removeValue(forKey: $0.id) != nil }
        var groups = self.groups
        for product in added {
            guard let id = product.subscription?.subscriptionGroupID, group(containing: product.id) == nil else {
                continue
            }
            if let index = groups.firstIndex(where: { $0.id == id || $0.aliases.contains(id) }) {
                groups[index].productIDs.append(product.id)
            } else {
                groups.append(SubscriptionGroup(id: id, productIDs: [product.id]))
            }
        }
        return Catalog(products: products + added, groups: groups, features: features, diagnostics: diagnostics)
    }
}

extension Product {
    /// The same, with what a newer description says; what it leaves out stays.
    fileprivate func describing(_ newer: Product) -> Product {
        var product = newer
        product.type = newer.type ?? type
        product.displayName = newer.displayName ?? displayName
        product.description = newer.description ?? description
        if newer.price == nil { (product.price, product.currencyCode) = (price, currencyCode) }
        product.isFamilyShareable = newer.isFamilyShareable ?? isFamilyShareable
        product.subscription = newer.subscription ?? subscription
        product.accessDuration = newer.accessDuration ?? accessDuration
        if newer.accessDuration == nil { product.stacking = stacking }
        if newer.grants.isEmpty { product.grants = grants }
        return product
    }
}
