import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

@Suite(.system) struct TimelineCommandTests {
    /// Returns a customer with gold in January and a grace period until 7 February, who bought the removal of ads on 11
    /// January, refunded on the 21st.
    private func customer() throws -> Customer {
        try Customer(
            [
                Customer.gold,
                TransactionDraft.purchase(of: "remove.ads", at: .day(10), id: "2000").revoked(at: .day(20)),
            ], [RenewalInfoDraft(for: Customer.gold, signedAt: .month(1)).grace(until: .day(37))])
    }

    private static let at = ["--at", "2026-02-03T12:00:00Z"]

    private func timeline(_ options: [String]) throws -> Program.Result {
        try customer().ask(["timeline", "customer.jws"] + Self.at + options)
    }

    /// Returns the segments of a document as `id: answer from..to`, with instants as their days.
    private func segments(_ result: Program.Result, _ member: String = "products") throws -> [String] {
        try #require(result.object()[member] as? [[String: Any]]).flatMap { row in
            try #require(row["segments"] as? [[String: Any]]).map { segment in
                let from = (segment["from"] as? String).map { String($0.prefix(10)) } ?? ""
                let to = (segment["to"] as? String).map { String($0.prefix(10)) } ?? ""
                return "\(row["id"] as? String ?? "?"): \(segment["reason"] as? String ?? "?") \(from)..\(to)"
            }
        }
    }

    @Test("Bars are drawn under one axis, for everything ever owned")
    func text() throws {
        let result = try timeline([])
        expectText(
            result.output,
            equals: """
                At 2026-02-03T12:00:00.000Z, all 3 items are verified.

                                 2026-01             2026-02           2026-03
                              ───┬───────────────────┬─────────────────┬────────────────────┬───
                gold.monthly     ████████████████████▒▒▒▒░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░···
                remove.ads              ██████··················································
                                                       ▲ 2026-02-03T12:00:00.000Z

                              █ access   ▒ grace period, leeway   ░ billing retry   · no longer

                """)
        #expect(result.errors == "")
        #expect(result.status == 0)
    }

    @Test("For a few products the runs are also printed in words")
    func chosenText() throws {
        let result = try timeline(["--product", "remove.ads", "--feature", "pro", "--from", "2026-01-01"])
        expectText(
            result.output,
            equals: """
                At 2026-02-03T12:00:00.000Z, all 3 items are verified.

                            2026-01               2026-02            2026-03
                            ┬─────────────────────┬──────────────────┬──────────────────────┬───
                remove.ads         ███████······················································
                pro         ██████████████████████▒▒▒▒░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░···
                                                   ▲ 2026-02-03T12:00:00.000Z

                            █ access   ▒ grace period, leeway   ░ billing retry   · no longer

                remove.ads
                FROM                      TO                        ANSWER    REASON
                ever                      2026-01-11T00:00:00.000Z  never     noPurchase
                2026-01-11T00:00:00.000Z  2026-01-21T00:00:00.000Z  entitled  owned
                2026-01-21T00:00:00.000Z  no end known              lapsed    refunded

                pro
                FROM                      TO                        ANSWER    REASON
                2026-01-01T00:00:00.000Z  2026-02-01T00:00:00.000Z  entitled  active
                2026-02-01T00:00:00.000Z  2026-02-07T00:00:00.000Z  entitled  gracePeriod
                2026-02-07T00:00:00.000Z  2026-04-02T00:00:00.000Z  lapsed    billingRetry
                2026-04-02T00:00:00.000Z  no end known              lapsed    expired

                """)
    }

    @Test("All products are printed as JSON")
    func json() throws {
        let result = try timeline(["--format", "json", "--product", "remove.ads"])
        expectText(
            result.output,
            equals: """
                {
                  "diagnostics": [],
                  "products": [
                    {
                      "id": "remove.ads",
                      "segments": [
                        {
                          "answer": "never",
                          "reason": "noPurchase",
                          "to": "2026-01-11T00:00:00.000Z"
                        },
                        {
                          "answer": "entitled",
                          "from": "2026-01-11T00:00:00.000Z",
                          "reason": "owned",
                          "to": "2026-01-21T00:00:00.000Z"
                        },
                        {
                          "answer": "lapsed",
                          "from": "2026-01-21T00:00:00.000Z",
                          "reason": "refunded"
                        }
                      ]
                    }
                  ],
                  "verified": true
                }

                """)
        let all = try timeline(["--format", "json"])
        #expect(
            try segments(all) == [
                "gold.monthly: noPurchase ..2026-01-01", "gold.monthly: active 2026-01-01..2026-02-01",
                "gold.monthly: gracePeriod 2026-02-01..2026-02-07",
                "gold.monthly: billingRetry 2026-02-07..2026-04-02", "gold.monthly: expired 2026-04-02..",
                "remove.ads: noPurchase ..2026-01-11", "remove.ads: owned 2026-01-11..2026-01-21",
                "remove.ads: refunded 2026-01-21..", "season.pass: noPurchase ..", "silver.monthly: noPurchase ..",
            ])
        #expect(try all.object()["features"] == nil)
    }

    @Test("Features are separate, and products are shown only on request")
    func features() throws {
        let result = try timeline(["--format", "json", "--feature", "ad-free"])
        #expect(try segments(result) == [])
        #expect(
            try segments(result, "features") == [
                "ad-free: noPurchase ..2026-01-01", "ad-free: active 2026-01-01..2026-01-11",
                "ad-free: owned 2026-01-11..2026-01-21", "ad-free: active 2026-01-21..2026-02-01",
                "ad-free: gracePeriod 2026-02-01..2026-02-07", "ad-free: refunded 2026-02-07..",
            ])
    }

    @Test(
        "--from and --to select the segments that touch the span, and do not clip them",
        arguments: [
            (["--from", "2026-01-21"], ["refunded 2026-01-21.."]),
            (["--from", "2026-01-20"], ["owned 2026-01-11..2026-01-21", "refunded 2026-01-21.."]),
            (["--to", "2026-01-10T23:59:59.999Z"], ["noPurchase ..2026-01-11"]),
            (["--to", "2026-01-11"], ["noPurchase ..2026-01-11", "owned 2026-01-11..2026-01-21"]),
            (["--to", "2026-01-11T00:00:00.001Z"], ["noPurchase ..2026-01-11", "owned 2026-01-11..2026-01-21"]),
            (["--from", "2026-01-12", "--to", "2026-01-13"], ["owned 2026-01-11..2026-01-21"]),
            (["--from", "2026-01-11", "--to", "2026-01-11"], ["owned 2026-01-11..2026-01-21"]),
            (["--from", "2030-01-01"], ["refunded 2026-01-21.."]),
        ])
    func selection(options: [String], expected: [String]) throws {
        let result = try timeline(["--format", "json", "--product", "remove.ads"] + options)
        #expect(try segments(result) == expected.map { "remove.ads: \($0)" })
    }

    @Test("A product that neither catalog nor evidence contains ends with 64")
    func unknownProduct() throws {
        let result = try timeline(["--format", "json", "--product", "nothing"])
        #expect(result.status == 64 && result.output.isEmpty)
        #expect(result.errors.contains("neither catalog nor evidence knows the product 'nothing'"))
    }

    @Test(
        "An invalid selection ends with 64",
        arguments: [
            (
                ["--product", "coins.100"],
                "'coins.100' is a consumable, which is counted and not owned (--product): see 'consumables' of "
                    + "'storekeeper entitlements', or 'storekeeper vault balance'"
            ),
            (
                ["--feature", "prp"],
                "there is no feature 'prp' (--feature): did you mean 'pro'?"
            ),
            (
                ["--from", "monday"],
                "'monday' is not a time (--from): write it like 2026-03-01T09:30:00Z, 2026-03-01 or milliseconds since "
                    + "1970"
            ),
            (
                ["--to", "2026-03-01T09:30"],
                "'2026-03-01T09:30' is not a time (--to): write it like 2026-03-01T09:30:00Z, 2026-03-01 or milliseconds "
                    + "since 1970"
            ),
            (
                ["--from", "2026-03-01", "--to", "2026-02-01"],
                "--to lies before --from (--to): give the earlier time with --from"
            ),
        ])
    func usage(options: [String], line: String) throws {
        let result = try timeline(options)
        #expect(result.errors == "storekeeper: error: \(line)\n")
        #expect(result.output == "")
        #expect(result.status == 64)
    }

    @Test("No evidence ends with 64, a missing file with 66, two apps with 65, nothing verified with 77")
    func failures() throws {
        let customer = try customer()
        #expect(try customer.ask("timeline").status == 64)
        #expect(try customer.ask("timeline", "absent.jws").status == 66)
        let other = with(Customer.gold) { $0.bundleID = "com.example.other" }
        try customer.folder.write(customer.lines([Customer.silver, other]).joined(separator: "\n"), to: "two.jws")
        let two = try Tool.run(["timeline", "two.jws", "--root", "root.pem"] + Self.at, in: customer.folder)
        #expect(two.status == 65 && two.output == "")
        try customer.folder.write(customer.evidence.tampered(), to: "tampered.jws")
        let tampered = try customer.ask(["timeline", "tampered.jws", "--format", "json"] + Self.at)
        #expect(tampered.status == 77)
        #expect(try segments(tampered).first == "gold.monthly: unverified ..")
        try customer.folder.write("x\n", to: "garbage.jws")
        #expect(try customer.ask(["timeline", "garbage.jws"] + Self.at).status == 65)
    }

    @Test("Empty evidence draws the catalog, and with an empty catalog nothing")
    func empty() throws {
        let customer = try Customer()
        let never = try customer.ask(["timeline", "customer.jws", "--format", "json"] + Self.at)
        #expect(
            try segments(never) == [
                "gold.monthly: noPurchase ..", "remove.ads: noPurchase ..", "season.pass: noPurchase ..",
                "silver.monthly: noPurchase ..",
            ])
        let nothing = try customer.ask(["timeline", "customer.jws"] + Self.at, catalog: nil)
        #expect(
            nothing.output
                == "At 2026-02-03T12:00:00.000Z, there is no evidence.\n\nNo product is known. Name the catalog with --catalog FILE, or give evidence that holds purchases.\n"
        )
    }

    @Test("The image is well-formed for any id")
    func picture() throws {
        let hostile = "<&\"'>\u{1}]]>é"
        let hostilePurchase = TransactionDraft.purchase(
            of: Product.ID(hostile), type: .nonConsumable, at: .day(4), id: "7")
        let customer = try Customer([Customer.gold, hostilePurchase])
        let result = try customer.ask(["timeline", "customer.jws", "--format", "svg"] + Self.at)
        #expect(result.status == 0)
        let outline = try #require(XMLOutline(result.output), "the image is not well-formed")
        #expect(outline.root == "svg")
        #expect(outline.texts["text"]?.contains("<&\"'>\u{FFFD}]]>é") == true)
        #expect(outline.texts["text"]?.contains("gold.monthly") == true)
        #expect(outline.texts["title"]?.contains { $0.contains("From 2026-01-05 UTC; no end is known.") } == true)
        #expect(!result.output.contains("<script"))
    }

    @Test("An id in bars cannot break a line or move the cursor")
    func hostileText() throws {
        let customer = try Customer([TransactionDraft.purchase(of: "a\nb\u{1B}[2Jc", at: .day(4), id: "7")])
        let result = try customer.ask(["timeline", "customer.jws"] + Self.at)
        #expect(!result.output.contains("\u{1B}"))
        #expect(result.outputLines.contains { $0.hasPrefix("a b [2Jc  ") })
    }

    @Test("Bars are as wide as the terminal")
    func width() throws {
        let customer = try customer()
        let arguments = ["timeline", "customer.jws", "--root", "root.pem"] + Self.at
        for (columns, width) in [("60", 60), ("120", 120), ("7", 40), ("x", 80)] {
            let result = try Tool.run(arguments, in: customer.folder, environment: ["COLUMNS": columns])
            let axis = result.outputLines.first { $0.contains("┬") }
            #expect(axis?.count == width)
        }
    }

    @Test("The same evidence, shuffled and doubled, gives the same bytes", arguments: ["text", "json", "svg"])
    func shuffled(format: String) throws {
        let customer = try customer()
        let text = try String(contentsOf: customer.folder.url.appendingPathComponent("customer.jws"), encoding: .utf8)
        let lines = text.split(separator: "\n")
        try customer.folder.write((lines.reversed() + lines).joined(separator: "\n"), to: "shuffled.jws")
        let options = ["--format", format] + Self.at
        let expected = try customer.ask(["timeline", "customer.jws"] + options)
        let shuffled = try customer.ask(["timeline", "shuffled.jws"] + options)
        // The first line of the text has the number of items, which is twice as large in the shuffled file.
        let isText = format == "text"
        #expect(shuffled.outputLines.dropFirst(isText ? 1 : 0) == expected.outputLines.dropFirst(isText ? 1 : 0))
        #expect(expected.output != "")
    }
}

/// Tests of the checker for images.
@Suite(.system) struct XMLOutlineTests {
    @Test(
        "A malformed document has no outline",
        arguments: [
            "", "text", "<a>", "<a></b>", "<a/><b/>", "<a>&</a>", "<a>&nbsp;</a>", "<a b='c'/>", "<a b=\"<\"/>",
            "<a><b></a></b>", "<a>\u{1}</a>", "<a>]]></a>", "<a/>x", "<a b=\"&x;\"/>",
        ])
    func malformed(text: String) { #expect(XMLOutline(text) == nil) }

    @Test("A well-formed document has an outline")
    func wellFormed() {
        let outline = XMLOutline("<a b=\"&quot;\"><c>1 &lt; 2</c><c/></a>\n")
        #expect(outline?.root == "a")
        #expect(outline?.texts["c"] == ["1 < 2", ""])
    }
}
