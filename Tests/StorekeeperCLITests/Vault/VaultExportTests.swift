import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

/// Exports and backups, which contain a whole vault.
struct VaultExportTests {
    private let desk: VaultDesk

    /// A vault of two customers with purchases, spends, grants and refunds, and with one conflict.
    init() throws {
        desk = try VaultDesk(Customer.upgrades, [Customer.upgraderInfo])
        try desk.take(for: "anna")
        try desk.done("vault", "spend", "--customer", "anna", "coins", "120", "--key", "order-1")
        try desk.done("vault", "grant", "--customer", "anna", "gems", "7", "--key", "g", "--reason", "lost match")
        try desk.write(VaultDesk.coins, to: "coins.jws")
        _ = try desk.run("vault", "import", "--customer", "bob", "coins.jws")
        try desk.write([with(VaultDesk.coins[0]) { ($0.id, $0.originalID) = ("4000", "4000") }], to: "bob.jws")
        try desk.take("bob.jws", for: "bob")
        try desk.folder.write(try desk.done("vault", "export").output, to: "export.jsonl")
    }

    private func answers(_ id: String, in vault: String) throws -> String {
        try desk.done(
            "entitlements", "--customer", id, "--vault", vault, "--at", "2026-02-20", "--format", "json"
        ).output
    }

