public import FoundationEssentials
public import Storekeeper
import StorekeeperJWS
import Synchronization

/// One account in one app of a simulated App Store, with the calls of Apple's `SKTestSession`.
///
/// A session has a store of its own unless it is given one: tests that run at the same time do not see each other.
/// Two things differ from Xcode's: time passes only when ``advance(by:)`` or ``advance(to:)`` says so, and dates are
/// ``/StorekeeperEngine/Instant``.
///
/// When a call returns, every question answers by what it has changed. What a session cannot do, its ``store`` can:
/// families, other accounts and apps, prices, partial refunds.
///
/// - SeeAlso: Apple, "StoreKit Test: SKTestSession".
public final class SimulatedSession: Sendable {
    /// The App Store that the account is in.
    public let store: SimulatedAppStore
    /// The account.
    public let customer: CustomerID
    /// The bundle id of the app.
    public let bundleID: String
    /// What payments fail with once they are made to fail; not a setting of the store before that.
    let failure: Mutex<FailureError>
    let initialFailure: FailureError

    /// Opens a session for an account of a store, which is made where there is none of the name.
    ///
    /// - Parameters:
    ///   - customer: The name of the account.
    ///   - store: The App Store.
    ///   - app: The bundle id of the app; `nil`: the first.
    /// - Throws: ``SimulatorError`` if the store has no such app.
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

    /// Opens a session on a store of its own that sells what a catalog says.
    ///
    /// - Parameters:
    ///   - catalog: What the app sells.
    ///   - settings: What the session begins with and can be set back to.
    ///   - bundleID: The bundle id of the app.
    ///   - customer: The name of the account.
    ///   - environment: What the evidence says of itself; Xcode's transaction ids count from 0.
    ///   - seed: What the store's chances are drawn from.
    ///   - start: What the store's clock shows first.
    /// - Throws: What the cryptographic library throws where it cannot make certificates.
    public convenience init(
        catalog: Catalog, settings: AppSettings = AppSettings(), bundleID: String = "com.example.app",
        customer: CustomerID = "customer", environment: AppStore.Environment = .xcode, seed: UInt64 = 0,
        start: Instant = SimulatedAppStore.defaultStart
    ) throws {
        let app = SimulatedApp(bundleID: bundleID, catalog: catalog, settings: settings)
        let store = try SimulatedAppStore(apps: [app], environment: environment, seed: seed, start: start)
        try self.init(customer: customer, in: store)
    }

    /// Opens a session on a store of its own that sells what a `.storekit` file says, with the file's settings.
    ///
    /// - Parameters:
    ///   - url: The location of the file.
    ///   - bundleID: The bundle id of the app.
    ///   - customer: The name of the account.
    ///   - environment: What the evidence says of itself; Xcode's transaction ids count from 0.
    ///   - seed: What the store's chances are drawn from.
    ///   - start: What the store's clock shows first.
    /// - Throws: ``SimulatorError`` with `invalidURL` or `fileNotFound`; `CatalogError` where the file cannot be read.
    public convenience init(
        contentsOf url: URL, bundleID: String = "com.example.app", customer: CustomerID = "customer",
        environment: AppStore.Environment = .xcode, seed: UInt64 = 0, start: Instant = SimulatedAppStore.defaultStart
    ) throws {
        let file = try CatalogFile(configurationAt: url)
        try self.init(
            catalog: try Catalog(reading: [file]), settings: AppSettings(try StoreKitSettings(file)),
            bundleID: bundleID, customer: customer, environment: environment, seed: seed, start: start)
    }

    /// Opens a session on a store of its own that sells what a `.storekit` file says, found by its name.
    ///
    /// The file is looked for in the folders and below them, the nearest first. `swift test` runs in the folder of the
    /// package, so that a name is enough there.
    ///
    /// - Parameters:
    ///   - name: The name of the file, with or without `.storekit`.
    ///   - folders: Where to look for it; by default in the folder that the program runs in.
    ///   - bundleID: The bundle id of the app.
    ///   - customer: The name of the account.
    /// - Throws: ``SimulatorError`` with `fileNotFound`; `CatalogError` where the file cannot be read.
    public convenience init(
        configurationFileNamed name: String,
        in folders: [URL] = [URL(filePath: FileManager.default.currentDirectoryPath)],
        bundleID: String = "com.example.app", customer: CustomerID = "customer"
    ) throws {
        try self.init(
            contentsOf: try ConfigurationSearch(name: name).find(in: folders), bundleID: bundleID, customer: customer)
    }

    // MARK: The shared one

    private static let shared = Mutex<[String: SimulatedSession]>([:])

    /// The session of a file that all who ask for it in this process share, as all of Xcode's tests share one.
    ///
    /// Tests that use it have to run one after another; ``clearTransactions()`` and ``resetToDefaultState()`` give the
    /// next one a clean start.
    ///
    /// - Throws: As ``init(contentsOf:bundleID:customer:environment:seed:start:)`` does.
    public static func shared(contentsOf url: URL) throws -> SimulatedSession {
        try shared.withLock { sessions in
            if let session = sessions[url.path] { return session }
            let session = try SimulatedSession(contentsOf: url)
            sessions[url.path] = session
            return session
        }
    }

    // MARK: Doing

    /// Carries out a command about the session's app.
    ///
    /// - Throws: ``SimulatorError`` if it cannot be done.
    @discardableResult
    public func perform(_ command: SimulatorCommand) throws(SimulatorError) -> PurchaseOutcome? {
        try store.perform(command, app: bundleID)
    }

    /// What the app sells.
    public var catalog: Catalog { (try? store.catalog(of: bundleID)) ?? .empty }

    /// The settings as they are at the moment.
    public var settings: AppSettings { (try? store.settings(of: bundleID)) ?? AppSettings() }
}

extension SimulatedAppStore {
    /// The bundle id of an app.
    ///
    /// - Throws: ``SimulatorError`` if there is no such app.
    func bundleID(of app: String?) throws(SimulatorError) -> String {
        try result { world throws(SimulatorError) in world.apps[try world.app(app)].bundleID }
    }
}
