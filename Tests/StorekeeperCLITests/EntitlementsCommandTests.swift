import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

struct EntitlementsCommandTests {
    /// A subscriber to silver who upgraded to gold on 10 February, will go back to silver, had the ads removed
    /// and refunded, and bought coins, some of which were refunded.
    private static let upgrader: [TransactionDraft] = {
        let renewal = TransactionDraft.renewal(of: Customer.silver, expires: .month(2))
        let coins = with(TransactionDraft.purchase(of: "coins.100", type: .consumable, at: .day(3), id: "3001")) {
            $0.quantity = 3
        }
        return [
            Customer.silver, renewal.upgraded(signedAt: .day(40)),
            .change(of: renewal, to: "gold.monthly", at: .day(40), expires: .day(68)),
            TransactionDraft.purchase(of: "remove.ads", at: .day(5), id: "2000").revoked(at: .day(20)),
            .purchase(of: "coins.100", type: .consumable, at: .day(1), id: "3000"),
            coins.revoked(at: .day(9), percentage: 33_333),
        ]
    }()
    private static let upgraderInfo = with(RenewalInfoDraft(for: upgrader[2], signedAt: .day(45))) {
        $0.autoRenewProductID = "silver.monthly"
    }
    private static let at = ["--at", "2026-02-20T12:00:00Z"]

    private func upgrader() throws -> Customer { try Customer(Self.upgrader, [Self.upgraderInfo]) }

    @Test("All answers as text")
    func text() throws {
        let result = try upgrader().ask(["entitlements", "customer.jws"] + Self.at)
        expectText(
            result.output,
            equals: """
                At 2026-02-20T12:00:00.000Z, all evidence that counts is verified.
                Next change: 2026-03-10T00:00:00.000Z (in 17 days).

                PRODUCT         ANSWER    REASON    SINCE                     UNTIL                                  TRANSACTION  HOW
                gold.monthly    entitled  active    2026-02-10T00:00:00.000Z  2026-03-10T00:00:00.000Z (in 17 days)  1002         purchased
                remove.ads      lapsed    refunded  2026-01-21T00:00:00.000Z                                         2000         purchased
                silver.monthly  lapsed    upgraded  2026-02-10T00:00:00.000Z                                         1001         purchased

                Never bought: season.pass.

                GROUP       STATE       PRODUCT       LEVEL  PERIOD ENDS                            THEN                      HOW
                membership  subscribed  gold.monthly  1      2026-03-10T00:00:00.000Z (in 17 days)  renews as silver.monthly  purchased

                FEATURE  ANSWER    REASON  BY            UNTIL
                ad-free  entitled  active  gold.monthly  2026-03-10T00:00:00.000Z (in 17 days)
                pro      entitled  active  gold.monthly  2026-03-10T00:00:00.000Z (in 17 days)

                BALANCE  UNITS  BOUGHT  TAKEN BACK
                coins    301    400     99

                """)
        #expect(result.errors == "")
        #expect(result.status == 0)
    }

    @Test("All answers as JSON")
    func json() throws {
        let result = try upgrader().ask(["entitlements", "customer.jws", "--format", "json"] + Self.at)
        expectText(
            result.output,
            equals: """
                {
                  "at": "2026-02-20T12:00:00.000Z",
                  "consumables": [
                    {
                      "balance": 301,
                      "clawedBack": 99,
                      "credited": 400,
                      "id": "coins",
                      "restored": 0,
                      "spent": 0
                    }
                  ],
                  "diagnostics": [],
                  "features": [
                    {
                      "answer": "entitled",
                      "by": "gold.monthly",
                      "id": "ad-free",
                      "reason": "active",
                      "until": "2026-03-10T00:00:00.000Z"
                    },
                    {
                      "answer": "entitled",
                      "by": "gold.monthly",
                      "id": "pro",
                      "reason": "active",
                      "until": "2026-03-10T00:00:00.000Z"
                    }
                  ],
                  "groups": [
                    {
                      "highest": {
                        "entitled": true,
                        "groupLevel": 1,
                        "originalTransactionID": "1000",
                        "ownership": "purchased",
                        "productID": "gold.monthly",
                        "state": "subscribed"
                      },
                      "id": "21",
                      "statuses": [
                        {
                          "autoRenewProductID": "silver.monthly",
                          "entitled": true,
                          "expires": "2026-03-10T00:00:00.000Z",
                          "groupLevel": 1,
                          "inBillingRetry": false,
                          "originalTransactionID": "1000",
                          "ownership": "purchased",
                          "productID": "gold.monthly",
                          "state": "subscribed",
                          "willAutoRenew": true
                        }
                      ]
                    }
                  ],
                  "nextChange": "2026-03-10T00:00:00.000Z",
                  "products": [
                    {
                      "answer": "entitled",
                      "environment": "Production",
                      "groupLevel": 1,
                      "id": "gold.monthly",
                      "originalTransactionID": "1000",
                      "ownership": "purchased",
                      "reason": "active",
                      "since": "2026-02-10T00:00:00.000Z",
                      "subscriptionGroupID": "21",
                      "transactionID": "1002",
                      "type": "autoRenewable",
                      "until": "2026-03-10T00:00:00.000Z"
                    },
                    {
                      "answer": "lapsed",
                      "environment": "Production",
                      "id": "remove.ads",
                      "originalTransactionID": "2000",
                      "ownership": "purchased",
                      "reason": "refunded",
                      "since": "2026-01-21T00:00:00.000Z",
                      "transactionID": "2000",
                      "type": "nonConsumable"
                    },
                    {
                      "answer": "never",
                      "id": "season.pass",
                      "reason": "noPurchase",
                      "type": "nonRenewable"
                    },
                    {
                      "answer": "lapsed",
                      "environment": "Production",
                      "groupLevel": 2,
                      "id": "silver.monthly",
                      "originalTransactionID": "1000",
                      "ownership": "purchased",
                      "reason": "upgraded",
                      "since": "2026-02-10T00:00:00.000Z",
                      "subscriptionGroupID": "21",
                      "transactionID": "1001",
                      "type": "autoRenewable"
                    }
                  ],
                  "verified": true
                }

                """)
        #expect(result.status == 0)
    }

