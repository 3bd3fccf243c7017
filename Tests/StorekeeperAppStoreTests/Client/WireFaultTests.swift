import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperAppStore

@Suite("Faults on the wire", .system) struct WireFaultTests {
    static let page = #"{"revision":"r","hasMore":false,"bundleId":"com.example.game","environment":"Production"}"#

    /// The reply of the server, the error of the call if it persists, and whether the call is retried.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reply: LoopbackServer.Reply
        let code: AppStoreServerError.Code
        let isRepeated: Bool
        /// Whether the App Store may have carried out the request.
        let isInDoubt: Bool
        /// The client's time limit for an attempt.
        ///
        /// It is short only if the server sends nothing, so that on a busy machine no other case of the table fails
        /// because of the limit.
        var timeout: Duration { code == .deadlineExceeded ? .milliseconds(300) : .seconds(30) }
    }

    static let faults: [Fault] = [
        Fault(testDescription: "cut", reply: .cut, code: .unreachable, isRepeated: true, isInDoubt: true),
        Fault(
            testDescription: "silence", reply: .silence, code: .deadlineExceeded, isRepeated: true, isInDoubt: true),
        Fault(
            testDescription: "not HTTP", reply: .bytes("SSH-2.0-OpenSSH_9.6\r\n\r\n"), code: .unreachable,
            isRepeated: true, isInDoubt: true),
        Fault(
            testDescription: "half a head", reply: .bytes("HTTP/1.1 200 OK\r\nContent-Ty"), code: .unreachable,
            isRepeated: true, isInDoubt: true),
        Fault(
            testDescription: "half a body",
            reply: .bytes("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{\"revi"),
            code: .unreachable, isRepeated: true, isInDoubt: true),
        Fault(
            testDescription: "half a chunk",
            reply: .bytes(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{\"r"),
            code: .unreachable, isRepeated: true, isInDoubt: true),
        Fault(
            testDescription: "a body that comes byte by byte", reply: .drips, code: .deadlineExceeded, isRepeated: true,
            isInDoubt: true),
        Fault(
            testDescription: "a body that is not JSON", reply: .json("<html>"), code: .malformedResponse,
            isRepeated: false, isInDoubt: true),
        Fault(
            testDescription: "another content type", reply: .answer(200, [:], page, type: "text/html"),
            code: .malformedResponse, isRepeated: false, isInDoubt: true),
        Fault(
            testDescription: "no content type", reply: .answer(200, [:], page, type: nil), code: .malformedResponse,
            isRepeated: false, isInDoubt: true),
        Fault(
            testDescription: "500 without a code", reply: .answer(500, [:], "oops", type: "text/plain"),
            code: .serverFailure, isRepeated: true, isInDoubt: true),
        Fault(
            testDescription: "503 without a body", reply: .answer(503), code: .serverFailure, isRepeated: true,
            isInDoubt: true),
        Fault(
            testDescription: "429 without a body", reply: .answer(429), code: .rateLimited, isRepeated: true,
            isInDoubt: false),
        Fault(
            testDescription: "404 without a code", reply: .answer(404, [:], "not here", type: "text/plain"),
            code: .malformedResponse, isRepeated: false, isInDoubt: false),
        Fault(
            testDescription: "a redirect",
            reply: .answer(302, ["Location": "http://127.0.0.1:1/elsewhere"]), code: .malformedResponse,
            isRepeated: false, isInDoubt: false),
        Fault(
            testDescription: "a body too big", reply: .json("\"" + String(repeating: "x", count: 1 << 20) + "\""),
            code: .malformedResponse, isRepeated: false, isInDoubt: true),
    ]

    @Test("A repeatable call succeeds after a fault that passes", arguments: faults)
    func passing(_ fault: Fault) async throws {
        try await Fixture.withClient(
            transport: .init(requestTimeout: fault.timeout),
            serving: { _, count in count == 0 ? fault.reply : .json(Self.page) }
        ) { client, server in
            let error = await Fixture.failure { try await client.history(of: "1") }
            #expect(error?.code == (fault.isRepeated ? nil : fault.code))
            #expect(server.requests.count == (fault.isRepeated ? 2 : 1))
        }
    }

    @Test("A fault that persists is reported after the given number of attempts", arguments: faults) func lasting(
        _ fault: Fault
    ) async throws {
        try await Fixture.withClient(
            attempts: 2, transport: .init(requestTimeout: fault.timeout), serving: { _, _ in fault.reply }
        ) { client, server in
            let error = await Fixture.failure { try await client.history(of: "1") }
            #expect(error?.code == fault.code)
            #expect(error?.mayHaveBeenDone == fault.isInDoubt)
            #expect(server.requests.count == (fault.isRepeated ? 2 : 1))
        }
    }

    @Test("A call that must not be carried out twice is not retried while it is in doubt", arguments: faults)
    func inDoubt(_ fault: Fault) async throws {
        let change = RenewalExtension(days: 1, reason: .other, requestIdentifier: "a")
        try await Fixture.withClient(
            attempts: 2, transport: .init(requestTimeout: fault.timeout), serving: { _, _ in fault.reply }
        ) { client, server in
            let error = await Fixture.failure { try await client.extend("5", by: change, in: .production) }
            #expect(error?.code == fault.code)
            #expect(server.requests.count == (fault.isRepeated && !fault.isInDoubt ? 2 : 1))
        }
    }

    @Test("A request to a server that is not reachable was not sent") func absent() async throws {
        let url = try await LoopbackServer.serving({ _, _ in .cut }) { $0.baseURL }
        let transport = try AsyncHTTPTransport()
        let host = try AppStoreServerHost(baseURL: url, environment: .production)
        let client = AppStoreServerClient(
            Fixture.configuration(.only(host), maximumAttempts: 1), key: try Fixture.key(), verifier: TestVerifier(),
            transport: transport, limiter: Fixture.openLimiter(WallClock()))
        let error = await Fixture.failure { try await client.history(of: "1") }
        #expect(error?.code == .unreachable)
        #expect(error?.mayHaveBeenDone == false)
        try await transport.close()
    }

    @Test("After 429 the client waits until the App Store's instant, in milliseconds since 1970") func retryAfter()
        async throws
    {
        let clock = VirtualClock(.testEpoch)
        let at = clock.now.adding(milliseconds: 7_000)
        let fields = ["Retry-After": String(at.millisecondsSince1970)]
        try await Fixture.withClient(
            clock: clock,
            serving: { _, count in count == 0 ? .error(4_290_000, fields: fields) : .json(Self.page) }
        ) { client, server in
            async let answer = client.history(of: "1")
            await Fixture.wait { clock.earliestWake == at }
            #expect(clock.earliestWake == at)
            #expect(server.requests.count == 1)
            clock.set(at)
            let page = try await answer
            #expect(page.revision == "r")
            #expect(server.requests.count == 2)
        }
    }

    @Test("An instant after the deadline is reported instead of waited for") func lateRetry() async throws {
        let clock = VirtualClock(.testEpoch)
        let at = clock.now.adding(milliseconds: 3_600_000)
        let fields = ["Retry-After": String(at.millisecondsSince1970)]
        try await Fixture.withClient(clock: clock, serving: { _, _ in .error(4_290_000, fields: fields) }) {
            client, server in
            for _ in 0..<2 {
                let error = await Fixture.failure { try await client.history(of: "1") }
                #expect(error?.code == .rateLimited)
                #expect(error?.retryAt == at)
            }
            // The second call throws without sending a request.
            #expect(server.requests.count == 1)
        }
    }

    @Test(
        "Retry-After is parsed as milliseconds or seconds since 1970, or seconds from now",
        arguments: [
            // The field contains milliseconds since 1970, seconds since 1970, or seconds from now. The client waits for
            // an hour at most.
            ("1700000007000", 7_000), ("1700000007", 7_000), ("7", 7_000), (" 5 ", 5_000), ("0", 0),
            ("1700000000", 0), ("1699999990", -10_000), ("1699999990000", -10_000),
            ("1700003600000", 3_600_000), ("1700003600", 3_600_000), ("3600", 3_600_000),
            ("1700003600001", 3_600_000), ("1700003601", 3_600_000), ("3601", 3_600_000), ("86400", 3_600_000),
            ("999999999", 3_600_000), ("9999999999999", 3_600_000), ("9223372036854775807", nil), ("", nil),
            ("Wed, 21 Oct 2026 07:28:00 GMT", nil), ("-1", nil), ("99999999999999999999", nil), ("1e3", nil),
        ] as [(String, Int64?)])
    func retryAfterValue(_ value: String, _ milliseconds: Int64?) {
        let now = Instant(clamped: 1_700_000_000_000)
        let found = RetryAfter.instant(value, at: now)
        #expect(found?.milliseconds(since: now) == milliseconds)
    }

    @Test("A cancelled call ends") func cancelled() async throws {
        try await Fixture.withClient(serving: { _, _ in .silence }) { client, server in
            let call = Task { await Fixture.failure { try await client.history(of: "1") } }
            await Fixture.wait { !server.requests.isEmpty }
            call.cancel()
            #expect(await call.value?.code == nil)
        }
    }

    @Test("The caller's deadline is measured by the client's clock") func deadline() async throws {
        let clock = VirtualClock(.testEpoch)
        try await Fixture.withClient(attempts: 1, clock: clock, serving: { _, _ in .silence }) { client, server in
            async let error = Fixture.failure { try await client.history(of: "1") }
            await Fixture.wait { !server.requests.isEmpty && clock.sleeperCount > 0 }
            clock.advance(by: .seconds(21))
            #expect(await error?.code == .deadlineExceeded)
        }
    }
}
