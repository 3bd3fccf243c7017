import CStorekeeper
import FoundationEssentials
import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS
import StorekeeperPostgres
import StorekeeperSQLite
import StorekeeperSimulator

/// The options of a pool, read from the caller's struct, and the opening of the pool.
struct PoolOpening: Sendable {
    /// The source of evidence.
    private enum Source: Sendable {
        case none
        case appStore(AppStoreKey, EnvironmentLookup)
        case callbacks(CallbackBackend)
        case simulator(SimulatorObject)
    }

    private let vault: String?
    private let verifier: JWSVerifier
    private let source: Source
    private var configuration: StorePool.Configuration
    private let number = PoolObject.nextNumber()

    init(_ options: sk_pool_options) throws(Failure) {
        vault = try Arguments.optionalText(options.vault, "vault")
        if vault == "" { throw Failure(.invalid, "noVault", "'vault' is empty; name a file, or use NULL for tests") }
        source = try Self.source(options, number)
        if options.verifier != nil {
            verifier = try handles.object(of: options.verifier, as: VerifierObject.self).verifier
        } else if case .simulator(let simulator) = source {
            verifier = simulator.verifier
        } else {
            throw Failure.null("verifier")
        }
        configuration = StorePool.Configuration()
        configuration.store.catalog =
            try CatalogArgument.catalog(
                path: options.catalog_path, text: options.catalog, length: options.catalog_length) ?? .empty
        if options.capacity > 0 { configuration.capacity = options.capacity }
        guard options.refresh_interval >= 0 else {
            throw Failure(.invalid, "invalidRequest", "'refresh_interval' is negative")
        }
        if options.refresh_interval > 0 {
            configuration.store.refreshInterval = .milliseconds(options.refresh_interval)
        }
    }

    private static func source(_ options: sk_pool_options, _ number: UInt64) throws(Failure) -> Source {
        let count =
            (options.app_store == nil ? 0 : 1) + (options.backend == nil ? 0 : 1) + (options.simulator == nil ? 0 : 1)
        guard count <= 1 else {
            throw Failure(
                .invalid, "severalSources", "only one of 'app_store', 'backend' and 'simulator' can be given")
        }
        if options.simulator != nil {
            return .simulator(try handles.object(of: options.simulator, as: SimulatorObject.self))
        }
        if options.backend != nil {
            let backend = try Arguments.structure(
                options.backend, sk_backend(), smallest: MemoryLayout<sk_backend>.size, "backend")
            return .callbacks(try CallbackBackend(backend, pool: number))
        }
        if options.app_store != nil {
            let server = try Arguments.structure(
                options.app_store, sk_app_store(), smallest: MemoryLayout<sk_app_store>.size, "app_store")
            return try appStore(server)
        }
        return .none
    }

    private static func appStore(_ server: sk_app_store) throws(Failure) -> Source {
        let keyID = try Arguments.optionalText(server.key_id, "key_id") ?? ""
        let issuerID = try Arguments.optionalText(server.issuer_id, "issuer_id") ?? ""
        let pem = try Arguments.optionalText(server.key, "key") ?? ""
        let key = try failing { try AppStoreKey(keyID: keyID, issuerID: issuerID, pem: pem) }
        let environments = try Environments.set(server.environments, orIfNone: [.production, .sandbox])
        switch environments {
        case [.production]: return .appStore(key, .production)
        case [.sandbox]: return .appStore(key, .sandbox)
        case [.production, .sandbox]: return .appStore(key, .productionThenSandbox)
        default:
            throw Failure(
                .invalid, "noHost", "Apple has servers for SK_PRODUCTION and SK_SANDBOX only")
        }
    }

    /// Opens the vault and the pool.
    func open() async throws -> PoolObject {
        let (vault, closeVault) = try await openVault()
        do {
            let (backend, clock, closeSource) = try openSource(vault)
            return PoolObject(
                PoolObject.Parts(
                    configuration: configuration, vault: vault, verifier: verifier, backend: backend, clock: clock,
                    close: {
                        try await closeSource()
                        try closeVault()
                    }), number: number)
        } catch {
            try? closeVault()
            throw error
        }
    }

    private func openVault() async throws -> (any Vault, @Sendable () throws -> Void) {
        guard let name = vault else { return (InMemoryVault(), {}) }
        if name.hasPrefix("postgres://") || name.hasPrefix("postgresql://") {
            let vault = try await PostgresVault(name)
            return (vault, { vault.close() })
        }
        let vault = try SQLiteVault(path: name)
        return (vault, { try vault.close() })
    }

    private func openSource(
        _ vault: any Vault
    ) throws -> ((any StoreBackend)?, any StoreClock, @Sendable () async throws -> Void) {
        switch source {
        case .none: return (nil, WallClock(), {})
        case .simulator(let simulator): return (try simulator.store.backend(), simulator.store.clock, {})
        case .callbacks(let backend): return (backend, WallClock(), { await backend.close() })
        case .appStore(let key, let lookup):
            guard let bundleID = verifier.configuration.bundleID else {
                throw Failure(.invalid, "noApp", "the verifier accepts every app; the App Store is asked about one")
            }
            let transport = try AsyncHTTPTransport()
            let client = AppStoreServerClient(
                AppStoreServerConfiguration(
                    bundleID: bundleID, appAppleID: verifier.configuration.appAppleID, lookup: lookup),
                key: key, verifier: verifier, transport: transport)
            let backend = AppStoreBackend(client, anchors: VaultAnchors(vault, bundleID: bundleID))
            return (backend, WallClock(), { try await transport.close() })
        }
    }
}

/// A catalog that a caller gives as a path or as text.
enum CatalogArgument {
    /// Returns the catalog; `nil` if neither is given.
    static func catalog(
        path: UnsafePointer<CChar>?, text: UnsafePointer<CChar>?, length: Int
    ) throws(Failure) -> Catalog? {
        let path = try Arguments.optionalText(path, "catalog_path")
        if let path, text == nil { return try failing { try Catalog(contentsOf: URL(filePath: path)) } }
        guard text != nil || length != 0 else { return nil }
        guard path == nil else {
            throw Failure(.invalid, "severalCatalogs", "only one of 'catalog_path' and 'catalog' can be given")
        }
        return try catalog(named: "catalog", try Arguments.bytes(text, length, "catalog"))
    }

    /// Returns the catalog of the text of a file.
    static func catalog(named name: String, _ text: Bytes) throws(Failure) -> Catalog {
        try failing { try Catalog(reading: [CatalogFile(name: name, bytes: Array(text))]) }
    }
}
