import Crypto
import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS
import Synchronization

/// The App Store Server API of a local App Store that is served later than its client is made.
final class LaterAppStore: Sendable {
    private let connection: AsyncHTTPTransport
    private let address = Mutex(LaterAppStore.nowhere)

    init() throws { connection = try AsyncHTTPTransport() }

    /// An address at which no server listens.
    private static let nowhere = "http://127.0.0.1:1"

    /// Sets the address of the server.
    func set(_ url: String) { address.withLock { $0 = url } }

    /// Makes a client, whose requests fail until the address is set.
    func client(_ verifier: JWSVerifier) throws -> AppStoreServerClient {
        AppStoreServerClient(
            AppStoreServerConfiguration(
                bundleID: ServedStore.bundleID,
                lookup: .only(try AppStoreServerHost(baseURL: Self.nowhere, environment: .sandbox)),
                deadline: .seconds(5), maximumAttempts: 1),
            key: try AppStoreKey(keyID: "KEY1", issuerID: "issuer", privateKey: P256.Signing.PrivateKey()),
            verifier: verifier, transport: Redirecting(to: self),
            clock: VirtualClock(Instant(clamped: 1_800_000_000_000)))
    }

    func close() async throws { try await connection.close() }

    private struct Redirecting: HTTPTransport {
        let server: LaterAppStore

        init(to server: LaterAppStore) { self.server = server }

        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            let url = request.url.replacing(LaterAppStore.nowhere, with: server.address.withLock { $0 })
            return try await server.connection.send(
                TransportRequest(
                    method: request.method, url: url, fields: request.fields, body: request.body,
                    maximumBodySize: request.maximumBodySize))
        }
    }
}
