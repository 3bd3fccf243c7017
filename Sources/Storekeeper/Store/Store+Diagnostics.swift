extension Store {
    /// Returns the remarks about the customer's evidence at an instant in UTC, or now, sorted and without duplicates.
    ///
    /// The remarks include stored evidence that does not count, such as purchases in an environment that the verifier
    /// does not accept.
    ///
    /// - Throws: ``VaultError`` if the vault must be read again and cannot be read.
    public func diagnostics(at instant: Instant? = nil) async throws(VaultError) -> [Diagnostic] {
        try await diagnosed(at: instant, now: parts.clock.now).diagnostics
    }

    /// Returns the snapshot, the instant of its answers, and the sorted diagnostics of the evidence from which the
    /// snapshot was made.
    ///
    /// - Parameters:
    ///   - instant: The instant, in UTC; `nil` for now.
    ///   - now: The time of the clock.
    /// - Throws: ``VaultError`` if the vault must be read again and cannot be read.
    package func diagnosed(
        at instant: Instant?, now: Instant
    ) async throws(VaultError) -> (snapshot: StoreSnapshot, at: Instant, diagnostics: [Diagnostic]) {
        let state = try await stateAfterPendingWork()
        let snapshot = snapshot
        let at = instant ?? snapshot.now(byClock: now)
        let diagnostics = Diagnostic.ofVault(
            state.live.history, resolver: state.live.resolver, resolution: snapshot.resolution, at: at, now: now)
        return (snapshot, at, diagnostics)
    }
}

extension Diagnostic {
    /// Returns the sorted diagnostics of a vault's data about a customer.
    ///
    /// The diagnostic about purchases of several customers is left out, because the vault has already determined the
    /// owner of each purchase.
    package static func ofVault(
        _ history: PurchaseHistory, resolver: EntitlementResolver, resolution: Resolution, at instant: Instant,
        now: Instant
    ) -> [Diagnostic] {
        let found = EvidenceDiagnostics(history, resolver: resolver).diagnostics(at: instant, now: now)
        let refused = history.newestFirst.filter {
            $0.productType != .consumable && !resolver.policy.counts($0.environment)
        }
        return sorted(
            refused.map { environmentRefused($0.environment, $0.productID) }
                + resolver.catalog.unlistedProducts(besides: resolution)
                + found.filter { $0.code != .severalCustomers })
    }

    /// Returns the sorted diagnostics of verified facts that count for nothing in a customer's answers and balances.
    ///
    /// - Parameters:
    ///   - failed: The evidence beside the facts that failed verification; renewal infos of purchases that belong to
    ///     another app are left out.
    ///   - state: The customer's state after the facts were stored or parked.
    ///   - conflicts: The conflicts about the facts; renewal infos of another customer are left out.
    static func uncounted(
        _ facts: [VerifiedFact], besides failed: [CheckedEvidence], in state: CustomerState,
        _ conflicts: [BindingConflict]
    ) -> [Diagnostic] {
        let disputed = Set(conflicts.map(\.originalTransactionID))
        let (resolver, history) = (state.live.resolver, state.live.history)
        let paired = history.known(Set(facts.lazy.compactMap(\.renewalInfo).map { RenewalInfoKey($0) }))
            .union(failed.compactMap(\.purchaseOfOtherApp))
        return sorted(
            facts.compactMap { fact -> Diagnostic? in
                switch fact.content {
                case .transaction(let transaction) where !resolver.policy.counts(transaction.environment):
                    .environmentRefused(transaction.environment, transaction.productID)
                case .transaction(let transaction)
                where resolver.catalog.contradicts(transaction.productType, of: transaction.productID):
                    .conflictingType(transaction.productID, [transaction.productType.word], resolver.catalog)
                case .renewalInfo(let info)
                where !paired.contains(RenewalInfoKey(info)) && !disputed.contains(info.originalTransactionID):
                    .unpaired(info)
                case .transaction, .renewalInfo, .notification, .appTransaction: nil
                }
            })
    }

    /// Returns the diagnostic for evidence that is ignored because its environment is not accepted.
    package static func environmentRefused(_ environment: AppStore.Environment, _ id: Product.ID) -> Diagnostic {
        Diagnostic(
            .environmentRefused, subject: id.rawValue,
            message: "evidence of \(environment.rawValue) does not count: accept it with --environment "
                + environment.rawValue)
    }
}

extension Catalog {
    /// Returns diagnostics for features that name a product that is neither in the catalog's lists nor among the
    /// customer's purchases.
    package func unlistedProducts(besides resolution: Resolution) -> [Diagnostic] {
        diagnostics.filter { diagnostic in
            guard diagnostic.code == .unknownProduct, let id = diagnostic.subject.map({ Product.ID($0) }) else {
                return false
            }
            // The answer about a product that was never bought does not change with time.
            let wasBought = resolution.product(id)?.timeline.nextChange(after: .distantPast) != nil
            return !wasBought && !resolution.isConsumable(id)
        }
    }
}
