import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperPostgres

@Suite("The schema of a vault", .system, .enabled(if: TestDatabase.server != nil, "STOREKEEPER_POSTGRES is not set"))
struct SchemaTests {
    /// Returns the error of a vault that the work throws.
    private func error(_ work: () async throws -> Void) async -> VaultError? {
        do {
            try await work()
            return nil
        } catch {
            return error as? VaultError
        }
    }

    private func grant(_ number: Int) -> LedgerRequest {
        .grant(1, of: "coins", to: "anna", because: "x", key: "\(number)", at: .day(1))
    }

    @Test("Nodes that start at once make the schema once")
    func together() async throws {
        let database = try await TestDatabase.make()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<6 {
                group.addTask {
                    let vault = try await PostgresVault(database, options: .init(connections: 2))
                    defer { vault.close() }
                    _ = try await vault.move([self.grant(number)], policy: .debt)
                }
            }
            try await group.waitForAll()
        }
        let vault = try await PostgresVault(database, options: .init(connections: 2, makesSchema: false))
        defer { vault.close() }
        #expect(try await vault.balances(of: "anna").map(\.amount) == [6])
    }

    @Test("A missing, a newer and an older schema are reported with different errors")
    func versions() async throws {
        let database = try await TestDatabase.make()
        let asItIs = PostgresVault.Options(connections: 2, makesSchema: false)
        #expect(await error { _ = try await PostgresVault(database, options: asItIs) }?.code == .notFound)
        try await PostgresVault(database, options: .init(connections: 2)).close()
        try await PostgresVault(database, options: asItIs).close()
        // This release can also use a newer schema that only adds columns or tables.
        try await TestDatabase.run("UPDATE storekeeper.schema_version SET version = version + 1", in: database)
        try await PostgresVault(database, options: asItIs).close()
        try await PostgresVault(database, options: .init(connections: 2)).close()
        try await TestDatabase.run("UPDATE storekeeper.schema_version SET oldest = version", in: database)
        #expect(await error { _ = try await PostgresVault(database, options: asItIs) }?.code == .schemaTooNew)
        #expect(await error { _ = try await PostgresVault(database) }?.code == .schemaTooNew)
        try await TestDatabase.run("UPDATE storekeeper.schema_version SET version = 5, oldest = 5", in: database)
        for options in [asItIs, .init(connections: 2)] {
            let error = await error { _ = try await PostgresVault(database, options: options) }
            #expect(error?.code == .schemaTooOld && error?.message.contains("export") == true)
        }
        #expect(
            try await TestDatabase.text("SELECT version::text FROM storekeeper.schema_version", in: database) == "5")
    }

    @Test("A vault is not made in a database with another encoding than UTF-8", arguments: ["LATIN1", "SQL_ASCII"])
    func encodings(_ encoding: String) async throws {
        let server = try #require(TestDatabase.server)
        let name = "encoded_\(UUID().uuidString.prefix(8).lowercased())"
        try await TestDatabase.run(
            "CREATE DATABASE \(name) ENCODING '\(encoding)' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'", in: server)
        var address = try #require(URLComponents(string: server))
        address.path = "/" + name
        let database = try #require(address.string)
        let refusal = await error { _ = try await PostgresVault.makeSchema(in: database) }
        #expect(refusal?.code == .invalidRequest && refusal?.message.contains(encoding) == true, "\(refusal as Any)")
        #expect(
            try await TestDatabase.text("SELECT (to_regnamespace('storekeeper') IS NULL)::text", in: database) == "true"
        )
        try await TestDatabase.run("DROP DATABASE \(name) WITH (FORCE)", in: server)
    }

    @Test("A schema step that fails leaves nothing behind")
    func whole() async throws {
        let database = try await TestDatabase.make()
        // An existing table makes a later statement fail.
        try await TestDatabase.run("CREATE SCHEMA storekeeper", in: database)
        try await TestDatabase.run("CREATE TABLE storekeeper.erasure(id integer)", in: database)
        #expect(await error { _ = try await PostgresVault(database) } != nil)
        try await TestDatabase.run("DROP TABLE storekeeper.erasure", in: database)
        let vault = try await PostgresVault(database, options: .init(connections: 2))
        defer { vault.close() }
        _ = try await vault.move([grant(1)], policy: .debt)
        #expect(try await vault.checkIntegrity().faults == [])
    }

    @Test(
        "A vault reports the durability of its server's settings",
        arguments: [
            ("", PostgresVault.Durability.memory), ("off", .memory), ("local", .disk), ("on", .disk),
        ])
    func durability(_ commit: String, _ expected: PostgresVault.Durability) async throws {
        let database = try await TestDatabase.make()
        try await PostgresVault(database, options: .init(connections: 2)).close()
        if !commit.isEmpty {
            let name = try #require(URLComponents(string: database)?.path.dropFirst())
            try await TestDatabase.run("ALTER DATABASE \(name) SET synchronous_commit = \(commit)", in: database)
        }
        let vault = try await PostgresVault(database, options: .init(connections: 2))
        defer { vault.close() }
        // If the server of the tests does not sync its disk, the durability is `memory`.
        let syncs = try await TestDatabase.text("SELECT current_setting('fsync')", in: database) == "on"
        if commit.isEmpty {
            #expect(vault.durability == (syncs ? .disk : .memory))
        } else {
            #expect(vault.durability == (syncs ? expected : .memory))
        }
    }

    // MARK: Roles

    /// Returns the SQL statements of the article.
    private func statements() throws -> String {
        try FleetArticle.blocks(of: "sql").joined(separator: "\n")
    }

    @Test("The service role can use a vault but not change tables; the reader role can read all but the erasure secret")
    func roles() async throws {
        let database = try await TestDatabase.make()
        let tag = "t\(UUID().uuidString.prefix(8).lowercased())"
        var address = try #require(URLComponents(string: database))
        // The owner makes the tables; another role, such as the administrator of the server, runs the statements.
        try await TestDatabase.run("CREATE ROLE \(tag)_owner LOGIN", in: database)
        try await TestDatabase.run(
            "GRANT CREATE ON DATABASE \(address.path.dropFirst()) TO \(tag)_owner", in: database)
        address.user = "\(tag)_owner"
        let owner = try #require(address.string)
        try await PostgresVault(owner, options: .init(connections: 2)).close()
        for statement in try statements().split(separator: ";") {
            let sql = statement.replacing("storekeeper_service", with: "\(tag)_service")
                .replacing("storekeeper_reader", with: "\(tag)_reader")
                .replacing("FOR ROLE owner", with: "FOR ROLE \(tag)_owner")
            let words = sql.trimmingCharacters(in: .whitespacesAndNewlines)
            if !words.isEmpty { try await TestDatabase.run(words, in: database) }
        }
        // A later release adds a table.
        try await TestDatabase.run("CREATE TABLE storekeeper.later(id integer)", in: owner)
        address.user = "\(tag)_service"
        try await TestDatabase.run("INSERT INTO storekeeper.later VALUES(1)", in: try #require(address.string))
        let options = PostgresVault.Options(connections: 2, makesSchema: false)
        let service = try await PostgresVault(try #require(address.string), options: options)
        defer { service.close() }
        for number in 1...3 { _ = try await service.move([grant(number)], policy: .debt) }
        _ = try await service.erase("anna", reason: "asked", at: .day(2))
        _ = try await service.move([grant(4)], policy: .debt)
        #expect(try await service.checkIntegrity().faults == [])
        for statement in ["DROP TABLE storekeeper.ledger", "CREATE TABLE storekeeper.mine(id integer)"] {
            await #expect(throws: PostgresFailure.self) {
                try await TestDatabase.run(statement, in: try #require(address.string))
            }
        }

        address.user = "\(tag)_reader"
        let reader = try await PostgresVault(try #require(address.string), options: options)
        defer { reader.close() }
        #expect(try await reader.balances(of: "anna").map(\.amount) == [1])
        #expect(try await reader.checkIntegrity().faults == [])
        let refusal = await error { _ = try await reader.move([grant(5)], policy: .debt) }
        #expect(refusal?.code == .io && refusal?.description.contains("role") == true)
        await #expect(throws: PostgresFailure.self) {
            try await TestDatabase.run("SELECT * FROM storekeeper.erasure_secret", in: try #require(address.string))
        }
    }
}
