import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

/// Tests of `storekeeper fetch`, with a local App Store in another process.
@Suite(.system) struct FetchCommandTests {
    private static let catalog = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Configuration/Store.storekit").path

    private let folder: Folder
    private let served: ServedProcess
    private let key = ["--api-key", "key.p8", "--key-id", "KEY1", "--issuer-id", "issuer-1"]

    init() throws {
        folder = try Folder()
        served = try ServedProcess(
            [
                Self.catalog, "--new-api-key", "key.p8", "--key-id", "KEY1", "--issuer-id", "issuer-1", "--root-out",
                "root.pem",
            ], in: folder)
    }

    private func fetch(_ arguments: [String], key: [String]? = nil) throws -> Program.Result {
        try Program.run(
            [
                "fetch", "--server", served.url, "--environment", "Sandbox", "--root", "root.pem", "--bundle-id",
                "com.example.game", "--catalog", Self.catalog,
            ] + (key ?? self.key) + arguments, in: folder)
    }

    private func buy(_ product: String) async throws -> String {
        let outcome = try await served.step("buy \(product) by customer").object?["outcomes"]?.array.map(Array.init)?
            .first
        return try #require(outcome?.object?["transactionID"]?.string)
    }

    @Test("All signed items are printed as evidence for the other commands")
    func evidence() async throws {
        let id = try await buy("gold.monthly")
        try await served.step("advance 40 days")
        let fetched = try fetch(["--transaction", id, "--output", "anna.jws"])
        #expect(fetched.status == 0, "\(fetched.errors)")
        let checked = try Program.run(
            [
                "check", "gold.monthly", "anna.jws", "--root", "root.pem", "--environment", "Sandbox", "--bundle-id",
                "com.example.game", "--at", "2026-02-05", "--catalog", Self.catalog,
            ], in: folder)
        #expect(checked.status == 0, "\(checked.output)\(checked.errors)")
        let again = try fetch(["--transaction", id, "--output", "anna.jws"])
        #expect(again.status == 73 && again.errors.contains("name another file, or remove it first"), "\(again.errors)")
        let printed = try fetch(["--transaction", id])
        // Six items: the transactions of a free week and of two months, the transaction and the renewal info of the
        // status, and an app transaction.
        #expect(printed.outputLines.count == 6, "\(printed.output)")
        #expect(served.end(SIGTERM) == 0)
    }

