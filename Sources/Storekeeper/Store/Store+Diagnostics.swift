extension Store {
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
            $0.productType != .consumable && resolver.policy.rule(for: $0.environment) != .grant
        }
        return sorted(
            refused.map { environmentRefused($0.environment, $0.productID) }
                + resolver.catalog.unlistedProducts(besides: resolution)
                + found.filter { $0.code != .severalCustomers })
    }

    /// Returns the diagnostic for evidence that is ignored because its environment is not accepted.
    package static func environmentRefused(_ environment: AppStore.Environment, _ id: Product.ID) -> Diagnostic {
        Diagnostic(
            .warning, .environmentRefused, subject: id.rawValue,
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
