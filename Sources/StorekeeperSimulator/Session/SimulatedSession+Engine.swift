public import Storekeeper
public import StorekeeperJWS

/// An engine that uses a session's App Store.
extension SimulatedSession {
    /// Opens the store of the session's customer: an engine that uses the session's App Store and clock.
    ///
    /// The engine trusts only the session's App Store, and the session's environment grants access like production.
    /// Call `sync()` to read new evidence once, or `run()` to read new evidence continuously.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the engine; `nil` for a configuration of the session's catalog and
    ///     ``policy``.
    ///   - vault: The vault of the engine.
    ///   - conditions: The faults of the network.
    ///   - offerKey: The key with which the app's server signs offers; `nil` checks only the content of signed offers.
    ///   - deliver: Delivers the content of a purchase.
    ///   - report: Receives failures.
    /// - Throws: `VaultError` if the vault cannot be read.
    public func openStore(
        configuration: StoreConfiguration? = nil, vault: any Vault = InMemoryVault(),
        conditions: NetworkConditions = .ideal, offerKey: OfferKey? = nil,
        deliver: Store.DeliveryHandler? = nil, report: @escaping @Sendable (StoreReport) -> Void = { _ in }
    ) async throws -> PurchasingStore {
        try await PurchasingStore.open(
            customer: customer, configuration: configuration ?? StoreConfiguration(catalog: catalog, policy: policy),
            vault: vault, verifier: verifier,
            backend: try store.backend(for: bundleID, conditions: conditions, offerKey: offerKey),
            clock: store.clock, deliver: deliver, report: report)
    }

    /// The environment of the session's evidence.
    public var environment: AppStore.Environment { store.read { $0.environment } }

    /// A verifier that trusts only the session's App Store, and accepts only evidence of the session's app.
    public var verifier: JWSVerifier { store.verifier(bundleID: bundleID, environments: [environment]) }

    /// The default policy, in which the session's environment grants access.
    public var policy: EntitlementPolicy { EntitlementPolicy(environments: [environment: .grant]) }

    // MARK: Time

    /// The current time.
    public var now: Instant { store.now }

    /// Advances time by a duration.
    ///
    /// Each event during this time happens at its own instant.
    ///
    /// - Parameter duration: The duration; fractions of a millisecond are dropped.
    /// - Throws: ``SimulatorError`` if the duration is negative, or if a subscription would renew more than 10,000
    ///   times.
    public func advance(by duration: Duration) throws(SimulatorError) {
        try store.advance(by: duration)
    }

    /// Advances time by days of 24 hours.
    ///
    /// - Throws: ``SimulatorError`` if the number is negative, or a subscription would renew more than 10,000 times.
    public func advance(byDays days: Int) throws(SimulatorError) { try store.advance(byDays: days) }

    /// Advances time to an instant.
    ///
    /// - Throws: ``SimulatorError`` if the instant is in the past, or if a subscription would renew more than 10,000
    ///   times.
    public func advance(to instant: Instant) throws(SimulatorError) { try store.advance(to: instant) }
}
