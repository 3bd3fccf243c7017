public import FoundationEssentials
public import Storekeeper
public import StorekeeperJWS
import Synchronization

/// One account in one app of a simulated App Store, with the calls of Apple's `SKTestSession`.
///
/// A session has its own store unless a store is passed to it, so that concurrent tests do not affect each other. A
/// session differs from `SKTestSession` in two ways. Time passes only through ``advance(by:)`` or ``advance(to:)``, and
/// dates have the type ``/StorekeeperEngine/Instant``.
///
/// When a call returns, its changes are visible to every query. For families, other accounts and apps, prices and
/// partial refunds, use the session's ``store``.
///
/// - SeeAlso: Apple, "StoreKit Test: SKTestSession".
public final class SimulatedSession: Sendable {
    /// The App Store of the account.
    public let store: SimulatedAppStore
    /// The account.
    public let customer: CustomerID
    /// The bundle id of the app.
    public let bundleID: String
    /// The error with which payments fail while ``failTransactionsEnabled`` is true.
    ///
    /// The store receives this error when payment failures are turned on.
    let failure: Mutex<FailureError>
    let initialFailure: FailureError

    /// Opens a session for an account of a store; the account is created if it does not exist.
    ///
    /// - Parameters:
    ///   - customer: The name of the account.
    ///   - store: The App Store.
    ///   - app: The bundle id of the app; `nil` for the first app.
    /// - Throws: ``SimulatorError`` if the app does not exist.
    public init(
        customer: CustomerID = "customer", in store: SimulatedAppStore, app: String? = nil
    ) throws(SimulatorError) {
        self.store = store
        self.customer = customer
        bundleID = try store.bundleID(of: app)
        let code = try store.settings(of: app).failureErrorCode
        initialFailure = code.flatMap(FailureError.init(rawValue:)) ?? .unknown
        failure = Mutex(initialFailure)
        if !store.accounts.contains(customer) {
            try store.perform(.createAccount(customer, storefront: nil), app: bundleID)
        }
    }

    /// Opens a session on a new App Store with a catalog.
    ///
    /// - Parameters:
    ///   - catalog: The app's catalog.
    ///   - settings: The initial settings; a reset restores them.
    ///   - bundleID: The bundle id of the app.
    ///   - customer: The name of the account.
    ///   - environment: The environment of the evidence. In Xcode's environment, transaction ids count from 0.
    ///   - seed: The seed of the store's random decisions.
    ///   - start: The initial time of the store's clock.
    /// - Throws: Errors of the cryptographic library if it cannot create certificates.
    public convenience init(
        catalog: Catalog, settings: AppSettings = AppSettings(), bundleID: String = "com.example.app",
        customer: CustomerID = "customer", environment: AppStore.Environment = .xcode, seed: UInt64 = 0,
        start: Instant = SimulatedAppStore.defaultStart
    ) throws {
        let app = SimulatedApp(bundleID: bundleID, catalog: catalog, settings: settings)
        let store = try SimulatedAppStore(apps: [app], environment: environment, seed: seed, start: start)
        try self.init(customer: customer, in: store)
    }

    /// Opens a session on a new App Store with the catalog and settings of a `.storekit` file.
    ///
    /// - Parameters:
    ///   - url: The location of the file.
    ///   - bundleID: The bundle id of the app.
    ///   - customer: The name of the account.
    ///   - environment: The environment of the evidence. In Xcode's environment, transaction ids count from 0.
    ///   - seed: The seed of the store's random decisions.
    ///   - start: The initial time of the store's clock.
    /// - Throws: ``SimulatorError`` with `invalidURL` or `fileNotFound`; `CatalogError` if the file cannot be read.
    public convenience init(
        contentsOf url: URL, bundleID: String = "com.example.app", customer: CustomerID = "customer",
        environment: AppStore.Environment = .xcode, seed: UInt64 = 0, start: Instant = SimulatedAppStore.defaultStart
    ) throws {
        let file = try CatalogFile(configurationAt: url)
        try self.init(
            catalog: try Catalog(reading: [file]), settings: AppSettings(try StoreKitSettings(file)),
            bundleID: bundleID, customer: customer, environment: environment, seed: seed, start: start)
    }

