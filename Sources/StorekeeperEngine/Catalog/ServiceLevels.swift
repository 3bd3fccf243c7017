import FoundationEssentials

/// The rules about the service levels of all subscriptions of a catalog.
enum ServiceLevels {
    /// Returns the products with levels by the order of their groups.
    ///
    /// Only the products of a group in which no product has a level receive one, because an explicit level takes
    /// precedence over the order.
    static func ranked(_ products: [Product], by groups: [SubscriptionGroup]) -> [Product] {
        let levelled = Set(products.filter { $0.subscription?.groupLevel != nil }.map(\.id))
        var places: [Product.ID: (group: SubscriptionGroup.ID, level: Int)] = [:]
        for group in groups where !group.productIDs.contains(where: levelled.contains) {
            for (index, id) in group.productIDs.enumerated() where places[id] == nil {
                places[id] = (group.id, index + 1)
            }
        }
        guard !places.isEmpty else { return products }
        return products.map { product in
            guard let place = places[product.id], product.type?.renews ?? true else { return product }
            var product = product
            var subscription = product.subscription ?? Product.SubscriptionInfo()
            subscription.subscriptionGroupID = subscription.subscriptionGroupID ?? place.group
            subscription.groupLevel = place.level
            product.subscription = subscription
            return product
        }
    }

    /// Returns the problems with the levels of a catalog's subscriptions.
    ///
    /// - Parameter location: Returns the place in a file where a product is described.
    static func diagnostics(
        of products: [Product], in groups: [SubscriptionGroup], location: (Product.ID) -> String? = { _ in nil }
    ) -> [Diagnostic] {
        let subscriptions = products.filter { $0.type?.renews ?? false }
        guard !subscriptions.isEmpty else { return [] }
        var groupByProduct: [Product.ID: SubscriptionGroup.ID] = [:]
        for group in groups { for id in group.productIDs { groupByProduct[id] = group.id } }
        let members = Dictionary(grouping: subscriptions) {
            groupByProduct[$0.id] ?? $0.subscription?.subscriptionGroupID
        }
        return members.flatMap { group, products -> [Diagnostic] in
            // A single subscription has no other one to rank above or below.
            let unranked = products.count > 1 ? products.filter { $0.subscription?.groupLevel == nil } : []
            return unranked.prefix(CatalogDraft.maximumOfOneCode).map { product in
                Diagnostic(
                    .unknownValue, subject: product.id.rawValue,
                    message: "the subscription has no service level, so it does not rank above or below another one; "
                        + "list its group under subscriptions, the highest service first, or give it a level",
                    location: location(product.id))
            } + (group == nil ? [] : inversions(of: products, location: location))
        }
    }

    /// Returns a note for each product that ranks above a more expensive product with an equal period.
    private static func inversions(of products: [Product], location: (Product.ID) -> String?) -> [Diagnostic] {
        /// A period and a currency, in which prices can be compared.
        struct Market: Hashable {
            var period: SubscriptionPeriod
            var currency: String?
        }
        var offered: [Market: [(level: Int, price: Decimal, id: Product.ID)]] = [:]
        for product in products {
            guard let subscription = product.subscription, let level = subscription.groupLevel,
                let period = subscription.subscriptionPeriod, period.isValid, let price = product.price
            else { continue }
            offered[Market(period: period, currency: product.currencyCode), default: []].append(
                (level, price, product.id))
        }
        return offered.values.flatMap { offers -> [Diagnostic] in
            let sorted = offers.enumerated().sorted { ($0.element.level, $0.offset) < ($1.element.level, $1.offset) }
                .map(\.element)
            // The most expensive product of the lower levels, from the lowest level up.
            var dearest: (level: Int, price: Decimal, id: Product.ID)?
            var below: (level: Int, price: Decimal, id: Product.ID)?
            var found: [Diagnostic] = []
            for offer in sorted.reversed() {
                if let last = dearest, last.level > offer.level { below = last }
                if let below, below.price > offer.price {
                    found.append(
                        Diagnostic(
                            .conflictingLevel, severity: .note, subject: offer.id.rawValue,
                            message: "\(offer.id) (level \(offer.level)) costs less than \(below.id) (level "
                                + "\(below.level)) for the same period but ranks higher; level 1 is the highest "
                                + "service, so check that the order is not upside down",
                            location: location(offer.id)))
                }
                if dearest.map({ $0.price < offer.price }) ?? true { dearest = offer }
            }
            return Array(found.prefix(CatalogDraft.maximumOfOneCode))
        }
    }
}
