import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

/// Tests of `vault copy` between files, and, if there is a server, between files and databases.
@Suite(.system, .timeLimit(.minutes(20))) struct VaultCopyTests {
    private let workspace: VaultWorkspace

    /// Makes a vault of two customers with purchases, spends, grants and refunds, and with one conflict.
    init() throws {
        workspace = try VaultWorkspace(Customer.upgrades, [Customer.upgraderInfo])
        try workspace.take(for: "anna")
        try workspace.done("vault", "spend", "--customer", "anna", "coins", "120", "--key", "order-1")
        try workspace.done("vault", "grant", "--customer", "anna", "gems", "7", "--key", "g", "--reason", "lost match")
        try workspace.write(VaultWorkspace.coins, to: "coins.jws")
        // The unknown copy of 3001 counts for anna at once, with all that waits for her. Known copies stay parked.
        for _ in 0..<2 { _ = try workspace.run("vault", "import", "--customer", "bob", "coins.jws") }
        try workspace.write(
            [with(VaultWorkspace.coins[0]) { ($0.id, $0.originalID) = ("4000", "4000") }], to: "bob.jws")
        try workspace.take("bob.jws", for: "bob")
    }

    private func export(_ vault: String) throws -> String {
        try workspace.done("vault", "export", "--vault", vault).output
    }

    /// Expects two vaults to have the same contents and answers, and to pass their audits.
    private func expectSame(_ copy: String, as vault: String = "game.sqlite") throws {
        try expectText(export(copy), equals: export(vault))
        for words in [
            "vault balance --customer anna --format json", "vault history --customer anna",
            "vault history --customer bob", "vault parked",
            "entitlements --customer anna --at 2026-02-20 --format json",
            "explain gold.monthly --customer anna --at 2026-02-20",
        ] {
            let arguments = words.split(separator: " ").map(String.init)
            let found = try [copy, vault].map {
                try Program.run(arguments + ["--vault", $0], in: workspace.folder).output
            }
            expectText(found[0], equals: found[1])
        }
        try workspace.done("vault", "verify", "--vault", copy)
    }

    @Test("The copy contains the whole vault, also after repetitions")
    func files() throws {
        let first = try workspace.done("vault", "copy", "game.sqlite", "copy.sqlite")
        #expect(first.errors == "storekeeper: note: there is no vault copy.sqlite yet; it is created\n")
        #expect(
            first.output == """
                copy.sqlite is a complete copy of game.sqlite: 2 customers, 9 facts and 6 entries.
                All customers were compared; 20 links of the copy checked.

                """)
        try expectSame("copy.sqlite")
        let again = try workspace.done("vault", "copy", "game.sqlite", "copy.sqlite", "--format", "json")
        expectText(
            again.output,
            equals: """
                {
                  "customers": 2,
                  "entries": 6,
                  "facts": 9,
                  "links": 20
                }

                """)
        try expectSame("copy.sqlite")
        // An empty vault is treated like a missing one.
        try workspace.done("vault", "init", "--vault", "empty.sqlite")
        try workspace.done("vault", "copy", "copy.sqlite", "empty.sqlite")
        try expectSame("empty.sqlite")
        // An idempotency key that was used in the original vault counts as used in the copy.
        let spent = try workspace.done(
            "vault", "spend", "--customer", "anna", "coins", "120", "--key", "order-1", "--vault", "copy.sqlite",
            "--format",
            "json")
        #expect(try spent.object()["replayed"] as? Bool == true)
    }

    @Test("The next copy includes new data of the vault")
    func later() throws {
        try workspace.done("vault", "copy", "game.sqlite", "copy.sqlite")
        try workspace.done("vault", "grant", "--customer", "anna", "gems", "7", "--key", "h", "--reason", "again")
        try workspace.write(
            [with(VaultWorkspace.coins[0]) { ($0.id, $0.originalID) = ("5000", "5000") }], to: "carl.jws")
        try workspace.take("carl.jws", for: "carl")
        try workspace.done("vault", "copy", "game.sqlite", "copy.sqlite")
        try expectSame("copy.sqlite")
        try workspace.done("vault", "erase", "--customer", "carl", "--reason", "asked")
        let result = try workspace.run("vault", "copy", "game.sqlite", "copy.sqlite", "--format", "json")
        #expect(result.status == 1)
        let differences = try #require(result.object()["differences"] as? [[String: String]])
        #expect(differences.map { $0["subject"] } == ["carl", "customers", "facts"])
        #expect(result.errors.contains("note: 1 erasure is recorded in game.sqlite"))
        try workspace.done("vault", "erase", "--customer", "carl", "--reason", "asked", "--vault", "copy.sqlite")
        try workspace.done("vault", "copy", "game.sqlite", "copy.sqlite")
    }

    @Test("A copy with other writes is not changed, and the differences are named")
    func written() throws {
        try workspace.done("vault", "copy", "game.sqlite", "copy.sqlite")
        try workspace.done(
            "vault", "spend", "--customer", "anna", "gems", "1", "--key", "theirs", "--vault", "copy.sqlite")
        try workspace.done("vault", "spend", "--customer", "anna", "gems", "2", "--key", "ours")
        let before = try export("copy.sqlite")
        let result = try workspace.run("vault", "copy", "game.sqlite", "copy.sqlite")
        #expect(result.status == 1)
        #expect(result.output.contains("copy.sqlite is not a complete copy of game.sqlite"))
        #expect(result.output.contains("anna  is not a part of the source's data"), "\(result.output)")
        #expect(try export("copy.sqlite") == before)
    }

    @Test("An impossible copy is refused in one line, and nothing is written")
    func refusals() throws {
        try workspace.done("vault", "init", "--vault", "other.sqlite")
        try workspace.done("vault", "import", "--customer", "eve", "bob.jws", "--vault", "used.sqlite")
        try workspace.folder.write("no database", to: "text.txt")
        try workspace.done("vault", "copy", "used.sqlite", "of-used.sqlite")
        try workspace.done("vault", "copy", "game.sqlite", "damaged.sqlite")
        try workspace.tamper("UPDATE ledger SET change = change + 1 WHERE number = 2", in: "damaged.sqlite")
        let cases: [(from: String, to: String, status: Int32, words: String)] = [
            ("gone.sqlite", "new.sqlite", 66, "there is no vault (gone.sqlite): check the path of the source"),
            ("text.txt", "new.sqlite", 65, "the file is not a vault (text.txt): "),
            ("game.sqlite", "text.txt", 65, "the file is not a vault (text.txt): "),
            ("game.sqlite", "game.sqlite", 64, "FROM and TO are the same vault (game.sqlite): "),
            (
                "game.sqlite", "./game.sqlite", 73,
                "the vault is not empty and does not hold an unfinished copy (./game"
            ),
            ("game.sqlite", "used.sqlite", 73, "the vault is not empty and does not hold an unfinished copy (used."),
            ("game.sqlite", "of-used.sqlite", 73, "the vault holds a copy of a different vault (of-used."),
            ("damaged.sqlite", "other.sqlite", 65, "the vault was damaged or changed ("),
            ("game.sqlite", "nowhere/new.sqlite", 73, "the vault cannot be opened (nowhere/new.sqlite): "),
        ]
        for (from, to, status, words) in cases {
            let result = try workspace.run("vault", "copy", from, to)
            #expect(result.status == status, "\(from) \(to): \(result.errors)")
            #expect(result.output == "")
            #expect(
                result.errorLines.last?.hasPrefix("storekeeper: error: \(words)") == true,
                "\(from) \(to): \(result.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: workspace.folder.url.appendingPathComponent("new.sqlite").path))
        #expect(try export("other.sqlite").split(separator: "\n").count == 2)
    }

    // MARK: With a server

    @Test(
        "A file is copied to a database and back, and nothing is lost or duplicated",
        .enabled(if: ServerDatabase.server != nil, "STOREKEEPER_POSTGRES is not set"))
    func bothWays() throws {
        let (first, second) = (try ServerDatabase(), try ServerDatabase())
        // The second database already has an empty vault; in the first, the copy creates the vault.
        try workspace.done("vault", "init", "--vault", second.address)
        let result = try workspace.done("vault", "copy", "game.sqlite", first.address, "--format", "json")
        #expect(try result.object()["customers"] as? Int == 2)
        #expect(try result.object()["facts"] as? Int == 9)
        #expect(try result.object()["entries"] as? Int == 6)
        #expect(try #require(result.object()["links"] as? Int) > 20)
        try expectSame(first.address)
        let between = try workspace.done("vault", "copy", first.address, second.address)
        #expect(
            between.output.hasPrefix(
                "\(second.name) is a complete copy of \(first.name): 2 customers, 9 facts and 6 entries."))
        try expectSame(second.address)
        try workspace.done("vault", "copy", second.address, "back.sqlite")
        try expectSame("back.sqlite")
        // A later copy includes the rows that were added after the first copy.
        try workspace.done("vault", "grant", "--customer", "anna", "gems", "7", "--key", "h", "--reason", "again")
        try workspace.done("vault", "copy", "game.sqlite", first.address)
        try expectSame(first.address)
        let other = try workspace.run("vault", "copy", second.address, first.address)
        #expect(other.status == 73)
        #expect(other.errors.contains("the vault holds a copy of a different vault (\(first.name))"))
        for text in [result.output, between.output, other.errors] { #expect(!text.contains(ServerDatabase.password)) }
        let unreachable = try workspace.run(
            "vault", "copy", "game.sqlite", "postgres://a:\(ServerDatabase.password)@127.0.0.1:1/b")
        #expect(unreachable.status == 69)
        #expect(!unreachable.errors.contains(ServerDatabase.password))
    }
}
