import Foundation
import Storekeeper
import StorekeeperJWS
import StorekeeperTesting
import Testing

@testable import StorekeeperCLI

/// Tests of `storekeeper local-app-store` in a process of its own, and of its alias `storekeeper serve
/// --local-app-store`.
@Suite(.system) struct ServeCommandTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let catalog = root.appending(path: "Configuration/Store.storekit").path

    private static func ids(_ value: JSONValue, _ list: String, _ name: String) throws -> [String] {
        try #require(value.object?[list]?.array).compactMap { $0.object?[name]?.string }
    }

    @Test("After a kill and restart all answered events exist, signed by the same authority")
    func killed() async throws {
        let folder = try Folder()
        var bought: [String] = []
        var root: String?
        let state = folder.url.appending(path: "state.yaml").path
        for round in 1...4 {
            // An older version has made the file with the permissions of ordinary files.
            if round > 1 { try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: state) }
            let served = try ServedProcess(
                (round == 1 ? [Self.catalog] : []) + ["--state", "state.yaml", "--root-out", "root.pem"], in: folder)
            let pem = try String(contentsOf: folder.url.appending(path: "root.pem"), encoding: .utf8)
            #expect(root == nil || root == pem)
            root = pem
            #expect(try Self.ids(try await served.get("/local/v1/transactions"), "transactions", "id") == bought)
            for step in [
                "buy coins.100 by customer", "advance 3 days", "buy gold.monthly by customer", "advance 40 days",
            ] {
                try await served.step(step)
            }
            bought = try Self.ids(try await served.get("/local/v1/transactions"), "transactions", "id")
            let before = try await served.get("/local/v1/happenings")
            #expect(served.end(round.isMultiple(of: 2) ? SIGTERM : SIGKILL) == (round.isMultiple(of: 2) ? 0 : SIGKILL))
            let again = try ServedProcess(["--state", "state.yaml"], in: folder)
            let after = try await again.get("/local/v1/happenings")
            #expect(try Self.ids(before, "happenings", "what") == Self.ids(after, "happenings", "what"))
            #expect(try Self.ids(before, "happenings", "at") == Self.ids(after, "happenings", "at"))
            _ = again.end(SIGKILL)
        }
        #expect(bought.count > 8)
        for path in [state, state + ".keys"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(path)")
        }
        // The state is an ordinary scenario.
        try FileManager.default.removeItem(at: folder.url.appending(path: "state.yaml.keys"))
        let played = try Program.run(["simulate", "state.yaml"], in: folder)
        #expect(played.status == 0, "\(played.errors)")
    }

    @Test("Claims of seats and the reviews of retention messages outlive a kill, in an ordinary scenario")
    func seatsAndMessages() async throws {
        let folder = try Folder()
        let first = try ServedProcess([Self.catalog, "--state", "state.yaml"], in: folder)
        let claim = "11111111-1111-4111-8111-111111111111"
        for step in [
            "buy gold.monthly by customer", "seats gold.monthly by customer number 2",
            "claim seat gold.monthly by customer claim \(claim)",
        ] {
            try await first.step(step)
        }
        try await first.post("/local/v1/messaging", ["review": .string("REJECTED")])
        #expect(first.end(SIGKILL) == SIGKILL)
        let second = try ServedProcess(["--state", "state.yaml"], in: folder)
        #expect(try await second.get("/local/v1/messaging").object?["review"]?.string == "REJECTED")
        // The release succeeds only if the store has loaded the claim from its state.
        try await second.step("release seat gold.monthly by customer claim \(claim)")
        #expect(second.end(SIGTERM) == 0)
        let played = try Program.run(["simulate", "state.yaml"], in: folder)
        #expect(played.status == 0, "\(played.errors)")
    }

    @Test("A line that a kill cut off is skipped, and the following lines are intact")
    func cutLine() async throws {
        let folder = try Folder()
        let first = try ServedProcess([Self.catalog, "--state", "state.yaml"], in: folder)
        try await first.step("buy coins.100 by customer")
        _ = first.end(SIGKILL)
        let file = folder.url.appending(path: "state.yaml")
        let text = try String(contentsOf: file, encoding: .utf8)
        try Data((text + "  - buy: coins.1").utf8).write(to: file)
        let second = try ServedProcess(["--state", "state.yaml"], in: folder)
        try await second.step("buy coins.500 by customer")
        _ = second.end(SIGKILL)
        let third = try ServedProcess(["--state", "state.yaml"], in: folder)
        let products = try Self.ids(try await third.get("/local/v1/transactions"), "transactions", "productID")
        #expect(products == ["coins.100", "coins.500"])
        #expect(third.end(SIGINT) == 0)
    }

    @Test("A story is run first; the engine accepts its evidence with its root")
    func story() async throws {
        let folder = try Folder()
        let scenario = Self.root.appending(path: "Configuration/scenarios/grace.yaml").path
        let served = try ServedProcess([scenario, "--evidence", "signed.jws", "--root-out", "root.pem"], in: folder)
        #expect(served.end(SIGTERM) == 0)
        let answer = try Program.run(
            [
                "entitlements", "signed.jws", "--root", "root.pem", "--environment", "Sandbox", "--bundle-id",
                "com.example.game", "--format", "json",
            ], in: folder)
        #expect(answer.status == 0, "\(answer.errors)")
        #expect(answer.output.contains("silver.monthly"))
    }

    @Test("A root whose name ends in .cer is DER, and a story begins now with --start now")
    func startAndRoot() async throws {
        let folder = try Folder()
        let before = Date.now
        let served = try ServedProcess(
            [Self.catalog, "--start", "now", "--root-out", "root.cer", "--state", "state.yaml"],
            in: folder)
        let now = try #require(try await served.get("/local/v1").object?["now"]?.string.flatMap { Instant($0) })
        #expect(abs(now.milliseconds(since: Instant(before))) < 600_000)
        try await served.step("buy coins.100 by customer")
        #expect(served.end(SIGTERM) == 0)
        let root = try Data(contentsOf: folder.url.appending(path: "root.cer"))
        #expect(root.first == 0x30)
        #expect(throws: Never.self) { try TrustedRoot(der: Array(root)) }
        // For a stored story, the start in its file counts, and not `--start`.
        let again = try ServedProcess(["--start", "2027-01-01", "--state", "state.yaml"], in: folder)
        let later = try #require(try await again.get("/local/v1").object?["now"]?.string.flatMap { Instant($0) })
        #expect(later.milliseconds(since: now) < 86_400_000 && later >= now)
        #expect(again.end(SIGTERM) == 0)
        let usage = try Program.run(["local-app-store", "--start", "soon", Self.catalog], in: folder)
        #expect(usage.status == 64 && usage.errors.contains("--start"))
    }

    @Test("A journal of a jump with many notifications is read as one jump")
    func joined() {
        let text = """
            steps:
              - buy: gold.monthly
                by: anna
              - advance to: 2026-02-01T00:00:00.000Z
            # sent 3 1769904000000 SUCCESS
              - advance to: 2026-03-01T00:00:00.000Z
            # sent 4 1772323200000 SUCCESS
              - advance to: 2026-04-01T00:00:00.000Z
              - advance to: 2026-05-01T00:00:00.000Z
              - buy: coins.100

            """
        let joined = LocalStateFile.joined(text)
        #expect(!joined.contains("# sent") && !joined.contains("2026-02-01") && !joined.contains("2026-03-01"))
        #expect(joined.contains("2026-04-01") && joined.contains("2026-05-01") && joined.hasSuffix("coins.100\n"))
    }

    @Test("A store that begins with catalogs has a story that names them")
    func catalogStory() throws {
        let folder = try Folder()
        let catalogs = [Self.catalog, Self.root.appending(path: "Configuration/Products.json").path]
        let served = try ServedProcess(catalogs + ["--state", "state.yaml"], in: folder)
        let text = try String(contentsOf: folder.url.appending(path: "state.yaml"), encoding: .utf8)
        #expect(text.contains("An App Store with Store.storekit, Products.json"), "\(text.prefix(200))")
        #expect(served.end(SIGTERM) == 0)
    }

    @Test("The error of a malformed catalog names the catalog")
    func malformedCatalog() throws {
        let folder = try Folder()
        try folder.write("rubbish\n", to: "anna.jws")
        let result = try Tool.run(["local-app-store", "anna.jws"], in: folder)
        #expect(
            result.errors
                == "storekeeper: error: not JSON: expected a value (anna.jws, line 1, column 1): correct the JSON "
                + "there\n")
        #expect(result.status == 65 && result.output.isEmpty)
    }

    @Test("Both spellings serve the same store and announce it the same way")
    func spellings() throws {
        let announcements = try [("local-app-store", []), ("serve", ["--local-app-store"])].map { command, flags in
            let options = ["--port", "0", "--new-api-key", "key.p8", "--key-id", "K", "--issuer-id", "I"]
            let served = try ServedProcess(command, serving: flags + options + [Self.catalog], in: Folder())
            #expect(served.end(SIGTERM) == 0)
            return served.announcement.replacing(served.url, with: "URL")
        }
        #expect(announcements[0] == announcements[1] && announcements[0].contains(#""keyID":"K""#), "\(announcements)")
    }

    @Test(
        "Wrong usage names the problem and the remedy before the store is served, in both spellings",
        arguments: [
            (["nothing.yaml"], 66, "nothing.yaml"), ([], 64, "add a catalog"),
            ([catalog, "--port", "70000"], 64, "--port"),
            ([catalog, "--host", "0.0.0.0"], 64, "--allow-remote"),
            ([catalog, "--rate-limit", "0"], 64, "--rate-limit"),
            ([catalog, "--webhook", "ftp://x"], 64, "--webhook"),
            ([catalog, "--webhook-retries"], 64, "--webhook URL"),
            ([catalog, "--ocsp", "--port", "0"], 64, "--ocsp"), ([catalog, "--key-id", "K"], 64, "--api-key"),
            ([catalog, "--api-key", "k.p8"], 64, "--key-id"),
            ([catalog, "--api-key", "k.p8", "--key-id", "K"], 66, "k.p8"),
        ] as [([String], Int32, String)])
    func usage(_ arguments: [String], _ status: Int32, _ part: String) throws {
        let folder = try Folder()
        let result = try Tool.run(["local-app-store"] + arguments, in: folder)
        #expect(result.status == status, "\(result.errors)")
        #expect(result.errorLines.count == 1 && result.errors.contains(part), "\(result.errors)")
        #expect(result.output.isEmpty)
        let flagged = try Tool.run(["serve", "--local-app-store"] + arguments, in: folder)
        #expect((flagged.status, flagged.output, flagged.errors) == (result.status, result.output, result.errors))
    }

    @Test(
        "Each service refuses the options of the other",
        arguments: [
            (
                ["serve", "--local-app-store", "--vault", "v.sqlite", catalog], 64,
                "--vault is an option of the companion"
            ),
            (
                ["serve", "--local-app-store", "--lease-life", "1m", catalog], 64,
                "--lease-life is an option of the companion"
            ),
            (["local-app-store", "--vault", "v.sqlite", catalog], 64, "'--vault'"), (["serve"], 66, "--new-key"),
            (["local-app-store", "--keys", "k", catalog], 64, "'--keys'"),
        ] as [([String], Int32, String)])
    func otherOptions(_ arguments: [String], _ status: Int32, _ part: String) throws {
        let result = try Tool.run(arguments, in: Folder())
        #expect(result.status == status && result.errors.contains(part), "\(result.errors)")
    }
}
