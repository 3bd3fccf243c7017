import StorekeeperTesting
import Testing

/// Tests of access without a purchase, which a support agent grants.
@Suite(.system) struct VaultAccessTests {
    private let workspace: VaultWorkspace
    private static let end = "2099-01-01T00:00:00.000Z"

    init() throws { workspace = try VaultWorkspace(VaultWorkspace.coins) }

    private func grant(_ arguments: String...) throws -> Program.Result {
        try Program.run(["vault", "grant", "--customer", "anna"] + arguments, in: workspace.folder)
    }

    private func check(_ arguments: String...) throws -> Program.Result {
        try Program.run(["check"] + arguments + ["--customer", "anna"], in: workspace.folder)
    }

    @Test("A grant gives access until its end, once for each key")
    func granting() throws {
        try workspace.take()
        let words = [
            "--feature", "pro", "--until", "2099-01-01", "--key", "ticket-1", "--reason", "outage", "--by", "maria",
        ]
        let first = try Program.run(["vault", "grant", "--customer", "anna"] + words, in: workspace.folder)
        #expect(first.status == 0 && first.output == "Granted feature pro until \(Self.end).\n", "\(first.errors)")
        let again = try Program.run(
            ["vault", "grant", "--customer", "anna"] + words + ["--format", "json"], in: workspace.folder)
        let receipt = try again.object()
        #expect(receipt["replayed"] as? Bool == true && receipt["customer"] as? String == "anna")
        let granted = try #require(receipt["grant"] as? [String: Any])
        #expect(granted["feature"] as? String == "pro" && granted["recordedBy"] as? String == "maria")
        #expect(granted["until"] as? String == Self.end && granted["revokedAt"] == nil)
        #expect(try check("--feature", "pro").output == "entitled (granted) until \(Self.end)\n")
        #expect(try check("gold.monthly").status == 1)
        #expect(try workspace.balance() == 400)

        let other = try grant("--feature", "pro", "--until", "2099-01-02", "--key", "ticket-1", "--reason", "outage")
        #expect(other.status == 64 && other.errors.contains("the key was used for another request"), "\(other.errors)")
        let units = try grant("gems", "1", "--key", "ticket-1", "--reason", "outage")
        #expect(units.status == 64 && units.errors.contains("the key was used for another request"))
    }

