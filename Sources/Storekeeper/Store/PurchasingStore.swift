/// A store whose customer can buy, because its backend can sell.
///
/// Buying exists only here, so that a store on a backend that cannot sell offers no such call. Everything else is asked
/// of the ``store``.
public struct PurchasingStore: Sendable {
    /// The store.
    public let store: Store
    private let backend: any PurchasingBackend

    /// Opens a customer's store on a backend that sells; see
    /// ``Store/open(customer:configuration:vault:verifier:backend:clock:deliver:report:)``.
    public static func open(
        customer: CustomerID, configuration: StoreConfiguration = StoreConfiguration(), vault: any Vault,
        verifier: any TransactionVerifier, backend: any PurchasingBackend, clock: any StoreClock = WallClock(),
        deliver: Store.DeliveryHandler? = nil, report: @escaping @Sendable (StoreReport) -> Void = { _ in }
    ) async throws(VaultError) -> PurchasingStore {
        let store = try await Store.open(
            customer: customer, configuration: configuration, vault: vault, verifier: verifier, backend: backend,
            clock: clock, deliver: deliver, report: report)
        return PurchasingStore(store: store, backend: backend)
    }

    /// Buys a product.
    ///
    /// What is still owed is handed out first. The transaction that comes back is verified, compared with what was
    /// asked for, written down, handed out and finished before the call returns; a handler that fails does not undo
    /// the purchase, it is asked again later.
    ///
    /// - Parameters:
    ///   - product: What to buy.
    ///   - options: How; of each kind one. A customer whose id is a UUID needs no token: it is added.
    /// - Returns: How it ended; never ``PurchaseState/inProgress``.
    /// - Throws: ``PurchaseError`` with `inProgress` while another purchase of the product is going on, and where the
    ///   options make no sense; ``VaultError`` where the purchase could not be written down: nothing was finished then,
    ///   and the transaction comes again. `CancellationError` when the task is cancelled; a purchase made all the same
    ///   arrives by itself.
    public func purchase(_ product: Product, options: Set<PurchaseOption> = []) async throws -> PurchaseState {
        try await store.purchase(product, options: options, from: backend)
    }

    /// Buys a product of the catalog.
    ///
    /// - Throws: As ``purchase(_:options:)``; also ``PurchaseError`` with `productUnavailable` where no
    ///   catalog has the product.
    public func purchase(productID id: Product.ID, options: Set<PurchaseOption> = []) async throws -> PurchaseState {
        guard let product = store.snapshot.resolution.catalog.product(id) else {
            throw PurchaseError(.productUnavailable, "no catalog has the product '\(id)'")
        }
        return try await purchase(product, options: options)
    }

    /// Where the purchase of a product stands, or how the last one ended; `nil` before the first.
    public func purchaseState(of id: Product.ID) async -> PurchaseState? { await store.purchaseState(of: id) }
}
