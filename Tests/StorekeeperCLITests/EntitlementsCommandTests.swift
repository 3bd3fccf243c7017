import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

@Suite(.system) struct EntitlementsCommandTests {
    private static let at = ["--at", "2026-02-20T12:00:00Z"]

    @Test("All answers are printed as text")
    func text() throws {
        let result = try Customer.upgrader().ask(["entitlements", "customer.jws"] + Self.at)
        expectText(
            result.output,
            equals: """
                At 2026-02-20T12:00:00.000Z, all 7 items are verified.
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
                coins    300    400     100

                """)
        #expect(result.errors == "")
        #expect(result.status == 0)
    }

    @Test("All answers are printed as JSON")
    func json() throws {
        let result = try Customer.upgrader().ask(["entitlements", "customer.jws", "--format", "json"] + Self.at)
        expectText(
            result.output,
            equals: """
                {
                  "at": "2026-02-20T12:00:00.000Z",
                  "consumables": [
                    {
                      "balance": 300,
                      "clawedBack": 100,
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

    @Test("At an earlier instant the answers are those of that time")
    func earlier() throws {
        let result = try Customer.upgrader().ask("entitlements", "customer.jws", "--at", "2026-01-10")
        expectText(
            result.output,
            equals: """
                At 2026-01-10T00:00:00.000Z, all 7 items are verified.
                Next change: 2026-01-21T00:00:00.000Z (in 11 days).

                PRODUCT         ANSWER    REASON  SINCE                     UNTIL                                  TRANSACTION  HOW
                remove.ads      entitled  owned   2026-01-06T00:00:00.000Z  2026-01-21T00:00:00.000Z (in 11 days)  2000         purchased
                silver.monthly  entitled  active  2026-01-01T00:00:00.000Z  2026-02-10T00:00:00.000Z (in 31 days)  1000         purchased

                Never bought: gold.monthly, season.pass.

                GROUP       STATE       PRODUCT         LEVEL  PERIOD ENDS                            THEN    HOW
                membership  subscribed  silver.monthly  2      2026-02-01T00:00:00.000Z (in 22 days)  renews  purchased

                FEATURE  ANSWER    REASON      BY          UNTIL
                ad-free  entitled  owned       remove.ads  2026-01-21T00:00:00.000Z (in 11 days)
                pro      never     noPurchase              2026-02-10T00:00:00.000Z (in 31 days)

                BALANCE  UNITS  BOUGHT  TAKEN BACK
                coins    300    400     100

                """)
    }

    @Test("--only lists products with these answers, or reports that there are none")
    func only() throws {
        let customer = try Customer.upgrader()
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

    @Test("Empty evidence is complete evidence without purchases")
    func emptyEvidence() throws {
        let result = try Customer().ask(["entitlements", "customer.jws"] + Self.at)
        expectText(
            result.output,
            equals: """
                At 2026-02-20T12:00:00.000Z, there is no evidence.
                Next change: none known.

                There is no evidence, so no purchases are known. If this is unexpected, fetch the customer's transaction history again.

                Never bought: gold.monthly, remove.ads, season.pass, silver.monthly.

                FEATURE  ANSWER  REASON      BY  UNTIL
                ad-free  never   noPurchase
                pro      never   noPurchase

                BALANCE  UNITS  BOUGHT  TAKEN BACK
                coins    0      0       0

                """)
        let message =
            "a file without items counts as complete evidence that nothing was bought: check that the file is complete"
        #expect(result.errors == "storekeeper: warning: emptyEvidence: \(message) (customer.jws)\n")
        #expect(result.status == 0)
        let json = try Customer().ask(["entitlements", "customer.jws", "--format", "json"] + Self.at, catalog: nil)
        expectText(
            json.output,
            equals: """
                {
                  "at": "2026-02-20T12:00:00.000Z",
                  "consumables": [],
                  "diagnostics": [
                    {
                      "code": "emptyEvidence",
                      "message": "\(message)",
                      "severity": "warning"
                    }
                  ],
                  "features": [],
                  "groups": [],
                  "products": [],
                  "verified": true
                }

                """)
    }

    @Test(
        "80 columns have room for the hours of SINCE and UNTIL",
        arguments: [
            ("family-member", "2026-03-20", "2026-02-10T15:00Z  2026-04-10T15:00Z  family"),
            ("billing-retry", "2026-04-12", "gracePeriod  2026-04-05T07:15Z  2026-04-21T07:15Z"),
            ("grace-then-recovery", "2026-03-20", "2026-02-03T08:00Z  2026-04-03T08:00Z  purchased"),
        ])
    func hours(story: String, instant: String, times: String) throws {
        let evidence = CompanionFolder.repository.appending(path: "Configuration/evidence").path
        let result = try Program.run(
            [
                "entitlements", "\(evidence)/\(story).jsonl", "--config", "\(evidence)/storekeeper.yaml", "--at",
                instant,
            ], in: Folder(), environment: ["COLUMNS": "80"])
        #expect(result.outputLines.contains { $0.hasSuffix(times) }, "\(result.output) \(result.errors)")
        #expect(result.outputLines.allSatisfy { $0.count <= 80 })
    }

    @Test("80 columns have room for how a shared product and its subscription were got")
    func narrowHow() throws {
        let evidence = CompanionFolder.repository.appending(path: "Configuration/evidence").path
        let result = try Program.run(
            [
                "entitlements", "\(evidence)/family-member.jsonl", "--config", "\(evidence)/storekeeper.yaml", "--at",
                "2026-03-20",
            ], in: Folder(), environment: ["COLUMNS": "80"])
        let headings = result.outputLines.filter { $0.hasPrefix("PRODUCT ") || $0.hasPrefix("GROUP ") }
        #expect(headings.count == 2 && headings.allSatisfy { $0.hasSuffix("HOW") }, "\(result.output)")
        #expect(result.outputLines.count { $0.hasSuffix("  family") } == 2, "\(result.output)")
        #expect(result.outputLines.allSatisfy { $0.count <= 80 })
    }

    @Test("Without a catalog only purchased products are known")
    func emptyCatalog() throws {
        let pass = TransactionDraft.purchase(of: "badge", type: .nonRenewable, at: .day(1), id: "5")
        let bought = try Customer([pass]).ask(["entitlements", "customer.jws"] + Self.at, catalog: nil)
        expectText(
            bought.output,
            equals: """
                At 2026-02-20T12:00:00.000Z, the one item is verified.
                Next change: none known.

                PRODUCT  ANSWER    REASON  SINCE                     UNTIL  TRANSACTION  HOW
                badge    entitled  owned   2026-01-02T00:00:00.000Z         5            purchased

                """)
        #expect(
            bought.errors == """
                storekeeper: warning: unknownProduct: badge is in no catalog, so it has no service level and is \
                sorted last; add it to a --catalog (badge)

                """)
        let app = try Customer()
        try app.folder.write(
            app.evidence.sign(AppTransactionDraft().payload), to: "app.jws")
        let nothing = try app.ask(["entitlements", "app.jws"] + Self.at, catalog: nil)
        #expect(
            nothing.output == """
                At 2026-02-20T12:00:00.000Z, the one item is verified.
                Next change: none known.

                No product is known. Name the catalog with --catalog FILE, or give evidence that holds purchases.

                """)
        try app.folder.write("{}", to: "nothing.json")
        let catalog = try app.ask(["entitlements", "app.jws"] + Self.at, catalog: "nothing.json")
        #expect(catalog.output == nothing.output)
        #expect(catalog.status == 0)
    }
}
