import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

/// Tests of `storekeeper doctor`, with a local App Store in another process.
@Suite(.system) struct DoctorCommandTests {
    private static let catalog = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Configuration/Store.storekit").path

    private let folder: Folder

    init() throws { folder = try Folder() }

    private func serve(_ options: [String] = []) throws -> ServedProcess {
        try ServedProcess(
            [
                Self.catalog, "--new-api-key", "key.p8", "--key-id", "KEY1", "--issuer-id", "issuer-1", "--root-out",
                "root.pem",
            ] + options, in: folder)
    }

    /// Returns the findings of the command, by the name of the check.
    private func examine(_ url: String, _ options: [String] = []) throws -> (status: Int32, found: [String: String]) {
        let result = try Program.run(
            [
                "doctor", "--server", url, "--environment", "Sandbox", "--root", "root.pem", "--bundle-id",
                "com.example.game", "--catalog", Self.catalog, "--vault", "v.sqlite", "--format", "json", "--api-key",
                "key.p8", "--issuer-id", "issuer-1",
            ] + options, in: folder)
        #expect(result.errors.isEmpty, "\(result.errors)")
        let checks = try JSONReader().read(Array(result.output.utf8)).root.object?["checks"]?.array
        var found: [String: String] = [:]
        for check in try #require(checks) {
            let object = check.object
            found[try #require(object?["check"]?.string)] = object?["result"]?.string
            #expect((object?["remedy"] == nil) == (object?["result"]?.string == "ok"))
        }
        return (result.status, found)
    }

    @Test("A correct set-up passes, including the test notification")
    func healthy() async throws {
        let listener = try NotificationListener()
        defer { listener.stop() }
        let served = try serve(["--webhook", listener.url])
        #expect(try Program.run(["vault", "init", "--vault", "v.sqlite"], in: folder).status == 0)
        let (status, found) = try examine(served.url, ["--key-id", "KEY1"])
        #expect(status == 0, "\(found)")
        for check in ["app", "root", "key", "key file", "server", "clock", "token", "vault", "integrity", "catalog"] {
            #expect(found[check] == "ok", "\(check): \(found)")
        }
        #expect(found["notifications"] == "ok", "\(found)")
        #expect(served.end(SIGTERM) == 0)
    }

    @Test("Problems are found, and dependent checks are skipped")
    func broken() async throws {
        let served = try serve()
        let (status, found) = try examine(served.url, ["--key-id", "KEY2"])
        #expect(status == 1 && found["token"] == "failure" && found["notifications"] == nil, "\(found)")
        #expect(found["vault"] == "warning", "\(found)")
        let key = folder.url.appending(path: "key.p8").path
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
        let open = try examine(served.url, ["--key-id", "KEY1"])
        #expect(open.found["key file"] == "warning" && open.found["notifications"] == "warning", "\(open.found)")
        #expect(open.status == 0)
        #expect(served.end(SIGTERM) == 0)
        let gone = try examine(served.url, ["--key-id", "KEY1"])
        #expect(gone.status == 1 && gone.found["server"] == "failure" && gone.found["token"] == nil, "\(gone.found)")
        try folder.write("no key", to: "key.p8")
        let keyless = try examine(served.url, ["--key-id", "KEY1"])
        #expect(keyless.status == 1 && keyless.found["key"] == "failure", "\(keyless.found)")
    }

