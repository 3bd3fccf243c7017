import FoundationEssentials
import Storekeeper
import StorekeeperJWS
import StorekeeperSimulator

/// A small shop for tests: two subscription levels, coins, a non-consumable and a season pass.
enum SampleStore {
    static let catalog: Catalog = {
        func subscription(
            _ id: Product.ID, _ price: String, level: Int, period: String, offers: [SubscriptionOffer] = [],
            plans: [BillingPlan] = [], isShareable: Bool = true
        ) -> Product {
            Product(
                id: id, type: .autoRenewable, displayName: id.rawValue, price: Decimal(string: price),
                currencyCode: "USD",
                isFamilyShareable: isShareable,
                subscription: Product.SubscriptionInfo(
                    subscriptionGroupID: "21400001", groupLevel: level,
                    subscriptionPeriod: SubscriptionPeriod(period), offers: offers, billingPlans: plans))
        }
        let trial = SubscriptionOffer(
            kind: .introductory, paymentMode: .freeTrial, period: SubscriptionPeriod("P1W"), price: 0)
        let cheap = SubscriptionOffer(
            kind: .introductory, paymentMode: .payAsYouGo, period: SubscriptionPeriod("P1M"), periodCount: 3, price: 1)
        let loyal = SubscriptionOffer(
            kind: .promotional, id: "loyal", paymentMode: .payAsYouGo, period: SubscriptionPeriod("P1M"),
            periodCount: 2, price: 2)
        let code = SubscriptionOffer(
            kind: .code, id: "WELCOME", paymentMode: .freeTrial, period: SubscriptionPeriod("P1M"), price: 0,
            eligibility: [.new, .expired], isStackable: true)
        let back = SubscriptionOffer(
            kind: .winBack, id: "back", paymentMode: .payUpFront, period: SubscriptionPeriod("P3M"), price: 5)
        let products = [
            subscription("pro.monthly", "9.99", level: 1, period: "P1M", offers: [trial, loyal, code, back]),
            subscription(
                "pro.yearly", "99.99", level: 1, period: "P1Y",
                plans: [
                    BillingPlan(
                        type: .monthly, price: Decimal(string: "10.99"), commitmentPrice: Decimal(string: "131.88"),
                        isEnabled: true)
                ]),
            subscription("basic.monthly", "4.99", level: 2, period: "P1M", offers: [cheap, loyal]),
            subscription("basic.weekly", "1.99", level: 2, period: "P1W", isShareable: false),
            Product(id: "coins.100", type: .consumable, price: Decimal(string: "0.99"), grants: ["coins": 100]),
            Product(
                id: "remove.ads", type: .nonConsumable, price: Decimal(string: "3.99"), isFamilyShareable: true),
            Product(id: "season.pass", type: .nonRenewable, price: Decimal(string: "9.99")),
        ]
        let group = SubscriptionGroup(
            id: "21400001", name: "Membership", productIDs: products.filter { $0.type == .autoRenewable }.map(\.id))
        let pro = Feature(id: "pro", productIDs: ["pro.monthly", "pro.yearly"])
        return Catalog(products: products, groups: [group], features: [pro])
    }()

    /// Makes a store with some accounts that begins on 31 January 2026 at noon.
    static func make(
        _ people: CustomerID..., settings: AppSettings = AppSettings(), seed: UInt64 = 1,
        environment: AppStore.Environment = .sandbox
    ) throws -> SimulatedAppStore {
        let store = try SimulatedAppStore(
            apps: [SimulatedApp(bundleID: "com.example.game", catalog: catalog, settings: settings)],
            environment: environment, seed: seed, start: day("2026-01-31T12:00:00Z"), authority: authority.get())
        for person in people { try store.perform(.createAccount(person, storefront: nil)) }
        return store
    }

    /// One authority for all tests, because creating it is slow.
    private static let authority = Result { try LocalAuthority(name: "Tests") }

    /// A device id with which evidence can be verified.
    static let device = UUID(uuidString: "0B2F1A58-6A0E-4B0B-9F0C-6E6F3B7D1A11") ?? UUID()

    static func day(_ text: String) -> Instant { Instant(text) ?? .distantPast }
}

extension SimulatedAppStore {
    /// Returns the events of a customer as text.
    func story(of customer: CustomerID? = nil) -> [String] {
        happenings().filter { customer == nil || $0.customer == customer }.map { "\($0.kind)" }
    }
}
