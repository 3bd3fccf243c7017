import FoundationEssentials
import Storekeeper
import Synchronization

/// A store to which this module's StoreKit API passes its calls.
final class StoreBinding: Sendable {
    let store: Storekeeper.Store
    /// The same store with support for purchases; `nil` if the backend does not support purchases.
    let purchasing: PurchasingStore?
    let appTransaction: (@Sendable () async throws -> String)?
    /// The time at which the store was bound; updates that the store received earlier are not sent.
    let began: Instant
    private let source: (any ProductSource)?
    private let purchases = Mutex(Purchases())
    /// Signals the end of a purchase.
    private let purchaseEnded = ChangeSignal()

    /// The purchases that the app makes; their transactions are returned to the app, and are not sent as updates.
    private struct Purchases {
        var products: [Storekeeper.Product.ID: Int] = [:]
        var returned: Set<Copy> = []
    }

    /// A transaction in one state; if the state changes, for example by a refund, the transaction is sent as an update.
    private struct Copy: Hashable {
        let key: TransactionKey
        let state: String

        init(_ transaction: Storekeeper.Transaction) {
            key = TransactionKey(transaction)
            state = transaction.stateText
        }
    }

    init(
        _ store: Storekeeper.Store, purchasing: PurchasingStore?, products: (any ProductSource)?,
        appTransaction: (@Sendable () async throws -> String)?
    ) {
        self.store = store
        self.purchasing = purchasing
        self.appTransaction = appTransaction
        source = products
        began = store.clock.now
    }

    // MARK: Answers

    /// The instant for which this binding asks the store.
    var now: Instant { store.snapshot.now(byClock: store.clock.now) }

    var catalog: Catalog { store.snapshot.resolution.catalog }

    func products(for ids: [Storekeeper.Product.ID]) async throws -> [Storekeeper.Product] {
        try await (source ?? CatalogProductSource(catalog)).products(for: ids)
    }

    /// The statuses of all groups, by group.
    var statuses: [(group: Storekeeper.SubscriptionGroup.ID, statuses: [Storekeeper.SubscriptionStatus])] {
        let (snapshot, now) = (store.snapshot, now)
        return snapshot.resolution.groups.map {
            ($0.group.id, snapshot.subscriptionStatuses(group: $0.group.id.rawValue, at: now))
        }
    }

    /// Returns the present status of a chain.
    func status(of originalID: Storekeeper.Transaction.ID) -> Storekeeper.SubscriptionStatus? {
        statuses.lazy.flatMap(\.statuses).first { $0.transaction.originalID == originalID }
    }

    /// Reads from the store repeatedly until a read succeeds.
    ///
    /// If a failed read returned an empty result, the app would assume that the customer had bought nothing.
    ///
    /// - Returns: The value; `nil` if the task was cancelled.
    static func reading<Value>(_ read: () async throws -> Value) async -> Value? {
        while true {
            do {
                return try await read()
            } catch {
                if Task.isCancelled { return nil }
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    // MARK: Purchases

    /// Buys a product, and records that the app has received the transaction, so that it is not sent as an update.
    func purchase(
        _ product: Storekeeper.Product, options: Set<Storekeeper.PurchaseOption>
    ) async throws -> Storekeeper.PurchaseResult {
        guard let purchasing else {
            throw Storekeeper.PurchaseError(
                .purchaseNotAllowed, "the store has no purchases; bind a PurchasingStore")
        }
        purchases.withLock { $0.products[product.id, default: 0] += 1 }
        defer {
            purchases.withLock { purchases in
                let count = purchases.products[product.id] ?? 1
                purchases.products[product.id] = count > 1 ? count - 1 : nil
            }
            purchaseEnded.send()
        }
        let result = try await purchasing.purchase(product, options: options)
        if case .success(.verified(let transaction)) = result {
            purchases.withLock { _ = $0.returned.insert(Copy(transaction)) }
            // A purchase returns only the transaction, but a status needs the renewal info as well. If the renewal
            // info cannot be read now, the backend sends it later.
            if transaction.productType == .autoRenewable, status(of: transaction.originalID)?.renewalInfo == nil {
                _ = try? await store.sync()
            }
        }
        return result
    }

    /// Returns whether a transaction was returned to the app as the result of a purchase.
    ///
    /// While the app is buying the product of the transaction, the function waits for the end of the purchase.
    func isReturned(_ transaction: Storekeeper.Transaction) async -> Bool {
        while !Task.isCancelled {
            let seen = purchaseEnded.count
            let isPending = purchases.withLock { $0.products[transaction.productID] != nil }
            guard isPending, transaction.reason != .renewal, transaction.revokedAt == nil else { break }
            await purchaseEnded.wait(after: seen)
        }
        return purchases.withLock { $0.returned.contains(Copy(transaction)) }
    }
}

extension Storekeeper.Transaction {
    /// The values that can change when the App Store signs a transaction again.
    ///
    /// The time of signing is left out, because signing a transaction again without a change is not an update.
    var stateText: String {
        [
            expiresAt.map { "\($0)" }, revokedAt.map { "\($0)" }, revocationPercentage.map { "\($0)" },
            isUpgraded ? "upgraded" : nil, appAccountToken.map { "\($0)" },
        ].map { $0 ?? "-" }.joined(separator: " ")
    }
}
