import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

/// Tests of answers from a vault instead of evidence files.
@Suite(.system) struct VaultAnswersTests {
    private let workspace: VaultWorkspace

    init() throws {
        workspace = try VaultWorkspace(Customer.upgrades, [Customer.upgraderInfo])
        try workspace.take()
    }

    @Test("A vault gives the same answers as its evidence", arguments: ["2026-02-01", "2026-02-20", "2026-06-01"])
    func sameAnswers(at: String) throws {
        let arguments = ["--at", at, "--format", "json"]
        for command in [["entitlements"], ["check", "gold.monthly"], ["explain", "gold.monthly"], ["timeline"]] {
            let evidence = try Program.run(command + ["customer.jws"] + arguments, in: workspace.folder)
            let vault = try Program.run(command + ["--customer", "anna"] + arguments, in: workspace.folder)
            expectText(vault.output, equals: evidence.output)
            #expect(vault.status == evidence.status)
        }
    }

    @Test("A vault answers for features and groups, too")
    func questions() throws {
        let feature = try workspace.run("check", "--feature", "pro", "--customer", "anna", "--at", "2026-02-20")
        #expect(feature.output == "entitled (active) until 2026-03-10T00:00:00.000Z\n")
        #expect(feature.status == 0)
        let group = try workspace.run(
            "check", "--group", "membership", "--level", "1", "--vault", "game.sqlite", "--customer", "anna", "--at",
            "2026-01-20")
        #expect(group.status == 1)
    }

    @Test("Consumables come from the account, with spends")
    func consumables() throws {
        try workspace.done("vault", "spend", "--customer", "anna", "coins", "120", "--key", "order-1")
        try workspace.done("vault", "grant", "--customer", "anna", "gems", "7", "--key", "g", "--reason", "welcome")
        let result = try workspace.done("entitlements", "--customer", "anna", "--format", "json")
        let rows = try #require(result.object()["consumables"] as? [[String: Any]])
        let words = rows.map { row in
            ["id", "credited", "spent", "clawedBack", "restored", "balance"].map { "\(row[$0] ?? "?")" }
                .joined(separator: " ")
        }
        // A third of three packs of a hundred coins was refunded, rounded down.
        #expect(words == ["coins 400 120 100 0 180", "gems 7 0 0 0 7"])
        let text = try workspace.done("entitlements", "--customer", "anna").output
        #expect(text.contains("BALANCE  UNITS  CREDITED  SPENT  TAKEN BACK  RESTORED\n"))
        #expect(text.contains("coins    180    400       120    100         0\n"))
    }

    @Test("Spent coins were available before, although this machine's clock is slow")
    func slowClock() throws {
        let bought = TransactionDraft.purchase(
            of: "coins.100", type: .consumable, at: Instant(Date()).adding(milliseconds: 50_000), id: "4000")
        try workspace.write([bought], to: "late.jws")
        try workspace.take("late.jws", for: "bert")
        try workspace.done("vault", "spend", "--customer", "bert", "coins", "30", "--key", "order-1")
        for at in [[], ["--at", Instant(Date()).description]] {
            let result = try Program.run(
                ["entitlements", "--customer", "bert", "--format", "json"] + at, in: workspace.folder)
            let rows = try #require(result.object()["consumables"] as? [[String: Any]])
            #expect(rows.first { $0["id"] as? String == "coins" }?["balance"] as? Int == 70)
        }
        #expect(try workspace.balance("bert") == 70)
    }

    @Test("At an earlier instant purchases and refunds up to then count")
    func earlier() throws {
        for (at, balance) in [("2026-01-01", 0), ("2026-01-03", 100), ("2026-01-05", 400), ("2026-01-20", 300)] {
            let result = try workspace.done("entitlements", "--customer", "anna", "--at", at, "--format", "json")
            let rows = try #require(result.object()["consumables"] as? [[String: Any]])
            #expect(rows.first?["balance"] as? Int == balance, "at \(at)")
        }
    }

