import StorekeeperTesting
import Testing

/// Tests of purchases, spends, grants and refunds in the output of the vault commands.
@Suite(.system) struct VaultAccountTests {
    private let workspace: VaultWorkspace

    init() throws { workspace = try VaultWorkspace(VaultWorkspace.coins) }

    @Test("A first import creates the vault and credits purchases once")
    func importing() throws {
        let first = try workspace.done("vault", "import", "--customer", "anna", "customer.jws")
        #expect(first.output == "2 items: 2 new, 0 known, 0 parked.\nBalances: coins +400.\n")
        #expect(first.errors == "storekeeper: note: there is no vault game.sqlite yet; it is created\n")
        let again = try workspace.done("vault", "import", "--customer", "anna", "customer.jws", "--format", "json")
        expectText(
            again.output,
            equals: """
                {
                  "conflicts": [],
                  "diagnostics": [],
                  "items": 2,
                  "known": 2,
                  "new": 0,
                  "parked": 0
                }

                """)
        #expect(again.errors == "")
        #expect(try workspace.balance() == 400)
    }

    @Test("Items that occur twice in a file, or as evidence and in a notification, count once")
    func doubled() throws {
        let lines = try workspace.customer.lines(VaultWorkspace.coins)
        let notification = try workspace.customer.evidence.notification(
            transaction: lines[0], renewalInfo: workspace.customer.evidence.renewalInfo())
        try workspace.folder.write((lines + lines + [notification]).joined(separator: "\n"), to: "twice.jws")
        let result = try workspace.done("vault", "import", "--customer", "anna", "twice.jws", "--format", "json")
        let report = try result.object()
        #expect(report["items"] as? Int == 5)
        #expect(report["new"] as? Int == 2)
        #expect(report["known"] as? Int == 3)
        // The renewal info belongs to an unknown purchase, and is parked until its transaction arrives.
        #expect(report["parked"] as? Int == 1)
        #expect(try workspace.balance() == 400)
    }

