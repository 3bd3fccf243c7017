import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import ServiceLifecycle
import Storekeeper
import StorekeeperTesting
import Synchronization
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests of the companion service on a port, with clients that break the rules of HTTP.
@Suite("Abuse of the companion service", .system, .serialized) struct CompanionAbuseTests {
    /// Serves during the work, and expects that the service still answers after it.
    ///
    /// Only tests of silent clients shorten the idle time, because a client on a busy machine may need more than a
    /// short idle time to send a request.
    private static func serving(
        idleTime: Duration? = nil, headTime: Duration? = nil, bodyTime: Duration? = nil, connections: Int? = nil,
        openRate: Double? = nil, _ work: @Sendable @escaping (CompanionShop, Int) async throws -> Void
    ) async throws {
        let shop = try await CompanionShop(openRate: openRate)
        var configuration = CompanionServer.Configuration()
        if let bodyTime { configuration.bodyTime = bodyTime }
        if let idleTime { configuration.idleTime = idleTime }
        if let headTime { configuration.headTime = headTime }
        if let connections {
            configuration.connections = connections
            configuration.limitsAddresses = true
        }
        try await shop.serving(configuration) { port in
            try await work(shop, port)
            let answer = try await HTTPClient.shared.execute(
                HTTPClientRequest(url: "http://127.0.0.1:\(port)/health/ready"), timeout: .seconds(20))
            #expect(answer.status == .ok)
        }
    }

    private static func head(_ line: String, _ fields: [String] = []) -> String {
        ([line, "Host: localhost"] + fields).map { $0 + "\r\n" }.joined() + "\r\n"
    }

    private static func status(_ text: String) -> Int? {
        text.split(separator: " ", maxSplits: 2).dropFirst().first.flatMap { Int($0) }
    }

    @Test("Heads beyond the limit are refused") func heads() async throws {
        try await Self.serving { _, port in
            let many = (0..<500).map { "X-\($0): 1" }
            let long = ["X-Long: " + String(repeating: "a", count: 40_000)]
            let path = "GET /" + String(repeating: "a", count: 40_000) + " HTTP/1.1"
            for head in [Self.head("GET /health/live HTTP/1.1", many), Self.head("GET /health/live HTTP/1.1", long)] {
                let answer = try await RawConnection.send([head], to: port)
                #expect(answer.isClosed)
                #expect(Self.status(answer.text).map { (400..<500).contains($0) } ?? true, "\(answer.text.prefix(80))")
            }
            let answer = try await RawConnection.send([Self.head(path, ["Connection: close"])], to: port)
            #expect(answer.isClosed && (Self.status(answer.text).map { (400..<500).contains($0) } ?? true))
        }
    }

    @Test("Endless bodies are refused before they are read") func bodies() async throws {
        try await Self.serving(idleTime: .milliseconds(400)) { shop, port in
            let key = try #require(shop.bearers[.admin])
            let fields = ["Authorization: Bearer \(key)", "Content-Type: application/json"]
            let announced = try await RawConnection.send(
                [Self.head("POST /v1/checks HTTP/1.1", fields + ["Content-Length: 10000000000"]), "{"], to: port,
                limit: .seconds(5))
            #expect(Self.status(announced.text).map { [400, 408, 413].contains($0) } ?? announced.isClosed)
        }
        try await Self.serving { shop, port in
            let key = try #require(shop.bearers[.admin])
            let fields = ["Authorization: Bearer \(key)", "Content-Type: application/json"]
            let chunk = "10000\r\n" + String(repeating: "a", count: 65_536) + "\r\n"
            // Send with pauses, because a connection that is closed while more data arrives is reset, and may lose the
            // response.
            let chunked = try await RawConnection.send(
                [Self.head("POST /v1/checks HTTP/1.1", fields + ["Transfer-Encoding: chunked", "Connection: close"])]
                    + Array(repeating: chunk, count: 40), to: port, pause: .milliseconds(20), limit: .seconds(20))
            #expect(Self.status(chunked.text) == 413, "\(chunked.text.prefix(200))")
        }
    }

    @Test("A refused request cannot go on sending its body") func refusedBodies() async throws {
        let head = Self.head("POST /v1/checks HTTP/1.1", ["Content-Length: 100000000"])
        try await Self.serving(bodyTime: .milliseconds(500)) { _, port in
            let slow = try await RawConnection.send(
                [head] + Array(repeating: "a", count: 200), to: port, pause: .milliseconds(50), limit: .seconds(5))
            #expect(slow.isClosed && Self.status(slow.text) == 401, "\(slow.text)")
        }
        try await Self.serving { _, port in
            let part = String(repeating: "a", count: 65_536)
            let large = try await RawConnection.send(
                [head] + Array(repeating: part, count: 100), to: port, pause: .milliseconds(20), limit: .seconds(5))
            #expect(large.isClosed && Self.status(large.text) == 401, "\(large.text)")
        }
    }

