import Foundation
import StorekeeperTesting
import Testing

/// Tests of wrong usage of vault commands: the program prints one line on standard error and nothing on standard
/// output, and exits with the documented status.
@Suite(.system) struct VaultUsageTests {
    private let workspace: VaultWorkspace

    init() throws {
        workspace = try VaultWorkspace(VaultWorkspace.coins)
        try workspace.folder.write("no database", to: "text.txt")
        try workspace.folder.write("{\"signedTransactions\":[]}", to: "none.json")
        try workspace.folder.write("rubbish\n", to: "rubbish.jws")
        try workspace.folder.write("policy: { refunds: never }\n", to: "refunds.yaml")
        try workspace.folder.write(workspace.customer.evidence.tampered() + "\n", to: "tampered.jws")
        try workspace.take()
    }

    private static let missing =
        "there is no vault (gone.sqlite): create one with 'storekeeper vault init'"
    private static let noVault =
        "the file is not a vault (text.txt): check the path, or create one with 'storekeeper vault init'"

    private static func noQuantity(_ text: String, _ command: String) -> String {
        "The value '\(text)' is invalid for '<quantity>': a quantity is a whole number from 1 to 9223372036854775807 "
            + "(storekeeper vault \(command)): see 'storekeeper vault \(command) --help'"
    }

    private static func noCustomer(_ command: String) -> String {
        "no customer is named (storekeeper vault \(command)): name the customer with --customer ID, and give BALANCE "
            + "QUANTITY"
    }

    static let calls: [(arguments: String, status: Int32, line: String)] = [
        (
            "vault frobnicate", 64,
            "there is no command 'frobnicate' (storekeeper vault): see 'storekeeper vault --help'"
        ),
        ("vault spend --customer anna coins ten --key k", 64, noQuantity("ten", "spend")),
        ("vault spend --customer anna coins 1.5 --key k", 64, noQuantity("1.5", "spend")),
        ("vault spend --customer anna coins 0 --key k", 64, noQuantity("0", "spend")),
        (
            "vault spend --customer anna coins 99999999999999999999 --key k", 64,
            noQuantity("99999999999999999999", "spend")
        ),
        ("vault spend --customer anna coins -5 --key k", 64, noQuantity("-5", "spend")),
        ("vault spend --customer anna --key k coins -- -5", 64, noQuantity("-5", "spend")),
        ("vault grant --customer anna coins -5 --key k --reason r", 64, noQuantity("-5", "grant")),
        (
            "vault spend --customer anna coins 5", 64,
            "Missing expected argument '--key <key>' (storekeeper vault spend): see 'storekeeper vault spend --help'"
        ),
        ("vault spend anna coins 5 --key k", 64, noCustomer("spend")),
        ("vault grant anna coins 5 --key k --reason r", 64, noCustomer("grant")),
        (
            "vault balance", 64,
            "Missing expected argument '--customer <id>' (storekeeper vault balance): see 'storekeeper vault balance "
                + "--help'"
        ),
        ("vault balance --customer anna --vault gone.sqlite", 66, missing),
        ("vault spend --customer anna coins 5 --key k --vault gone.sqlite", 66, missing),
        ("vault claim --customer anna --original-transaction 3 --vault gone.sqlite", 66, missing),
        ("vault verify --vault gone.sqlite", 66, missing),
        ("vault backup copy.sqlite --vault gone.sqlite", 66, missing),
        ("check gold.monthly --customer anna --vault gone.sqlite", 66, missing),
        ("vault balance --customer anna --vault text.txt", 65, noVault),
        ("vault verify --vault text.txt", 65, noVault),
        ("vault init --if-missing --vault text.txt", 65, noVault),
        (
            "vault init", 73,
            "the file already exists (game.sqlite): choose another path, or move the file away"
        ),
        (
            "vault init --vault nowhere/x.sqlite", 73,
            "the vault cannot be opened (nowhere/x.sqlite): check the permissions of the file and its folder"
        ),
        (
            "vault import customer.jws", 64,
            "no customer is given for the evidence (--customer): name the customer with --customer ID"
        ),
        (
            "vault import --customer anna customer.jws --unsigned", 64,
            "a vault contains only verified evidence (--unsigned): give signed evidence"
        ),
        (
            "vault import --customer anna gone.jws", 66,
            "the file cannot be read: no such file or directory (gone.jws): check the path and its permissions"
        ),
        (
            "vault claim --customer anna", 64,
            "neither a token nor a purchase is given (claim): give --token UUID or --original-transaction ID"
        ),
        (
            "vault claim --customer anna --token 7e3fb204-94ac-4c5c-ae9b-1f0c2bd2a7d4 --original-transaction 3", 64,
            "a token and a purchase are both given (claim): leave out one of them"
        ),
        (
            "vault claim --customer anna --token 17", 64,
            "'17' is not a UUID (--token): give the token as the app made it"
        ),
        (
            "vault balance --customer anna --config refunds.yaml", 65,
            "policy.refunds must be debt, floorAtZero or freeze (refunds.yaml): correct it; see 'storekeeper --help'"
        ),
        (
            "entitlements customer.jws --customer anna", 64,
            "evidence files and a customer of a vault are both given (--customer): leave out the files, or import them first with "
                + "'storekeeper vault import'"
        ),
        (
            "entitlements customer.jws --vault game.sqlite", 64,
            "no customer is named (--vault): name the customer with --customer ID"
        ),
        (
            "entitlements customer.jws --as-known-at 2026-03-01", 64,
            "only a vault records what was known at an earlier time (--as-known-at): ask a vault with --customer ID, "
                + "or leave the option out"
        ),
        (
            "check remove.ads --customer anna --unsigned", 64,
            "a vault contains only verified evidence (--unsigned): leave it out, or name evidence files"
        ),
        (
            "check coins.100 --customer anna", 64,
            "'coins.100' is a consumable, which is counted and not owned (PRODUCT): see 'consumables' of 'storekeeper "
                + "entitlements', or 'storekeeper vault balance'"
        ),
    ]