    @Test("The order id of an invoice names the customer, and an unknown order is reported")
    func order() async throws {
        _ = try await buy("coins.100")
        _ = try await buy("coins.500")
        let fetched = try fetch(["--order", "MSIM000001"])
        #expect(fetched.status == 0 && fetched.outputLines.count == 3, "\(fetched.output)\(fetched.errors)")
        let stored = try fetch(["--order", "MSIM000000", "--customer", "anna", "--vault", "o.sqlite"])
        #expect(stored.status == 0, "\(stored.errors)")
        let unknown = try fetch(["--order", "MSIM00ZZZZ"])
        #expect(
            unknown.status == 1 && unknown.errors.contains("invoice") && unknown.output.isEmpty, "\(unknown.errors)")
        let twice = try fetch(["--order", "MSIM000001", "--transaction", "1"])
        #expect(twice.status == 64 && twice.errors.contains("--transaction and --order"), "\(twice.errors)")
        let other = try Customer([])
        let unverified = try Program.run(
            [
                "fetch", "--server", served.url, "--environment", "Sandbox", "--bundle-id", "com.example.game",
                "--root",
                other.folder.url.appending(path: "root.pem").path, "--order", "MSIM000001",
            ] + key, in: folder)
        #expect(unverified.status == 77 && unverified.errors.contains("MSIM000001"), "\(unverified.errors)")
        #expect(served.end(SIGTERM) == 0)
    }

    @Test("Items are fetched into a vault, and again with the vault's transaction")
    func vault() async throws {
        let id = try await buy("coins.100")
        let first = try fetch(["--transaction", id, "--customer", "anna", "--vault", "v.sqlite", "--format", "json"])
        #expect(first.status == 0, "\(first.errors)")
        _ = try await buy("coins.500")
        let second = try fetch(["--customer", "anna", "--vault", "v.sqlite", "--format", "json"])
        #expect(second.status == 0, "\(second.errors)")
        let ids = try Program.run(
            ["vault", "history", "--customer", "anna", "--vault", "v.sqlite", "--format", "json"], in: folder)
        #expect(ids.status == 0 && ids.output.contains(id), "\(ids.output)")
        let nobody = try fetch(["--customer", "bert", "--vault", "v.sqlite"])
        #expect(nobody.status == 1 && nobody.errors.contains("bert"), "\(nobody.errors)")
    }

    @Test("Without an app transaction everything else is fetched, and reconciling finds the refund")
    func noAppTransaction() async throws {
        let id = try await buy("remove.ads")
        let options = ["--customer", "anna", "--vault", "v.sqlite", "--format", "json"]
        #expect(try fetch(["--transaction", id] + options).status == 0)
        try await served.step("set errors App Transaction: unknown")
        try await served.step("refund remove.ads by customer")
        let fetched = try fetch(["--transaction", id])
        #expect(fetched.status == 0 && fetched.outputLines.count == 1, "\(fetched.errors)")
        #expect(fetched.errors.contains("4040019") || fetched.errors.contains("appTransactionDoesNotExist"))
        let reconciled = try Program.run(
            [
                "reconcile", "--server", served.url, "--environment", "Sandbox", "--root", "root.pem", "--bundle-id",
                "com.example.game", "--catalog", Self.catalog, "--vault", "v.sqlite",
            ] + key, in: folder)
        #expect(reconciled.status == 0, "\(reconciled.output)\(reconciled.errors)")
        #expect(reconciled.output.contains("answer: remove.ads entitled → lapsed"), "\(reconciled.output)")
        try await served.step("set errors App Transaction: no")
        #expect(try fetch(["--transaction", id]).outputLines.count == 2)
        #expect(served.end(SIGTERM) == 0)
    }

    @Test("A request uses the proxy of the environment, unless the host is excluded")
    func proxy() async throws {
        let id = try await buy("coins.100")
        let listener = try NotificationListener()
        defer { listener.stop() }
        func fetch(_ environment: [String: String]) throws -> Program.Result {
            try Program.run(
                [
                    "fetch", "--transaction", id, "--server", "https://api.example.test", "--environment", "Sandbox",
                    "--root", "root.pem", "--bundle-id", "com.example.game",
                ] + key, in: folder, environment: environment)
        }
        // The listener answers 200 to CONNECT, but does not answer the TLS handshake.
        let proxy = listener.url.replacing("/apple", with: "")
        let proxied = try fetch(["HTTPS_PROXY": proxy])
        #expect(proxied.status == 69 && !proxied.errors.contains("has no address"), "\(proxied.errors)")
        #expect(listener.connects.contains("api.example.test:443"), "\(listener.connects)")
        // A server on the same machine is reached without the proxy.
        let direct = try Program.run(
            [
                "fetch", "--transaction", id, "--server", served.url, "--environment", "Sandbox", "--root", "root.pem",
                "--bundle-id", "com.example.game",
            ] + key, in: folder, environment: ["HTTP_PROXY": "http://127.0.0.1:1", "HTTPS_PROXY": "http://127.0.0.1:1"])
        #expect(direct.status == 0, "\(direct.errors)")
    }

    @Test("With a wrong root nothing is stored, and each reason is reported")
    func wrongRoot() async throws {
        let id = try await buy("coins.100")
        let other = try Customer([])
        let result = try Program.run(
            [
                "fetch", "--server", served.url, "--environment", "Sandbox", "--root",
                other.folder.url.appending(path: "root.pem").path, "--bundle-id", "com.example.game", "--transaction",
                id,
                "--customer", "anna", "--vault", "w.sqlite", "--catalog", Self.catalog,
            ] + key, in: folder)
        #expect(result.status == 77, "\(result.output)\(result.errors)")
        #expect(result.errors.contains("untrustedChain") && !result.output.contains("parked"), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "w.sqlite").path))
        #expect(served.end(SIGTERM) == 0)
    }

    @Test("Whatever fails leaves no empty vault behind")
    func noEmptyVault() throws {
        let options = ["--customer", "anna", "--vault", "absent.sqlite"]
        let nameless = try fetch(options)
        #expect(nameless.status == 66 && nameless.errors.contains("--transaction ID"), "\(nameless.errors)")
        let unknown = try fetch(["--transaction", "2000000999999999"] + options)
        #expect(unknown.status == 1, "\(unknown.errors)")
        let refused = try fetch(
            ["--transaction", "2000000999999999"] + options,
            key: ["--api-key", "key.p8", "--key-id", "OTHER", "--issuer-id", "issuer-1"])
        #expect(refused.status == 77, "\(refused.errors)")
        for result in [nameless, unknown, refused] {
            #expect(result.errorLines.count == 1 && result.output.isEmpty, "\(result.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "absent.sqlite").path))
        #expect(served.end(SIGTERM) == 0)
    }

    @Test("Errors name the problem and the remedy")
    func failures() async throws {
        let id = try await buy("coins.100")
        let unknown = try fetch(["--transaction", "2000000999999999"])
        #expect(unknown.status == 1, "\(unknown.errors)")
        let nonsense = try fetch(["--transaction", "abc"])
        #expect(nonsense.status == 64, "\(nonsense.errors)")
        let refused = try fetch(
            ["--transaction", id], key: ["--api-key", "key.p8", "--key-id", "OTHER", "--issuer-id", "issuer-1"])
        #expect(refused.status == 77, "\(refused.errors)")
        let unchecked = try fetch(["--transaction", id, "--revocation", "hard"])
        #expect(unchecked.status == 64 && unchecked.errors.contains("--customer"), "\(unchecked.errors)")
        let production = try Program.run(
            [
                "fetch", "--transaction", "2000000999999999", "--server", served.url, "--root", "root.pem",
                "--bundle-id", "com.example.game",
            ] + key, in: folder)
        #expect(production.status == 1 && production.errors.contains("--environment Sandbox"), "\(production.errors)")
        let keyless = try fetch(["--transaction", id], key: [])
        #expect(keyless.status == 64 && keyless.errors.contains("--key-id"), "\(keyless.errors)")
        let nameless = try fetch([])
        #expect(nameless.status == 64, "\(nameless.errors)")
        try folder.write("no key", to: "bad.p8")
        let malformed = try fetch(
            ["--transaction", id], key: ["--api-key", "bad.p8", "--key-id", "K", "--issuer-id", "I"])
        #expect(malformed.status == 65 && !malformed.errors.contains("no key"), "\(malformed.errors)")
        #expect(served.end(SIGTERM) == 0)
        for result in [unknown, nonsense, refused, keyless, nameless, malformed] {
            #expect(result.errorLines.count == 1 && result.output.isEmpty, "\(result.errors)")
        }
    }
}