    @Test("An earlier instant shows what was true then")
    func earlier() throws {
        let result = try upgrader().ask("entitlements", "customer.jws", "--at", "2026-01-10")
        expectText(
            result.output,
            equals: """
                At 2026-01-10T00:00:00.000Z, all evidence that counts is verified.
                Next change: 2026-01-21T00:00:00.000Z (in 11 days).

                PRODUCT         ANSWER    REASON  SINCE                     UNTIL                                  TRANSACTION  HOW
                remove.ads      entitled  owned   2026-01-06T00:00:00.000Z  2026-01-21T00:00:00.000Z (in 11 days)  2000         purchased
                silver.monthly  entitled  active  2026-01-01T00:00:00.000Z  2026-02-10T00:00:00.000Z (in 31 days)  1000         purchased

                Never bought: gold.monthly, season.pass.

                GROUP       STATE       PRODUCT         LEVEL  PERIOD ENDS                            THEN  HOW
                membership  subscribed  silver.monthly  2      2026-02-01T00:00:00.000Z (in 22 days)        purchased

                FEATURE  ANSWER    REASON      BY          UNTIL
                ad-free  entitled  owned       remove.ads  2026-01-21T00:00:00.000Z (in 11 days)
                pro      never     noPurchase              2026-02-10T00:00:00.000Z (in 31 days)

                BALANCE  UNITS  BOUGHT  TAKEN BACK
                coins    301    400     99

                """)
    }

    @Test("--only lists products with these answers, and says so where there is none")
    func only() throws {
        let customer = try upgrader()
        func ids(_ words: String...) throws -> [String] {
            let options = words.flatMap { ["--only", $0] }
            let object = try customer.ask(["entitlements", "customer.jws", "--format", "json"] + Self.at + options)
                .object()
            return try #require(object["products"] as? [[String: Any]]).compactMap { $0["id"] as? String }
        }
        #expect(try ids("entitled") == ["gold.monthly"])
        #expect(try ids("lapsed", "never") == ["remove.ads", "season.pass", "silver.monthly"])
        #expect(try ids("pending") == [])
        let none = try customer.ask(["entitlements", "customer.jws", "--only", "pending"] + Self.at)
        #expect(none.outputLines.contains("No product has that answer. Leave out --only to see all 4."))
        let never = try customer.ask(["entitlements", "customer.jws", "--only", "never"] + Self.at)
        #expect(never.outputLines.contains { $0.hasPrefix("season.pass  never   noPurchase") })
        let wrong = try customer.ask(["entitlements", "customer.jws", "--only", "owned"] + Self.at)
        #expect(wrong.status == 64)
        #expect(wrong.errorLines.count == 1)
    }

