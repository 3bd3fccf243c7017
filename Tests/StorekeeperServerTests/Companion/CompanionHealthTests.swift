import Logging
import Storekeeper
import StorekeeperJWS
import StorekeeperSimulator
import StorekeeperTesting
import Synchronization
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests of the health checks, the log and the metrics of the service.
@Suite struct CompanionHealthTests {
    /// The most frequent mistakes in a configuration.
    enum Misconfiguration: CaseIterable {
        case environment, bundleID, root
    }

    @Test("The reason for a refused notification is in the log and in the answer", arguments: Misconfiguration.allCases)
    func refused(_ mistake: Misconfiguration) async throws {
        let other = try LocalAuthority(name: "Another")
        let shop = try await CompanionShop(believes: {
            switch mistake {
            case .environment: $0.environments = [.production]
            case .bundleID: $0.bundleID = "com.example.other"
            case .root: $0.roots = [other.root]
            }
        })
        try await shop.step("buy gold.monthly by anna")
        let answer = try await shop.post()
        let (code, remedy) =
            switch mistake {
            case .environment: ("environmentRefused", "'environments'")
            case .bundleID: ("bundleMismatch", "'bundleID'")
            case .root: ("untrustedChain", "'root'")
            }
        #expect(answer.status == 400 && answer.document?["cause"]?.string == code, "\(answer.text)")
        let line = try #require(shop.log.lines.first { $0.level == .warning })
        #expect(line.metadata["code"] == code && line.metadata["type"] == "SUBSCRIBED")
        #expect(line.metadata["environment"] == "Sandbox" && line.metadata["bundleID"] == ServedStore.bundleID)
        #expect(line.metadata["request"]?.isEmpty == false)
        #expect(line.message.contains(remedy), "\(line.message)")
        let ready = try await shop.ask("GET", "/health/ready", as: nil)
        #expect(ready.status == 200 && ready.document?["lastNotification"] == nil, "\(ready.text)")
    }

    @Test("Texts of a forged notification do not reach the log")
    func forged() async throws {
        let shop = try await CompanionShop()
        let payload = #"{"notificationType":"A\nerror: all is lost","data":{"environment":"Sand box"}}"#
        let text = "e30." + Base64URL.encode(Array(payload.utf8)) + ".AAAA"
        for _ in 1...60 {
            let answer = try await shop.ask(
                "POST", "/apple/notifications", as: nil, body: #"{"signedPayload":"\#(text)"}"#)
            #expect(answer.status == 400)
        }
        // The number of warnings is limited, so that a forger cannot fill the log, whatever addresses the forger has.
        for number in 0..<20_000 {
            _ = shop.service.limits.wait(ofKey: "open: \(number)", perSecond: 1, burst: 10, isCounted: true)
        }
        _ = try await shop.ask("POST", "/apple/notifications", as: nil, body: #"{"signedPayload":"\#(text)"}"#)
        let warnings = shop.log.lines.filter { $0.level == .warning }
        #expect(warnings.count == 50)
        #expect(warnings.allSatisfy { $0.metadata["type"] == "-" && $0.metadata["environment"] == "-" })
    }

    @Test("The service reports when the last verified notification arrived")
    func lastNotification() async throws {
        let shop = try await CompanionShop(hasDesk: true)
        try await shop.step("buy gold.monthly by anna")
        #expect(try await shop.post().status == 200)
        let ready = try await shop.ask("GET", "/health/ready", as: nil)
        let last = ready.document?["lastNotification"]?.string.flatMap { Instant($0) }
        #expect(last == shop.served.store.now, "\(ready.text)")
        #expect(try await shop.ask("GET", "/desk").text.contains("last notification from the App Store"))
    }

    @Test("A vault with a storage fault makes a service not ready")
    func storage() async throws {
        let fault = Mutex<String?>(nil)
        let shop = try await CompanionShop(storageFault: { fault.withLock { $0 } })
        #expect(try await shop.ask("GET", "/health/ready", as: nil).status == 200)
        fault.withLock { $0 = "the disk is full" }
        let answer = try await shop.ask("GET", "/health/ready", as: nil)
        #expect(answer.status == 503 && answer.problem == "notReady" && answer.text.contains("the disk is full"))
        #expect(try await shop.ask("HEAD", "/health/ready", as: nil).status == 503)
        #expect(try await shop.ask("GET", "/health/live", as: nil).status == 200)
    }

    @Test("After a failed write a service is not ready until a write succeeds")
    func writes() async throws {
        let shop = try await CompanionShop()
        func grant() async throws -> Int {
            try await shop.ask(
                "POST", "/v1/customers/anna/balances/coins/grant", body: #"{"quantity":1,"reason":"r"}"#,
                fields: ["Idempotency-Key": "k"]
            ).status
        }
        shop.faults.counts.writes = 2
        #expect(try await grant() == 503)
        // The health check writes to the vault itself, because a node that is not ready receives no other requests.
        #expect(try await shop.ask("GET", "/health/ready", as: nil).status == 503)
        #expect(shop.faults.counts.writes == 0)
        #expect(try await shop.ask("GET", "/health/ready", as: nil).status == 200)
        #expect(try await grant() == 200)
    }

    @Test("Metrics are served although the vault cannot be read")
    func metricsWithoutVault() async throws {
        let shop = try await CompanionShop(metrics: PrometheusMetrics())
        #expect(try await shop.ask("GET", "/metrics", as: .check).status == 200)
        shop.faults.counts.reads = 1_000
        #expect(try await shop.ask("GET", "/health/ready", as: nil).status == 503)
        #expect(try await shop.ask("GET", "/metrics", as: .check).status == 200)
    }

    @Test("An outage of the vault writes few lines to the log, and then the number of those omitted")
    func outage() async throws {
        let shop = try await CompanionShop()
        func ask() async throws -> Int {
            shop.faults.counts.reads = 1
            return try await shop.ask("GET", "/v1/parked").status
        }
        for _ in 1...50 { #expect(try await ask() == 503) }
        func errors() -> [LogRecorder.Line] { shop.log.lines.filter { $0.level == .error } }
        #expect(errors().count == 20)
        shop.served.wall.advance(by: .seconds(60))
        #expect(try await ask() == 503)
        #expect(errors().count == 21 && errors().last?.metadata["omitted"] == "30")
    }

    @Test("A request with an error of its caller does not make a service not ready")
    func wrongRequests() async throws {
        let shop = try await CompanionShop()
        let answer = try await shop.ask(
            "POST", "/v1/customers/anna/balances/coins/spend", body: #"{"quantity":0}"#,
            fields: ["Idempotency-Key": "k"])
        #expect(answer.status == 400)
        shop.faults.counts.writes = 1
        #expect(try await shop.ask("GET", "/health/ready", as: nil).status == 200)
        #expect(shop.faults.counts.writes == 1)
    }

    @Test("A line of the JSON log is one object, whatever text it contains")
    func json() throws {
        let line = JSONLog.line(
            .warning, "two\nlines \"quoted\"", "storekeeper",
            ["route": "spend", "list": ["a", "b"], "level": "mine"], at: .day(0))
        #expect(line.hasSuffix("}\n") && line.dropLast().contains("\n") == false)
        let object = try #require(try JSONReader().read(Array(line.utf8)).root.object)
        #expect(object["message"]?.string == "two\nlines \"quoted\"" && object["route"]?.string == "spend")
        // A member of the metadata does not replace a member of the line with the same name.
        #expect(object["level"]?.string == "warning" && object["list"]?.array.map(Array.init)?.count == 2)
    }
}