    @Test("Every check is made, even if one lacks its settings, and lines fit 80 columns")
    func missingSettings() throws {
        let bare = try Program.run(["doctor"], in: folder)
        #expect(bare.status == 1 && bare.output.contains("Apple Root CA"), "\(bare.output)")
        for check in ["app", "root", "key", "vault", "catalog"] {
            #expect(bare.outputLines.contains { $0.split(separator: " ").dropFirst().first == check[...] }, "\(check)")
        }
        #expect(bare.outputLines.allSatisfy { $0.count <= 80 }, "\(bare.output)")
        // The server is checked even if the root, the app, a readable key, the catalog and the vault are missing.
        let served = try serve()
        try folder.write("no key", to: "bad.p8")
        let result = try Program.run(
            [
                "doctor", "--server", served.url, "--environment", "Sandbox", "--api-key", "bad.p8", "--key-id",
                "KEY1", "--issuer-id", "issuer-1", "--root", "none.pem", "--catalog", "none.storekit", "--vault",
                "none.sqlite", "--format", "json",
            ], in: folder)
        let found = try findings(result)
        #expect(result.status == 1)
        for check in ["app", "root", "key", "catalog"] {
            #expect(found[check]?.result == "failure", "\(check): \(found)")
        }
        #expect(found["root"]?.finding.contains("none.pem") == true, "\(found)")
        #expect(found["catalog"]?.finding.contains("none.storekit") == true, "\(found)")
        for check in ["server", "clock", "key ids"] { #expect(found[check]?.result == "ok", "\(check): \(found)") }
        #expect(found["vault"]?.result == "warning" && found["token"] == nil, "\(found)")
        #expect(served.end(SIGTERM) == 0)
    }

    @Test("An unreadable catalog is reported, and the vault is still checked")
    func badCatalog() throws {
        #expect(try Program.run(["vault", "init", "--vault", "v.sqlite"], in: folder).status == 0)
        try folder.write("{", to: "bad.json")
        let result = try Program.run(
            ["doctor", "--catalog", "bad.json", "--vault", "v.sqlite", "--format", "json"], in: folder)
        let found = try findings(result)
        #expect(found["catalog"]?.result == "failure" && found["vault"]?.result == "ok", "\(found)")
    }

    @Test("A folder instead of a key or a vault is named, without advice about its mode")
    func folders() throws {
        for name in ["keys", "vaults"] {
            try FileManager.default.createDirectory(
                at: folder.url.appending(path: name), withIntermediateDirectories: false)
        }
        let result = try Program.run(
            [
                "doctor", "--api-key", "keys", "--key-id", "K", "--issuer-id", "I", "--server", "http://127.0.0.1:1",
                "--environment", "Sandbox", "--vault", "vaults", "--format", "json",
            ], in: folder)
        let found = try findings(result)
        for check in ["key", "key file", "vault file", "vault"] {
            #expect(found[check]?.result == "failure", "\(check): \(found)")
        }
        #expect(!result.output.contains("chmod"), "\(result.output)")
    }

    @Test("A key file whose name contains another id is reported")
    func keyName() throws {
        let served = try serve()
        let key = folder.url.appending(path: "key.p8").path
        try FileManager.default.copyItem(
            atPath: key, toPath: folder.url.appending(path: "AuthKey_2X9R4HXF34.p8").path)
        let (_, found) = try examine(
            served.url, ["--key-id", "KEY1", "--api-key", "AuthKey_2X9R4HXF34.p8", "--no-test-notification"])
        #expect(found["key name"] == "warning", "\(found)")
        #expect(served.end(SIGTERM) == 0)
    }

    @Test("An unreachable server is reported with the reason and the remedy")
    func reasons() throws {
        let served = try serve()
        let name = String(repeating: "x", count: 64)
        for (url, words, remedy) in [
            ("https://\(name).invalid", "has no address", "DNS"),
            (served.url.replacing("http://", with: "https://"), "does not answer with TLS", "http://"),
            ("http://127.0.0.1:1", "no connection", "a server listens there"),
        ] {
            let result = try Program.run(
                [
                    "doctor", "--server", url, "--environment", "Sandbox", "--root", "root.pem", "--bundle-id",
                    "com.example.game", "--format", "json",
                ], in: folder)
            let server = try findings(result)["server"]
            #expect(server?.result == "failure" && server?.finding.contains(words) == true, "\(result.output)")
            #expect(server?.remedy.contains(remedy) == true, "\(result.output)")
        }
        #expect(served.end(SIGTERM) == 0)
    }

    @Test(
        "A custom certificate is trusted with --ca and with SSL_CERT_FILE",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")))
    func certificates() async throws {
        let companion = try await CompanionFolder(serve: ["port: 0", "certificate: c.pem", "privateKey: k.pem"])
        let made = try Program.run(
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "k.pem",
                "-out", "c.pem", "-subj", "/CN=localhost", "-days", "2", "-addext", "subjectAltName=DNS:localhost",
            ], in: companion.folder, as: "/usr/bin/openssl")
        try #require(made.status == 0, "\(made.errors)")
        let served = try ServedProcess(serving: [], in: companion.folder)
        let port = try #require(URL(string: served.url)?.port)
        func server(
            _ options: [String], _ environment: [String: String] = [:], host: String = "localhost"
        ) throws -> (result: String, finding: String, remedy: String)? {
            let result = try Program.run(
                ["doctor", "--server", "https://\(host):\(port)", "--format", "json"] + options, in: companion.folder,
                environment: environment)
            return try findings(result)["server"]
        }
        #expect(try server([])?.finding.contains("not trusted") == true)
        #expect(try server(["--ca", "c.pem"])?.result == "ok")
        #expect(try server([], ["SSL_CERT_FILE": "c.pem"])?.result == "ok")
        #expect(try server(["--ca", "c.pem"], host: "127.0.0.1")?.finding.contains("for another host") == true)
        // `--ca` replaces the system's certificates, so that other certificates are not trusted.
        let system = "/etc/ssl/certs/ca-certificates.crt"
        if FileManager.default.fileExists(atPath: system) {
            #expect(try server([], ["SSL_CERT_FILE": system])?.result == "failure")
        }
        for (options, environment, status) in [
            (["--ca", "none.pem"], [:], Int32(66)), (["--ca", "root.pem"], [:], 0), (["--ca", "k.pem"], [:], 65),
            ([], ["SSL_CERT_FILE": "none.pem"], 66), ([], ["HTTPS_PROXY": "ftp://x"], 64),
        ] as [([String], [String: String], Int32)] where status != 0 {
            let result = try Program.run(
                [
                    "fetch", "--transaction", "1", "--server", served.url, "--key-id", "K", "--issuer-id", "I",
                ] + options, in: companion.folder,
                environment: environment.merging([
                    "APP_STORE_PRIVATE_KEY": String(
                        decoding: try Data(contentsOf: companion.folder.url.appending(path: "k.pem")), as: UTF8.self)
                ]) { own, _ in own })
            #expect(result.status == status && result.errorLines.count == 1, "\(options) \(result.errors)")
        }
        #expect(served.end(SIGTERM) == 0)
    }

    /// Returns the findings of a document, by check.
    private func findings(
        _ result: Program.Result
    ) throws -> [String: (result: String, finding: String, remedy: String)] {
        let checks = try JSONReader().read(Array(result.output.utf8)).root.object?["checks"]?.array
        var found: [String: (result: String, finding: String, remedy: String)] = [:]
        for check in try #require(checks, "\(result.errors)") {
            let object = check.object
            found[try #require(object?["check"]?.string)] = (
                object?["result"]?.string ?? "", object?["finding"]?.string ?? "", object?["remedy"]?.string ?? ""
            )
        }
        return found
    }

    @Test("A manipulated vault is detected")
    func tampered() async throws {
        let served = try serve()
        #expect(try Program.run(["vault", "init", "--vault", "v.sqlite"], in: folder).status == 0)
        try folder.write("not a vault at all", to: "v.sqlite")
        let (status, found) = try examine(served.url, ["--key-id", "KEY1", "--no-test-notification"])
        #expect(status == 1 && found["vault"] == "failure" && found["notifications"] == nil, "\(found)")
    }
}