    @Test("The time of a body does not end a stream of events") func stream() async throws {
        try await Self.serving(bodyTime: .milliseconds(200)) { shop, port in
            let key = try #require(shop.bearers[.admin])
            let stream = try await RawConnection.send(
                [Self.head("GET /v1/events HTTP/1.1", ["Authorization: Bearer \(key)"])], to: port, limit: .seconds(2))
            #expect(!stream.isClosed && Self.status(stream.text) == 200, "\(stream.text)")
        }
    }

    @Test("Silent and slow clients are disconnected") func slow() async throws {
        try await Self.serving(idleTime: .milliseconds(400)) { _, port in
            let silent = try await RawConnection.send([], to: port)
            #expect(silent.isClosed && silent.text.isEmpty)
            let half = try await RawConnection.send(["GET /health/live HTTP/1.1\r\nHost: l"], to: port)
            #expect(half.isClosed && half.text.isEmpty)
        }
    }

    @Test("A connection without a request head is closed long before an idle one") func silence() async throws {
        try await Self.serving(headTime: .milliseconds(400)) { _, port in
            for parts in [[], ["GET /health/live HTTP/1.1\r\nHost: l"]] {
                let silent = try await RawConnection.send(parts, to: port, limit: .seconds(20))
                #expect(silent.isClosed && silent.text.isEmpty)
            }
            // A connection that has sent a head may be idle for longer.
            let idle = try await RawConnection.send(
                [Self.head("GET /health/live HTTP/1.1")], to: port, limit: .seconds(2))
            #expect(Self.status(idle.text) == 200 && !idle.isClosed)
        }
    }

