/// A store with a backend through which its customer can buy.
///
/// Only this type has methods for purchases. A store with a backend that cannot make purchases therefore does not offer
/// such methods. Use ``store`` for everything else.
public struct PurchasingStore: Sendable {
    /// The store.
    public let store: Store
    private let backend: any PurchasingBackend

    /// Opens a customer's store on a purchasing backend; see
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
    /// The call first makes outstanding deliveries. The returned transaction is verified, compared with the order,
    /// stored, delivered and finished before the call returns. A failed delivery does not undo the purchase; the
    /// delivery is retried.
    ///
    /// ```swift
    /// switch try await shop.purchase(product) {
    /// case .success(let result): show(try result.payloadValue)
    /// case .pending(let reason, _): showWaiting(for: reason)
    /// case .userCancelled: break
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - product: The product.
    ///   - options: At most one option of each kind. If the options contain no account token and the customer's id is a
    ///     UUID, this UUID is added as the token.
    /// - Returns: The result of the purchase.
    /// - Throws: ``PurchaseError`` if the App Store refuses or cannot be reached, or if the options are invalid. The
    ///   error's code is `inProgress` if another purchase of the product is in progress, and `failedVerification` if
    ///   the returned text contains no transaction, or the transaction of another product or customer. ``VaultError``
    ///   if the purchase could not be stored; its transaction is then not finished, so that the App Store delivers it
    ///   again. `CancellationError` if the task is cancelled; a completed purchase still arrives by the stream of
    ///   updates.
    public func purchase(_ product: Product, options: Set<PurchaseOption> = []) async throws -> PurchaseResult {
        guard await store.beginPurchase(of: product.id) else {
            throw PurchaseError(.inProgress, "a purchase of '\(product.id)' is in progress; wait for its result")
        }
        do {
            let order = try PurchaseOrder(of: product, options: options, for: store.customer)
            try Task.checkCancellation()
            let result = try await carryOut(order)
            await store.endPurchase(of: product.id)
            return result
        } catch {
            await store.endPurchase(of: product.id)
            throw error
        }
    }

    /// Buys a product of the catalog.
    ///
    /// - Throws: The errors of ``purchase(_:options:)``; also ``PurchaseError`` with `productUnavailable` if the
    ///   catalog does not contain the product.
    public func purchase(productID id: Product.ID, options: Set<PurchaseOption> = []) async throws -> PurchaseResult {
        guard let product = store.snapshot.resolution.catalog.product(id) else {
            throw PurchaseError(.productUnavailable, "no catalog has the product '\(id)'")
        }
        return try await purchase(product, options: options)
    }

    /// Returns whether a purchase of a product is in progress.
    public func isPurchasing(_ id: Product.ID) async -> Bool { await store.isPurchasing(id) }

    // MARK: Carrying out a purchase

    private var parts: StoreDependencies { store.parts }

    private func carryOut(_ order: PurchaseOrder) async throws -> PurchaseResult {
        // Unfinished transactions are delivered first, because the App Store would return one of them instead of making
        // a purchase.
        await store.deliverUnfinished()
        let begun = parts.clock.now
        // The history is read before the purchase, because the stream may deliver the new transaction before the call
        // returns it.
        let history = try await store.stateAfterPendingWork().live.history
        let result: SignedPurchaseResult
        do {
            result = try await backend.purchase(order.product, options: order.options, for: store.customer)
        } catch let error where error is PurchaseError || error is CancellationError {
            throw error
        } catch {
            parts.report(.backendFailed(error))
            throw PurchaseError(.systemError, "the backend failed: \(error)")
        }
        switch result {
        case .userCancelled: return .userCancelled
        case .pending(let reason): return try await wait(for: order, reason, since: begun)
        case .success(let text): return .success(try await accept(text, for: order, since: begun, after: history))
        }
    }

    private func wait(
        for order: PurchaseOrder, _ reason: EntitlementAnswer.PendingReason, since begun: Instant
    ) async throws(VaultError) -> PurchaseResult {
        let end = parts.configuration.lifetime(of: reason).map { begun.advanced(by: $0) } ?? .distantFuture
        let purchase = PendingPurchase(productID: order.product.id, reason: reason, startedAt: begun, endsAt: end)
        try await store.wait(for: purchase)
        return .pending(reason, until: end)
    }

    /// Ingests the returned transaction, delivers it, and compares it with the order.
    ///
    /// - Parameters:
    ///   - begun: The instant at which the purchase began.
    ///   - history: The history before the purchase.
    private func accept(
        _ text: String, for order: PurchaseOrder, since begun: Instant, after history: PurchaseHistory
    ) async throws -> VerificationResult<Transaction> {
        let presented = await VerificationBatch.verifying([text], by: parts.verifier)
        guard let transaction = presented.facts.first?.transaction, presented.facts.count == 1 else {
            _ = try await store.commit(presented)
            let failure = presented.failures.first?.error
            if case .transaction(let result)? = presented.doubts.first, let failure {
                return .unverified(result.unsafePayloadValue, failure)
            }
            let reason = failure.map { "\($0)" } ?? "it is not a transaction"
            throw PurchaseError(.failedVerification, "the purchased transaction could not be verified: \(reason)")
        }
        let key = TransactionKey(transaction)
        let report = try await store.commit(presented)
        guard report.conflicts.isEmpty else {
            throw PurchaseError(.failedVerification, "the transaction belongs to another customer")
        }
        await store.deliver([key])
        await store.awaitDelivery(of: key)
        // The history may lack an unfinished transaction of an earlier purchase, so the purchase date is compared as
        // well.
        let isRecent = transaction.purchasedAt.advanced(by: parts.configuration.clockTolerance) >= begun
        try order.check(transaction, isNew: isRecent && history.fact(key) == nil)
        return .verified(transaction)
    }
}
