public import Storekeeper
import Synchronization

/// Binds code that was written for StoreKit 2 to a store.
///
/// On a device, StoreKit has one customer. With this package, a task-local value determines the store. The store is
/// used by all calls of an operation, and by the tasks that the operation creates:
///
/// ```swift
/// try await StoreKit.withStore(store) {
///     for await result in Transaction.currentEntitlements { … }
/// }
/// ```
///
/// A transaction or product refers to its store, so that `transaction.finish()` and `product.purchase()` work in any
/// task. If no store is bound, every throwing function throws ``StoreKitError/systemError(_:)`` with ``NoStore``, all
/// sequences are empty, and the customer owns nothing. A detached task has no store; see ``setWarningHandler(_:)``.
///
/// The enumeration has the name of Apple's module, so that a qualified name such as `StoreKit.Transaction` compiles.
public enum StoreKit: Sendable {
    @TaskLocal private static var taskBinding: StoreBinding?
    private static let defaultBinding = Mutex<StoreBinding?>(nil)

    /// The number of operations that run with a store of their own.
    private static let operations = Atomic<Int>(0)

    /// The store binding of the current task; if the task has none, the default binding.
    static var binding: StoreBinding? {
        if let binding = taskBinding ?? defaultBinding.withLock({ $0 }) { return binding }
        if operations.load(ordering: .relaxed) > 0 { warnOfMissingStore() }
        return nil
    }

    private static func run<Value>(
        _ operation: () async throws -> Value, with binding: StoreBinding
    ) async rethrows -> Value {
        operations.add(1, ordering: .relaxed)
        defer { operations.subtract(1, ordering: .relaxed) }
        return try await $taskBinding.withValue(binding, operation: operation)
    }

    /// Runs an operation with a store that supports purchases.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - products: The source of product descriptions; `nil` for the catalog of the store.
    ///   - appTransaction: Returns the customer's app transaction as compact JWS; `nil` if the app transaction is not
    ///     available.
    ///   - operation: The operation.
    /// - Returns: The result of the operation.
    /// - Throws: The error of the operation.
    public static func withStore<Value>(
        _ store: PurchasingStore, products: (any ProductSource)? = nil,
        appTransaction: (@Sendable () async throws -> String)? = nil, _ operation: () async throws -> Value
    ) async rethrows -> Value {
        try await run(
            operation,
            with: StoreBinding(store.store, purchasing: store, products: products, appTransaction: appTransaction))
    }

    /// Runs an operation with a store that cannot buy products, for example because its backend is the App Store Server
    /// API.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - products: The source of product descriptions; `nil` for the catalog of the store.
    ///   - appTransaction: Returns the customer's app transaction as compact JWS; `nil` if the app transaction is not
    ///     available.
    ///   - operation: The operation.
    /// - Returns: The result of the operation.
    /// - Throws: The error of the operation.
    public static func withStore<Value>(
        _ store: Store, products: (any ProductSource)? = nil,
        appTransaction: (@Sendable () async throws -> String)? = nil, _ operation: () async throws -> Value
    ) async rethrows -> Value {
        try await run(
            operation,
            with: StoreBinding(store, purchasing: nil, products: products, appTransaction: appTransaction))
    }

    /// Sets the default store, which is used by all tasks outside of `withStore`.
    ///
    /// The default store is for a program with one customer that starts detached tasks, because a detached task does
    /// not inherit task-local values. A server with several customers must not set a default store.
    ///
    /// - Parameters:
    ///   - store: The store; `nil` removes the default store.
    ///   - products: The source of product descriptions; `nil` for the catalog of the store.
    public static func setDefaultStore(_ store: PurchasingStore?, products: (any ProductSource)? = nil) {
        let binding = store.map { StoreBinding($0.store, purchasing: $0, products: products, appTransaction: nil) }
        defaultBinding.withLock { $0 = binding }
    }

    /// The error thrown by a call in a task without a store.
    public struct NoStore: Error, Hashable, CustomStringConvertible {
        /// The error and its remedy, in one line.
        public var description: String { "no store is bound to this task; call StoreKit.withStore" }
    }
}

/// Support for apps that deliver purchases themselves and do not use a delivery handler.
extension StoreKit {
    /// A delivery handler for an app that delivers purchases itself and then calls ``Transaction/finish()``.
    ///
    /// With another handler, a store delivers and finishes each transaction when it receives the transaction, so that
    /// ``Transaction/unfinished`` is usually empty. With this handler, a transaction remains unfinished until the app
    /// calls ``Transaction/finish()``. Until then, each attempt of the store to deliver fails with ``NotFinished``, and
    /// the store reports the error and tries again.
    ///
    /// ```swift
    /// let store = try await PurchasingStore.open(…, deliver: StoreKit.deliversInApp)
    /// ```
    public static let deliversInApp: Storekeeper.Store.DeliveryHandler = { delivery in
        guard finished.withLock({ $0.contains(delivery.id) }) else { throw NotFinished() }
    }

    /// The error of each delivery attempt before the app calls ``Transaction/finish()``.
    public struct NotFinished: Error, Hashable, CustomStringConvertible {
        /// The reason, in one line.
        public var description: String { "the app has not called finish() yet" }
    }

    private static let finished = Mutex(FinishedTransactions())

    /// Completes the delivery of a transaction.
    static func finish(_ key: TransactionKey, in store: Storekeeper.Store) async {
        finished.withLock { $0.insert(key) }
        if await store.completeDelivery(of: key) { finished.withLock { $0.remove(key) } }
    }
}

// MARK: - Qualified names

extension StoreKit {
    /// A purchase or a renewal, which may be shared by a family member.
    public typealias Transaction = StorekeeperKit.Transaction
    /// A product that an app sells.
    public typealias Product = StorekeeperKit.Product
    /// A value that the App Store has signed, and the result of its verification.
    public typealias VerificationResult = StorekeeperKit.VerificationResult
    /// A namespace for the App Store as a whole.
    public typealias AppStore = StorekeeperKit.AppStore
    /// The customer's download of the app, as signed by the App Store.
    public typealias AppTransaction = StorekeeperKit.AppTransaction
    /// The App Store of a country or region.
    public typealias Storefront = StorekeeperKit.Storefront
    /// A message of the App Store to the customer.
    public typealias Message = StorekeeperKit.Message
    /// An error of StoreKit.
    public typealias StoreKitError = StorekeeperKit.StoreKitError
}
