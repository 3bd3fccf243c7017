import AsyncHTTPClient
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS
import StorekeeperSimulator
import StorekeeperTesting
import Synchronization
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// An app's server that verifies requests for retention messages and returns the responses that a test sets.
private final class ScriptedRealtimeServer: RealtimeSender {
    let responses: Mutex<[RealtimeResponse?]>
    let requests = Mutex<[[UInt8]]>([])

    init(_ responses: [RealtimeResponse?]) { self.responses = Mutex(responses) }

    func send(_ body: [UInt8], to url: String) async -> (
        result: StorekeeperLocalStore.SendAttempt.Result, body: [UInt8]
    ) {
        requests.withLock { $0.append(body) }
        let response = responses.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? nil }
        return response.map { (.success, $0.body) } ?? (.timedOut, [])
    }
}

/// Tests of retention messaging with our client and a local App Store.
@Suite(.system) struct RetentionMessagingTests {
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0]

    private func withClient(
        _ served: ServedStore, _ work: @escaping @Sendable (AppStoreServerClient, JWSVerifier) async throws -> Void
    ) async throws {
        let environment = served.scenario.environment
        try await served.local.serving { url in
            let verifier = JWSVerifier(
                JWSVerifier.Configuration(
                    roots: [served.store.root], bundleID: ServedStore.bundleID, environments: [environment]))
            let host = try AppStoreServerHost(baseURL: url, environment: environment)
            let transport = try AsyncHTTPTransport()
            let client = AppStoreServerClient(
                AppStoreServerConfiguration(bundleID: ServedStore.bundleID, lookup: .only(host)),
                key: try AppStoreKey(keyID: "KEY1", issuerID: "issuer", privateKey: P256.Signing.PrivateKey()),
                verifier: verifier, transport: transport)
            do { try await work(client, verifier) } catch {
                try await transport.close()
                throw error
            }
            try await transport.close()
        }
    }

    private func refusal(_ call: () async throws -> Void) async -> AppStoreErrorCode? {
        do {
            try await call()
            return nil
        } catch {
            return (error as? AppStoreServerError)?.apiCode
        }
    }

    private func display(_ served: ServedStore, _ id: Transaction.ID, _ locale: String = "en-US") async -> LocalResponse
    {
        await served.local.respond(
            .post, "/local/v1/messaging/display",
            json: #"{"transactionID":"\#(id.rawValue)","locale":"\#(locale)"}"#)
    }

    @Test("A customer sees the message that the app's server chooses, otherwise the default, otherwise none")
    func display() async throws {
        let (first, second) = (UUID(), UUID())
        let server = ScriptedRealtimeServer([
            .message(second), .alternateProduct(second, "silver.monthly"), .message(UUID()), nil,
        ])
        let served = try await ServedStore {
            $0.realtime = server
            $0.wallClock = WallClock()
        }
        let gold = try #require(try await served.step("buy gold.monthly by anna"))
        try await withClient(served) { client, verifier in
            #expect(await display(served, gold).document?["source"]?.string == "none")
            try await client.uploadRetentionMessage(
                RetentionMessage(header: "h", body: "b"), id: first, in: .sandbox)
            try await client.uploadRetentionMessage(
                RetentionMessage(header: "two", body: "b"), id: second, in: .sandbox)
            try await client.configureDefaultMessage(first, for: "gold.monthly", locale: "en-US", in: .sandbox)
            #expect(try await client.defaultMessage(for: "gold.monthly", locale: "en-US", in: .sandbox) == first)
            var answer = await display(served, gold)
            #expect(answer.document?["source"]?.string == "default")
            #expect(answer.document?["message"]?["id"]?.string == first.uuidString.lowercased())
            #expect(await display(served, gold, "fr-FR").document?["source"]?.string == "none")

            try await client.configureRealtimeURL("https://app.example/retention", in: .sandbox)
            for source in ["message", "alternateProduct", "default", "default"] {
                answer = await display(served, gold)
                #expect(answer.document?["source"]?.string == source, "\(String(decoding: answer.body, as: UTF8.self))")
            }
            #expect(answer.document?["result"]?.string == "TIMED_OUT")
            let request = try verifier.realtimeRequest(body: try #require(server.requests.withLock { $0.first }))
            #expect(request.originalTransactionID == gold && request.productID == "gold.monthly")
            #expect(request.userLocale == "en-US" && request.environment == .sandbox)
            #expect(try await client.realtimeURL(in: .sandbox) == "https://app.example/retention")
            try await client.deleteRealtimeURL(in: .sandbox)
            #expect(await refusal { _ = try await client.realtimeURL(in: .sandbox) } == .realtimeURLNotFound)
        }
    }

    @Test("In production uploads wait for a review, and a URL for a passed performance test")
    func production() async throws {
        let message = UUID()
        let server = ScriptedRealtimeServer([.message(message)])
        let served = try await ServedStore(environment: .production) {
            $0.realtime = server
            $0.wallClock = WallClock()
        }
        let gold = try #require(try await served.step("buy gold.monthly by anna"))
        try await withClient(served) { client, _ in
            let image = UUID()
            try await client.uploadRetentionImage(Self.png, id: image, in: .production)
            #expect(try await client.retentionImages(in: .production).map(\.state) == [.pending])
            try await client.uploadRetentionMessage(
                RetentionMessage(header: "h", body: "b", image: RetentionMessage.Image(image, altText: "a")),
                id: message, in: .production)
            func configure() async throws {
                try await client.configureDefaultMessage(message, for: "gold.monthly", locale: "en-US", in: .production)
            }
            #expect(await refusal(configure) == .messageNotApproved)
            for (member, id, code) in [("message", message, AppStoreErrorCode.imageNotApproved), ("image", image, nil)]
            {
                let review = await served.local.respond(
                    .post, "/local/v1/messaging", json: #"{"review":"APPROVED","\#(member)":"\#(id)"}"#)
                #expect(review.status == 200)
                #expect(await refusal(configure) == code)
            }
            #expect(try await client.retentionMessages(in: .production).map(\.state) == [.approved])
            #expect(
                await refusal { try await client.configureRealtimeURL("https://a.example", in: .production) }
                    == .noPassingPerformanceTest)
            #expect(
                await refusal { _ = try await client.initiatePerformanceTest(gold, in: .production) }
                    == .realtimeURLNotFound)
            #expect(await refusal { try await client.deleteRetentionImage(image, in: .production) } == .imageInUse)
            try await client.deleteRetentionMessage(message, in: .production)
            try await client.deleteRetentionImage(image, in: .production)
            #expect(
                await refusal {
                    try await client.deleteDefaultMessage(for: "gold.monthly", locale: "en-US", in: .production)
                } == .defaultMessageNotFound)
        }
    }

    @Test("A performance test reports its progress, its result and what failed")
    func performance() async throws {
        let message = UUID()
        let server = ScriptedRealtimeServer([nil, nil, .message(message)])
        let served = try await ServedStore {
            $0.realtime = server
            $0.wallClock = WallClock()
        }
        let gold = try #require(try await served.step("buy gold.monthly by anna"))
        try await withClient(served) { client, _ in
            try await client.configureRealtimeURL("https://app.example/retention", in: .sandbox)
            for (status, failures) in [
                (PerformanceTestStatus.fail, [StorekeeperAppStore.SendAttemptResult.timedOut: 2]), (.pass, [:]),
            ] as [(PerformanceTestStatus, [StorekeeperAppStore.SendAttemptResult: Int64])] {
                let test = try await client.initiatePerformanceTest(gold, in: .sandbox)
                var result = try await client.performanceTestResult(test.requestID, in: .sandbox)
                for _ in 1...3000 where result.status == .pending {
                    try await Task.sleep(for: .milliseconds(20))
                    result = try await client.performanceTestResult(test.requestID, in: .sandbox)
                }
                #expect(result.status == status && result.failures == failures && result.pendingCount == 0)
                #expect(result.configuration == test.configuration)
                #expect(result.target == "https://app.example/retention")
            }
        }
    }

    @Test(
        "A control request that names nothing known is refused",
        arguments: [
            ("", #"{}"#), ("", #"{"review":"MAYBE"}"#), ("", #"{"review":"APPROVED","x":1}"#),
            ("", #"{"review":"APPROVED","message":"x"}"#), ("", #"{"review":"APPROVED","app":"com.example.other"}"#),
            ("", #"{"review":"APPROVED","image":"7f3c2a10-1111-4222-8333-444455556666"}"#), ("/display", #"{}"#),
            ("/display", #"{"transactionID":"1"}"#), ("/display", #"{"transactionID":"1","x":1}"#),
            ("", #"{"review":"PENDING","app":2.5}"#), ("", #"{"review":"PENDING","message":null,"image":null}"#),
            ("", #"{"review":"PENDING","app":null}"#), ("/display", #"{"transactionID":"1","app":null}"#),
        ])
    func refused(_ path: String, _ body: String) async throws {
        let served = try await ServedStore()
        let answer = await served.local.respond(.post, "/local/v1/messaging\(path)", json: body)
        #expect(answer.status == 400, "\(String(decoding: answer.body, as: UTF8.self))")
        #expect(await served.local.respond(.get, "/local/v1/messaging").document?["review"]?.string == "APPROVED")
    }

    @Test(
        "A locale, a product and an id that are not valid are refused",
        arguments: [
            ("PUT", "default/gold.monthly/e", 4_000_164), ("PUT", "default/gold.monthly/en_US", 4_000_164),
            ("PUT", "default/gold.monthly/en-US-x-y", 4_000_164), ("GET", "default/nothing/en-US", 4_000_023),
            ("DELETE", "image/x", 4_000_000), ("PUT", "message/x", 4_000_000),
            ("GET", "performanceTest/result/x", 4_000_212),
        ] as [(String, String, Int64)])
    func invalid(_ method: String, _ path: String, _ code: Int64) async throws {
        let served = try await ServedStore()
        let answer = await served.ask(method, "/inApps/v1/messaging/\(path)", body: "{}")
        #expect(answer.document?["errorCode"]?.int64 == code, "\(String(decoding: answer.body, as: UTF8.self))")
    }

    @Test("A response that does not end is given up in time, and one that is too large is not read")
    func endlessResponse() async throws {
        let router = Router()
        router.post("large") { _, _ in
            Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(repeating: 0x20, count: 2 << 20)))
        }
        router.post("/") { _, _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    try await writer.write(ByteBuffer(string: "{"))
                    try await Task.sleep(for: .seconds(60))
                    try await writer.finish(nil)
                })
        }
        let (ports, running) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { running.yield($0.localAddress?.port ?? 0) })
        let client = HTTPClient()
        await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { running.finish() }
                try await application.run()
            }
            for await port in ports.prefix(1) {
                let url = "http://127.0.0.1:\(port)/"
                let sender = HTTPRealtimeSender(patience: .seconds(1)) { _ in client }
                #expect(await sender.send([], to: url).result == .timedOut)
                let patient = HTTPRealtimeSender { _ in client }
                #expect(await patient.send([], to: url + "large").result == .invalidResponse)
                // Notifications have the same time limit as requests for messages.
                let webhook = HTTPWebhook(url: url, client: client, patience: .seconds(1))
                #expect(await webhook.send([]).result == .timedOut)
            }
            group.cancelAll()
            while await group.nextResult() != nil {}
        }
        try await client.shutdown()
    }
}
