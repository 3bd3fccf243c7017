import Foundation
import StorekeeperTesting
import Testing

/// Tests with a customer who was erased and is imported again.
@Suite(.system) struct VaultErasedAgainTests {
    private let workspace: VaultWorkspace

    init() throws {
        workspace = try VaultWorkspace(VaultWorkspace.coins)
        try workspace.take()
        try workspace.done("vault", "spend", "--customer", "anna", "coins", "350", "--key", "order-17")
    }

    @Test("Coins are not credited again, from evidence, from an export, or in a copy, and old keys are refused")
    func again() throws {
        try workspace.folder.write(try workspace.done("vault", "export").output, to: "before.jsonl")
        try workspace.done("vault", "erase", "--customer", "anna", "--reason", "asked for")
        for _ in 0..<2 {
            let imported = try workspace.done(
                "vault", "import", "--customer", "anna", "customer.jws", "--format", "json")
            let diagnostics = try #require(imported.object()["diagnostics"] as? [[String: Any]])
            #expect(diagnostics.compactMap { $0["code"] as? String } == ["creditedBefore", "creditedBefore"])
            #expect(diagnostics.compactMap { $0["subject"] as? String } == ["3000", "3001"])
            #expect(imported.errors.contains("was credited before to a customer who was erased"))
        }
        #expect(try workspace.done("vault", "balance", "--customer", "anna", "--format", "json").output.contains("[]"))
        let restored = try workspace.done("vault", "import", "before.jsonl", "--format", "json")
        #expect(restored.output.contains("creditedBefore"))
        #expect(try workspace.balance() == 0)
        let spent = try workspace.run("vault", "spend", "--customer", "anna", "coins", "350", "--key", "order-17")
        #expect(spent.status == 64 && spent.errors.contains("before they were erased"), "\(spent.errors)")

        try workspace.done("vault", "copy", "game.sqlite", "copy.sqlite")
        // Another customer is not credited with the erased customer's coins either.
        try workspace.done("vault", "erase", "--customer", "anna", "--reason", "again", "--vault", "copy.sqlite")
        try workspace.done("vault", "import", "--customer", "bert", "customer.jws", "--vault", "copy.sqlite")
        #expect(try workspace.balance("bert", in: "copy.sqlite") == 0)
        for vault in ["game.sqlite", "copy.sqlite"] {
            #expect(try workspace.done("vault", "verify", "--vault", vault).status == 0)
        }
    }

    @Test("For an unknown customer the vault does not change")
    func unknown() throws {
        func files() throws -> [String: Data] {
            let names = try FileManager.default.contentsOfDirectory(atPath: workspace.folder.url.path)
                .filter { $0.hasPrefix("game.sqlite") }
            return try Dictionary(
                uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: workspace.folder.url.appending(path: $0))) }
            )
        }
        let before = try files()
        #expect(try workspace.run("vault", "erase", "--customer", "zoe", "--reason", "asked for").status == 1)
        #expect(try workspace.run("vault", "export", "--customer", "zoe").status == 1)
        #expect(try files() == before)
    }

    @Test("An unknown balance is refused with a suggestion")
    func balances() throws {
        let questions = [
            ["vault", "spend", "--customer", "anna", "coin", "1", "--key", "k"],
            ["vault", "grant", "--customer", "anna", "coin", "1", "--key", "k", "--reason", "gift"],
            ["vault", "balance", "--customer", "anna", "coin"],
        ]
        for question in questions {
            let result = try Program.run(question, in: workspace.folder)
            #expect(result.status == 64 && result.errors.contains("did you mean 'coins'?"), "\(result.errors)")
            #expect(result.output == "")
        }
        let long = try workspace.run("vault", "balance", "--customer", String(repeating: "x", count: 257))
        #expect(long.status == 64 && long.errors.contains("256"), "\(long.errors)")
    }

    @Test("An empty file can become a copy, too")
    func emptyFile() throws {
        try workspace.folder.write("", to: "empty.sqlite")
        try workspace.done("vault", "copy", "game.sqlite", "empty.sqlite")
        #expect(try workspace.balance(in: "empty.sqlite") == 50)
    }
}
