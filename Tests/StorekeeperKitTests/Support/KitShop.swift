import Foundation
import Storekeeper
import StorekeeperJWS
import StorekeeperKit
import StorekeeperSimulator

/// The catalog of a game's small shop, with products that have all kinds of offers.
enum KitShop {
    static let catalog: Catalog = {
        func subscription(
            _ id: Storekeeper.Product.ID, _ name: String, _ price: String, level: Int,
            offers: [Storekeeper.SubscriptionOffer] = []
        ) -> Storekeeper.Product {
            Storekeeper.Product(
                id: id, type: .autoRenewable, displayName: name, description: "\(name), every month.",
                price: Decimal(string: price), currencyCode: "USD", isFamilyShareable: true,
                subscription: Storekeeper.Product.SubscriptionInfo(
                    subscriptionGroupID: "21400001", groupLevel: level,
                    subscriptionPeriod: Storekeeper.SubscriptionPeriod("P1M"), offers: offers))
        }
        let month = Storekeeper.SubscriptionPeriod("P1M")
        let trial = Storekeeper.SubscriptionOffer(
            kind: .introductory, paymentMode: .freeTrial, period: Storekeeper.SubscriptionPeriod("P1W"), price: 0)
        let loyal = Storekeeper.SubscriptionOffer(
            kind: .promotional, id: "loyal", paymentMode: .payAsYouGo, period: month, periodCount: 2, price: 2)
        let code = Storekeeper.SubscriptionOffer(
            kind: .code, id: "WELCOME", paymentMode: .freeTrial, period: month, price: 0,
            eligibility: [.new, .existing, .expired])
        let back = Storekeeper.SubscriptionOffer(
            kind: .winBack, id: "back", paymentMode: .payUpFront, period: Storekeeper.SubscriptionPeriod("P3M"),
            price: 5, isEligible: true)
        let products = [
            subscription("gold.monthly", "Gold", "9.99", level: 1, offers: [trial, loyal, code, back]),
            subscription("silver.monthly", "Silver", "4.99", level: 2, offers: [loyal, code]),
            Storekeeper.Product(
                id: "coins.100", type: .consumable, displayName: "100 Coins", price: Decimal(string: "0.99"),
                currencyCode: "USD", grants: ["coins": 100]),
            Storekeeper.Product(
                id: "remove.ads", type: .nonConsumable, displayName: "No Advertisements", price: 4,
                currencyCode: "USD", isFamilyShareable: true),
        ]
        return Catalog(
            products: products,
            groups: [
                Storekeeper.SubscriptionGroup(
                    id: "21400001", name: "Membership", productIDs: ["gold.monthly", "silver.monthly"])
            ],
            features: [])
    }()

    /// One authority for all tests, because creating it is slow.
    private static let authority = Result { try LocalAuthority(name: "Tests") }

    /// Returns a session that begins now, so that code with `Date()` sees the session's time.
    static func session(
        _ customer: CustomerID = "anna", settings: AppSettings = AppSettings()
    ) throws -> SimulatedSession {
        // What an app has finished is kept for the whole process, by bundle id: each session is an app of its own.
        let store = try SimulatedAppStore(
            apps: [
                SimulatedApp(bundleID: "com.example.game-\(UUID().uuidString)", catalog: catalog, settings: settings)
            ],
            seed: 1, start: Instant(Date()), authority: authority.get())
        return try SimulatedSession(customer: customer, in: store)
    }
}

extension SimulatedSession {
    /// Binds StoreKit's names to a store that is kept up to date, and runs an app.
    func running<Value>(
        deliver: Store.DeliveryHandler? = nil, _ app: (PurchasingStore) async throws -> Value
    ) async throws -> Value {
        let store = try await openStore(deliver: deliver)
        try await store.store.sync()
        let service = Task { try await store.store.run() }
        defer { service.cancel() }
        return try await StoreKit.withStore(store) { try await app(store) }
    }

    /// Binds StoreKit's names to a store that has read all purchases, and runs an app.
    func synced<Value>(_ app: () async throws -> Value) async throws -> Value {
        let store = try await openStore()
        try await store.store.sync()
        return try await StoreKit.withStore(store, app)
    }

    /// Returns the id of the newest transaction of a product.
    func newest(_ product: Storekeeper.Product.ID) throws -> Storekeeper.Transaction.ID {
        guard let transaction = allTransactions().first(where: { $0.productIdentifier == product }) else {
            throw SimulatorError(.noTransactionFound, "'\(product)' was not bought")
        }
        return transaction.identifier
    }
}

/// Waits until other tasks have made a condition true.
///
/// - Throws: ``ConditionTimeout`` after a minute.
func eventually(_ what: String, _ condition: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while try await !condition() {
        guard ContinuousClock.now < end else { throw ConditionTimeout(what: what) }
        try await Task.sleep(for: .milliseconds(1))
    }
}

/// The failure of a condition that did not become true in time.
struct ConditionTimeout: Error, CustomStringConvertible {
    let what: String
    var description: String { "did not happen in time: \(what)" }
}