    @Test("Wrong usage prints one line and ends with its status", arguments: calls)
    func wrongCall(call: (arguments: String, status: Int32, line: String)) throws {
        let result = try Program.run(call.arguments.split(separator: " ").map(String.init), in: workspace.folder)
        #expect(result.errors == "storekeeper: error: \(call.line)\n")
        #expect(result.output == "")
        #expect(result.status == call.status)
        #expect(
            !FileManager.default.fileExists(atPath: workspace.folder.url.appendingPathComponent("gone.sqlite").path))
    }

    @Test("An empty path is not the path of a vault")
    func emptyPath() throws {
        for words in [["vault", "init"], ["vault", "balance", "--customer", "anna"]] {
            let result = try Program.run(words + ["--vault", ""], in: workspace.folder)
            #expect(
                result.errors
                    == "storekeeper: error: the path is empty (--vault): name a file, such as storekeeper.sqlite\n")
            #expect(result.status == 64)
        }
    }

    @Test("Evidence without valid items is not imported", arguments: [("rubbish.jws", 65), ("tampered.jws", 77)])
    func refusal(file: String, status: Int32) throws {
        let result = try workspace.run("vault", "import", "--customer", "zoe", file, "--format", "json")
        #expect(result.status == status)
        #expect(try result.object()["items"] as? Int == 1)
        #expect(try result.object()["new"] as? Int == 0)
        #expect(try workspace.run("check", "remove.ads", "--customer", "zoe").status == 3)
    }

    @Test("An existing vault is accepted with --if-missing, and does not change")
    func ifMissing() throws {
        let result = try workspace.done("vault", "init", "--if-missing", "--format", "json").output
        #expect(result.filter { !$0.isWhitespace } == #"{"schema":9,"vault":"game.sqlite"}"#)
        #expect(try workspace.balance() == 400)
        let made = try workspace.done("vault", "init", "--vault", "new.sqlite").output
        #expect(made == "The vault new.sqlite is ready (schema 9).\n")
    }

    @Test(
        "A vault is made in an empty file, for its owner only",
        arguments: [
            "init --vault empty.sqlite", "init --if-missing --vault empty.sqlite", "copy game.sqlite empty.sqlite",
            "import --customer anna customer.jws --vault empty.sqlite",
        ])
    func emptyFile(command: String) throws {
        try workspace.folder.write("", to: "empty.sqlite")
        let result = try Program.run(
            ["vault"] + command.split(separator: " ").map(String.init), in: workspace.folder)
        #expect(result.status == 0, "\(result.errors)")
        let path = workspace.folder.url.appendingPathComponent("empty.sqlite").path
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        #expect(try workspace.run("vault", "init", "--vault", "empty.sqlite").status == 73)
    }

    @Test("Without option and configuration the vault is storekeeper.sqlite")
    func defaultPath() throws {
        try workspace.folder.write("root: root.pem\n", to: "storekeeper.yaml")
        try workspace.done("vault", "init")
        #expect(
            FileManager.default.fileExists(
                atPath: workspace.folder.url.appendingPathComponent("storekeeper.sqlite").path))
        try workspace.done("vault", "balance", "--customer", "anna")
    }

    @Test("Eight concurrent spenders never overdraw, and the vault is valid")
    func concurrentSpenders() async throws {
        let folder = workspace.folder
        let statuses = try await withThrowingTaskGroup(of: Int32.self) { group in
            for spender in 0..<8 {
                group.addTask {
                    try Program.run(
                        ["vault", "spend", "--customer", "anna", "coins", "90", "--key", "s\(spender)"], in: folder
                    ).status
                }
            }
            return try await group.reduce(into: [Int32]()) { $0.append($1) }
        }
        #expect(statuses.sorted() == [0, 0, 0, 0, 1, 1, 1, 1])
        #expect(try workspace.balance() == 40)
        try workspace.done("vault", "verify")
    }
}
