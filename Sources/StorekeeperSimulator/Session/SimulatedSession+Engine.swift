public import Storekeeper
public import StorekeeperJWS

/// An engine that lives in a session's App Store.
extension SimulatedSession {
    /// Opens the store of the session's customer: an engine whose App Store this is, on its clock.
    ///
    /// It trusts what the session's App Store signs, and access follows from its environment as from production. Let
    /// it learn what has happened with `sync()`, or keep it learning with `run()`.
    ///
    /// - Parameters:
    ///   - configuration: What the engine is to know and how it is to behave; `nil`: the session's catalog and
    ///     ``policy``.
    ///   - vault: Where the engine writes.
    ///   - conditions: What happens to what it is sent on its way.
    ///   - deliver: Hands out the goods of a purchase.
    ///   - report: Hears what goes wrong.
    /// - Throws: `VaultError` if the vault cannot be read.
    public func openStore(
        configuration: StoreConfiguration? = nil, vault: any Vault = InMemoryVault(),
        conditions: NetworkConditions = .ideal,
        deliver: Store.DeliveryHandler? = nil, report: @escaping @Sendable (StoreReport) -> Void = { _ in }
    ) async throws -> PurchasingStore {
        try await PurchasingStore.open(
            customer: customer, configuration: configuration ?? StoreConfiguration(catalog: catalog, policy: policy),
            vault: vault, verifier: verifier, backend: try store.backend(for: bundleID, conditions: conditions),
            clock: store.clock, deliver: deliver, report: report)
    }

    /// What the session's evidence says of itself.
    public var environment: AppStore.Environment { store.read { $0.environment } }

    /// Believes what the session's App Store signs about the app, and nothing else.
    public var verifier: JWSVerifier {
        JWSVerifier(
            JWSVerifier.Configuration(roots: [store.root], bundleID: bundleID, environments: [environment]))
    }

    /// The policy of a server, for the environment of the session.
    public var policy: EntitlementPolicy { EntitlementPolicy(environments: [environment: .grant]) }

    // MARK: Time

    /// The instant it is.
    public var now: Instant { store.now }

    /// Lets time pass; everything that falls due happens at its own instant.
    ///
    /// - Parameter duration: How long; what is less than a millisecond is cut off.
    /// - Throws: ``SimulatorError`` if it is negative, or a subscription would renew more than 10,000 times.
    public func advance(by duration: Duration) throws(SimulatorError) {
        try store.advance(by: duration)
    }

    /// Lets days of 24 hours pass.
    ///
    /// - Throws: ``SimulatorError`` if the number is negative, or a subscription would renew more than 10,000 times.
    public func advance(byDays days: Int) throws(SimulatorError) { try store.advance(byDays: days) }

    /// Lets time pass up to an instant.
    ///
    /// - Throws: ``SimulatorError`` if it is past, or a subscription would renew more than 10,000 times.
    public func advance(to instant: Instant) throws(SimulatorError) { try store.advance(to: instant) }
}
