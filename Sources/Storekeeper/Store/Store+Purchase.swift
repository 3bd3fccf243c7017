/// Buying, for ``PurchasingStore``.
extension Store {
    /// Where the purchase of a product stands, or how the last one ended.
    func purchaseState(of id: Product.ID) -> PurchaseState? { purchases[id] }

    /// Buys a product; one purchase of it at a time.
    func purchase(
        _ product: Product, options: Set<PurchaseOption>, from backend: any PurchasingBackend
    ) async throws -> PurchaseState {
        if case .inProgress? = purchases[product.id] {
            throw PurchaseError(.inProgress, "a purchase of '\(product.id)' is going on; wait for its end")
        }
        let order = try PurchaseOrder(of: product, options: options, for: customer)
        try Task.checkCancellation()
        let last = purchases[product.id]
        purchases[product.id] = .inProgress
        do {
            let state = try await carryOut(order, at: backend)
            endPurchase(of: product.id, as: state)
            return state
        } catch {
            endPurchase(of: product.id, as: last)
            throw error
        }
    }

    /// Whether any purchase is going on.
    var isBuying: Bool {
        purchases.values.contains { if case .inProgress = $0 { true } else { false } }
    }

    private func endPurchase(of id: Product.ID, as state: PurchaseState?) {
        purchases[id] = state
        if !isBuying { learned = [] }
    }

    private func carryOut(_ order: PurchaseOrder, at backend: any PurchasingBackend) async throws -> PurchaseState {
        // The App Store hands over what waits to be finished in place of what is asked for.
        await deliverUnfinished()
        let begun = clock.now
        let result: PurchaseResult
        do {
            result = try await backend.purchase(order.product, options: order.options, for: customer)
        } catch let error as PurchaseError {
            return error.code == .purchaseNotAllowed ? .notAllowed(error) : .failed(error)
        } catch let error as CancellationError {
            throw error
        } catch {
            report(.backendFailed(error))
            return .failed(PurchaseError(.systemError, "the backend failed: \(error)"))
        }
        switch result {
        case .userCancelled: return .cancelled
        case .pending(let reason): return try await wait(for: order, reason, since: begun)
        case .success(let text): return try await accept(text, for: order, begun: begun)
        }
    }

    private func wait(
        for order: PurchaseOrder, _ reason: EntitlementAnswer.PendingReason, since begun: Instant
    ) async throws -> PurchaseState {
        let end = configuration.lifetime(of: reason).map { begun.adding(milliseconds: $0) } ?? .distantFuture
        let purchase = PendingPurchase(productID: order.product.id, reason: reason, startedAt: begun, endsAt: end)
        try await serially { () async throws(VaultError) in
            _ = try await write(Intake(pending: [purchase]))
        }
        return .pending(reason, until: end)
    }

    /// Takes in what was handed over as the purchase, and says what it is.
    private func accept(_ text: String, for order: PurchaseOrder, begun: Instant) async throws -> PurchaseState {
        let presented = await PresentedEvidence.verifying([text], by: verifier)
        guard let transaction = presented.facts.first?.transaction, presented.facts.count == 1 else {
            _ = try await take(presented)
            let reason = presented.failures.first.map { "\($0.error)" } ?? "it is no transaction"
            return .failedVerification(
                PurchaseError(.failedVerification, "what was handed over was not believed: \(reason)"))
        }
        let key = TransactionKey(transaction)
        // What the stream brought while the purchase was going on is not an earlier one.
        let wasKnown = try await !newestCopies(of: [key]).isEmpty && !learned.contains(key)
        let report = try await take(presented)
        guard report.conflicts.isEmpty else {
            return .failedVerification(
                PurchaseError(.failedVerification, "the transaction belongs to another customer"))
        }
        await deliver([key])
        await awaitDelivery(of: key)
        let isOld = transaction.purchasedAt.adding(milliseconds: configuration.clockTolerance) < begun
        if wasKnown || isOld { return .earlier(transaction) }
        if let objection = order.objection(to: transaction) { return .failedVerification(objection) }
        return .purchased(transaction)
    }
}
