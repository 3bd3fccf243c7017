import Storekeeper
import StorekeeperJWS
import StorekeeperSQLite

/// `storekeeper reconcile` for many customers against a local App Store, both processes on this machine.
///
/// Each customer has a subscription that the vault knows; half have since bought coins that it does not know.
struct CatchUpCases {
    private let tool: String
    private let count: Int
    private let folder: TemporaryFolder
    private let served: StoreProcess

    /// Serves a number of customers, and creates a vault with their first purchases.
    init(tool: String, count: Int) async throws {
        self.tool = tool
        self.count = count
        folder = try TemporaryFolder()
        let catalog = try folder.write(Array(Self.catalog.utf8), to: "Products.json")
        let scenario = try folder.write(Array(Self.scenario(count, catalog: catalog).utf8), to: "customers.yaml")
        served = try StoreProcess(tool, scenario: scenario, in: folder)
        let vault = try SQLiteVault(path: folder.file("start.sqlite"), options: .init(creation: .new))
        try await fill(vault)
        try vault.close()
        for end in ["-wal", "-shm"] { folder.remove("start.sqlite" + end) }
    }

    func group() -> BenchmarkGroup {
        BenchmarkGroup(
            title:
                "storekeeper reconcile of \(FigureFormat.count(Double(count))) customers (per customer, time on the wall)",
            cases: [
                // The name of the case contains the number of requests per customer.
                .timed("half of them differ, three requests each", operations: count) {
                    try copyVault()
                    return try reconcile(differing: count / 2)
                },
                .timed("all agree, three requests each", operations: count) { try reconcile(differing: 0) },
            ],
            rounds: 3)
    }

    private func reconcile(differing: Int) throws -> Double {
        let process = try ChildProcess.run(
            tool,
            [
                "reconcile", "--claim", "--format", "json", "--vault", folder.file("vault.sqlite"), "--server",
                served.url, "--environment", "Sandbox", "--bundle-id", "com.example.game", "--root",
                folder.file("root.pem"), "--catalog", folder.file("Products.json"), "--api-key", folder.file("key.p8"),
                "--key-id", "K", "--issuer-id", "I",
            ], outputPath: folder.file("output"))
        guard process.exitStatus == 0, process.output.contains("\"compared\": \(count)"),
            process.output.contains("\"differing\": \(differing)")
        else { throw BenchmarkError("storekeeper reconcile did not do it: \(process.output.suffix(400))") }
        return process.wallSeconds
    }

    private func copyVault() throws {
        for end in ["", "-wal", "-shm"] { folder.remove("vault.sqlite" + end) }
        _ = try folder.write(try TemporaryFolder.read(folder.file("start.sqlite")), to: "vault.sqlite")
        for end in ["-wal", "-shm"] { _ = folder.file("vault.sqlite" + end) }
    }

    /// Presents each customer's first purchase, as the app did.
    private func fill(_ vault: SQLiteVault) async throws {
        let root = try TrustedRoot(derOrPEM: try TemporaryFolder.read(folder.file("root.pem")))
        let verifier = JWSVerifier(.init(roots: [root], bundleID: "com.example.game", environments: [.sandbox]))
        let texts = String(decoding: try TemporaryFolder.read(folder.file("evidence.jws")), as: UTF8.self)
            .split(separator: "\n").map(String.init)
        var plans: [Transaction.ID: String] = [:]
        var subscriptions: [(id: Transaction.ID, text: String)] = []
        for text in texts {
            switch verifier.verify(text) {
            case .transaction(.verified(let transaction)) where transaction.productID == "gold.monthly":
                subscriptions.append((transaction.originalID, text))
            case .renewalInfo(.verified(let info)): plans[info.originalTransactionID] = text
            default: break
            }
        }
        let firsts = subscriptions.map { [$0.text] + [plans[$0.id]].compactMap { $0 } }
        guard firsts.count == count else { throw BenchmarkError("\(firsts.count) of \(count) customers have bought") }
        try await withThrowingTaskGroup(of: Void.self) { [count] group in
            for writer in 0..<64 {
                group.addTask { [firsts] in
                    for number in stride(from: writer, to: count, by: 64) {
                        let store = try await Store.open(
                            customer: CustomerID(rawValue: "customer-\(number)"), vault: vault, verifier: verifier)
                        try await store.ingest(firsts[number], isComplete: true)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    // MARK: Served data

    private static let catalog = """
        {
          "products": [{ "id": "coins.100", "type": "consumable", "grants": { "coins": 100 } }],
          "subscriptions": [{ "group": "Membership", "products": [["gold.monthly"]] }]
        }
        """

    private static func scenario(_ count: Int, catalog: String) -> String {
        let people = (0..<count).map { "c\($0)" }.joined(separator: ", ")
        var text = """
            story: Very many customers
            app: com.example.game
            catalog: [\(catalog)]
            environment: Sandbox
            people: [\(people)]
            steps:

            """
        for number in 0..<count { text += "  - buy: gold.monthly\n    by: c\(number)\n" }
        for number in stride(from: 0, to: count, by: 2) { text += "  - buy: coins.100\n    by: c\(number)\n" }
        return text
    }

    /// A local App Store in another process, which ends with this object.
    private final class StoreProcess {
        let url: String
        private let process: String
        private let folder: TemporaryFolder

        init(_ tool: String, scenario: String, in folder: TemporaryFolder) throws {
            self.folder = folder
            let said = folder.file("served.json")
            for name in ["root.pem", "evidence.jws", "key.p8"] { _ = folder.file(name) }
            let started = try ChildProcess.run(
                "/bin/sh",
                [
                    "-c",
                    """
                    '\(tool)' local-app-store '\(scenario)' --port 0 --format json \
                      --root-out '\(folder.path)/root.pem' --evidence '\(folder.path)/evidence.jws' \
                      --new-api-key '\(folder.path)/key.p8' --key-id K --issuer-id I > '\(said)' 2>&1 &
                    echo $!
                    """,
                ], outputPath: folder.file("process"))
            process = started.output.filter(\.isNumber)
            // It plays the scenario before it listens.
            var url: String?
            for _ in 0..<6_000 {
                let text = String(decoding: (try? TemporaryFolder.read(said)) ?? [], as: UTF8.self)
                if let match = text.firstMatch(of: /"url":"([^"]+)"/) {
                    url = String(match.1)
                    break
                }
                guard !text.contains("error") else { throw BenchmarkError("storekeeper serve: \(text.prefix(400))") }
                _ = try ChildProcess.run("/bin/sleep", ["0.1"], outputPath: folder.file("process"))
            }
            guard let url else { throw BenchmarkError("storekeeper serve does not listen after ten minutes") }
            self.url = url
        }

        deinit { _ = try? ChildProcess.run("/bin/sh", ["-c", "kill \(process)"], outputPath: folder.file("process")) }
    }
}
