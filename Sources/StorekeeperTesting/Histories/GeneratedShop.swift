import Storekeeper

/// The products of a generated app, and its catalog.
struct GeneratedShop: Sendable {
    /// A group of subscriptions.
    ///
    /// The group also contains subscriptions that are not in the catalog.
    struct Group: Sendable {
        var id: SubscriptionGroup.ID
        var products: [Product]
    }

    var groups: [Group] = []
    var nonConsumables: [Product] = []
    var nonRenewing: [Product] = []
    var consumables: [Product] = []
    /// The catalog, which lacks some of the products.
    private(set) var catalog = Catalog.empty

    init(_ random: inout SplitMix64) {
        for number in 0..<random.number(in: 1...4) { groups.append(Self.group(number, &random)) }
        for number in 0..<random.number(in: 1...2) {
            nonConsumables.append(Product(id: "keep.\(number)", type: .nonConsumable))
        }
        for number in 0..<random.number(in: 1...2) {
            var product = Product(id: "season.\(number)", type: .nonRenewable)
            if random.chance(70) {
                product.accessDuration = SubscriptionPeriod(random.pick("P1M", "P16D", "P90D", "P1W"))
                product.stacking = random.pick(.parallel, .extend)
            }
            nonRenewing.append(product)
        }
        for number in 0..<random.number(in: 1...2) {
            var product = Product(id: "coins.\(number)", type: .consumable)
            if random.chance(60) { product.grants = random.pick(["coins": 100], ["coins": 500, "gems": 3]) }
            consumables.append(product)
        }
        catalog = makeCatalog(&random)
    }

    private static func group(_ number: Int, _ random: inout SplitMix64) -> Group {
        let id = SubscriptionGroup.ID(random.pick("2", "10", "g") + String(number))
        var products: [Product] = []
        for level in 1...random.number(in: 1...3) {
            for period in random.pick(["P1M"], ["P1M", "P1Y"], ["P1Y"], ["P1M", "P1M"]) {
                products.append(
                    Product(
                        id: "group\(number).level\(level).\(period).\(products.count)", type: .autoRenewable,
                        subscription: Product.SubscriptionInfo(
                            subscriptionGroupID: id, groupLevel: level,
                            subscriptionPeriod: SubscriptionPeriod(period))))
            }
        }
        return Group(id: id, products: products)
    }

    private func makeCatalog(_ random: inout SplitMix64) -> Catalog {
        var known: [Product] = []
        var knownGroups: [SubscriptionGroup] = []
        for group in groups {
            // The catalog may use an id of its own for the group, but the evidence always has the App Store's id.
            let name = random.chance(60) ? group.id : "word.\(group.id)"
            var members: [Product.ID] = []
            for var product in group.products where random.chance(90) {
                product.subscription?.subscriptionGroupID = name
                if random.chance(6) { product.subscription?.groupLevel = nil }
                known.append(product)
                members.append(product.id)
            }
            if !members.isEmpty { knownGroups.append(SubscriptionGroup(id: name, productIDs: members)) }
        }
        for product in nonConsumables + nonRenewing + consumables where random.chance(90) { known.append(product) }
        let all = groups.flatMap(\.products) + nonConsumables + nonRenewing
        let features = (0..<random.number(in: 0...2)).map { number in
            Feature(id: "feature.\(number)", productIDs: Array(all.map(\.id).shuffled(using: &random).prefix(3)))
        }
        return Catalog(products: known, groups: knownGroups, features: features)
    }
}