    @Test("Empty evidence is complete evidence of no purchase")
    func emptyEvidence() throws {
        let result = try Customer().ask(["entitlements", "customer.jws"] + Self.at)
        expectText(
            result.output,
            equals: """
                At 2026-02-20T12:00:00.000Z, all evidence that counts is verified.
                Next change: none that is known.

                There is no evidence, so nothing was bought as far as it shows. If that surprises you, fetch the customer's transaction history again.

                Never bought: gold.monthly, remove.ads, season.pass, silver.monthly.

                FEATURE  ANSWER  REASON      BY  UNTIL
                ad-free  never   noPurchase
                pro      never   noPurchase

                BALANCE  UNITS  BOUGHT  TAKEN BACK
                coins    0      0       0

                """)
        #expect(result.errors == "")
        #expect(result.status == 0)
        let json = try Customer().ask(["entitlements", "customer.jws", "--format", "json"] + Self.at, catalog: nil)
        expectText(
            json.output,
            equals: """
                {
                  "at": "2026-02-20T12:00:00.000Z",
                  "consumables": [],
                  "diagnostics": [],
                  "features": [],
                  "groups": [],
                  "products": [],
                  "verified": true
                }

                """)
    }

    @Test("Without a catalog nothing but what was bought is known")
    func emptyCatalog() throws {
        let pass = TransactionDraft.purchase(of: "badge", type: .nonRenewable, at: .day(1), id: "5")
        let bought = try Customer([pass]).ask(["entitlements", "customer.jws"] + Self.at, catalog: nil)
        expectText(
            bought.output,
            equals: """
                At 2026-02-20T12:00:00.000Z, all evidence that counts is verified.
                Next change: none that is known.

                PRODUCT  ANSWER    REASON  SINCE                     UNTIL  TRANSACTION  HOW
                badge    entitled  owned   2026-01-02T00:00:00.000Z         5            purchased

                """)
        #expect(
            bought.errors == """
                storekeeper: warning: unknownProduct: no catalog describes badge: it has no service level and sorts \
                last; name it in a --catalog (badge)

                """)
        let app = try Customer()
        try app.folder.write(
            app.evidence.sign(AppTransactionDraft().payload), to: "app.jws")
        let nothing = try app.ask(["entitlements", "app.jws"] + Self.at, catalog: nil)
        #expect(
            nothing.output == """
                At 2026-02-20T12:00:00.000Z, all evidence that counts is verified.
                Next change: none that is known.

                No product is known. Name the catalog with --catalog FILE, or give evidence that holds purchases.

                """)
        try app.folder.write("{}", to: "nothing.json")
        let catalog = try app.ask(["entitlements", "app.jws"] + Self.at, catalog: "nothing.json")
        #expect(catalog.output == nothing.output)
        #expect(catalog.status == 0)
    }

    @Test("Unsigned payloads count only when asked for, and every answer says so")
    func unsigned() throws {
        let customer = try Customer()
        let payload = String(
            decoding: TransactionDraft.purchase(of: "remove.ads", at: .day(1)).payload, as: UTF8.self)
        try customer.folder.write("[\(payload)]", to: "decoded.json")
        let refused = try customer.ask(["entitlements", "decoded.json"] + Self.at)
        #expect(refused.status == 77)
        #expect(refused.output.contains("remove.ads  unknown  unverified"))
        #expect(refused.errorLines.count == 2)
        let text = try Program.run(
            ["entitlements", "decoded.json", "--unsigned", "--catalog", "catalog.json"] + Self.at, in: customer.folder)
        #expect(text.status == 0)
        #expect(
            text.outputLines.first
                == "At 2026-02-20T12:00:00.000Z, NOT VERIFIED: nobody checked signatures.")
        let json = try Program.run(
            ["entitlements", "decoded.json", "--unsigned", "--format", "json"] + Self.at, in: customer.folder)
        #expect(try json.object()["verified"] as? Bool == false)
        #expect(try json.diagnostics() == ["bundleNotChecked com.example.game", "unknownProduct remove.ads"])
    }

    @Test("What is no ground for an answer is answered all the same, and ends with its status")
    func refusals() throws {
        let customer = try upgrader()
        let ask = { (lines: [String], options: [String]) in
            try customer.folder.write(lines.joined(separator: "\n"), to: "other.jws")
            return try customer.ask(["entitlements", "other.jws", "--format", "json"] + Self.at + options)
        }
        let garbage = try ask(["garbage", "{}"], [])
        #expect(garbage.status == 65)
        #expect(
            garbage.errorLines.last
                == "storekeeper: error: nothing in the evidence could be read (2 items): give compact JWS, one a line, "
                + "or answers of the App Store Server API")
        #expect(try garbage.diagnostics() == ["unverifiedEvidence malformed"])

        let tampered = try ask([customer.evidence.tampered()], [])
        #expect(tampered.status == 77)
        #expect(
            tampered.errorLines.last
                == "storekeeper: error: no evidence could be verified (1 item): see 'storekeeper verify' for the "
                + "reason of each; check --root and --bundle-id")
        let products = try #require(tampered.object()["products"] as? [[String: Any]])
        #expect(products.first?["answer"] as? String == "unknown")
        #expect(products.first?["reason"] as? String == "unverified")
        #expect(products.dropFirst().allSatisfy { $0["answer"] as? String == "never" })

        let sandbox = try ask(
            customer.lines([TransactionDraft.purchase(of: "remove.ads", at: .day(1)).made(in: .sandbox)]), [])
        #expect(sandbox.status == 0)
        #expect(try sandbox.diagnostics() == ["environmentRefused remove.ads"])
    }

    @Test("Evidence of two apps is no answer at all unless the app is named")
    func severalApps() throws {
        let customer = try Customer()
        let other = with(TransactionDraft.purchase(of: "remove.ads", at: .day(1), id: "7")) {
            $0.bundleID = "com.example.other"
        }
        try customer.folder.write(customer.lines([Customer.gold, other]).joined(separator: "\n"), to: "two.jws")
        let result = try Program.run(["entitlements", "two.jws", "--root", "root.pem"] + Self.at, in: customer.folder)
        #expect(result.status == 65)
        #expect(result.output == "")
        #expect(
            result.errors == """
                storekeeper: error: the evidence is about 2 apps: com.example.game, com.example.other (--bundle-id): \
                name the app that counts with --bundle-id

                """)
        let named = try customer.ask(["entitlements", "two.jws"] + Self.at)
        #expect(named.status == 0)
    }

    @Test(
        "Wrong usage and files that are not there are one line, and nothing is answered",
        arguments: [
            (
                ["entitlements", "--root", "root.pem"], 64,
                "no evidence is given (EVIDENCE): name files, or - for standard input"
            ),
            (
                ["entitlements", "customer.jws"], 64,
                "no trusted root certificate is given (--root): name one with --root FILE, STOREKEEPER_ROOT or "
                    + "storekeeper.yaml, or pass --unsigned"
            ),
            (
                ["entitlements", "customer.jws", "--root", "root.pem", "--at", "yesterday"], 64,
                "'yesterday' is no time (--at): write it like 2026-03-01T09:30:00Z, 2026-03-01 or milliseconds since "
                    + "1970"
            ),
            (
                ["entitlements", "customer.jws", "absent.jws", "--root", "root.pem"], 66,
                "the file cannot be read: no such file or directory (absent.jws): check the path and its permissions"
            ),
            (
                ["entitlements", "customer.jws", "--root", "root.pem", "--catalog", "absent.json"], 66,
                "the file cannot be read: no such file or directory (absent.json): check the path and its "
                    + "permissions"
            ),
        ] as [([String], Int32, String)])
    func failures(arguments: [String], status: Int32, line: String) throws {
        let result = try Program.run(arguments, in: Customer([Customer.gold]).folder)
        #expect(result.errors == "storekeeper: error: \(line)\n")
        #expect(result.output == "")
        #expect(result.status == status)
    }

    @Test("The same evidence in another order, doubled and over several files gives the same bytes")
    func shuffled() throws {
        let customer = try upgrader()
        let drafts = Self.upgrader + [.purchase(of: "mystery", at: .day(2), id: "9")]
        let strangers = [RenewalInfoDraft(originalID: "555"), RenewalInfoDraft(originalID: "444")]
        let good = try customer.lines(drafts, [Self.upgraderInfo] + strangers)
        let bad = try [customer.evidence.tampered(), "garbage", customer.evidence.transaction(environment: "Sandbox")]
        func answer(_ files: [String]) throws -> String {
            for (index, text) in files.enumerated() { try customer.folder.write(text, to: "\(index).jws") }
            let names = files.indices.map { "\($0).jws" }
            return try customer.ask(["entitlements", "--format", "json"] + names + Self.at).output
        }
        let lines = good + bad
        let first = try answer([lines.joined(separator: "\n")])
        #expect(try answer([lines.reversed().joined(separator: "\n")]) == first)
        #expect(try answer([(lines + lines.reversed()).joined(separator: "\n")]) == first)
        #expect(try answer(lines) == first)
        try customer.folder.write(lines.joined(separator: "\n"), to: "all.jws")
        #expect(
            try customer.ask(["entitlements", "all.jws", "--format", "json"] + Self.at).diagnostics() == [
                "environmentRefused gold.monthly", "unknownProduct mystery", "unpairedRenewalInfo 444",
                "unpairedRenewalInfo 555", "unverifiedEvidence invalidSignature", "unverifiedEvidence malformed",
            ])
    }
}
