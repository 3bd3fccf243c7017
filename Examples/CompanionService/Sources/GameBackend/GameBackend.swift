import Foundation
import Hummingbird
import Storekeeper
import StorekeeperAppStore
import StorekeeperCompanion
import StorekeeperJWS

/// The backend of a game, which shows no advertisements to those who have paid.
public struct GameBackend: Sendable {
    /// Everybody's stores; whoever runs the application runs `pool.run()` beside it.
    public let pool: StorePool
    private let service: CompanionService

    /// Makes the backend.
    ///
    /// - Parameters:
    ///   - bundleID: The app.
    ///   - root: The root certificate that signatures lead to.
    ///   - catalog: What the app sells.
    ///   - vault: Where all is kept.
    ///   - keys: Who may ask below `/store`.
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
