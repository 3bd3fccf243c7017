import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Storekeeper
import StorekeeperPages
import StorekeeperTesting
import Testing

@testable import StorekeeperCompanion

/// Tests of the service's routes in the router of another program.
@Suite struct CompanionEmbeddingTests {
    /// Adds metadata to the request context, as the middleware of a host program does.
    private struct Tenant<Context: RequestContext>: RouterMiddleware {
        @concurrent
        func handle(
            _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
        ) async throws -> Response {
            var context = context
            context.logger[metadataKey: "tenant"] = "blue"
            return try await next(request, context)
        }
    }

    /// Sends a request to routes below `/games/{customer}`.
    private func ask(
        _ shop: CompanionShop, _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil
    ) async throws -> TestResponse {
        let router = Router()
        router.add(middleware: Tenant())
        shop.service.addRoutes(to: router.group("/games/{customer}"))
        let headers: HTTPFields = [
            .authorization: "Bearer \(shop.bearers[.admin] ?? "")", .contentType: "application/json",
            .requestID: "order-17", .idempotencyKey: "k",
        ]
        return try await Application(router: router, logger: shop.log.logger).test(.router) { client in
            try await client.execute(
                uri: "/games/bert" + path, method: method, headers: headers, body: body.map(ByteBuffer.init(string:)))
        }
    }

    @Test("Every log line carries the request id and the metadata of the host's logger")
    func log() async throws {
        let shop = try await CompanionShop()
        let path = "/v1/customers/anna/balances"
        #expect(try await ask(shop, .get, path).status == .ok)
        let forged = try await ask(shop, .post, "/apple/notifications", #"{"signedPayload":"a.b.c"}"#)
        #expect(forged.status == .badRequest && forged.headers[.requestID] == "order-17")
        shop.faults.counts.writes = 1
        let failed = try await ask(shop, .post, path + "/coins/grant", #"{"quantity":1,"reason":"r"}"#)
        #expect(failed.status == .serviceUnavailable)
        let lines = shop.log.lines.filter { $0.metadata["request"] != nil }
        #expect(lines.map(\.level) == [.info, .warning, .info, .error, .info])
        for line in lines {
            #expect(line.metadata["request"] == "order-17" && line.metadata["tenant"] == "blue", "\(line)")
            #expect(line.metadata["hb.request.id"]?.isEmpty == false, "\(line)")
        }
        let answered = lines.filter { $0.message == "answered" }
        #expect(answered.map { $0.metadata["status"] } == ["200", "400", "503"])
        #expect(answered.map { $0.metadata["caller"] } == ["the-admin", "-", "the-admin"])
    }

    @Test("A refused request of a known key is logged with the name of the key")
    func refusedCaller() async throws {
        let shop = try await CompanionShop()
        let refused = try await shop.ask("POST", "/v1/customers/anna/balances/coins/grant", as: .check)
        #expect(refused.status == 403)
        let unknown = try await shop.ask("GET", "/v1/customers/anna/balances", as: nil)
        #expect(unknown.status == 401)
        let answered = shop.log.lines.filter { $0.message == "answered" }
        #expect(answered.map { $0.metadata["caller"] } == ["the-check", "-"])
    }

    @Test("A parameter of the path to which the routes were added does not name the customer")
    func mounted() async throws {
        let shop = try await CompanionShop()
        let granted = try await ask(
            shop, .post, "/v1/customers/an%6ea/balances/coins/grant", #"{"quantity":1,"reason":"r"}"#)
        #expect(granted.status == .ok)
        #expect(try await shop.vault.balances(of: "anna").first?.amount == 1)
        #expect(try await shop.vault.balances(of: "bert").isEmpty)
    }
}
