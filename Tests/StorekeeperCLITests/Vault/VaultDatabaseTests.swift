import Foundation
import StorekeeperTesting
import Testing

/// Tests that the vault commands do and print the same with a PostgreSQL database as with a file.
@Suite(
    .system, .enabled(if: ServerDatabase.server != nil, "STOREKEEPER_POSTGRES is not set"), .timeLimit(.minutes(20)))
struct VaultDatabaseTests {
    private let workspace: VaultWorkspace
    private let database: ServerDatabase

    init() throws {
        workspace = try VaultWorkspace(Customer.upgrades, [Customer.upgraderInfo])
        database = try ServerDatabase()
        try workspace.write(VaultWorkspace.coins, to: "coins.jws")
    }

    private func run(_ arguments: [String], _ vault: String? = nil) throws -> Program.Result {
        let result = try Program.run(arguments + ["--vault", vault ?? database.address], in: workspace.folder)
        #expect(!(result.output + result.errors).contains(ServerDatabase.password), "\(arguments)")
        return result
    }

    @Test("init makes the schema once, and prints the address without the password")
    func initialising() throws {
        let made = try run(["vault", "init", "--format", "json"])
        #expect(made.status == 0, "\(made.errors)")
        #expect(try made.object()["vault"] as? String == database.name)
        #expect(try made.object()["schema"] as? Int == 7)
        let again = try run(["vault", "init"])
        #expect(again.status == 73)
        #expect(
            again.errors
                == "storekeeper: error: the database already contains a vault (\(database.name)): name another database, or "
                + "use this vault as it is\n")
        let good = try run(["vault", "init", "--if-missing"])
        #expect(good.status == 0)
        #expect(good.output == "The vault \(database.name) is ready (schema 7).\n")
    }

    @Test("If several commands make the vault at once, one succeeds")
    func manyMakers() async throws {
        let (folder, address) = (workspace.folder, database.address)
        let statuses = try await withThrowingTaskGroup(of: Int32.self) { group in
            for _ in 0..<6 {
                group.addTask { try Program.run(["vault", "init", "--vault", address], in: folder).status }
            }
            return try await group.reduce(into: [Int32]()) { $0.append($1) }
        }
        #expect(statuses.sorted() == [0, 73, 73, 73, 73, 73])
    }

    static let everyCommand: [[String]] = [
        ["vault", "import", "--customer", "anna", "customer.jws"], ["vault", "balance", "--customer", "anna"],
        ["vault", "spend", "--customer", "anna", "coins", "1", "--key", "k"],
        ["vault", "grant", "--customer", "anna", "coins", "1", "--key", "k", "--reason", "r"],
        ["vault", "history", "--customer", "anna"], ["vault", "verify"], ["vault", "parked"], ["vault", "export"],
        ["vault", "claim", "--customer", "anna", "--original-transaction", "3000"],
        ["vault", "erase", "--customer", "anna", "--reason", "r"], ["entitlements", "--customer", "anna"],
        ["check", "gold.monthly", "--customer", "anna"], ["explain", "gold.monthly", "--customer", "anna"],
        ["timeline", "--customer", "anna"],
    ]

    @Test("A database without a vault is refused, and the error says how to make one", arguments: everyCommand)
    func noVault(_ command: [String]) throws {
        let result = try run(command)
        #expect(result.status == 65)
        #expect(result.output == "")
        #expect(
            result.errorLines.last
                == "storekeeper: error: the database contains no vault (\(database.name)): check the address, or create one "
                + "with 'storekeeper vault init'")
    }

    @Test("A vault with a newer schema is refused")
    func newer() throws {
        #expect(try run(["vault", "init"]).status == 0)
        try database.run("UPDATE storekeeper.schema_version SET version = 99, oldest = 99")
        for command in Self.everyCommand + [["vault", "init", "--if-missing"]] {
            let result = try run(command)
            #expect(result.status == 65, "\(command)")
            #expect(
                result.errorLines.last
                    == "storekeeper: error: a newer storekeeper wrote the vault (\(database.name)): update storekeeper",
                "\(command)")
        }
    }

    @Test("A vault from before the first release is refused, and the error says how to keep its content")
    func older() throws {
        #expect(try run(["vault", "init"]).status == 0)
        try database.run("UPDATE storekeeper.schema_version SET version = 5, oldest = 5")
        for command in Self.everyCommand + [["vault", "init", "--if-missing"]] {
            let result = try run(command)
            #expect(result.status == 65, "\(command)")
            #expect(
                result.errorLines.last
                    == "storekeeper: error: an older storekeeper wrote the vault (\(database.name)): export it with the "
                    + "revision that wrote it, and import the export into a new vault", "\(command)")
        }
    }

    /// Commands about two customers, with their exit statuses.
    static let story: [(words: String, status: Int32)] = [
        ("vault import --customer anna customer.jws", 0), ("vault import --customer anna customer.jws", 0),
        ("vault import --customer bob coins.jws --format json", 1),
        ("vault balance --customer anna", 0), ("vault balance --customer anna coins --format json", 0),
        ("vault balance --customer nobody coins", 0), ("vault spend --customer anna coins 120 --key order-1", 0),
        ("vault spend --customer anna coins 120 --key order-1 --format json", 0),
        ("vault spend --customer anna coins 119 --key order-1", 64),
        ("vault spend --customer anna coins 9000 --key order-2", 1),
        ("vault grant --customer anna gems 7 --key g --reason lost-match", 0),
        ("vault history --customer anna", 0), ("vault history --customer anna --format json", 0),
        ("vault history --customer nobody", 0), ("vault parked", 0), ("vault parked --format json", 0),
        ("vault claim --customer anna --token 7e3fb204-94ac-4c5c-ae9b-1f0c2bd2a7d4", 0),
        ("vault claim --customer bob --token 7e3fb204-94ac-4c5c-ae9b-1f0c2bd2a7d4 --format json", 1),
        ("vault claim --customer bob --original-transaction 3000", 1),
        ("vault claim --customer bob --original-transaction 99", 64),
        ("vault claim --customer bob --original-transaction 99 --force", 0),
        ("entitlements --customer anna --at 2026-02-20", 0),
        ("entitlements --customer anna --at 2026-02-20 --format json", 0),
        ("entitlements --customer anna --at 2026-02-20 --as-known-at 2026-01-01", 0),
        ("check gold.monthly --customer anna --at 2026-02-20", 0),
        ("check --feature pro --customer bob --at 2026-02-20", 1), ("check gold.monthly --customer nobody", 3),
        ("explain gold.monthly --customer anna --at 2026-02-20", 0),
        ("timeline --customer anna --at 2026-02-20 --format json", 0),
        ("vault export --customer anna", 0), ("vault export --customer nobody", 1), ("vault export", 0),
        ("vault erase --customer nobody --reason asked", 1),
        ("vault erase --customer bob --reason asked", 0), ("vault history --customer bob", 0),
        ("vault export --customer bob", 1), ("vault balance --customer bob", 0),
    ]

    @Test("Each command of a long story prints the same with a database as with a file")
    func story() throws {
        try workspace.done("vault", "init")
        #expect(try run(["vault", "init"]).status == 0)
        for (words, status) in Self.story {
            let arguments = words.split(separator: " ").map(String.init)
            let (kept, found) = (try run(arguments, "game.sqlite"), try run(arguments))
            #expect(found.status == status, "\(words): \(found.errors)")
            #expect(kept.status == status, "\(words): \(kept.errors)")
            // Feed places, erasure proofs and times differ between vaults.
            func comparable(_ text: String) -> String {
                text.replacing(/"sequence": [0-9]+/, with: "").replacing(/Proof: [0-9a-f]+/, with: "")
                    .replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/, with: "TIME")
            }
            #expect(comparable(found.output) == comparable(kept.output), "\(words)")
            #expect(comparable(found.errors) == comparable(kept.errors), "\(words)")
        }
        let proof = try run(["vault", "verify", "--format", "json"])
        #expect(proof.status == 0, "\(proof.output)")
        let head = try #require(proof.object()["head"] as? String)
        let kept = try run(["vault", "verify", "--format", "json"], "game.sqlite")
        for key in ["signatures", "sums", "bindings"] {
            #expect(try proof.object()[key] as? Int == kept.object()[key] as? Int, "\(key)")
        }
        #expect(try run(["vault", "verify", "--contains", head]).status == 0)
        #expect(try run(["vault", "verify", "--contains", String(repeating: "0", count: 63) + "1"]).status == 1)
    }

    @Test("verify detects a changed row")
    func tampering() throws {
        #expect(try run(["vault", "init"]).status == 0)
        #expect(try run(["vault", "import", "--customer", "anna", "customer.jws"]).status == 0)
        try database.run("UPDATE storekeeper.ledger SET change = change + 1 WHERE number = 1")
        let result = try run(["vault", "verify", "--format", "json"])
        #expect(result.status == 1)
        #expect(try #require(result.object()["faults"] as? [Any]).count > 0)
    }

    @Test("An import of an export gives the same vault in a database as in a file")
    func archive() throws {
        try workspace.take()
        try workspace.done("vault", "spend", "--customer", "anna", "coins", "120", "--key", "order-1")
        _ = try workspace.run("vault", "import", "--customer", "bob", "coins.jws")
        let export = try workspace.done("vault", "export").output
        try workspace.folder.write(export, to: "export.jsonl")
        #expect(try run(["vault", "init"]).status == 0)
        try workspace.done("vault", "import", "export.jsonl", "--vault", "copy.sqlite")
        let taken = try run(["vault", "import", "export.jsonl"])
        #expect(taken.status == 0, "\(taken.errors)")
        for words in [
            "vault export", "vault balance --customer anna", "vault history --customer anna", "vault parked",
            "entitlements --customer anna --at 2026-02-20 --format json", "explain gold.monthly --customer anna",
            "vault spend --customer anna coins 120 --key order-1", "vault spend --customer anna coins 1 --key order-2",
        ] {
            let arguments = words.split(separator: " ").map(String.init)
            let (kept, found) = (try run(arguments, "copy.sqlite"), try run(arguments))
            // The two commands run at different milliseconds.
            #expect(found.timeless == kept.timeless, "\(words)")
        }
        let audits = try ["copy.sqlite", database.address].map {
            try run(["vault", "verify", "--format", "json"], $0).object()
        }
        for key in ["signatures", "sums", "bindings"] {
            #expect(audits[0][key] as? Int == audits[1][key] as? Int, "\(key)")
        }
        #expect(audits.allSatisfy { ($0["faults"] as? [Any])?.isEmpty == true })
        let again = try run(["vault", "import", "export.jsonl", "--format", "json"])
        #expect(try again.object()["new"] as? Int == 0)
    }

    @Test("Eight concurrent spenders never overdraw")
    func concurrentSpenders() async throws {
        #expect(try run(["vault", "init"]).status == 0)
        #expect(try run(["vault", "import", "--customer", "bob", "coins.jws"]).status == 0)
        let (folder, address) = (workspace.folder, database.address)
        let statuses = try await withThrowingTaskGroup(of: Int32.self) { group in
            for spender in 0..<8 {
                group.addTask {
                    try Program.run(
                        [
                            "vault", "spend", "--customer", "bob", "coins", "90", "--key", "s\(spender)", "--vault",
                            address,
                        ],
                        in: folder
                    ).status
                }
            }
            return try await group.reduce(into: [Int32]()) { $0.append($1) }
        }
        #expect(statuses.sorted() == [0, 0, 0, 0, 1, 1, 1, 1])
        #expect(try run(["vault", "balance", "--customer", "bob", "coins"]).output == "40\n")
        #expect(try run(["vault", "verify"]).status == 0)
    }

    @Test("storekeeper.yaml in any folder may name a database as its vault")
    func configuration() throws {
        try workspace.folder.write(
            "root: ../root.pem\nvault: \(database.address)\ncatalogs: [../catalog.json]\n", to: "conf/other.yaml")
        for words in [
            "vault init", "vault import --customer bob coins.jws", "vault balance --customer bob coins",
            "entitlements --customer bob",
        ] {
            let result = try Program.run(
                words.split(separator: " ").map(String.init) + ["--config", "conf/other.yaml"], in: workspace.folder)
            #expect(result.status == 0, "\(words): \(result.errors)")
            #expect(!(result.output + result.errors).contains(ServerDatabase.password))
        }
    }

    @Test("backup refuses a database, and names pg_dump and vault copy")
    func backup() throws {
        #expect(try run(["vault", "init"]).status == 0)
        let result = try run(["vault", "backup", "copy.sqlite"])
        #expect(result.status == 64)
        #expect(result.output == "")
        #expect(result.errors.contains("pg_dump") && result.errors.contains("vault copy"))
        #expect(result.errorLines.count == 1)
        #expect(!VaultDatabaseTests.exists("copy.sqlite", in: workspace))
    }

    private static func exists(_ name: String, in workspace: VaultWorkspace) -> Bool {
        FileManager.default.fileExists(atPath: workspace.folder.url.appendingPathComponent(name).path)
    }

    @Test("simulate stores its result in a database without a vault")
    func simulation() throws {
        let repository = try #require(try ExampleStory.all().first).repository
        let scenario = repository.appending(path: "Configuration/scenarios/grace.yaml").path
        let played = try run(["simulate", scenario])
        #expect(played.status == 0, "\(played.errors)")
        let exported = try run(["vault", "export"])
        #expect(exported.outputLines.count > 3)
        let again = try run(["simulate", scenario])
        #expect(again.status == 73)
        #expect(again.errors.contains("the database already contains a vault"))
    }
}
