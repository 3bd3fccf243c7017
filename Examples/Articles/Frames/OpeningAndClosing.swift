import Storekeeper
import StorekeeperJWS
import StorekeeperSQLite

private let player: CustomerID = "player-7"

private func log(_ line: String) {}

private func serve(
    path: String, verifier: JWSVerifier, appStore: some StoreBackend, grantItems: @escaping Store.DeliveryHandler
) async throws {
    let configuration = StorePool.Configuration()
    // block 1
}

private func answerRequests(with pool: StorePool) async throws {
    // block 2
    print(isFree)
}

// block 3

private func answerOne(with pool: StorePool) async throws -> Bool {
    // block 4
    return mayPlay
}

private func answerKnown(with pool: StorePool) async throws -> EntitlementAnswer {
    // block 5
    return answer
}