    @Test("One address has only a part of the connections") func connections() async throws {
        try await Self.serving(connections: 64) { _, port in
            let limit = CompanionServer.Configuration.connectionsPerAddress(of: 64)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<limit {
                    group.addTask { _ = try await RawConnection.send([], to: port, limit: .seconds(4)) }
                }
                try await Task.sleep(for: .seconds(2))
                let further = try await RawConnection.send(
                    [Self.head("GET /health/live HTTP/1.1")], to: port, limit: .seconds(1))
                #expect(further.isClosed && further.text.isEmpty)
                try await group.waitForAll()
            }
            try await Task.sleep(for: .seconds(1))
            let later = try await RawConnection.send(
                [Self.head("GET /health/live HTTP/1.1", ["Connection: close"])], to: port)
            #expect(Self.status(later.text) == 200, "\(later.text)")
        }
    }

    @Test("Health and metrics have a listener that other clients cannot block") func healthListener() async throws {
        let shop = try await CompanionShop()
        var configuration = CompanionServer.Configuration(connections: 2)
        configuration.healthPort = 0
        let (ports, running) = AsyncStream.makeStream(of: Int.self)
        let server = CompanionServer(
            shop.service, configuration, logger: shop.log.logger, onRunning: { running.yield($0) },
            onHealthRunning: { running.yield(-$0) })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            var (main, health) = (0, 0)
            for await port in ports {
                if port > 0 { main = port } else { health = -port }
                if main > 0, health > 0 { break }
            }
            let (mainPort, healthPort) = (main, health)
            for _ in 0..<2 {
                group.addTask { _ = try await RawConnection.send([], to: mainPort, limit: .seconds(3)) }
            }
            try await Task.sleep(for: .seconds(1))
            let close = ["Connection: close"]
            let blocked = try await RawConnection.send(
                [Self.head("GET /health/live HTTP/1.1", close)], to: mainPort, limit: .milliseconds(500))
            #expect(blocked.text.isEmpty)
            for (path, status) in [
                ("/health/live", 200), ("/health/ready", 200), ("/metrics", 401), ("/v1/products", 404), ("/desk", 404),
                ("/apple/notifications", 404),
            ] {
                let answer = try await RawConnection.send([Self.head("GET \(path) HTTP/1.1", close)], to: healthPort)
                #expect(Self.status(answer.text) == status, "\(path): \(answer.text)")
            }
            group.cancelAll()
            do { try await group.waitForAll() } catch is CancellationError {}
        }
    }

    @Test(
        "A server ends with an error if one of its ports is taken", .timeLimit(.minutes(5)), arguments: [false, true])
    func takenPort(_ isHealthPort: Bool) async throws {
        let shop = try await CompanionShop()
        let holder = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let taken = try #require(holder.localAddress?.port)
        var configuration = CompanionServer.Configuration(address: ListenAddress(port: isHealthPort ? 0 : taken))
        configuration.healthPort = isHealthPort ? taken : 0
        let server = CompanionServer(shop.service, configuration, logger: shop.log.logger)
        let error = await #expect(throws: (any Error).self) { try await server.run() }
        #expect((error is HealthListenerFault) == isHealthPort, "\(String(describing: error))")
        try await holder.close().get()
    }

    @Test("Held bodies take a limited memory, and callers with a key are served meanwhile") func heldBodies()
        async throws
    {
        try await Self.serving { shop, port in
            let key = try #require(shop.bearers[.check])
            let size = 255 << 10
            let parts = [
                Self.head(
                    "POST /apple/notifications HTTP/1.1",
                    ["Content-Type: application/json", "Content-Length: \(size + 1)"]),
                String(repeating: "a", count: size),
            ]
            // Their bodies have 20 MiB, and the budget of clients without a key is 16 MiB.
            let answers = try await withThrowingTaskGroup(of: String.self, returning: [String].self) { group in
                for _ in 0..<80 {
                    group.addTask { try await RawConnection.send(parts, to: port, limit: .seconds(8)).text }
                }
                try await Task.sleep(for: .seconds(4))
                let body = #"{"customers":["anna"],"product":"gold.monthly"}"#
                let fields = [
                    "Authorization: Bearer \(key)", "Content-Type: application/json",
                    "Content-Length: \(body.utf8.count)", "Connection: close",
                ]
                let served = try await RawConnection.send(
                    [Self.head("POST /v1/checks HTTP/1.1", fields) + body], to: port)
                #expect(Self.status(served.text) == 200, "\(served.text)")
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let refused = answers.filter { Self.status($0) == 503 && $0.contains("tag:storekeeper,2026:busy") }
            #expect(refused.count >= 16, "\(refused.count)")
            #expect(answers.count(where: \.isEmpty) >= 32)
            // The memory is free again.
            let later = try await RawConnection.send(
                [
                    Self.head(
                        "POST /apple/notifications HTTP/1.1",
                        ["Content-Type: application/json", "Content-Length: 2", "Connection: close"]) + "{}"
                ], to: port)
            #expect(Self.status(later.text) == 400, "\(later.text)")
        }
    }

    @Test("The held bodies of one address leave memory for notifications from others")
    func heldBodiesOfAnAddress() async throws {
        try await Self.serving(openRate: 1_000) { _, port in
            func parts(_ size: Int, of announced: Int) -> [String] {
                let fields = ["Content-Type: application/json", "Content-Length: \(announced)", "Connection: close"]
                return [
                    Self.head("POST /apple/notifications HTTP/1.1", fields), String(repeating: "a", count: size),
                ]
            }
            let size = 255 << 10
            let held = parts(size, of: size + 1)
            // An address may take an eighth of 16 MiB, which is eight of these bodies.
            let answers = try await withThrowingTaskGroup(of: String.self, returning: [String].self) { group in
                for _ in 0..<80 {
                    group.addTask { try await RawConnection.send(held, to: port, limit: .seconds(8)).text }
                }
                try await Task.sleep(for: .seconds(4))
                let other = try await RawConnection.send(parts(size, of: size), to: port, from: "127.0.0.2")
                // The body was received; it is not JSON.
                #expect(Self.status(other.text) == 400, "\(other.text)")
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let refused = answers.filter { Self.status($0) == 503 && $0.contains("tag:storekeeper,2026:busy") }
            #expect(refused.count >= 72, "\(refused.count)")
        }
    }

    @Test("The addresses of one IPv6 network have a limit together, and an IPv4 address has one in both forms")
    func limitedAddresses() throws {
        func name(_ address: String) throws -> String? {
            try SocketAddress(ipAddress: address, port: 1).limitedAddress
        }
        #expect(try name("2001:db8:1:2::1") == name("2001:db8:1:2:ffff:ffff:ffff:ffff"))
        #expect(try name("2001:db8:1:2::1") != name("2001:db8:1:3::1"))
        #expect(try name("192.0.2.1") == "192.0.2.1")
        #expect(try name("::ffff:192.0.2.1") == "192.0.2.1")
        #expect(try name("::1") != name("::ffff:0.0.0.1"))
    }

    @Test("A notification beyond the limits of Apple's largest is refused before it is parsed") func members()
        async throws
    {
        let shop = try await CompanionShop(openRate: 10)
        let members = (0..<20_000).map { #""m\#($0)":1"# }.joined(separator: ",")
        for body in ["{\(members)}", #"{"signedPayload":"\#(String(repeating: "a", count: 1_000_000))"}"#] {
            let answer = try await shop.ask("POST", "/apple/notifications", as: nil, body: body)
            #expect(answer.status == 413 && answer.problem == "tooLarge", "\(answer.text)")
        }
    }

    @Test(
        "Unknown and malformed paths are refused",
        arguments: [
            "/v1/customers/../../etc/passwd", "/v1/customers/%2e%2e/%2e%2e/features", "//v1//parked", "/%00",
            "/v1/customers/a%00b/features/pro", "/v1/customers/%ff%fe/features/pro", "/v1/customers//features/pro",
            "/v1/customers/a/features/pro/../..", "/..;/metrics", "*", "/?%", "/desk/../metrics",
        ])
    func paths(_ path: String) async throws {
        try await Self.serving { shop, port in
            let key = try #require(shop.bearers[.check])
            let fields = ["Authorization: Bearer \(key)", "Connection: close"]
            let answer = try await RawConnection.send([Self.head("GET \(path) HTTP/1.1", fields)], to: port)
            let status = try #require(Self.status(answer.text), "\(answer.text)")
            #expect((400..<500).contains(status), "\(path): \(answer.text)")
        }
    }
}
