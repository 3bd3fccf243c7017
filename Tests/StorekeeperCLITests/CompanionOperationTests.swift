import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Storekeeper
import StorekeeperAppStore
import StorekeeperCompanion
import StorekeeperTesting
import Testing

@testable import StorekeeperCLI

/// Tests of the companion service from the operator's view.
@Suite(.system) struct CompanionOperationTests {
    /// A service with a readable log.
    private struct MonitoredService {
        let folder: CompanionFolder
        let served: ServedProcess
        private let errors: URL

        init(
            _ folder: CompanionFolder, _ arguments: [String] = [], environment: [String: String] = [:]
        ) throws {
            self.folder = folder
            errors = folder.folder.url.appending(path: "errors")
            _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
            served = try ServedProcess(
                serving: arguments, in: folder.folder, environment: environment,
                errors: FileHandle(forWritingTo: errors))
        }

        var log: String { get throws { try String(contentsOf: errors, encoding: .utf8) } }

        func waits(for what: String, _ holds: () async throws -> Bool) async throws {
            let end = ContinuousClock.now + .seconds(60)
            while try await !holds() {
                let log = try log
                try #require(ContinuousClock.now < end, "did not happen: \(what); the log: \(log)")
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    @Test("A notification of another app is refused, and the log contains the reason and the remedy")
    func refusedNotification() async throws {
        let folder = try await CompanionFolder()
        let file = folder.folder.url.appending(path: "storekeeper.yaml")
        let text = try String(contentsOf: file, encoding: .utf8)
        try folder.folder.write(
            text.replacing("bundleID: com.example.game", with: "bundleID: com.example.other"), to: "storekeeper.yaml")
        let watched = try MonitoredService(folder)
        let customer = try #require(folder.customers.first)
        let posted = try #require(
            try await folder.ask(
                .POST, watched.served.url + "/apple/notifications", body: try folder.notification(by: customer).body))
        #expect(posted.status == 400 && posted.text.contains(#""cause":"bundleMismatch""#), "\(posted.text)")
        let metrics = try #require(try await folder.ask(.GET, watched.served.url + "/metrics")).text
        #expect(
            metrics.contains(#"storekeeper_notifications_total{outcome="refused",code="bundleMismatch"} 1"#),
            "\(metrics)")
        for gauge in [
            "storekeeper_streams 0", "storekeeper_vault_writes_waiting 0", "storekeeper_vault_parked 0",
            "storekeeper_vault_ready 1", "storekeeper_vault_latency_seconds ", "storekeeper_stores ",
            "storekeeper_build_info{version=", "process_resident_memory_bytes ", "process_open_fds ",
            #"storekeeper_vault_write_failures_total{code="full"} 0"#,
            #"storekeeper_notifications_total{outcome="accepted",code=""} 0"#,
            #"storekeeper_requests_limited_total{by="key"} 0"#,
        ] { #expect(metrics.contains(gauge), "\(gauge)") }
        for code in VerificationError.Code.all {
            #expect(
                metrics.contains(#"storekeeper_notifications_total{outcome="refused",code="\#(code)"}"#), "\(code)")
        }
        #expect(!metrics.contains("storekeeper_notification_last_valid"))
        #expect(watched.served.end(SIGTERM) == 0)
        let line = try #require(
            try watched.log.split(separator: "\n").first { $0.contains("notification was refused") })
        for part in [
            "warning", "code=bundleMismatch", "environment=Sandbox", "bundleID=com.example.game",
            "type=ONE_TIME_CHARGE",
            "'bundleID' in storekeeper.yaml",
        ] { #expect(line.contains(part), "\(part): \(line)") }
        #expect(try !watched.log.contains(customer))
    }

    @Test("Each line of a JSON log is an object with the id of its request")
    func jsonLog() async throws {
        let watched = try MonitoredService(
            try await CompanionFolder(serve: ["port: 0", "log: info", "logFormat: json"]))
        var request = HTTPClientRequest(url: watched.served.url + "/health/live")
        request.headers.add(name: "x-request-id", value: "probe-17")
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        #expect(response.headers.first(name: "x-request-id") == "probe-17")
        #expect(watched.served.end(SIGTERM) == 0)
        let lines = try watched.log.split(separator: "\n")
        let objects = try lines.map { try JSONReader().read(Array($0.utf8)).root.object }
        #expect(!objects.isEmpty && objects.allSatisfy { $0?["level"]?.string != nil && $0?["at"]?.string != nil })
        let line = objects.first { $0?["route"]?.string == "live" }
        #expect(line??["request"]?.string == "probe-17" && line??["status"]?.string == "200", "\(lines)")
    }

    @Test("Changed keys are loaded while the service runs, and an invalid file has no effect")
    func reloadedKeys() async throws {
        let watched = try MonitoredService(try await CompanionFolder())
        let (folder, url) = (watched.folder, watched.served.url + "/v1/customers/anna/balances")
        let made = try Program.run(["serve", "--new-key", "late", "--scope", "check"], in: folder.folder)
        let key = try #require(made.outputLines.first)
        try await watched.waits(for: "the new key counts") { try await folder.ask(.GET, url, key: key)?.status == 200 }
        let file = folder.folder.url.appending(path: "storekeeper.keys")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        try #require(lines.count == 2)
        // If two lines have the same hash, the scope of the key is ambiguous, so the file is refused.
        let twin = lines[1].replacing("late check", with: "twin admin")
        try folder.folder.write((lines + [twin]).joined(separator: "\n") + "\n", to: "storekeeper.keys")
        try await watched.waits(for: "the fault is logged") { try watched.log.contains("'late' and 'twin'") }
        #expect(try await folder.ask(.GET, url, key: key)?.status == 200)
        try folder.folder.write(lines[0] + "\n", to: "storekeeper.keys")
        #expect(kill(watched.served.process.processIdentifier, SIGHUP) == 0)
        try await watched.waits(for: "the removed key is refused") {
            try await folder.ask(.GET, url, key: key)?.status == 401
        }
        #expect(try await folder.ask(.GET, url)?.status == 200)
        // A missing file leaves the keys in use; an empty file in its place removes all keys.
        try FileManager.default.removeItem(at: file)
        try await watched.waits(for: "the missing file is logged") { try watched.log.contains("there is no file") }
        #expect(try await folder.ask(.GET, url)?.status == 200)
        try folder.folder.write("", to: "storekeeper.keys")
        try await watched.waits(for: "no key is accepted") { try await folder.ask(.GET, url)?.status == 401 }
        #expect(watched.served.end(SIGTERM) == 0)
    }

    @Test("A key is made with a rate and an expiry, and the file contains both")
    func madeKeys() async throws {
        let folder = try await CompanionFolder()
        func make(_ arguments: [String]) throws -> Program.Result {
            try Program.run(["serve", "--new-key"] + arguments, in: folder.folder)
        }
        let made = try make(
            ["slow", "--scope", "claim", "--rate", "2.5", "--expires", "2099-01-01T00:00:00Z"])
        #expect(made.status == 0, "\(made.errors)")
        let file = folder.folder.url.appending(path: "storekeeper.keys")
        let line = try #require(try String(contentsOf: file, encoding: .utf8).split(separator: "\n").last)
        #expect(line.hasPrefix("slow claim ") && line.hasSuffix(" 2.5 until=2099-01-01T00:00:00.000Z"), "\(line)")
        let key = try #require(try KeyFile(path: file.path).keys().last)
        #expect(key.rate == 2.5 && key.expiresAt == Instant("2099-01-01T00:00:00Z"))
        for (arguments, part) in [
            (["x", "--scope", "check", "--rate", "0"], "--rate"),
            (["x", "--scope", "check", "--expires", "2001-01-01T00:00:00Z"], "--expires"),
            (["x", "--scope", "check", "--expires", "soon"], "--expires"),
        ] {
            let result = try make(arguments)
            #expect(result.status == 64 && result.errors.contains(part), "\(result.errors)")
        }
        let alone = try Program.run(["serve", "--rate", "5"], in: folder.folder)
        #expect(alone.status == 64 && alone.errors.contains("--new-key"), "\(alone.errors)")
        for line in [
            "a check \(key.sha256) soon", "a check \(key.sha256) 1 2", "a check", "a check \(key.sha256) until=x",
        ] {
            try folder.folder.write(line + "\n", to: "wrong.keys")
            let wrong = try Program.run(["serve", "--keys", "wrong.keys"], in: folder.folder)
            #expect(wrong.status == 65 && wrong.errors.contains("wrong.keys:1"), "\(wrong.errors)")
        }
        try folder.folder.write("a check \(key.sha256)\nb admin \(key.sha256)\n", to: "twins.keys")
        let twins = try Program.run(["serve", "--keys", "twins.keys"], in: folder.folder)
        #expect(twins.status == 65 && twins.errors.contains("same hash"), "\(twins.errors)")
    }

    @Test("Keys that are made at the same time keep each other's lines, and have different names")
    func concurrentKeys() async throws {
        let folder = try Folder()
        let path = folder.url.appending(path: "storekeeper.keys").path
        var isLocked = false
        _ = try KeyFile(path: path).add("first", scope: "check", rate: nil, until: nil) { _ in
            let descriptor = open(folder.url.path, O_RDONLY)
            defer { close(descriptor) }
            isLocked = flock(descriptor, LOCK_EX | LOCK_NB) != 0
            return true
        }
        #expect(isLocked, "another process could have added a key")
        // Each name is used twice. Each third key cannot be shown, so that its line is removed.
        let added = await withTaskGroup(of: String?.self) { group in
            for number in 0..<24 {
                group.addTask {
                    let name = "key\(number / 2)"
                    let isAdded = try? KeyFile(path: path).add(name, scope: "check", rate: nil, until: nil) { _ in
                        number % 3 != 0
                    }
                    return isAdded == true ? name : nil
                }
            }
            var names: [String] = []
            for await name in group { if let name { names.append(name) } }
            return names
        }
        #expect(added.sorted() == (0..<12).map { "key\($0)" }.sorted())
        #expect(try KeyFile(path: path).keys().map(\.caller.name).sorted() == (added + ["first"]).sorted())
    }

    @Test(
        "A root and a server that only the working folder's file names are in the log", arguments: [true, false])
    func foundSettings(isFound: Bool) async throws {
        let folder = try await CompanionFolder(serve: ["port: 0", "appStoreServer: http://127.0.0.1:9"])
        // A key of leases has the format of a key of App Store Connect.
        let made = try Program.run(["serve", "--new-lease-key", "key.p8"], in: folder.folder)
        try #require(made.status == 0, "\(made.errors)")
        var environment = [
            "APP_STORE_PRIVATE_KEY_FILE": "key.p8", "APP_STORE_KEY_ID": "KEY1", "APP_STORE_ISSUER_ID": "issuer",
        ]
        if !isFound { environment["STOREKEEPER_CONFIG"] = "storekeeper.yaml" }
        let watched = try MonitoredService(folder, environment: environment)
        #expect(watched.served.end(SIGTERM) == 0)
        let log = try watched.log
        for part in ["root.pem is named by", "http://127.0.0.1:9 is named by"] {
            #expect(log.contains(part) == isFound, "\(log)")
        }
    }

    @Test("The service refuses a key of App Store Connect that is given twice or cannot be read")
    func appStoreKey() async throws {
        let folder = try await CompanionFolder(serve: ["port: 0"])
        for (variables, status, words) in SettingsSourcesTests.wrongKeys {
            let result = try Program.run(["serve"], in: folder.folder, environment: variables)
            #expect(result.status == status && result.errors.contains(words), "\(result.errors)")
        }
    }

    @Test("A secret that others can read is named when the service starts") func openSecrets() async throws {
        let folder = try await CompanionFolder()
        let file = folder.folder.url.appending(path: "storekeeper.keys").path
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        let watched = try MonitoredService(folder)
        #expect(watched.served.end(SIGTERM) == 0)
        let warnings = try watched.log.split(separator: "\n").filter { $0.contains("chmod 600") }
        #expect(warnings.count == 1 && warnings.first?.contains("storekeeper.keys") == true, "\(warnings)")
    }

    @Test("A vault that was replaced while it is served makes the service not ready") func replaced() async throws {
        let watched = try MonitoredService(try await CompanionFolder())
        let url = watched.served.url + "/health/ready"
        #expect(try await watched.folder.ask(.GET, url)?.status == 200)
        let vault = watched.folder.folder.url.appending(path: "customers.sqlite")
        let aside = watched.folder.folder.url.appending(path: "aside.sqlite")
        try FileManager.default.moveItem(at: vault, to: aside)
        #expect(try await watched.folder.ask(.GET, url)?.text.contains("is missing") == true)
        try FileManager.default.copyItem(at: aside, to: vault)
        let answer = try #require(try await watched.folder.ask(.GET, url))
        #expect(answer.status == 503 && answer.text.contains("was replaced"), "\(answer.text)")
        try FileManager.default.removeItem(at: vault)
        try FileManager.default.moveItem(at: aside, to: vault)
        #expect(try await watched.folder.ask(.GET, url)?.status == 200)
        #expect(watched.served.end(SIGTERM) == 0)
    }

    @Test(
        "TLS is 1.2 or newer, and changed certificates are loaded while the service runs",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")))
    func certificates() async throws {
        let folder = try await CompanionFolder(serve: ["port: 0", "certificate: c.pem", "privateKey: k.pem"])
        func make(_ name: String) throws {
            let made = try Program.run(
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                    "k.pem",
                    "-out", "c.pem", "-subj", "/CN=\(name)", "-days", "2",
                ], in: folder.folder, as: "/usr/bin/openssl")
            try #require(made.status == 0, "\(made.errors)")
        }
        try make("the-first")
        let watched = try MonitoredService(folder)
        let port = try #require(URL(string: watched.served.url)?.port)
        func shake(_ options: [String]) throws -> Program.Result {
            try Program.run(
                ["s_client", "-connect", "127.0.0.1:\(port)"] + options, in: folder.folder, as: "/usr/bin/openssl")
        }
        for (version, isTaken) in [("-tls1_1", false), ("-tls1_2", true), ("-tls1_3", true)] {
            let shaken = try shake([version, "-cipher", "DEFAULT:@SECLEVEL=0"])
            #expect((shaken.status == 0) == isTaken, "\(version): \(shaken.errors)")
        }
        let first = try shake([]).output
        #expect(first.contains("the-first"), "\(first)")
        try make("the-second")
        try await watched.waits(for: "the new certificate is shown") { try shake([]).output.contains("the-second") }
        // An invalid file has no effect.
        try folder.folder.write("no certificate", to: "c.pem")
        try await watched.waits(for: "the fault is logged") {
            try watched.log.contains("the previous certificates stay in use")
        }
        #expect(try shake([]).output.contains("the-second"))
        #expect(watched.served.end(SIGTERM) == 0)
    }

    @Test(
        "TLS 1.2 is used only with forward secrecy, and browsers are told to use TLS",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")))
    func forwardSecrecy() async throws {
        let folder = try await CompanionFolder(
            serve: ["port: 0", "host: 0.0.0.0", "allowRemote: true", "certificate: c.pem", "privateKey: k.pem"])
        let made = try Program.run(
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "k.pem", "-out", "c.pem", "-subj",
                "/CN=localhost", "-days", "2",
            ], in: folder.folder, as: "/usr/bin/openssl")
        try #require(made.status == 0, "\(made.errors)")
        let watched = try MonitoredService(folder)
        let port = try #require(URL(string: watched.served.url)?.port)
        for (cipher, isTaken) in [
            ("AES128-GCM-SHA256", false), ("AES256-SHA", false), ("ECDHE-RSA-AES128-SHA", false),
            ("ECDHE-RSA-AES128-GCM-SHA256", true), ("ECDHE-RSA-CHACHA20-POLY1305", true),
        ] {
            let shaken = try Program.run(
                ["s_client", "-connect", "127.0.0.1:\(port)", "-tls1_2", "-cipher", "\(cipher):@SECLEVEL=0"],
                in: folder.folder, as: "/usr/bin/openssl")
            #expect((shaken.status == 0) == isTaken, "\(cipher): \(shaken.errors)")
        }
        var configuration = AsyncHTTPTransport.Configuration()
        configuration.trustsAnyCertificate = true
        let transport = try AsyncHTTPTransport(configuration)
        let answer = try await transport.send(
            TransportRequest(method: .get, url: "https://127.0.0.1:\(port)/health/live", fields: [], body: nil))
        try await transport.close()
        #expect(answer.value(of: "strict-transport-security") == "max-age=31536000")
        #expect(watched.served.end(SIGTERM) == 0)
    }

    @Test("The port for health and metrics answers the probe") func healthPort() async throws {
        let port = try Guide.freePorts(1)[0]
        let folder = try await CompanionFolder(serve: ["port: 0", "healthPort: \(port)"])
        let watched = try MonitoredService(folder)
        let url = "http://127.0.0.1:\(port)"
        try await watched.waits(for: "health is served") {
            try await folder.ask(.GET, url + "/health/live")?.status == 200
        }
        #expect(try await folder.ask(.GET, url + "/v1/products")?.status == 404)
        let ready = try Program.run(["serve", "--is-ready"], in: folder.folder)
        #expect(ready.status == 0 && ready.output == "ready\n", "\(ready.errors)")
        #expect(watched.served.end(SIGTERM) == 0)
    }
}
