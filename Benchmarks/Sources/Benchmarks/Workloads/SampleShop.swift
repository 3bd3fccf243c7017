import Storekeeper

/// The catalog of the benchmarks.
enum SampleShop {
    static let subscriptions = (1...4).map { (level: Int) in
        Product(
            id: "com.example.game.plus.\(level)", type: .autoRenewable,
            subscription: Product.SubscriptionInfo(
                subscriptionGroupID: "20100001", groupLevel: level, subscriptionPeriod: SubscriptionPeriod("P30D")))
    }
    static let coins = [100, 500, 2000].map {
        Product(id: "com.example.game.coins.\($0)", type: .consumable, grants: ["coins": $0])
    }
    static let extras = (1...40).map { Product(id: "com.example.game.extra.\($0)", type: .nonConsumable) }
    static let pass = Product(
        id: "com.example.game.season", type: .nonRenewable, accessDuration: SubscriptionPeriod("P90D"))

    static let catalog = Catalog(
        products: subscriptions + coins + extras + [pass],
        groups: [SubscriptionGroup(id: "20100001", name: "Plus", productIDs: subscriptions.map(\.id))],
        features: [
            Feature(id: "ad-free", productIDs: subscriptions.map(\.id) + [extras[0].id]),
            Feature(id: "pro", productIDs: [subscriptions[0].id]),
        ])

    static let resolver = EntitlementResolver(catalog: catalog)
}