    @Test("A granted product gives its features, in entitlements, in explain, and before its own time not")
    func product() throws {
        try workspace.take()
        #expect(
            try grant("--product", "gold.monthly", "--until", "2099-01-01", "--key", "k", "--reason", "a gift").status
                == 0)
        #expect(try check("--feature", "ad-free").output == "entitled (granted) until \(Self.end)\n")
        #expect(try check("gold.monthly", "--at", "2026-01-02").status == 1)
        #expect(try check("gold.monthly", "--as-known-at", "2026-01-02").status != 0)
        let answers = try workspace.done("entitlements", "--customer", "anna", "--format", "json").object()
        let products = try #require(answers["products"] as? [[String: Any]])
        let gold = try #require(products.first { $0["id"] as? String == "gold.monthly" })
        #expect(gold["reason"] as? String == "granted" && gold["grantedUntil"] as? String == Self.end)
        #expect(gold["transactionID"] == nil)
        #expect(
            (answers["groups"] as? [[String: Any]])?.allSatisfy { ($0["statuses"] as? [Any])?.isEmpty == true } == true)
        let reasons = try workspace.done("explain", "gold.monthly", "--customer", "anna").output
        #expect(reasons.contains("access to gold.monthly was granted") && reasons.contains("a gift"), "\(reasons)")
    }

    @Test("A revocation ends access now, and the history shows both")
    func revoking() throws {
        try workspace.take()
        _ = try grant(
            "--feature", "pro", "--until", "2099-01-01", "--key", "ticket-1", "--reason", "outage", "--by", "maria")
        let words = [
            "vault", "revoke-grant", "--customer", "anna", "ticket-1", "--reason", "wrong person", "--by", "otto",
        ]
        let first = try Program.run(words, in: workspace.folder)
        #expect(first.output == "Revoked now: feature pro, granted until \(Self.end).\n", "\(first.errors)")
        let again = try Program.run(words, in: workspace.folder)
        #expect(again.status == 0 && again.output.hasPrefix("Revoked before, at "))
        #expect(try check("--feature", "pro").status == 1)
        let unknown = try workspace.run("vault", "revoke-grant", "--customer", "anna", "ticket-2", "--reason", "r")
        #expect(unknown.status == 1 && unknown.errors.contains("no access was granted"), "\(unknown.errors)")
        #expect(
            try workspace.history().suffix(2) == [
                "grantAccess ticket-1 outage", "revokeAccess ticket-1 wrong person",
            ])
        let text = try workspace.done("vault", "history", "--customer", "anna").output
        #expect(text.contains("gave access to feature pro until 2099-01-01 for ticket-1: outage, by maria"), "\(text)")
        #expect(text.contains("revoked the access for ticket-1: wrong person, by otto"))
        let proof = try workspace.done("vault", "verify")
        #expect(proof.status == 0, "\(proof.output)")
    }

    @Test("Exports and copies keep grants, and an erasure ends them")
    func moving() throws {
        try workspace.take()
        _ = try grant("--feature", "pro", "--until", "2099-01-01", "--key", "ticket-1", "--reason", "outage")
        _ = try grant("--product", "remove.ads", "--until", "2099-01-01", "--key", "ticket-2", "--reason", "outage")
        try workspace.done("vault", "revoke-grant", "--customer", "anna", "ticket-2", "--reason", "r")
        let lines = try workspace.done("vault", "export").output
        try workspace.folder.write(lines, to: "export.jsonl")
        try workspace.done("vault", "import", "export.jsonl", "--vault", "other.sqlite")
        #expect(try workspace.done("vault", "export", "--vault", "other.sqlite").output == lines)
        try workspace.done("vault", "copy", "game.sqlite", "third.sqlite")
        #expect(try workspace.done("vault", "export", "--vault", "third.sqlite").output == lines)
        for vault in ["other.sqlite", "third.sqlite"] {
            #expect(try check("--feature", "pro", "--vault", vault).status == 0)
            #expect(try check("remove.ads", "--vault", vault).status == 1)
        }
        try workspace.done("vault", "erase", "--customer", "anna", "--reason", "asked")
        #expect(try check("--feature", "pro").status != 0)
        let used = try grant("--feature", "pro", "--until", "2099-01-01", "--key", "ticket-1", "--reason", "outage")
        #expect(used.status == 64)
        try workspace.done("vault", "verify")
    }

    static let mistakes: [(arguments: [String], text: String)] = [
        (["--product", "coins.100", "--until", "2099-01-01"], "is a consumable"),
        (["--product", "gold.monthy", "--until", "2099-01-01"], "did you mean 'gold.monthly'?"),
        (["--feature", "prp", "--until", "2099-01-01"], "did you mean 'pro'?"),
        (["--feature", "pro", "--until", "2020-01-01"], "which is not in the future"),
        (["--feature", "pro"], "no end of the access is given (--until)"),
        (["--feature", "pro", "--until", "soon"], "'soon' is not a time (--until)"),
        (["--feature", "pro", "--product", "remove.ads", "--until", "2099-01-01"], "both a feature and a product"),
        (["coins", "5", "--feature", "pro", "--until", "2099-01-01"], "both a balance and access"),
        (["coins", "5", "--until", "2099-01-01"], "units have no end"),
        (["coins"], "it is not named what is granted"), ([], "it is not named what is granted"),
    ]

    @Test("A grant that is not possible is refused with the remedy, and nothing is written", arguments: mistakes)
    func refused(_ arguments: [String], _ text: String) throws {
        try workspace.take()
        let before = try workspace.history()
        let result = try Program.run(
            ["vault", "grant", "--customer", "anna", "--key", "k", "--reason", "r"] + arguments, in: workspace.folder)
        #expect(result.status == 64 && result.output.isEmpty && result.errors.contains(text), "\(result.errors)")
        #expect(try workspace.history() == before)
    }
}
