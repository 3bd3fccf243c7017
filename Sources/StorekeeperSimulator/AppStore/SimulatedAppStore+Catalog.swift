package import Storekeeper

extension SimulatedAppStore {
    /// Returns the catalog of an app with its current prices, which commands may have changed.
    ///
    /// - Throws: ``SimulatorError`` if the app does not exist.
    package func presentCatalog(of app: String? = nil) throws(SimulatorError) -> Catalog {
        let (catalog, terms) = try result { world throws(SimulatorError) in
            let app = world.apps[try world.app(app)]
            return (app.catalog, Array(app.terms))
        }
        let products = zip(catalog.products, terms).map { product, terms in
            var product = product
            if product.price.flatMap(Milliunits.of) != terms.price { product.price = Milliunits.decimal(terms.price) }
            if let plan = terms.monthlyPlan, var details = product.subscription {
                for index in details.billingPlans.indices where details.billingPlans[index].type == .monthly {
                    guard details.billingPlans[index].price.flatMap(Milliunits.of) != plan.price else { continue }
                    details.billingPlans[index].price = Milliunits.decimal(plan.price)
                    details.billingPlans[index].commitmentPrice = Milliunits.decimal(plan.commitmentPrice)
                }
                product.subscription = details
            }
            return product
        }
        return catalog.replacing(products: products)
    }

    /// Returns the products of an app that are not for sale.
    ///
    /// - Throws: ``SimulatorError`` if the app does not exist.
    package func productsNotForSale(of app: String? = nil) throws(SimulatorError) -> Set<Product.ID> {
        let (catalog, terms) = try result { world throws(SimulatorError) in
            let app = world.apps[try world.app(app)]
            return (app.catalog, Array(app.terms))
        }
        return Set(zip(catalog.products, terms).filter { !$0.1.isForSale }.map(\.0.id))
    }
}

extension Catalog {
    /// Returns a copy of the catalog with other products and groups.
    ///
    /// All other content is copied, including JSON members that this version does not interpret.
    package func replacing(products: [Product], groups: [SubscriptionGroup]? = nil) -> Catalog {
        var catalog = Catalog(
            exactly: products, groups: groups ?? self.groups, features: features, diagnostics: diagnostics)
        catalog.version = version
        catalog.locale = locale
        catalog.unknown = unknown
        return catalog
    }
}
