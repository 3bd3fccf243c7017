import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperAppStore

@Suite("The environment in which a transaction is looked up", .system) struct LookupTests {
    func withTwo<Value>(
        production: @escaping @Sendable (LoopbackServer.Request, Int) -> LoopbackServer.Reply,
        sandbox: @escaping @Sendable (LoopbackServer.Request, Int) -> LoopbackServer.Reply,
        _ work: (AppStoreServerClient, LoopbackServer, LoopbackServer) async throws -> Value
    ) async throws -> Value {
        try await LoopbackServer.serving(production) { first in
            try await LoopbackServer.serving(sandbox) { second in
                let lookup = EnvironmentLookup.first(
                    try AppStoreServerHost(baseURL: first.baseURL, environment: .production),
                    then: try AppStoreServerHost(baseURL: second.baseURL, environment: .sandbox))
                let transport = try AsyncHTTPTransport()
                let client = AppStoreServerClient(
                    Fixture.configuration(lookup, maximumAttempts: 1), key: try Fixture.key(),
                    verifier: TestVerifier(), transport: transport, limiter: Fixture.openLimiter(WallClock()))
                let result: Result<Value, any Error>
                do { result = .success(try await work(client, first, second)) } catch { result = .failure(error) }
                try await transport.close()
                return try result.get()
            }
        }
    }

    static func draft(_ id: Transaction.ID, _ environment: AppStore.Environment) -> TransactionDraft {
        var draft = TransactionDraft.purchase(of: TestShop.coins, at: .day(0), id: id)
        draft.environment = environment
        return draft
    }

    static func reply(_ draft: TransactionDraft) -> LoopbackServer.Reply {
        .json(#"{"signedTransactionInfo":"\#(draft.jws)"}"#)
    }

    @Test("The sandbox is asked if production does not know the transaction") func second() async throws {
        try await withTwo(
            production: { _, _ in .error(4_040_010) }, sandbox: { _, _ in Self.reply(Self.draft("7", .sandbox)) }
        ) { client, production, sandbox in
            let transaction = try await client.transaction("7")
            #expect(transaction.environment == .sandbox)
            #expect(production.requests.map(\.target) == sandbox.requests.map(\.target))
            // If the call names an environment, only the server of this environment is asked.
            _ = try await client.transaction("7", in: .sandbox)
            #expect(production.requests.count == 1)
        }
    }

    @Test(
        "After any other error the sandbox is not asked",
        arguments: [4_040_001, 4_040_005, 4_040_006, 4_000_006, 5_000_000, 4_290_000] as [Int64])
    func first(_ code: Int64) async throws {
        try await withTwo(
            production: { _, _ in .error(code) }, sandbox: { _, _ in Self.reply(Self.draft("7", .sandbox)) }
        ) { client, _, sandbox in
            let error = await Fixture.failure { try await client.transaction("7") }
            #expect(error?.apiCode?.rawValue == code)
            #expect(sandbox.requests.isEmpty)
        }
    }

    @Test("After a lost connection the sandbox is not asked") func lost() async throws {
        try await withTwo(production: { _, _ in .cut }, sandbox: { _, _ in Self.reply(Self.draft("7", .sandbox)) }) {
            client, _, sandbox in
            #expect(await Fixture.failure { try await client.transaction("7") }?.code == .unreachable)
            #expect(sandbox.requests.isEmpty)
        }
    }

    @Test("A transaction of another environment than its server's is refused") func environment() async throws {
        try await withTwo(
            production: { _, _ in Self.reply(Self.draft("7", .sandbox)) }, sandbox: { _, _ in .error(4_040_010) }
        ) { client, _, _ in
            #expect(await Fixture.failure { try await client.transaction("7") }?.code == .mismatchedResponse)
        }
    }

    @Test("A transaction with another id, of another app, or forged is refused") func mismatches() async throws {
        var other = Self.draft("7", .production)
        other.bundleID = "com.example.other"
        let forged = TestEvidence.jws(Self.draft("7", .production).payload, signature: "forged")
        let texts = [Self.draft("8", .production).jws, other.jws, forged, "a.b.c"]
        let codes: [AppStoreServerError.Code] = [
            .mismatchedResponse, .mismatchedResponse, .unverifiedResponse, .unverifiedResponse,
        ]
        try await Fixture.withClient(serving: { _, count in .json(#"{"signedTransactionInfo":"\#(texts[count])"}"#) }) {
            client, _ in
            for code in codes {
                #expect(await Fixture.failure { try await client.transaction("7") }?.code == code)
            }
        }
    }

    @Test("A request for an environment without a server fails") func noHost() async throws {
        try await Fixture.withClient(serving: { _, _ in .cut }) { client, server in
            #expect(await Fixture.failure { try await client.finish("1", in: .xcode) }?.code == .noHost)
            #expect(server.requests.isEmpty)
        }
    }

    @Test(
        "Hosts",
        arguments: [
            ("https://api.example.com", true), ("https://api.example.com:8443/base/", true),
            ("http://127.0.0.1:80", true), ("http://127.9.9.9", true), ("http://localhost:1", true),
            ("http://[::1]:8080", true), ("http://api.example.com", false), ("http://127.0.0.1.example.com", false),
            ("http://128.0.0.1", false), ("ftp://127.0.0.1", false), ("https://user:word@api.example.com", false),
            ("https://api.example.com?x=1", false), ("https://api.example.com#x", false), ("https://", false),
            ("", false), ("127.0.0.1", false),
        ])
    func hosts(_ url: String, _ isAccepted: Bool) {
        let host = try? AppStoreServerHost(baseURL: url, environment: .sandbox)
        #expect((host != nil) == isAccepted)
        #expect(host?.baseURL.last != "/")
    }
}