    @Test("Facts known at the given instant count, inclusive, and no later ones")
    func asKnownAt() throws {
        let entries = try #require(
            workspace.done("vault", "history", "--customer", "anna", "--format", "json").object()["entries"]
                as? [[String: Any]])
        let learned = try #require(entries.last?["at"] as? String)
        let before = try #require(Instant(learned)?.adding(milliseconds: -1).description)
        try workspace.done("vault", "grant", "--customer", "anna", "coins", "50", "--key", "g", "--reason", "welcome")
        let revoked = with(
            TransactionDraft.purchase(
                of: "gold.monthly", type: .autoRenewable, at: .day(40), expires: .day(68), group: "21")
        ) {
            ($0.id, $0.originalID) = (Customer.upgrades[2].id, Customer.upgrades[2].originalID)
        }
        try workspace.write([revoked.revoked(at: .day(45))], to: "refund.jws")
        try workspace.take("refund.jws")
        func check(_ known: String?) throws -> String {
            let option = known.map { ["--as-known-at", $0] } ?? []
            return try Program.run(
                ["check", "gold.monthly", "--customer", "anna", "--at", "2026-02-20"] + option, in: workspace.folder
            ).output
        }
        #expect(try check(nil) == "lapsed (refunded)\n")
        #expect(try check(learned) == "entitled (active) until 2026-03-10T00:00:00.000Z\n")
        #expect(try check(before) == "unknown (neverSynced)\n")
        func coins(_ known: String) throws -> Any? {
            let result = try workspace.done(
                "entitlements", "--customer", "anna", "--as-known-at", known, "--format", "json")
            return try (result.object()["consumables"] as? [[String: Any]])?.first?["balance"]
        }
        #expect(try coins(learned) as? Int == 300)
        #expect(try coins(before) as? Int == 0)
    }

    @Test("Without data about a customer the answer is unknown")
    func unknownCustomer() throws {
        let check = try workspace.run("check", "gold.monthly", "--customer", "zoe")
        #expect(check.output == "unknown (neverSynced)\n")
        #expect(check.status == 3)
        #expect(try workspace.run("check", "--feature", "pro", "--customer", "zoe").status == 3)
        #expect(try workspace.run("check", "--group", "membership", "--customer", "zoe").status == 3)
        // An id that is not in the catalog is an error for any customer.
        #expect(try workspace.run("check", "not.there", "--customer", "zoe").status == 64)
        let all = try workspace.done("entitlements", "--customer", "zoe", "--format", "json").object()
        let products = try #require(all["products"] as? [[String: Any]])
        #expect(!products.isEmpty && products.allSatisfy { $0["reason"] as? String == "neverSynced" })
        #expect((all["consumables"] as? [[String: Any]])?.first?["balance"] as? Int == 0)
        let text = try workspace.done("entitlements", "--customer", "zoe").output
        #expect(text.contains("The vault has no data about this customer."))
        let why = try workspace.done("explain", "gold.monthly", "--customer", "zoe").output
        #expect(why.contains("the answer is unknown"))
    }

    @Test(
        "An answer of the App Store whose list is empty is complete evidence",
        arguments: [
            #"{"signedTransactions":[],"revision":"1","bundleId":"com.example.game","hasMore":false}"#,
            #"{"environment":"Production","bundleId":"com.example.game","data":[]}"#,
            #"{"data":[{"subscriptionGroupIdentifier":"21","lastTransactions":[]}]}"#,
        ])
    func emptyAnswer(_ answer: String) throws {
        try workspace.folder.write(answer, to: "empty.json")
        try workspace.take("empty.json", for: "zoe")
        #expect(try workspace.run("check", "remove.ads", "--customer", "zoe").output == "never (noPurchase)\n")
    }

    @Test(
        "Evidence without items, such as an interrupted download, records nothing",
        arguments: ["", "\n", "[]", #"{"signedTransactions":[],"hasMore":true}"#])
    func noItems(_ text: String) throws {
        try workspace.folder.write(text, to: "empty.jws")
        let result = try workspace.run("vault", "import", "--customer", "zoe", "empty.jws")
        #expect(result.status == 65)
        #expect(result.errors.contains("the evidence has no items, so nothing was recorded (empty.jws)"))
        #expect(try workspace.run("check", "remove.ads", "--customer", "zoe").output == "unknown (neverSynced)\n")
    }

    @Test("Evidence whose every item is refused records nothing, even if only its environment is refused")
    func refusedEnvironment() throws {
        let ads = TransactionDraft.purchase(of: "remove.ads", at: .day(1), id: "5").made(in: .sandbox)
        try workspace.write([ads], to: "sandbox.jws")
        let result = try workspace.run("vault", "import", "--customer", "zoe", "sandbox.jws")
        #expect(result.status == 77)
        #expect(result.errors.contains("accept it with --environment Sandbox"))
        #expect(try workspace.run("check", "gold.monthly", "--customer", "zoe").output == "unknown (neverSynced)\n")
    }

    @Test("Failed evidence is not complete")
    func completeness() throws {
        let pack = with(VaultWorkspace.coins[0]) { ($0.id, $0.originalID) = ("4000", "4000") }
        let lines = try workspace.customer.lines([pack]) + [workspace.customer.evidence.tampered()]
        try workspace.folder.write(lines.joined(separator: "\n"), to: "partly.jws")
        let result = try workspace.run("vault", "import", "--customer", "max", "partly.jws", "--format", "json")
        #expect(result.status == 0)
        #expect(try result.diagnostics() == ["unverifiedEvidence invalidSignature"])
        #expect(try result.object()["new"] as? Int == 1)
        #expect(try workspace.balance("max") == 100)
        #expect(try workspace.run("check", "remove.ads", "--customer", "max").output == "unknown (neverSynced)\n")
    }

    @Test("Sandbox purchases in the vault count if the sandbox is accepted")
    func environments() throws {
        let ads = TransactionDraft.purchase(of: "remove.ads", at: .day(1), id: "5").made(in: .sandbox)
        try workspace.write([ads], to: "sandbox.jws")
        try workspace.done("vault", "import", "--customer", "zoe", "--environment", "Sandbox", "sandbox.jws")
        let refused = try workspace.run("check", "remove.ads", "--customer", "zoe", "--format", "json")
        #expect(refused.status == 1)
        #expect(try refused.diagnostics() == ["environmentRefused remove.ads"])
        #expect(try workspace.run("check", "remove.ads", "--customer", "zoe", "--environment", "Sandbox").status == 0)
    }

    @Test("With purchases in two apps the bundle id selects those that count")
    func twoApps() throws {
        let ads = with(TransactionDraft.purchase(of: "remove.ads", at: .day(1), id: "5")) { $0.bundleID = "com.other" }
        try workspace.write([ads], to: "other.jws")
        try workspace.done("vault", "import", "--customer", "anna", "--bundle-id", "com.other", "other.jws")
        #expect(try workspace.run("check", "remove.ads", "--customer", "anna").output == "lapsed (refunded)\n")
        #expect(
            try workspace.run("check", "remove.ads", "--customer", "anna", "--bundle-id", "com.other").output
                == "entitled (owned)\n")
        try workspace.folder.write("vault: game.sqlite\ncatalogs: [catalog.json]\n", to: "storekeeper.yaml")
        let both = try workspace.run("entitlements", "--customer", "anna")
        #expect(both.status == 65)
        #expect(both.errors.contains("the evidence is about 2 apps: com.example.game, com.other (--bundle-id)"))
    }

    @Test("Reading needs no root, and works repeatedly while another process has the vault open")
    func readingOnly() throws {
        try workspace.folder.write("vault: game.sqlite\ncatalogs: [catalog.json]\n", to: "storekeeper.yaml")
        for _ in 0..<3 { try workspace.done("vault", "balance", "--customer", "anna") }
        #expect(try workspace.run("check", "gold.monthly", "--customer", "anna", "--at", "2026-02-20").status == 0)
        try workspace.done("vault", "grant", "--customer", "anna", "coins", "1", "--key", "k", "--reason", "r")
    }
}
