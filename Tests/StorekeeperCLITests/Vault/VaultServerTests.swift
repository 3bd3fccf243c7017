import Foundation
import StorekeeperTesting
import Testing

/// Tests with servers that are unreachable, refuse connections, or are read-only, and tests that passwords are never
/// printed.
@Suite(.system, .timeLimit(.minutes(20))) struct VaultServerTests {
    private static let password = ServerDatabase.password
    private let workspace: VaultWorkspace

    init() throws { workspace = try VaultWorkspace(VaultWorkspace.coins) }

    private func run(_ arguments: [String], _ vault: String, environment: [String: String] = [:]) throws
        -> Program.Result
    {
        let result = try Program.run(
            arguments + ["--vault", vault], in: workspace.folder, environment: environment)
        #expect(!(result.output + result.errors).contains(Self.password), "\(arguments) \(result.errors)")
        #expect(result.errorLines.count <= 1, "\(result.errors)")
        return result
    }

    private static let commands =
        VaultDatabaseTests.everyCommand + [["vault", "init"], ["vault", "init", "--if-missing"]]

    @Test("An unreachable server ends with 69", arguments: commands)
    func unreachable(_ command: [String]) throws {
        let result = try run(command, "postgres://anna:\(Self.password)@127.0.0.1:1/game")
        #expect(result.status == 69)
        #expect(result.output == "")
        #expect(result.errors.hasPrefix("storekeeper: error: the database cannot be reached: "), "\(result.errors)")
        #expect(
            result.errors.hasSuffix(
                " (postgres://anna@127.0.0.1:1/game): check the address and the server\n"), "\(result.errors)")
    }

    @Test(
        "An unknown host or service ends with 69 or 64",
        arguments: [
            "postgres://anna:\(password)@no-such-host.invalid/game",
            "postgresql:///?service=no-such-service&password=\(password)",
        ])
    func nowhere(_ address: String) throws {
        let result = try run(["vault", "balance", "--customer", "anna"], address)
        #expect(result.status == 69 || result.status == 64)
    }

    static let malformed = [
        "postgres://anna:\(password)", "postgres://anna:\(password)/game", "postgres://anna:x/\(password)@host/game",
        "postgres://anna:x@\(password)@host/game", "postgres://anna:\(password)@host:port/game",
        "postgres://anna:\(password)%zz@host/game", "postgres://anna?password=\(password)@host/game",
        "postgres://host/game?password=%zz\(password)", "postgres://host/game?pasword=\(password)",
        "postgres://anna:\(password)@[::1/game", "postgresql://host/game?password",
        "postgres://x:\(password)?@y@host/game", "postgres://host:1,\(password):x/game",
    ]

    @Test("A malformed connection string is wrong usage, and is not quoted", arguments: malformed)
    func unreadable(_ address: String) throws {
        for command in [["vault", "init"], ["vault", "verify"], ["entitlements", "--customer", "anna"]] {
            let result = try run(command, address)
            #expect(result.status == 64, "\(result.errors)")
            #expect(result.errors.contains("(--vault): "), "\(result.errors)")
            #expect(!result.errors.contains(address))
        }
        let copied = try Program.run(["vault", "copy", "gone.sqlite", address], in: workspace.folder)
        #expect(copied.status == 64)
        #expect(copied.errors.contains("(TO): ") && !copied.errors.contains(Self.password), "\(copied.errors)")
    }

    @Test(
        "A text that is not a connection string is a path",
        arguments: ["postgres:game", "service=game", "POSTGRES://host/game", "./anna:secret@host", "anna@10:30"])
    func paths(_ name: String) throws {
        let result = try run(["vault", "balance", "--customer", "anna"], name)
        #expect(result.status == 66)
        #expect(
            result.errors
                == "storekeeper: error: there is no vault (\(name)): create one with 'storekeeper vault init'\n"
        )
    }

    static let mistyped = [
        "POSTGRES://anna:\(password)@host/game", " postgres://anna:\(password)@host/game",
        "'postgres://anna:\(password)@host/game'", "postgres:/anna:\(password)@host/game",
        "\"PostgreSQL:anna:\(password)@host", "mysql://anna:\(password)@host/game",
        "//anna:\(password)@host/game",
        "host=127.0.0.1 password=\(password)", "host=127.0.0.1 Password = \(password)",
    ]

    @Test("A mistyped connection string is wrong usage, and is not quoted", arguments: mistyped)
    func refusedPath(_ address: String) throws {
        let expected = "the vault looks like a connection string, but does not begin with postgres://"
        for command in [["vault", "init"], ["entitlements", "--customer", "anna"]] {
            let result = try run(command, address)
            #expect(result.status == 64)
            #expect(result.errors.hasPrefix("storekeeper: error: \(expected) (--vault): "), "\(result.errors)")
        }
        let quoted = address.replacingOccurrences(of: "\"", with: "\\\"")
        try workspace.folder.write("vault: \"\(quoted)\"\n", to: "vault.yaml")
        let path = workspace.folder.url.appendingPathComponent("vault.yaml").path
        let configured = try Program.run(["vault", "verify", "--config", path], in: workspace.folder)
        #expect(configured.status == 64 && !configured.errors.contains(Self.password), "\(configured.errors)")
    }

    // MARK: With a server

    @Test(
        "A missing database and a user without permission end with 69",
        .enabled(if: ServerDatabase.server != nil, "STOREKEEPER_POSTGRES is not set"))
    func refused() throws {
        let database = try ServerDatabase()
        for command in [["vault", "init"], ["vault", "verify"], ["vault", "balance", "--customer", "anna"]] {
            let result = try run(command, database.address + "_gone")
            #expect(result.status == 69)
            #expect(
                result.errors.hasPrefix("storekeeper: error: the database refuses the connection: "), "\(result.errors)"
            )
        }
        #expect(try run(["vault", "init"], database.address).status == 0)
        let user = "stranger_\(ProcessInfo.processInfo.processIdentifier)"
        try database.run("CREATE ROLE \(user) LOGIN")
        defer { try? database.run("DROP ROLE \(user)") }
        for command in [
            ["vault", "init", "--if-missing"], ["vault", "verify"], ["vault", "balance", "--customer", "anna"],
            ["vault", "spend", "--customer", "anna", "coins", "1", "--key", "k"],
        ] {
            let result = try run(command, database.address(as: user))
            #expect(result.status == 69, "\(command)")
            #expect(result.errors.contains("permission denied"), "\(result.errors)")
        }
    }

    @Test(
        "A read-only server is refused unless the address permits it; then it can be read only",
        .enabled(if: ServerDatabase.server != nil, "STOREKEEPER_POSTGRES is not set"))
    func readOnly() throws {
        let database = try ServerDatabase()
        #expect(try run(["vault", "init"], database.address).status == 0)
        try workspace.done("vault", "import", "--customer", "anna", "customer.jws", "--vault", database.address)
        let still = "options=-c%20default_transaction_read_only%3Don"
        for command in Self.commands {
            let result = try run(command, database.address(still))
            #expect(result.status == 69, "\(command)")
            #expect(result.errors.contains("the database is read-only"), "\(result.errors)")
        }
        let named = database.address("\(still)&target_session_attrs=any")
        #expect(try run(["vault", "balance", "--customer", "anna", "coins"], named).output == "400\n")
        for command in [
            ["vault", "history", "--customer", "anna"], ["vault", "verify"], ["vault", "export"], ["vault", "parked"],
            ["entitlements", "--customer", "anna", "--at", "2026-02-20"],
        ] {
            #expect(try run(command, named).status == 0, "\(command)")
        }
        for command in [
            ["vault", "spend", "--customer", "anna", "coins", "1", "--key", "k"],
            ["vault", "claim", "--customer", "bob", "--token", "7e3fb204-94ac-4c5c-ae9b-1f0c2bd2a7d4"],
            ["vault", "erase", "--customer", "anna", "--reason", "asked"],
        ] {
            let result = try run(command, named)
            #expect(result.status == 69, "\(command)")
            #expect(result.errors.contains("the database is read-only"), "\(result.errors)")
        }
        #expect(try run(["vault", "balance", "--customer", "anna", "coins"], database.address).output == "400\n")
    }

    @Test(
        "A role that may not read the erasure secret gets a note in the history that erasures are unknown",
        .enabled(if: ServerDatabase.server != nil, "STOREKEEPER_POSTGRES is not set"))
    func hiddenSecret() throws {
        let database = try ServerDatabase()
        #expect(try run(["vault", "init"], database.address).status == 0)
        try workspace.done("vault", "import", "--customer", "anna", "customer.jws", "--vault", database.address)
        let user = "reader_\(ProcessInfo.processInfo.processIdentifier)"
        try database.run("CREATE ROLE \(user) LOGIN")
        defer {
            try? database.run("DROP OWNED BY \(user)")
            try? database.run("DROP ROLE \(user)")
        }
        try database.run("GRANT USAGE ON SCHEMA storekeeper TO \(user)")
        try database.run("GRANT SELECT ON ALL TABLES IN SCHEMA storekeeper TO \(user)")
        try database.run("REVOKE SELECT ON storekeeper.erasure_secret FROM \(user)")
        let history = ["vault", "history", "--customer", "anna"]
        #expect(try run(history, database.address(as: user)).errors == "")
        #expect(try run(["vault", "erase", "--customer", "anna", "--reason", "asked"], database.address).status == 0)
        let blind = try run(history, database.address(as: user))
        #expect(blind.status == 0)
        #expect(
            blind.errors.contains("note: it is unknown whether this customer was erased"), "\(blind.errors)")
        #expect(try run(history, database.address).output.contains("asked"))
    }
}
