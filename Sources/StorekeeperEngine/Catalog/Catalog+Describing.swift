extension Catalog {
    /// Returns the catalog, updated with newer descriptions of products; products that it does not contain yet are
    /// added.
    package func describing(_ described: [Product]) -> Catalog {
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
        var catalog = Catalog(
            exactly: products + added, groups: groups, features: features, diagnostics: diagnostics)
        (catalog.version, catalog.locale, catalog.unknown) = (version, locale, unknown)
        return catalog
    }
}

extension Product {
    /// Returns the product updated from a newer description; values that the newer description lacks are not changed.
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
        if newer.members.isEmpty { product.members = members }
        if newer.localizations.isEmpty { product.localizations = localizations }
        if newer.unknown.isEmpty { product.unknown = unknown }
        return product
    }
}
