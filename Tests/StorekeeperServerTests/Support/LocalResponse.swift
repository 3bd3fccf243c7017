import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Storekeeper
import StorekeeperJWS
import Testing

@testable import StorekeeperLocalStore

/// A response from the local App Store's router, without a socket.
struct LocalResponse: Sendable {
    let status: Int
    let headers: HTTPFields
    let body: [UInt8]

    /// The body as JSON.
    var document: JSONValue? { try? JSONReader().read(body).root }

    /// The error number of the App Store Server API.
    var code: Int64? { document?.object?["errorCode"]?.int64 }

    /// Returns the payload of a JWS in the document.
    func signed(_ name: String) -> JSONValue? { document?.object?[name]?.string.flatMap(Self.payload) }

    /// Returns the payloads of a list of transactions.
    func transactions(_ name: String = "signedTransactions") -> [JSONValue] {
        document?.object?[name]?.array.map { $0.compactMap { $0.string.flatMap(Self.payload) } } ?? []
    }

    static func payload(_ jws: String) -> JSONValue? {
        guard let content = CompactJWS(jws)?.payloadContent else { return nil }
        return try? JSONReader().read(content).root
    }
}

extension LocalAppStore {
    /// Sends a request through the router.
    func respond(
        _ method: HTTPRequest.Method = .get, _ path: String, fields: [HTTPField.Name: String] = [:], body: [UInt8] = []
    ) async -> LocalResponse {
        var headers = HTTPFields()
        for (name, value) in fields { headers[name] = value }
        let application = Application(responder: LocalStoreRouter(local: self, isLoopback: true).responder())
        do {
            return try await application.test(.router) { [headers] client in
                try await client.execute(uri: path, method: method, headers: headers, body: ByteBuffer(bytes: body)) {
                    LocalResponse(status: $0.status.code, headers: $0.headers, body: Array(buffer: $0.body))
                }
            }
        } catch {
            Issue.record(error)
            return LocalResponse(status: 0, headers: [:], body: [])
        }
    }

    /// Sends a JSON document through the router.
    func respond(_ method: HTTPRequest.Method, _ path: String, json: String) async -> LocalResponse {
        await respond(method, path, fields: [.contentType: "application/json"], body: Array(json.utf8))
    }
}
