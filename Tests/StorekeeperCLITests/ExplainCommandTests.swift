import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

@Suite(.system) struct ExplainCommandTests {
    private static let renewal = TransactionDraft.renewal(of: Customer.gold, expires: .month(2))
    private static let at = ["--at", "2026-03-03T09:30:00Z"]

    /// Returns a customer with gold until the end of February.
    ///
    /// The payment for the next month failed.
    private func failing() throws -> Customer {
        try Customer(
            [Customer.gold, Self.renewal],
            [RenewalInfoDraft(for: Self.renewal, signedAt: .month(2)).grace(until: .day(65))])
    }

    @Test("An explanation lists every fact in order, with its effect and rule, and what comes next")
    func text() throws {
        let result = try failing().ask(["explain", "gold.monthly", "customer.jws"] + Self.at)
        expectText(
            result.output,
            equals: """
                At 2026-03-03T09:30:00.000Z, all 3 items are verified.
                gold.monthly is entitled (gracePeriod) at 2026-03-03T09:30:00.000Z.
                Since 2026-03-01T00:00:00.000Z (2 days ago).
                Transaction 1001 decides (original transaction 1000, purchased, Production).

                2026-01-01T00:00:00.000Z
                  transaction 1000: purchase of gold.monthly
                  → entitled (active) until 2026-02-01T00:00:00.000Z
                    Rule 1: A period gives access from its purchase to its expiry, the expiry
                    itself excluded.
                2026-02-01T00:00:00.000Z
                  transaction 1001: renewal of gold.monthly
                  → still entitled (active) until 2026-03-01T00:00:00.000Z [rule 1]
                2026-03-01T00:00:00.000Z
                  renewal info: auto-renewal on, billing is retried, grace period until
                  2026-03-07T00:00:00.000Z, expiration reason: the payment failed
                  → determines what follows the period that ends at 2026-03-01T00:00:00.000Z: a
                    grace period
                    Rule 2: A renewal info is about the transaction that was current when it was
                    signed, and holds until the next one is signed.
                  the period of transaction 1001 ends
                  → entitled (gracePeriod) until 2026-03-07T00:00:00.000Z
                    Rule 3: Billing failed: access continues in a grace period.

                Next: the grace period ends at 2026-03-07T00:00:00.000Z (in 3 days), unless the
                payment succeeds.

                """)
        #expect(result.errors == "")
        #expect(result.status == 0)
    }

    @Test("An explanation is printed as JSON")
    func json() throws {
        let result = try failing().ask(["explain", "gold.monthly", "customer.jws", "--format", "json"] + Self.at)
        expectText(
            result.output,
            equals: """
                {
                  "answer": "entitled",
                  "diagnostics": [],
                  "next": {
                    "answer": "lapsed",
                    "at": "2026-03-07T00:00:00.000Z",
                    "event": "gracePeriodEnd",
                    "productID": "gold.monthly",
                    "reason": "billingRetry",
                    "text": "the grace period ends at 2026-03-07T00:00:00.000Z, unless the payment succeeds"
                  },
                  "reason": "gracePeriod",
                  "steps": [
                    {
                      "at": "2026-01-01T00:00:00.000Z",
                      "effect": "entitled (active) until 2026-02-01T00:00:00.000Z",
                      "fact": "transaction 1000: purchase of gold.monthly",
                      "rule": "A period gives access from its purchase to its expiry, the expiry itself excluded."
                    },
                    {
                      "at": "2026-02-01T00:00:00.000Z",
                      "effect": "still entitled (active) until 2026-03-01T00:00:00.000Z",
                      "fact": "transaction 1001: renewal of gold.monthly",
                      "rule": "A period gives access from its purchase to its expiry, the expiry itself excluded."
                    },
                    {
                      "at": "2026-03-01T00:00:00.000Z",
                      "effect": "determines what follows the period that ends at 2026-03-01T00:00:00.000Z: a grace period",
                      "fact": "renewal info: auto-renewal on, billing is retried, grace period until 2026-03-07T00:00:00.000Z, expiration reason: the payment failed",
                      "rule": "A renewal info is about the transaction that was current when it was signed, and holds until the next one is signed."
                    },
                    {
                      "at": "2026-03-01T00:00:00.000Z",
                      "effect": "entitled (gracePeriod) until 2026-03-07T00:00:00.000Z",
                      "fact": "the period of transaction 1001 ends",
                      "rule": "Billing failed: access continues in a grace period."
                    }
                  ],
                  "transactionID": "1001",
                  "verified": true
                }

                """)
    }

