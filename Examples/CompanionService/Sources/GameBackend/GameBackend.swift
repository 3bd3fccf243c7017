import Foundation
import Hummingbird
import Storekeeper
import StorekeeperAppStore
import StorekeeperCompanion
import StorekeeperJWS

/// The backend of a game that shows no advertisements to customers who have paid.
public struct GameBackend: Sendable {
    /// The stores of all customers; run `pool.run()` alongside the application.
    public let pool: StorePool
    private let service: CompanionService

    /// Makes the backend.
    ///
    /// - Parameters:
    ///   - bundleID: The app.
    ///   - root: The trusted root certificate.
    ///   - catalog: What the app sells.
    ///   - vault: The storage.
    ///   - keys: The API keys for the routes below `/store`.
    public init(
        bundleID: String, root: TrustedRoot, catalog: Catalog, vault: some Vault, keys: [AccessKey]
    ) throws {
        let verifier = JWSVerifier(.init(roots: [root], bundleID: bundleID))
        pool = StorePool(
            configuration: .init(store: StoreConfiguration(catalog: catalog), readsHistories: false), vault: vault,
            verifier: verifier)
        service = CompanionService(
            pool: pool, receiver: NotificationReceiver(verifier: verifier, pool: pool), keys: try AccessKeys(keys),
            bundleID: bundleID)
    }

    /// The routes of the game and of the store.
    public func router() -> Router<BasicRequestContext> {
        let router = Router()
        router.get("/lobby/{player}") { _, context -> String in
            let player = CustomerID(rawValue: try context.parameters.require("player"))
            let snapshot = try await pool.snapshot(of: player)
            return snapshot.feature("ad-free", at: Instant(Date())).isEntitled
                ? "a quiet lobby" : "a lobby with advertisements"
        }
        let store = router.group("/store")
        store.add(middleware: ProblemMiddleware())
        service.addRoutes(to: store)
        return router
    }
}
