package import Storekeeper

/// The products and the catalog for tests of the engine's rules.
package enum TestShop {
    package static let gold = subscription("gold.monthly", level: 1, period: "P1M")
    package static let goldYearly = subscription("gold.yearly", level: 1, period: "P1Y")
    package static let silver = subscription("silver.monthly", level: 2, period: "P1M")
    package static let bronze = subscription("bronze.monthly", level: 3, period: "P1M")
    package static let news = subscription("news.monthly", group: "news", level: 1, period: "P1M")
    package static let removeAds = Product(id: "remove.ads", type: .nonConsumable)
    package static let coins = Product(id: "coins.500", type: .consumable, grants: ["coins": 500])
    package static let seasonPass = Product(
        id: "season.pass", type: .nonRenewable, accessDuration: SubscriptionPeriod("P90D"))
    package static let stackingPass = Product(
        id: "stacking.pass", type: .nonRenewable, accessDuration: SubscriptionPeriod("P10D"), stacking: .extend)
    package static let badge = Product(id: "badge", type: .nonRenewable)

    package static let catalog = Catalog(
        products: [gold, goldYearly, silver, bronze, news, removeAds, coins, seasonPass, stackingPass, badge],
        groups: [
            SubscriptionGroup(
                id: "membership", name: "Membership", productIDs: [gold.id, goldYearly.id, silver.id, bronze.id]),
            SubscriptionGroup(id: "news", productIDs: [news.id]),
        ],
        features: [
            Feature(id: "pro", productIDs: [gold.id, goldYearly.id]),
            Feature(id: "ad-free", productIDs: [gold.id, silver.id, removeAds.id]),
        ])

    private static func subscription(
        _ id: Product.ID, group: SubscriptionGroup.ID = "membership", level: Int, period: String
    ) -> Product {
        Product(
            id: id, type: .autoRenewable,
            subscription: Product.SubscriptionInfo(
                subscriptionGroupID: group, groupLevel: level, subscriptionPeriod: SubscriptionPeriod(period)))
    }
}