    @Test("Without a catalog an id that is not in the evidence was never bought, with a diagnostic")
    func unknownProduct() throws {
        let customer = try failing()
        let text = try customer.ask(["explain", "gold.montly", "customer.jws"] + Self.at, catalog: nil)
        expectText(
            text.output,
            equals: """
                At 2026-03-03T09:30:00.000Z, all 3 items are verified.
                gold.montly is never (noPurchase) at 2026-03-03T09:30:00.000Z.

                2026-03-03T09:30:00.000Z
                  no transaction of gold.montly
                  → never bought
                    Rule 1: A product without evidence of a purchase was not bought.

                Next: no known event changes this answer.

                """)
        #expect(
            text.errorLines.last == "storekeeper: warning: unknownProduct: neither catalog nor evidence knows the "
                + "product gold.montly: did you mean 'gold.monthly'? (gold.montly)")
        #expect(text.status == 0)
        let json = try customer.ask(
            ["explain", "gold.montly", "customer.jws", "--format", "json"] + Self.at, catalog: nil)
        #expect(try json.diagnostics().contains("unknownProduct gold.montly"))
        #expect(try customer.ask(["explain", "gold.montly", "customer.jws"] + Self.at).status == 64)
    }

    @Test("A consumable is not explained but counted")
    func consumable() throws {
        let result = try failing().ask(["explain", "coins.100", "customer.jws"] + Self.at)
        #expect(result.status == 64)
        #expect(result.errors.contains("'coins.100' is a consumable, which is counted and not owned"))
        #expect(result.output == "")
    }

    @Test("Nothing is trusted without a signature, and --unsigned marks every answer")
    func unsigned() throws {
        let customer = try Customer()
        try customer.folder.write(String(decoding: Customer.gold.payload, as: UTF8.self), to: "decoded.json")
        let arguments = ["explain", "gold.monthly", "decoded.json", "--at", "2026-01-02"]
        let refused = try customer.ask(arguments)
        #expect(refused.status == 77)
        #expect(refused.outputLines.first?.hasSuffix("NONE of 1 item could be verified: unsignedEvidence.") == true)
        #expect(refused.outputLines[1] == "gold.monthly is unknown (unverified) at 2026-01-02T00:00:00.000Z.")
        let text = try customer.ask(arguments + ["--unsigned"])
        #expect(text.outputLines.first?.contains("NOT VERIFIED: signatures were not checked") == true)
        #expect(text.status == 0)
        let json = try customer.ask(arguments + ["--unsigned", "--format", "json"])
        #expect(try json.object()["verified"] as? Bool == false)
    }

    @Test(
        "Wrong usage ends with 64, and a missing file with 66",
        arguments: [
            (["explain"], 64), (["explain", "gold.monthly"], 64),
            (["explain", "gold.monthly", "customer.jws", "--at", "noon"], 64),
            (["explain", "gold.monthly", "absent.jws"], 66),
        ] as [([String], Int32)])
    func failures(arguments: [String], status: Int32) throws {
        let result = try failing().ask(arguments)
        #expect(result.status == status)
        #expect(result.errorLines.count == 1 && result.output == "")
    }

    @Test("Evidence of two apps ends with 65")
    func severalApps() throws {
        let customer = try failing()
        let other = with(Customer.gold) { $0.bundleID = "com.example.other" }
        try customer.folder.write(customer.lines([Customer.silver, other]).joined(separator: "\n"), to: "two.jws")
        let result = try Tool.run(
            ["explain", "gold.monthly", "two.jws", "--root", "root.pem"] + Self.at, in: customer.folder)
        #expect(result.status == 65 && result.output == "")
    }

    @Test("Text from evidence cannot break a line or move the cursor")
    func hostileID() throws {
        let hostile = "a\nb\u{1B}[2Jc"
        let customer = try Customer([
            TransactionDraft.purchase(of: Product.ID(hostile), type: .nonConsumable, at: .day(1))
        ])
        let result = try customer.ask(["explain", hostile, "customer.jws"] + Self.at)
        #expect(result.outputLines[1] == "a b [2Jc is entitled (owned) at 2026-03-03T09:30:00.000Z.")
        #expect(!(result.output + result.errors).contains("\u{1B}"))
    }

    @Test("Every line fits 80 columns, and later steps are below a line that says so")
    func width() throws {
        let renewal = TransactionDraft.renewal(of: Customer.gold, expires: .month(2)).signed(at: .day(30))
        let shared = with(Customer.gold) {
            ($0.id, $0.originalID, $0.ownership) = ("510000000060001", "510000000060001", .familyShared)
        }
        let customer = try Customer([Customer.gold.revoked(at: .day(3)), Customer.gold, renewal, shared])
        let lines = try customer.ask(["explain", "gold.monthly", "customer.jws", "--at", "2026-01-31T12:00:00Z"])
            .outputLines
        #expect(lines.allSatisfy { $0.count <= 80 })
        let divider = try #require(lines.firstIndex(of: "Known now, but later than the given instant:"))
        #expect(lines[divider + 1] == "2026-02-01T00:00:00.000Z")
        #expect(lines[divider - 1].hasPrefix("    Rule ") && lines[divider + 3].contains("none yet: it begins later"))
    }
}
