import Foundation
import Logging
import NIOHTTP1
import Storekeeper
import StorekeeperAppStore
import StorekeeperTesting
import Testing

@testable import StorekeeperCLI

/// Tests of the companion service, which `storekeeper serve` starts in a process of its own.
@Suite(.system) struct CompanionCommandTests {
    @Test("A new user makes a key, serves, posts a notification, and reads what the customer owns")
    func newcomer() async throws {
        let folder = try await CompanionFolder()
        let served = try ServedProcess(serving: [], in: folder.folder)
        let customer = try #require(folder.customers.first)
        let posted = try await folder.ask(
            .POST, served.url + "/apple/notifications", body: try folder.notification(by: customer).body)
        #expect(posted?.status == 200, "\(posted?.text ?? "")")
        let path = served.url + "/v1/customers/\(customer)/balances/coins"
        let balance = try #require(try await folder.ask(.GET, path))
        #expect(balance.document?.object?["balance"]?.int64 == 100, "\(balance.text)")
        #expect(try await folder.ask(.GET, path, key: "sk_wrong")?.status == 401)
        let metrics = try #require(try await folder.ask(.GET, served.url + "/metrics"))
        #expect(metrics.text.contains(#"http_route="/v1/customers/{customer}/balances/{balance}""#), "\(metrics.text)")
        #expect(!metrics.text.contains(customer))
        #expect(served.end(SIGTERM) == 0)
        let told = try Program.run(
            ["vault", "balance", "--customer", customer, "--format", "json"], in: folder.folder)
        #expect(told.output.contains("coins"), "\(told.output)\(told.errors)")
    }

