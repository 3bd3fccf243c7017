import Foundation
import Storekeeper
import Testing

/// `storekeeper doctor`, with a local App Store that is another process.
@Suite struct DoctorCommandTests {
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

    /// The findings by check.
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

    @Test("A set-up that is right is found right, to the test notification and back")
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

    @Test("What is wrong is found, and what hangs on it is not asked")
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
        let rootless = try Program.run(["doctor"], in: folder)
        #expect(rootless.status == 1 && rootless.outputLines.count == 2, "\(rootless.output)")
        #expect(rootless.output.contains("AppleRootCA") || rootless.output.contains("Apple Root CA"))
    }

    @Test("A vault that was changed by hand is found out")
    func tampered() async throws {
        let served = try serve()
        #expect(try Program.run(["vault", "init", "--vault", "v.sqlite"], in: folder).status == 0)
        try folder.write("not a vault at all", to: "v.sqlite")
        let (status, found) = try examine(served.url, ["--key-id", "KEY1", "--no-test-notification"])
        #expect(status == 1 && found["vault"] == "failure" && found["notifications"] == nil, "\(found)")
    }
}
