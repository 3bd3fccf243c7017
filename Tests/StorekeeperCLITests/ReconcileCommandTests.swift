import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

/// Tests of `storekeeper reconcile`, with a local App Store in another process.
@Suite(.system) struct ReconcileCommandTests {
    private static let catalog = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Configuration/Store.storekit").path

    private let folder: Folder
    private let served: ServedProcess
    private let people = (1...9).map { "customer-\($0)" }

    init() async throws {
        folder = try Folder()
        served = try ServedProcess(
            [
                Self.catalog, "--new-api-key", "key.p8", "--key-id", "KEY1", "--issuer-id", "issuer-1", "--root-out",
                "root.pem",
            ], in: folder)
        for person in people { try await served.step("new person \(person)") }
    }

    private var options: [String] {
        [
            "--server", served.url, "--environment", "Sandbox", "--root", "root.pem", "--bundle-id",
            "com.example.game", "--catalog", Self.catalog, "--vault", "v.sqlite", "--api-key", "key.p8", "--key-id",
            "KEY1", "--issuer-id", "issuer-1",
        ]
    }

    private func reconcile(_ arguments: [String] = []) throws -> Program.Result {
        try Program.run(["reconcile"] + options + arguments, in: folder)
    }

    /// Buys a product for each person, and imports the purchases into the vault.
    private func begin(_ people: [String]) async throws {
        for person in people {
            let outcome = try await served.step("buy coins.100 by \(person)").object?["outcomes"]?.array
                .map(Array.init)?.first
            let id = try #require(outcome?.object?["transactionID"]?.string)
            let fetched = try Program.run(
                ["fetch"] + options + ["--transaction", id, "--customer", person], in: folder)
            #expect(fetched.status == 0, "\(fetched.errors)")
        }
    }

    private func balances(of person: String) throws -> String {
        try Program.run(
            ["vault", "balance", "--customer", person, "--vault", "v.sqlite", "--format", "json"], in: folder
        )
        .output
    }

    @Test("A new user sees the differences, corrects them, and sees that both agree")
    func newcomer() async throws {
        try await begin(Array(people.prefix(2)))
        try await served.step("buy coins.500 by customer-1")
        try await served.step("refund coins.100 by customer-2")
        let dry = try reconcile(["--dry-run", "--claim"])
        #expect(dry.status == 1, "\(dry.errors)")
        #expect(dry.outputLines.first == "customer-1", "\(dry.output)")
        #expect(dry.outputLines.last == "Compared 2 customers: 2 differ, nothing was changed.", "\(dry.output)")
        let repaired = try reconcile(["--claim"])
        #expect(repaired.status == 0, "\(repaired.errors)")
        #expect(repaired.output.contains("balance: coins.500 +1"), "\(repaired.output)")
        #expect(repaired.output.contains("balance: coins.100 -1"), "\(repaired.output)")
        let agreed = try reconcile(["--claim", "--format", "json"])
        let document = try JSONReader().read(Array(agreed.output.utf8)).root.object
        #expect(agreed.status == 0 && document?["differing"]?.int64 == 0, "\(agreed.output)")
        let one = try reconcile(["--customer", "customer-1"])
        #expect(one.output == "Compared 1 customer: all agree.\n", "\(one.output)")
        #expect(served.end(SIGTERM) == 0)
    }

    @Test("Lost notifications are read from the App Store's history")
    func notifications() async throws {
        try await begin(["customer-1"])
        let state = try await served.get("/local/v1")
        let now = try #require(state.object?["now"]?.string)
        try await served.step("refund coins.100 by customer-1")
        let unknowable = try reconcile(["--since", now, "--dry-run"])
        #expect(unknowable.status == 64, "\(unknowable.errors)")
        let caughtUp = try reconcile(["--since", "1970-01-02"])
        #expect(caughtUp.status == 0, "\(caughtUp.errors)")
        #expect(caughtUp.output.contains("added now"), "\(caughtUp.output)")
    }

    @Test("A reconciliation killed at any moment continues, and loses and duplicates nothing")
    func kills() async throws {
        try await begin(people)
        for person in people { try await served.step("buy coins.500 by \(person)") }
        let program: URL = try #require(Program.executable)
        var random = SplitMix64(seed: UInt64.random(in: .min ... .max))
        for _ in 1...6 {
            let process = Process()
            process.executableURL = program
            process.arguments = ["reconcile"] + options + ["--claim"]
            process.currentDirectoryURL = folder.url
            process.environment = ["PATH": "/usr/bin:/bin"]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            try await Task.sleep(for: .milliseconds(20 + Int(random.next() % 200)))
            kill(process.processIdentifier, SIGKILL)
            process.waitForEnd()
        }
        let last = try reconcile(["--claim"])
        #expect(last.status == 0, "\(last.errors)")
        let expected = try balances(of: people[0])
        #expect(expected.contains("coins.500"), "\(expected)")
        for person in people {
            let found = try balances(of: person)
            #expect(found.replacing(person, with: people[0]) == expected, "\(person)")
        }
        let audit = try Program.run(["vault", "verify", "--vault", "v.sqlite", "--root", "root.pem"], in: folder)
        #expect(audit.status == 0, "\(audit.output)\(audit.errors)")
    }

    @Test("Errors name the problem and the remedy")
    func failures() async throws {
        try await begin(["customer-1"])
        #expect(served.end(SIGTERM) == 0)
        let unreachable = try reconcile()
        #expect(unreachable.status == 69, "\(unreachable.errors)")
        let nobody = try reconcile(["--customer", "nobody"])
        #expect(nobody.status == 1 && nobody.errors.contains("fetch --transaction"), "\(nobody.errors)")
        let vaultless = try reconcile(["--vault", "none.sqlite"])
        #expect(vaultless.status == 66, "\(vaultless.errors)")
        for result in [unreachable, nobody, vaultless] {
            #expect(result.errorLines.count == 1 && result.output.isEmpty, "\(result.errors)")
        }
    }
}