    @Test("The service ends on a signal although a client listens to events") func listened() async throws {
        let folder = try await CompanionFolder()
        let served = try ServedProcess(serving: [], in: folder.folder)
        let listener = EventListener(url: served.url, key: folder.key)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { _ = try await listener.events { nil } }
            try await Task.sleep(for: .milliseconds(500))
            let start = ContinuousClock.now
            #expect(served.end(SIGTERM) == 0)
            #expect(ContinuousClock.now - start < .seconds(20))
            group.cancelAll()
            do { try await group.waitForAll() } catch is CancellationError {}
        }
    }

    @Test("Answers soon include what another process writes into the file") func others() async throws {
        let folder = try await CompanionFolder()
        let served = try ServedProcess(serving: [], in: folder.folder)
        func balance() async throws -> Int64? {
            try await folder.ask(.GET, served.url + "/v1/customers/anna/balances/coins")?.document?.object?["balance"]?
                .int64
        }
        #expect(try await balance() == 0)
        let granted = try Program.run(
            ["vault", "grant", "--customer", "anna", "coins", "5", "--key", "k", "--reason", "r"], in: folder.folder)
        #expect(granted.status == 0, "\(granted.errors)")
        let end = ContinuousClock.now + .seconds(60)
        while try await balance() != 5, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(200)) }
        #expect(try await balance() == 5)
        #expect(served.end(SIGTERM) == 0)
    }

    @Test("The log has a line per request, without key and customer") func log() async throws {
        let folder = try await CompanionFolder(serve: ["port: 0", "log: info"])
        let errors = folder.folder.url.appending(path: "errors")
        _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
        let served = try ServedProcess(serving: [], in: folder.folder, errors: FileHandle(forWritingTo: errors))
        let customer = try #require(folder.customers.first)
        _ = try await folder.ask(.GET, served.url + "/v1/customers/\(customer)/features/pro?at=2026-01-01T00:00:00Z")
        let body = try folder.notification(by: customer, isNamed: false).body
        #expect(try await folder.ask(.POST, served.url + "/apple/notifications", body: body)?.status == 200)
        #expect(served.end(SIGTERM) == 0)
        let text = try String(contentsOf: errors, encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.contains("route=feature") }, "\(text)")
        #expect(line.contains("status=200") && line.contains("caller=all"), "\(line)")
        #expect(text.contains("parked until claimed"), "\(text)")
        #expect(!text.contains(customer) && !text.contains(folder.key))
    }

    @Test("With logTo: output, standard output has nothing but the log, whose first line names the address")
    func containerLog() async throws {
        let folder = try await CompanionFolder(serve: ["port: 0"])
        let process = Process()
        process.executableURL = Program.executable
        process.arguments = ["serve"]
        process.currentDirectoryURL = folder.folder.url
        process.environment = [
            "PATH": "/usr/bin:/bin", "STOREKEEPER_SERVE_LOG_TO": "output", "STOREKEEPER_SERVE_LOG_FORMAT": "json",
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
        var text = ""
        while !text.contains("http://127.0.0.1:"), let byte = try output.fileHandleForReading.read(upToCount: 1),
            !byte.isEmpty
        {
            text += String(decoding: byte, as: UTF8.self)
        }
        let port = try #require(try #/http://127\.0\.0\.1:$/#.firstMatch(in: text).map { _ in text })
        #expect(port.hasPrefix("{"))
        kill(process.processIdentifier, SIGTERM)
        let rest = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        for line in (text + String(decoding: rest, as: UTF8.self)).split(separator: "\n") {
            #expect((try? JSONReader().read(Array(line.utf8)).root.object) != nil, "\(line)")
        }
    }

    @Test("A health check asks the service that runs with the same settings")
    func health() async throws {
        let folder = try await CompanionFolder()
        let served = try ServedProcess(serving: [], in: folder.folder)
        let port = try #require(served.url.split(separator: ":").last.map(String.init))
        let variables = ["STOREKEEPER_SERVE_PORT": port]
        let ready = try Program.run(["serve", "--is-ready"], in: folder.folder, environment: variables)
        #expect(ready.status == 0 && ready.output == "ready\n", "\(ready.errors)")
        #expect(served.end(SIGTERM) == 0)
        let gone = try Program.run(["serve", "--is-ready"], in: folder.folder, environment: variables)
        #expect(gone.status == 69 && gone.errorLines.count == 1, "\(gone.errors)")
    }

    @Test("A start waits for its database as long as --patience says")
    func patience() async throws {
        let folder = try await CompanionFolder()
        let (port, start) = (try Guide.freePorts(1)[0], ContinuousClock.now)
        let result = try Program.run(
            ["serve", "--vault", "postgres://nobody@127.0.0.1:\(port)/none", "--patience", "2"], in: folder.folder)
        #expect(result.status == 69, "\(result.errors)")
        #expect(ContinuousClock.now - start >= .seconds(2))
        #expect(result.errors.contains("the start waits for the database"), "\(result.errors)")
    }

    @Test("Failures in the background are logged at the right level") func levels() {
        let levels: [(StoreReport.Problem, Logger.Level)] = [
            (.vaultFailed(VaultError(.full, "no room")), .error), (.unclaimed(1), .info),
            (.productsFailed(nil), .warning),
        ]
        for (problem, level) in levels {
            #expect(StoreReport(at: .day(0), problem).level == level)
        }
    }

    @Test(
        "A wrong setting is named, whatever its source",
        arguments: [
            (["--port", "70000"], [:], "", 64, "(--port)"),
            ([], ["STOREKEEPER_SERVE_PORT": "x"], "", 64, "(STOREKEEPER_SERVE_PORT)"),
            (["--port", "8099", "--health-port", "8099"], [:], "", 64, "(--health-port)"),
            ([], [:], "healthPort: 0", 64, "serve.healthPort"),
            ([], [:], "leaseLife: 2d", 64, "serve.leaseLife"), ([], [:], "log: loud", 64, "serve.log"),
            ([], ["STOREKEEPER_SERVE_LOG_TO": "file"], "", 64, "(STOREKEEPER_SERVE_LOG_TO)"),
            ([], ["STOREKEEPER_SERVE_HOST": "0.0.0.0"], "", 64, "--allow-remote"),
            ([], [:], "certificate: c.pem", 64, "serve.privateKey"), ([], [:], "colour: red", 65, "serve.colour"),
            (["--lease-key", "none.pem"], [:], "", 66, "none.pem"), ([], [:], "leaseKey: root.pem", 65, "root.pem"),
            (["--certificate", "root.pem", "--private-key", "root.pem"], [:], "", 65, "TLS"),
            (["scenario.yaml"], [:], "", 64, "scenario.yaml"), (["--keys", "none.keys"], [:], "", 66, "none.keys"),
            (["--new-key", "all", "--scope", "check"], [:], "", 64, "--new-key"),
            (["--new-key", "more", "--scope", "all"], [:], "", 64, "--scope"),
            (["--new-key", "more"], [:], "", 64, "--scope"),
            (["--app-store-server", "http://127.0.0.1:9"], [:], "", 64, "needs a key (--app-store-server)"),
            (["--app-store-server", "http://example.com"], [:], "", 64, "unencrypted"),
            (
                ["--app-store-server", "http://127.0.0.1:9", "--environment", "Production"], [:], "", 64,
                "only Apple's server is asked about Production"
            ),
        ] as [([String], [String: String], String, Int32, String)])
    func wrong(
        _ arguments: [String], _ environment: [String: String], _ line: String, _ status: Int32, _ part: String
    ) async throws {
        let folder = try await CompanionFolder(serve: ["port: 0"] + (line.isEmpty ? [] : [line]), isReady: line.isEmpty)
        if !line.isEmpty { try folder.folder.write("", to: "storekeeper.keys") }
        let result = try Program.run(["serve"] + arguments, in: folder.folder, environment: environment)
        #expect(result.status == status, "\(result.errors)")
        #expect(result.errorLines.count == 1 && result.errors.contains(part), "\(result.errors)")
        #expect(result.output.isEmpty)
    }

    @Test("An option overrides the environment, which overrides the file") func precedence() async throws {
        let folder = try await CompanionFolder(serve: ["port: 1", "leaseLife: 7m", "leaseKey: lease.pem"])
        let made = try Program.run(["serve", "--new-lease-key", "lease.pem"], in: folder.folder)
        #expect(made.status == 0, "\(made.errors)")
        let served = try ServedProcess(
            serving: ["--port", "0"], in: folder.folder,
            environment: ["STOREKEEPER_SERVE_PORT": "2", "STOREKEEPER_SERVE_LEASE_LIFE": "90s"])
        let asked = Instant(Date())
        let lease = try await folder.ask(.GET, served.url + "/v1/customers/anna/lease")
        let end = try #require(lease?.document?.object?["endsAt"]?.string.flatMap { Instant($0) })
        // The service issued the lease after `asked` and before now.
        #expect(end.milliseconds(since: asked) >= 60_000 && end.milliseconds(since: Instant(Date())) <= 90_000)
        #expect(served.end(SIGINT) == 0)
    }

    @Test(
        "With certificate and key the service uses TLS",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")))
    func encrypted() async throws {
        let folder = try await CompanionFolder(serve: ["port: 0", "certificate: c.pem", "privateKey: k.pem"])
        let made = try Program.run(
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "k.pem",
                "-out", "c.pem", "-subj", "/CN=localhost", "-days", "2", "-addext", "subjectAltName=DNS:localhost",
            ], in: folder.folder, as: "/usr/bin/openssl")
        try #require(made.status == 0, "\(made.errors)")
        let served = try ServedProcess(serving: [], in: folder.folder)
        #expect(served.url.hasPrefix("https://"))
        let port = try #require(URL(string: served.url)?.port)
        let shaken = try Program.run(
            ["s_client", "-connect", "127.0.0.1:\(port)", "-CAfile", "c.pem", "-verify_return_error", "-brief"],
            in: folder.folder, as: "/usr/bin/openssl")
        #expect(shaken.status == 0, "\(shaken.errors)")

        // The test's client trusts the service's certificate only if the certificate is passed as a root.
        let certificate = try String(contentsOf: folder.folder.url.appending(path: "c.pem"), encoding: .utf8)
        for (roots, status) in [([certificate], 200), ([], nil)] {
            let transport = try AsyncHTTPTransport(.init(additionalTrustRoots: roots))
            let request = TransportRequest(
                method: .get, url: "https://localhost:\(port)/health/live", fields: [], body: nil)
            let answer: Result<TransportResponse, TransportError>
            do throws(TransportError) { answer = .success(try await transport.send(request)) } catch {
                answer = .failure(error)
            }
            try await transport.close()
            switch (answer, status) {
            case (.success(let response), let status?): #expect(response.status == status)
            case (.failure(let error), nil): #expect(error.code == .tlsFailed && !error.mayHaveBeenSent, "\(error)")
            default: Issue.record("with \(roots.count) roots: \(answer)")
            }
        }
        #expect(throws: AppStoreServerError.self) { try AsyncHTTPTransport(.init(additionalTrustRoots: ["no PEM"])) }
        #expect(served.end(SIGTERM) == 0)
    }
}