    @Test("An export imported into an empty vault gives the same balances, histories, answers and parked evidence")
    func roundTrip() throws {
        let result = try desk.done("vault", "import", "export.jsonl", "--vault", "copy.sqlite", "--format", "json")
        #expect(try result.object()["known"] as? Int == 0)
        for id in ["anna", "bob"] {
            #expect(try desk.history(id, in: "copy.sqlite") == desk.history(id))
            #expect(try answers(id, in: "copy.sqlite") == answers(id, in: "game.sqlite"))
        }
        #expect(try desk.history().count > 10)
        #expect(try desk.balance("anna", in: "copy.sqlite") == desk.balance("anna"))
        #expect(try desk.balance("bob", in: "copy.sqlite") == 100)
        #expect(
            try desk.done("vault", "parked", "--vault", "copy.sqlite").output == desk.done("vault", "parked").output)
        #expect(
            try desk.done("vault", "export", "--vault", "copy.sqlite").output == desk.done("vault", "export").output)
        try desk.done("vault", "verify", "--vault", "copy.sqlite")
    }

    @Test("An export of an old release without entry numbers is imported, and its entries are numbered")
    func withoutNumbers() throws {
        let export = try desk.done("vault", "export").output
        #expect(export.contains(/,"number":1[,}]/))
        let old = export.replacing(/,"number":[0-9]+/, with: "")
        #expect(!old.contains("\"number\""))
        try desk.folder.write(old, to: "old.jsonl")
        try desk.done("vault", "import", "old.jsonl", "--vault", "copy.sqlite")
        #expect(try desk.done("vault", "export", "--vault", "copy.sqlite").output == export)
        try desk.done("vault", "verify", "--vault", "copy.sqlite")
    }

    @Test("An export with a missing entry is refused")
    func missingEntry() throws {
        var lines = try desk.done("vault", "export").outputLines
        let entry = try #require(lines.firstIndex { $0.contains("\"kind\":\"entry\"") })
        lines.remove(at: entry)
        let end = try #require(lines.last)
        lines.removeLast()
        let count = try #require(end.firstMatch(of: /[0-9]+/).flatMap { Int($0.0) })
        lines.append(end.replacing("\(count)", with: "\(count - 1)"))
        try desk.folder.write(lines.map { $0 + "\n" }.joined(), to: "gap.jsonl")
        let result = try desk.run("vault", "import", "gap.jsonl", "--vault", "copy.sqlite")
        #expect(result.status != 0)
        #expect(result.errors.contains("entries are missing"), "\(result.errors)")
        #expect(try desk.balance("anna", in: "copy.sqlite") == 0)
    }

    @Test("An import of known data does not change the vault")
    func nothingNew() throws {
        let before = try (desk.history("anna"), desk.history("bob"))
        let result = try desk.done("vault", "import", "export.jsonl", "--format", "json")
        #expect(try result.object()["new"] as? Int == 0)
        #expect(try desk.history("anna") == before.0)
        #expect(try desk.history("bob") == before.1)
        try desk.done("vault", "verify")
    }

    @Test("A spend repeated in the imported vault is still a replay")
    func keys() throws {
        try desk.done("vault", "import", "export.jsonl", "--vault", "copy.sqlite")
        let result = try desk.done(
            "vault", "spend", "--customer", "anna", "coins", "120", "--key", "order-1", "--vault", "copy.sqlite",
            "--format", "json")
        #expect(try result.object()["replayed"] as? Bool == true)
        try desk.take("coins.jws", for: "anna")
    }

    @Test("An import of partly known data adds the rest, and the balance is the same")
    func partial() throws {
        try desk.done(
            "vault", "import", "--customer", "anna", "--vault", "part.sqlite", "customer.jws")
        try desk.done("vault", "import", "export.jsonl", "--vault", "part.sqlite")
        #expect(try desk.balance("anna", in: "part.sqlite") == desk.balance("anna"))
        try desk.done("vault", "verify", "--vault", "part.sqlite")
    }

    @Test("One customer can be exported, and one customer imported")
    func oneCustomer() throws {
        let export = try desk.done("vault", "export", "--customer", "bob").output
        #expect(!export.contains("anna"))
        try desk.done("vault", "import", "export.jsonl", "--customer", "bob", "--vault", "bob.sqlite")
        #expect(try desk.balance("bob", in: "bob.sqlite") == 100)
        #expect(try desk.history("anna", in: "bob.sqlite") == [])
    }

    @Test("An export can be read from a pipe")
    func pipe() throws {
        let export = try Data(contentsOf: desk.folder.url.appendingPathComponent("export.jsonl"))
        let result = try Program.run(
            ["vault", "import", "-", "--vault", "copy.sqlite"], in: desk.folder, input: Array(export))
        #expect(result.status == 0)
        #expect(try desk.balance("bob", in: "copy.sqlite") == 100)
    }

    @Test("A truncated or changed export, or another file, is refused in one line")
    func damaged() throws {
        let lines = try desk.done("vault", "export").outputLines
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
            try desk.folder.write(lines.map { $0 + "\n" }.joined(), to: "\(name).jsonl")
            let result = try desk.run("vault", "import", "\(name).jsonl", "--vault", "\(name).sqlite")
            #expect(result.status == status, "\(name): \(result.errors)")
            #expect(result.errors.contains("error: \(words)"), "\(name): \(result.errors)")
            // Customers before the fault are imported whole, later ones not at all.
            #expect(try desk.balance("bob", in: "\(name).sqlite") == (status == 77 ? 0 : 100))
            #expect(try desk.done("vault", "parked", "--vault", "\(name).sqlite").output == "Nothing is parked.\n")
            try desk.done("vault", "verify", "--vault", "\(name).sqlite")
        }
    }

    /// The line with another last letter of its signature.
    private func flipped(_ line: String) -> String {
        line.replacing(/([A-Za-z0-9_-])([A-Za-z0-9_-]{20}","kind")/) { match in
            (match.1 == "A" ? "B" : "A") + match.2
        }
    }

    @Test("A backup is a vault, and never replaces another file")
    func backup() throws {
        let result = try desk.done("vault", "backup", "copy.sqlite", "--format", "json")
        #expect(try result.object()["file"] as? String == "copy.sqlite")
        #expect(try #require(result.object()["pages"] as? Int) > 0)
        #expect(try desk.history(in: "copy.sqlite") == desk.history())
        try desk.done("vault", "verify", "--vault", "copy.sqlite")
        let again = try desk.run("vault", "backup", "copy.sqlite")
        #expect(again.status == 73)
        #expect(
            again.errors == "storekeeper: error: the file already exists (copy.sqlite): choose another path, or move "
                + "the file away\n")
        #expect(try desk.run("vault", "backup", "nowhere/copy.sqlite").status == 73)
    }
}
