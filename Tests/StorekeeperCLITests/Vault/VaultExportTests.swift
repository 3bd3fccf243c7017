import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

/// Tests of exports and backups, which contain a whole vault.
@Suite(.system) struct VaultExportTests {
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
        try workspace.folder.write(try workspace.done("vault", "export").output, to: "export.jsonl")
    }

    private func answers(_ id: String, in vault: String) throws -> String {
        try workspace.done(
            "entitlements", "--customer", id, "--vault", vault, "--at", "2026-02-20", "--format", "json"
        ).output
    }

    @Test("An export imported into an empty vault gives the same balances, histories, answers and parked evidence")
    func roundTrip() throws {
        let result = try workspace.done("vault", "import", "export.jsonl", "--vault", "copy.sqlite", "--format", "json")
        #expect(try result.object()["known"] as? Int == 0)
        for id in ["anna", "bob"] {
            #expect(try workspace.history(id, in: "copy.sqlite") == workspace.history(id))
            #expect(try answers(id, in: "copy.sqlite") == answers(id, in: "game.sqlite"))
        }
        #expect(try workspace.history().count > 10)
        #expect(try workspace.balance("anna", in: "copy.sqlite") == workspace.balance("anna"))
        #expect(try workspace.balance("bob", in: "copy.sqlite") == 100)
        #expect(
            try workspace.done("vault", "parked", "--vault", "copy.sqlite").output
                == workspace.done("vault", "parked").output)
        #expect(
            try workspace.done("vault", "export", "--vault", "copy.sqlite").output
                == workspace.done("vault", "export").output)
        try workspace.done("vault", "verify", "--vault", "copy.sqlite")
    }

    @Test("An export of an old release without entry numbers is imported, and its entries are numbered")
    func withoutNumbers() throws {
        let export = try workspace.done("vault", "export").output
        #expect(export.contains(/,"number":1[,}]/))
        let old = export.replacing(/,"number":[0-9]+/, with: "")
        #expect(!old.contains("\"number\""))
        try workspace.folder.write(old, to: "old.jsonl")
        try workspace.done("vault", "import", "old.jsonl", "--vault", "copy.sqlite")
        #expect(try workspace.done("vault", "export", "--vault", "copy.sqlite").output == export)
        try workspace.done("vault", "verify", "--vault", "copy.sqlite")
    }

    @Test("An export with a missing entry is refused")
    func missingEntry() throws {
        var lines = try workspace.done("vault", "export").outputLines
        let entry = try #require(lines.firstIndex { $0.contains("\"kind\":\"entry\"") })
        lines.remove(at: entry)
        let end = try #require(lines.last)
        lines.removeLast()
        let count = try #require(end.firstMatch(of: /[0-9]+/).flatMap { Int($0.0) })
        lines.append(end.replacing("\(count)", with: "\(count - 1)"))
        try workspace.folder.write(lines.map { $0 + "\n" }.joined(), to: "gap.jsonl")
        let result = try workspace.run("vault", "import", "gap.jsonl", "--vault", "copy.sqlite")
        #expect(result.status != 0)
        #expect(result.errors.contains("entries are missing"), "\(result.errors)")
        #expect(try workspace.balance("anna", in: "copy.sqlite") == 0)
    }

    @Test("An import of known data does not change the vault")
    func nothingNew() throws {
        let before = try (workspace.history("anna"), workspace.history("bob"))
        let result = try workspace.done("vault", "import", "export.jsonl", "--format", "json")
        #expect(try result.object()["new"] as? Int == 0)
        #expect(try workspace.history("anna") == before.0)
        #expect(try workspace.history("bob") == before.1)
        try workspace.done("vault", "verify")
    }

    @Test("A spend repeated in the imported vault is still a replay")
    func keys() throws {
        try workspace.done("vault", "import", "export.jsonl", "--vault", "copy.sqlite")
        let result = try workspace.done(
            "vault", "spend", "--customer", "anna", "coins", "120", "--key", "order-1", "--vault", "copy.sqlite",
            "--format", "json")
        #expect(try result.object()["replayed"] as? Bool == true)
        try workspace.take("coins.jws", for: "anna")
    }

    @Test("An import of partly known data adds the rest, and the balance is the same")
    func partial() throws {
        try workspace.done(
            "vault", "import", "--customer", "anna", "--vault", "part.sqlite", "customer.jws")
        try workspace.done("vault", "import", "export.jsonl", "--vault", "part.sqlite")
        #expect(try workspace.balance("anna", in: "part.sqlite") == workspace.balance("anna"))
        try workspace.done("vault", "verify", "--vault", "part.sqlite")
    }

    @Test("One customer can be exported, and one customer imported")
    func oneCustomer() throws {
        let export = try workspace.done("vault", "export", "--customer", "bob").output
        #expect(!export.contains("anna"))
        try workspace.done("vault", "import", "export.jsonl", "--customer", "bob", "--vault", "bob.sqlite")
        #expect(try workspace.balance("bob", in: "bob.sqlite") == 100)
        #expect(try workspace.history("anna", in: "bob.sqlite") == [])
    }

    @Test("An export can be read from a pipe")
    func pipe() throws {
        let export = try Data(contentsOf: workspace.folder.url.appendingPathComponent("export.jsonl"))
        let result = try Program.run(
            ["vault", "import", "-", "--vault", "copy.sqlite"], in: workspace.folder, input: Array(export))
        #expect(result.status == 0)
        #expect(try workspace.balance("bob", in: "copy.sqlite") == 100)
    }

    @Test("A truncated or changed export, or another file, is refused in one line")
    func damaged() throws {
        let lines = try workspace.done("vault", "export").outputLines
        let cases: [(String, [String], Int32, String)] = [
            ("cut", lines.dropLast(), 65, "the export is cut off"),
            ("short", lines.enumerated().filter { $0.offset != 3 }.map(\.element), 65, "the export lacks lines"),
            ("word", lines.dropLast() + ["{\"kind\":\"x\"}"], 65, "'x' is not a kind of line"),
            ("text", lines.dropLast() + ["coins"], 65, "the line is not a JSON object"),
            (
                "signature", lines.map { $0.contains("\"kind\":\"fact\"") ? flipped($0) : $0 }, 77,
                "a fact of the export cannot be verified"
            ),
        ]
        for (name, lines, status, words) in cases {
            try workspace.folder.write(lines.map { $0 + "\n" }.joined(), to: "\(name).jsonl")
            let result = try workspace.run("vault", "import", "\(name).jsonl", "--vault", "\(name).sqlite")
            #expect(result.status == status, "\(name): \(result.errors)")
            #expect(result.errors.contains("error: \(words)"), "\(name): \(result.errors)")
            // The customers before the fault are imported completely. The customers after the fault are not imported.
            #expect(try workspace.balance("bob", in: "\(name).sqlite") == (status == 77 ? 0 : 100))
            #expect(try workspace.done("vault", "parked", "--vault", "\(name).sqlite").output == "Nothing is parked.\n")
            try workspace.done("vault", "verify", "--vault", "\(name).sqlite")
        }
    }

    /// Returns a line in which one letter of the signature is changed.
    private func flipped(_ line: String) -> String {
        line.replacing(/([A-Za-z0-9_-])([A-Za-z0-9_-]{20}","kind")/) { match in
            (match.1 == "A" ? "B" : "A") + match.2
        }
    }

    @Test("A backup is a vault, and never replaces another file")
    func backup() throws {
        let result = try workspace.done("vault", "backup", "copy.sqlite", "--format", "json")
        #expect(try result.object()["file"] as? String == "copy.sqlite")
        #expect(try #require(result.object()["pages"] as? Int) > 0)
        #expect(try workspace.history(in: "copy.sqlite") == workspace.history())
        try workspace.done("vault", "verify", "--vault", "copy.sqlite")
        let again = try workspace.run("vault", "backup", "copy.sqlite")
        #expect(again.status == 73)
        #expect(
            again.errors == "storekeeper: error: the file already exists (copy.sqlite): choose another path, or move "
                + "the file away\n")
        #expect(try workspace.run("vault", "backup", "nowhere/copy.sqlite").status == 73)
    }
}
