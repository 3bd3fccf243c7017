import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Storekeeper
import StorekeeperTesting
import Testing

/// Tests of every command with the option `--revocation`, with the OCSP responder of a local App Store.
@Suite(.system) struct RevocationCommandTests {
    private static let catalog = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Configuration/Store.storekit").path

    private let folder: Folder
    private let served: ServedProcess

    init() throws {
        folder = try Folder()
        // The certificates contain the port of the responder, so the port is chosen before the store starts.
        var store: ServedProcess?
        for _ in 0..<20 where store == nil {
            store = try? ServedProcess(
                "local-app-store",
                serving: [
                    Self.catalog, "--port", "\(Int.random(in: 12_000...19_999))", "--ocsp",
                    "--new-api-key", "key.p8", "--key-id", "KEY1", "--issuer-id", "issuer-1", "--root-out", "root.pem",
                ], in: folder)
            if store == nil { try? FileManager.default.removeItem(at: folder.url.appending(path: "key.p8")) }
            if store == nil { try? FileManager.default.removeItem(at: folder.url.appending(path: "root.pem")) }
        }
        served = try #require(store)
    }

    private func run(_ command: String, _ arguments: [String]) throws -> Program.Result {
        try Program.run(
            [
                command, "--server", served.url, "--environment", "Sandbox", "--root", "root.pem", "--bundle-id",
                "com.example.game", "--catalog", Self.catalog, "--api-key", "key.p8", "--key-id", "KEY1", "--issuer-id",
                "issuer-1",
            ] + arguments, in: folder)
    }

    private func buy(_ product: String) async throws -> String {
        let outcome = try await served.step("buy \(product) by customer").object?["outcomes"]?.array.map(Array.init)?
            .first
        return try #require(outcome?.object?["transactionID"]?.string)
    }

    /// Sets the status that the responder reports for certificates.
    private func messages(_ verdict: String) async throws {
        let answer = try await Self.post(
            served.url + "/local/v1/certificates", JSONText.object(["leaf": .string(verdict)]).bytes())
        #expect(answer == 200)
    }

    private static func post(_ url: String, _ body: [UInt8]) async throws -> UInt {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.body = .bytes(body)
        return try await HTTPClient.shared.execute(request, timeout: .seconds(60)).status.code
    }

    @Test(
        "fetch takes in what its policy lets pass",
        arguments: [
            ("good", "off", true), ("good", "soft", true), ("good", "hard", true), ("revoked", "off", true),
            ("revoked", "soft", false), ("revoked", "hard", false), ("unknown", "soft", true),
            ("unknown", "hard", false), ("garbage", "soft", true), ("garbage", "hard", false),
        ])
    func fetch(_ verdict: String, _ policy: String, _ passes: Bool) async throws {
        let id = try await buy("remove.ads")
        try await messages(verdict)
        let fetched = try run(
            "fetch", ["--transaction", id, "--customer", "anna", "--vault", "v.sqlite", "--revocation", policy])
        let check = try Program.run(
            [
                "check", "remove.ads", "--vault", "v.sqlite", "--customer", "anna", "--catalog", Self.catalog,
                "--environment", "Sandbox",
            ], in: folder)
        #expect((check.status == 0) == passes, "\(check.output) \(fetched.output) \(fetched.errors)")
        // If the status is unknown and the policy permits this, the program reports it. A known status is not reported.
        let isReported = fetched.errors.contains("it is not known whether the leaf certificate was revoked")
        if policy == "off" || verdict == "good" { #expect(!isReported, "\(fetched.errors)") }
        if policy == "soft", verdict == "unknown" || verdict == "garbage" { #expect(isReported, "\(fetched.errors)") }
    }

    @Test("reconcile refuses a customer whose evidence is signed by a revoked certificate, and says why")
    func reconcile() async throws {
        let id = try await buy("remove.ads")
        #expect(try run("fetch", ["--transaction", id, "--customer", "anna", "--vault", "v.sqlite"]).status == 0)
        try await served.step("refund remove.ads by customer")
        for (verdict, policy, word) in [
            ("revoked", "soft", "certificateRevoked"), ("garbage", "hard", "revocationUnknown"),
        ] {
            try await messages(verdict)
            let refused = try run("reconcile", ["--vault", "v.sqlite", "--revocation", policy])
            #expect(refused.status == 1 && refused.output.contains(word), "\(refused.output)\(refused.errors)")
        }
        try await messages("good")
        let repaired = try run("reconcile", ["--vault", "v.sqlite", "--revocation", "hard"])
        #expect(
            repaired.status == 0 && repaired.output.contains("entitled → lapsed"),
            "\(repaired.output)\(repaired.errors)")
    }

    @Test(
        "serve takes notifications that its policy lets pass",
        arguments: [
            ("good", "hard", true), ("revoked", "off", true), ("revoked", "soft", false), ("revoked", "hard", false),
            ("unknown", "soft", true), ("unknown", "hard", false),
        ])
    func serve(_ verdict: String, _ policy: String, _ passes: Bool) async throws {
        _ = try await buy("remove.ads")
        try await messages(verdict)
        let list = try await served.get("/local/v1/notifications").object?["notifications"]?.array.map(Array.init)
        let payload = try #require(list?.first?.object?["signedPayload"]?.string)
        #expect(try Program.run(["vault", "init", "--vault", "c.sqlite"], in: folder).status == 0)
        #expect(try Program.run(["serve", "--new-key", "test", "--scope", "admin"], in: folder).status == 0)
        let companion = try ServedProcess(
            serving: [
                "--port", "0", "--vault", "c.sqlite", "--bundle-id", "com.example.game", "--environment", "Sandbox",
                "--root", "root.pem", "--catalog", Self.catalog, "--revocation", policy,
            ], in: folder)
        let status = try await Self.post(
            companion.url + "/apple/notifications",
            JSONText.object(["signedPayload": .string(payload)]).bytes())
        #expect((status == 200) == passes, "\(status)")
        #expect(companion.end(SIGTERM) == 0)
    }

    @Test("A word that is not a policy is refused, and the policies are named")
    func words() throws {
        for command in ["fetch", "reconcile", "serve"] {
            let result = try Program.run(
                [command, "--revocation", "maybe", "--root", "root.pem", "--bundle-id", "com.example.game"]
                    + (command == "fetch" ? ["--transaction", "1"] : []), in: folder)
            #expect(result.status == 64 && result.errors.contains("soft"), "\(command): \(result.errors)")
        }
    }
}
