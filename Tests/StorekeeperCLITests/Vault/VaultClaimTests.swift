import StorekeeperEngine
import StorekeeperTesting
import Testing

/// Tests of the owners of purchases, and of conflicts between two customers.
@Suite(.system) struct VaultClaimTests {
    private static let token = "7e3fb204-94ac-4c5c-ae9b-1f0c2bd2a7d4"

    /// Coins with an account token.
    private static let named = with(VaultWorkspace.coins[0]) { $0.appAccountToken = token }

    @Test("Another customer's purchase is reported and parked, and the rest is imported")
    func conflict() throws {
        let workspace = try VaultWorkspace([VaultWorkspace.coins[0]])
        try workspace.take()
        try workspace.write(VaultWorkspace.coins, to: "both.jws")
        let words = ["vault", "import", "--customer", "bob", "both.jws"]
        let result = try Program.run(words + ["--format", "json"], in: workspace.folder)
        expectText(
            result.output,
            equals: """
                {
                  "conflicts": [
                    {
                      "customer": "anna",
                      "originalTransactionID": "3000"
                    }
                  ],
                  "diagnostics": [],
                  "items": 2,
                  "known": 0,
                  "new": 1,
                  "parked": 1
                }

                """)
        #expect(result.status == 1)
        #expect(try workspace.balance("bob") == 300)
        #expect(try workspace.balance("anna") == 100)
        expectText(
            try workspace.done("vault", "parked").timeless,
            equals: """
                PURCHASE  PRODUCT    SINCE                     WHY                 BROUGHT BY
                3000      coins.100  TIME  another customer's  bob

                """)
        let again = try Program.run(words, in: workspace.folder)
        #expect(
            again.output
                == "2 items: 0 new, 1 known, 1 parked.\nPurchase 3000 belongs to anna and was not imported.\n")
        #expect(again.status == 1)
        try workspace.done("vault", "verify")
    }

    @Test("A refund that another customer brings counts for its owner at once, and is not reported as parked")
    func refundBroughtByAnother() throws {
        let coins = VaultWorkspace.coins[0]
        let workspace = try VaultWorkspace([coins])
        try workspace.take()
        try workspace.write([coins, coins.revoked(at: .day(9))], to: "refund.jws")
        let result = try workspace.run("vault", "import", "--customer", "bob", "refund.jws")
        #expect(result.status == 1)
        #expect(
            result.output
                == "2 items: 1 new, 1 known, 0 parked.\nPurchase 3000 belongs to anna, where its new evidence counts.\n"
        )
        #expect(try workspace.balance("anna") == 0)
        #expect(try workspace.balance("bob") == 0)
        #expect(try workspace.done("vault", "parked").output == "Nothing is parked.\n")
        try workspace.done("vault", "verify")
    }

    @Test("check and explain name a purchase that was put aside, and whose it is")
    func namesWhatWasPutAside() throws {
        let ads = TransactionDraft.purchase(of: "remove.ads", at: .day(1), id: "5")
        let workspace = try VaultWorkspace([ads])
        try workspace.take()
        #expect(try workspace.run("vault", "import", "--customer", "bob", "customer.jws").status == 1)
        let check = try workspace.run("check", "remove.ads", "--customer", "bob")
        #expect(check.status == 1)
        #expect(
            check.errors.contains(
                "the purchase 5 of remove.ads, imported for this customer, belongs to anna and was put aside"))
        let why = try workspace.run("explain", "remove.ads", "--customer", "bob")
        #expect(why.output.contains("belongs to anna"))
        #expect(!why.output.contains("import the customer's evidence"))
        // The owner's own answers do not mention it, and an erasure forgets who brought it.
        #expect(try !workspace.run("check", "remove.ads", "--customer", "anna").errors.contains("put aside"))
        try workspace.done("vault", "erase", "--customer", "bob", "--reason", "asked for it")
        #expect(try !workspace.done("vault", "parked").output.contains("bob"))
    }

    @Test("Ten conflicts are listed in text, and all in JSON")
    func manyConflicts() throws {
        let coins = (0..<12).map { number in
            TransactionDraft.purchase(of: "coins.100", type: .consumable, at: .day(1), id: "\(3000 + number)")
        }
        let workspace = try VaultWorkspace(coins)
        try workspace.take()
        let words = ["vault", "import", "--customer", "bob", "customer.jws"]
        let text = try Program.run(words, in: workspace.folder)
        #expect(text.status == 1 && text.outputLines.count == 12, "\(text.output)")
        #expect(text.outputLines.last == "2 more; --format json lists all")
        let document = try Program.run(words + ["--format", "json"], in: workspace.folder).object()
        #expect((document["conflicts"] as? [[String: String]])?.count == 12)
    }

    @Test("Parked evidence is printed as JSON, an object for each purchase")
    func parked() throws {
        let workspace = try VaultWorkspace([VaultWorkspace.coins[0]])
        try workspace.take()
        let empty = try workspace.done("vault", "parked", "--format", "json").output
        #expect(empty.filter { !$0.isWhitespace } == #"{"parked":[]}"#)
        #expect(try workspace.done("vault", "parked").output == "Nothing is parked.\n")
        _ = try workspace.run("vault", "import", "--customer", "bob", "customer.jws")
        let json = try workspace.done("vault", "parked", "--format", "json").timeless
        #expect(
            json.filter { !$0.isWhitespace }
                == #"{"parked":[{"originalTransactionID":"3000","productID":"coins.100","since":"TIME"}]}"#
                .replacing(#"{"originalTransactionID""#, with: #"{"broughtBy":"bob","originalTransactionID""#))
    }

    @Test("A token belongs to the customer with the same id, in any case", arguments: [token, token.uppercased()])
    func tokens(id: String) throws {
        let workspace = try VaultWorkspace([Self.named])
        try workspace.take(for: id)
        #expect(try workspace.balance(Self.token) == 100)
        #expect(try workspace.balance(Self.token.uppercased()) == 100)
        #expect(try workspace.run("vault", "import", "--customer", "bob", "customer.jws").status == 1)
    }

    @Test("An unowned token and its purchases belong to the first customer who imports them")
    func firstToken() throws {
        let workspace = try VaultWorkspace([Self.named])
        try workspace.take(for: "anna")
        let other = with(VaultWorkspace.coins[1]) { $0.appAccountToken = Self.token.uppercased() }
        try workspace.write([other], to: "other.jws")
        #expect(try workspace.run("vault", "import", "--customer", "bob", "other.jws").status == 1)
        try workspace.take("other.jws", for: "anna")
        #expect(try workspace.balance() == 400)
    }

    @Test("A token is claimed once, and repeating the claim gives the same answer")
    func claimToken() throws {
        let workspace = try VaultWorkspace([Self.named])
        try workspace.done("vault", "init")
        let words = ["vault", "claim", "--token", Self.token.uppercased(), "--customer"]
        for _ in 0..<2 {
            let result = try Program.run(words + ["anna", "--format", "json"], in: workspace.folder)
            #expect(result.output.filter { !$0.isWhitespace } == #"{"bound":true}"#)
            #expect(result.status == 0)
        }
        let refused = try Program.run(words + ["bob", "--format", "json"], in: workspace.folder)
        #expect(
            refused.output.filter { !$0.isWhitespace }
                == #"{"bound":false,"conflict":{"customer":"anna","token":"\#(Self.token)"}}"#)
        #expect(refused.status == 1)
        #expect(try workspace.run("vault", "import", "--customer", "bob", "customer.jws").status == 1)
        try workspace.take(for: "anna")
    }

    @Test("A purchase is claimed by its original transaction")
    func claimPurchase() throws {
        let workspace = try VaultWorkspace([VaultWorkspace.coins[0]])
        try workspace.take(for: "anna")
        let words = ["vault", "claim", "--original-transaction", "3000", "--customer"]
        let again = try Program.run(words + ["anna"], in: workspace.folder)
        #expect(again.output == "The purchase 3000 belongs to anna.\n")
        let refused = try Program.run(words + ["bob"], in: workspace.folder)
        #expect(refused.output == "The purchase 3000 belongs to anna; nothing was changed.\n")
        #expect(refused.status == 1)
    }

    @Test("A transfer moves a purchase or token with its units, and both histories record it")
    func transfer() throws {
        let workspace = try VaultWorkspace([Self.named])
        try workspace.take(for: "anna")
        let words = ["vault", "claim", "--customer", "bob", "--original-transaction", "3000"]
        #expect(try Program.run(words, in: workspace.folder).status == 1)
        for wrong in [["--transfer"], ["--reason", "a new account"], ["--transfer", "--reason", ""]] {
            #expect(try Program.run(words + wrong, in: workspace.folder).status == 64)
        }
        let move = words + ["--transfer", "--reason", "a new account", "--format", "json"]
        for _ in 0..<2 {
            let moved = try Program.run(move, in: workspace.folder)
            #expect(moved.status == 0)
            #expect(moved.output.filter { !$0.isWhitespace } == #"{"bound":true}"#)
        }
        #expect(try workspace.balance() == 0)
        #expect(try workspace.balance("bob") == 100)
        for customer in ["anna", "bob"] {
            let history = try workspace.done("vault", "history", "--customer", customer, "--format", "json")
            let entries = try #require(history.object()["entries"] as? [[String: Any]])
            let transfers = entries.filter { $0["kind"] as? String == "transfer" }
            #expect(transfers.map { $0["from"] as? String } == ["anna"])
            #expect(transfers.map { $0["to"] as? String } == ["bob"])
            #expect(transfers.map { $0["reason"] as? String } == ["a new account"])
        }
        try workspace.done("vault", "verify")
        // The token of the purchase is still anna's, and the purchase stays bob's.
        let refund = with(Self.named) {
            ($0.revokedAt, $0.signedAt) = (.day(3), .day(3))
        }
        try workspace.write([refund], to: "refund.jws")
        try workspace.take("refund.jws", for: "bob")
        #expect(try workspace.balance("bob") == 0)
        let token = [
            "vault", "claim", "--customer", "bob", "--token", Self.token, "--transfer", "--reason", "the same",
        ]
        #expect(try Program.run(token, in: workspace.folder).status == 0)
        try workspace.done("vault", "export", "--vault", "game.sqlite")
        try workspace.done("vault", "verify")
    }

    @Test("An app transaction belongs to the first customer who imports it, and moves only on purpose")
    func appTransaction() throws {
        let workspace = try VaultWorkspace()
        let app = with(AppTransactionDraft(signedAt: .day(10))) { $0.originallyPurchasedAt = .day(-400) }
        try workspace.folder.write(workspace.customer.evidence.sign(app.payload), to: "app.jws")
        try workspace.folder.write(
            """
            {"products":["gold.monthly"],
             "features":{"pro":{"products":["gold.monthly"],"originalVersionBefore":"2.0"}}}
            """, to: "features.json")
        func check(_ words: String...) throws -> Program.Result {
            try Program.run(
                ["check", "--feature", "pro", "--catalog", "features.json", "--at", "2026-01-15", "--customer"] + words,
                in: workspace.folder)
        }
        try workspace.take("app.jws")
        #expect(try check("anna").output == "entitled (paidApp)\n")
        let conflict = try workspace.run("vault", "import", "--customer", "bob", "app.jws")
        #expect(conflict.status == 1)
        #expect(conflict.output.contains("Purchase app:700000000000000001 belongs to anna and was not imported."))
        try workspace.folder.write(workspace.done("vault", "export").output, to: "export.jsonl")
        try workspace.done("vault", "import", "export.jsonl", "--vault", "copy.sqlite")
        #expect(try check("anna", "--vault", "copy.sqlite").output == "entitled (paidApp)\n")

        let claim = ["vault", "claim", "--customer", "bob", "--original-transaction", "app:700000000000000001"]
        #expect(try Program.run(claim, in: workspace.folder).status == 1)
        #expect(try workspace.done("vault", "claim", "--help").output.contains("app:700000000000000001"))
        let moved = try Program.run(claim + ["--transfer", "--reason", "a new account"], in: workspace.folder)
        #expect(moved.status == 0, "\(moved.errors)")
        #expect(try check("bob").output == "entitled (paidApp)\n")
        #expect(try check("anna").status == 1)
        try workspace.done("vault", "verify")
        try workspace.done("vault", "erase", "--customer", "bob", "--reason", "asked for it")
        #expect(try check("bob").status == 3)
        try workspace.done("vault", "verify")
    }

    @Test("A purchase can be claimed in advance only by force and if the app is known")
    func claimAhead() throws {
        let workspace = try VaultWorkspace([VaultWorkspace.coins[0]])
        try workspace.done("vault", "init")
        let words = ["vault", "claim", "--customer", "anna", "--original-transaction", "3000"]
        let unforced = try Program.run(words, in: workspace.folder)
        #expect(unforced.status == 64)
        #expect(unforced.errors.contains("the vault has no evidence of this purchase (--original-transaction)"))
        #expect(unforced.errors.contains("--force"))
        #expect(try Program.run(words + ["--force"], in: workspace.folder).status == 0)
        // Once it is bound, the claim can be repeated.
        #expect(try Program.run(words, in: workspace.folder).status == 0)
        #expect(try workspace.run("vault", "import", "--customer", "bob", "customer.jws").status == 1)
        try workspace.folder.write("vault: game.sqlite\n", to: "storekeeper.yaml")
        let result = try workspace.run(
            "vault", "claim", "--customer", "anna", "--original-transaction", "9", "--force")
        #expect(result.status == 64)
        #expect(result.errors.contains("the vault does not know this purchase (--original-transaction)"))
    }
}