    @Test("One balance or all are printed, as text and as JSON")
    func balances() throws {
        try workspace.take()
        try workspace.done("vault", "grant", "--customer", "anna", "gems", "7", "--key", "g", "--reason", "welcome")
        #expect(try workspace.done("vault", "balance", "--customer", "anna", "coins").output == "400\n")
        #expect(
            try workspace.done("vault", "balance", "--customer", "anna").output
                == "BALANCE  UNITS\ncoins    400\ngems     7\n")
        let list = try workspace.done("vault", "balance", "--customer", "anna", "--format", "json").output
        #expect(list.filter { !$0.isWhitespace } == #"[{"balance":400,"id":"coins"},{"balance":7,"id":"gems"}]"#)
        let one = try workspace.done("vault", "balance", "--customer", "anna", "coins", "--format", "json").output
        #expect(one.filter { !$0.isWhitespace } == #"{"balance":400,"id":"coins"}"#)
        #expect(try workspace.done("vault", "balance", "--customer", "zoe", "--format", "json").output == "[]\n")
        // A balance of the catalog without entries is zero, with a note.
        let empty = try workspace.done("vault", "balance", "--customer", "zoe", "gems", "--format", "json")
        #expect(empty.output.filter { !$0.isWhitespace } == #"{"balance":0,"id":"gems"}"#)
        #expect(empty.errors == "storekeeper: note: this customer never had units of 'gems'\n")
        // A name that neither the catalog nor the account has is an error.
        let near = try workspace.run("vault", "balance", "--customer", "anna", "coinz", "--format", "json")
        #expect(near.status == 64)
        #expect(near.output == "")
        #expect(
            near.errors
                == "storekeeper: error: there is no balance 'coinz' in the catalog or the account (BALANCE): did "
                + "you mean 'coins'?\n")
        // The error lists each balance once, in the order of the catalogs, although `coins` is in the catalog and in
        // the account.
        let far = try workspace.run("vault", "balance", "--customer", "anna", "energy.drinks")
        #expect(far.status == 64)
        #expect(
            far.errors
                == "storekeeper: error: there is no balance 'energy.drinks' in the catalog or the account (BALANCE): "
                + "use one of coins, gems\n")
    }

    @Test("A spend is made once for each key, and its receipt is printed again")
    func spending() throws {
        try workspace.take()
        let words = ["vault", "spend", "--customer", "anna", "coins", "120", "--key", "order-1"]
        let first = try Program.run(words + ["--format", "json"], in: workspace.folder)
        let receipt = try #require(first.object()["receipt"] as? String)
        expectText(
            first.output,
            equals:
                "{\n  \"balance\": 280,\n  \"customer\": \"anna\",\n  \"receipt\": \"\(receipt)\",\n  \"replayed\": false\n}\n"
        )
        #expect(first.status == 0)
        let again = try Program.run(words + ["--format", "json"], in: workspace.folder)
        #expect(again.output == first.output.replacing("false", with: "true"))
        #expect(again.status == 0)
        let text = try Program.run(words, in: workspace.folder)
        #expect(text.output == "Spent before: 120 coins; 280 were left then. Receipt \(receipt).\n")
        #expect(try workspace.balance() == 280)
    }

    @Test("The key of another request is refused, and nothing changes")
    func usedKey() throws {
        try workspace.take()
        try workspace.done("vault", "spend", "--customer", "anna", "coins", "120", "--key", "order-1")
        let result = try workspace.run("vault", "spend", "--customer", "anna", "coins", "121", "--key", "order-1")
        #expect(result.status == 64)
        #expect(result.output == "")
        #expect(result.errors.contains("the key was used for another request"))
        #expect(try workspace.balance() == 280)
    }

    @Test("A spend beyond the balance is refused with 1, and nothing changes")
    func tooLittle() throws {
        try workspace.take()
        let text = try workspace.run("vault", "spend", "--customer", "anna", "coins", "401", "--key", "order-1")
        #expect(text.status == 1)
        #expect(text.output == "Not spent: coins has 400, but 401 were requested.\n")
        let json = try workspace.run(
            "vault", "spend", "--customer", "anna", "coins", "401", "--key", "order-1", "--format", "json")
        #expect(json.status == 1)
        #expect(json.output.filter { !$0.isWhitespace } == #"{"balance":400,"refused":"insufficient"}"#)
        #expect(try workspace.balance() == 400)
        #expect(try workspace.run("vault", "spend", "--customer", "zoe", "coins", "1", "--key", "a").status == 1)
        // A refused spend changes nothing and does not use up its key, so the same command can be repeated.
        try workspace.done("vault", "grant", "--customer", "anna", "coins", "1", "--key", "g", "--reason", "a gift")
        try workspace.done("vault", "spend", "--customer", "anna", "coins", "401", "--key", "order-1")
    }

    @Test("A refund of spent units leaves a debt, which with --refunds freeze blocks all spends")
    func refunds() throws {
        try workspace.take()
        try workspace.done("vault", "grant", "--customer", "anna", "gems", "7", "--key", "g", "--reason", "welcome")
        try workspace.done("vault", "spend", "--customer", "anna", "coins", "400", "--key", "all")
        try workspace.write([VaultWorkspace.coins[0].revoked(at: .day(9))], to: "refund.jws")
        try workspace.take("refund.jws")
        #expect(try workspace.balance() == -100)
        let frozen = try workspace.run(
            "vault", "spend", "--customer", "anna", "gems", "1", "--key", "h", "--refunds", "freeze")
        #expect(frozen.status == 1)
        #expect(
            frozen.output
                == "Not spent: coins is below zero after a refund; nothing can be spent until this is resolved.\n")
        try workspace.done("vault", "spend", "--customer", "anna", "gems", "1", "--key", "h")
    }

    @Test("The refund policy of the configuration applies, and a flag overrides it")
    func refundPolicy() throws {
        try workspace.folder.write(
            "root: root.pem\ncatalogs: [catalog.json]\nvault: game.sqlite\npolicy: { refunds: floorAtZero }\n",
            to: "storekeeper.yaml")
        try workspace.take()
        try workspace.done("vault", "spend", "--customer", "anna", "coins", "350", "--key", "most")
        try workspace.write([VaultWorkspace.coins[0].revoked(at: .day(9))], to: "refund.jws")
        try workspace.take("refund.jws")
        #expect(try workspace.balance() == 0)
        try workspace.done(
            "vault", "import", "--customer", "bob", "--vault", "other.sqlite", "--refunds", "debt", "refund.jws")
        #expect(try workspace.balance("bob", in: "other.sqlite") == 0)
    }

    @Test("The history lists all entries, with bindings and facts")
    func statement() throws {
        try workspace.take()
        try workspace.done("vault", "spend", "--customer", "anna", "coins", "120", "--key", "order-1")
        try workspace.done(
            "vault", "grant", "--customer", "anna", "gems", "7", "--key", "ticket-4", "--reason", "lost match")
        try workspace.write([VaultWorkspace.coins[0].revoked(at: .day(9))], to: "refund.jws")
        try workspace.take("refund.jws")
        expectText(
            try workspace.done("vault", "history", "--customer", "anna").timeless,
            equals: """
                TIME                      BALANCE  CHANGE  AFTER  WHAT
                TIME                          now owns purchase 3000
                TIME                          now owns purchase 3001
                TIME                          learned of coins.100, transaction 3000 of TIME
                TIME                          learned of coins.100, transaction 3001 of TIME
                TIME  coins      +100    100  bought coins.100, transaction 3000
                TIME  coins      +300    400  bought coins.100, transaction 3001
                TIME  coins      -120    280  spent for order-1
                TIME  gems         +7      7  granted for ticket-4: lost match
                TIME                          learned of coins.100, transaction 3000 of TIME, taken back TIME
                TIME  coins      -100    180  refunded coins.100, transaction 3000

                Now: coins 180, gems 7.

                """)
        #expect(
            try workspace.history() == [
                "binding 3000", "binding 3001", "fact 3000", "fact 3001", "credit coins 100 100 3000",
                "credit coins 300 400 3001", "spend coins -120 280 order-1",
                "grant gems 7 7 ticket-4 lost match", "fact 3000", "clawBack coins -100 180 3000",
            ])
    }

    @Test("A reversed refund is restored")
    func restoring() throws {
        let refund = VaultWorkspace.coins[0].revoked(at: .day(9))
        try workspace.write([refund, refund.reversed(signedAt: .day(12))], to: "reversed.jws")
        try workspace.write([refund], to: "refund.jws")
        try workspace.take()
        try workspace.take("refund.jws")
        try workspace.take("reversed.jws")
        #expect(
            try workspace.history().suffix(3) == [
                "clawBack coins -100 300 3000", "fact 3000", "restore coins 100 400 3000",
            ])
    }

    @Test("An erasure removes the customer's data and keeps the proof")
    func erasing() throws {
        try workspace.take()
        let result = try workspace.done(
            "vault", "erase", "--customer", "anna", "--reason", "request 17", "--format", "json")
        let report = try result.object()
        #expect(report["facts"] as? Int == 2)
        #expect(report["entries"] as? Int == 2)
        #expect((report["proof"] as? String)?.isEmpty == false)
        #expect(try workspace.history() == ["erasure request 17 request 17"])
        #expect(try workspace.balance() == 0)
        #expect(try workspace.run("check", "remove.ads", "--customer", "anna").output == "unknown (neverSynced)\n")
        try workspace.done("vault", "verify")
    }
}