    /// Opens a session on a new App Store with a `.storekit` file, which is searched for by name.
    ///
    /// The given folders are searched first, and then their subfolders, one level after another. `swift test` runs in
    /// the folder of the package, so that the name of the file is enough.
    ///
    /// - Parameters:
    ///   - name: The name of the file, with or without `.storekit`.
    ///   - folders: The folders to search; by default the current folder.
    ///   - bundleID: The bundle id of the app.
    ///   - customer: The name of the account.
    /// - Throws: ``SimulatorError`` with `fileNotFound`; `CatalogError` if the file cannot be read.
    public convenience init(
        configurationFileNamed name: String,
        in folders: [URL] = [URL(filePath: FileManager.default.currentDirectoryPath)],
        bundleID: String = "com.example.app", customer: CustomerID = "customer"
    ) throws {
        try self.init(
            contentsOf: try ConfigurationSearch(name: name).find(in: folders), bundleID: bundleID, customer: customer)
    }

    // MARK: The shared session

    private static let shared = Mutex<[String: SimulatedSession]>([:])

    /// Returns a file's session, which all callers in this process share, just as all of Xcode's tests share one
    /// session.
    ///
    /// Tests that use the shared session must run one after another. Call ``clearTransactions()`` and
    /// ``resetToDefaultState()`` so that the next test has a clean start.
    ///
    /// - Throws: The same errors as ``init(contentsOf:bundleID:customer:environment:seed:start:)``.
    public static func shared(contentsOf url: URL) throws -> SimulatedSession {
        try shared.withLock { sessions in
            if let session = sessions[url.path] { return session }
            let session = try SimulatedSession(contentsOf: url)
            sessions[url.path] = session
            return session
        }
    }

    // MARK: Commands

    /// Performs a command on the session's app.
    ///
    /// - Throws: ``SimulatorError`` if the command cannot be performed.
    @discardableResult
    public func perform(_ command: SimulatorCommand) throws(SimulatorError) -> PurchaseOutcome? {
        try store.perform(command, app: bundleID)
    }

    /// The app's catalog.
    public var catalog: Catalog { (try? store.catalog(of: bundleID)) ?? .empty }

    /// The current settings.
    public var settings: AppSettings { (try? store.settings(of: bundleID)) ?? AppSettings() }
}

extension SimulatedAppStore {
    /// Returns the bundle id of an app.
    ///
    /// - Throws: ``SimulatorError`` if the app does not exist.
    func bundleID(of app: String?) throws(SimulatorError) -> String {
        try result { world throws(SimulatorError) in world.apps[try world.app(app)].bundleID }
    }
}

/// The name of ``SimulatedSession`` in Apple's `StoreKitTest`.
public typealias SKTestSession = SimulatedSession

/// The name of ``SimulatedTransaction`` in Apple's `StoreKitTest`.
public typealias SKTestTransaction = SimulatedTransaction

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

/// Lists about the session's customer: predicted renewals, messages, purchase intents and refunds.
extension SimulatedSession {
    /// Predicts the next renewals of a transaction's subscription.
    ///
    /// - Throws: ``SimulatorError`` if the transaction does not exist, or does not belong to a subscription.
    public func renewals(
        ofTransaction identifier: Transaction.ID, count: Int = 3
    ) throws(SimulatorError) -> RenewalPreview {
        try store.renewals(of: .id(identifier), count: count, app: bundleID)
    }

    /// The messages that the App Store has shown the customer, in order.
    public var messages: [SimulatedMessage] { (try? store.messages(for: customer, app: bundleID)) ?? [] }

    /// The promoted products that the customer has selected, in order.
    public var purchaseIntents: [SimulatedPurchaseIntent] {
        (try? store.purchaseIntents(of: customer, app: bundleID)) ?? []
    }

    /// The refunds that the customer received because of upgrades, in order.
    public var prorations: [SimulatedProration] { (try? store.prorations(of: customer, app: bundleID)) ?? [] }

    /// Selects a promoted product on the App Store's page.
    ///
    /// - Throws: ``SimulatorError`` if the product does not exist.
    public func intendPurchase(productIdentifier: Product.ID) throws(SimulatorError) {
        try perform(.intendPurchase(productIdentifier, by: customer))
    }
}
