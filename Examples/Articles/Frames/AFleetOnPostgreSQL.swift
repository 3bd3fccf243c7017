import Storekeeper
import StorekeeperJWS
import StorekeeperPostgres

private func serve(
    address: String, nodeName: String, catalog: Catalog, verifier: JWSVerifier, appStore: some StoreBackend,
    grantItems: @escaping Store.DeliveryHandler
) async throws {
    // block 1
    try await pool.run()
}
