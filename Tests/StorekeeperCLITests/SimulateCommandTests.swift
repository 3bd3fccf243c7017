import Foundation
import StorekeeperTesting
import Testing

/// Tests of `storekeeper simulate`, which runs a story, checks its expectations, and can continue it interactively.
@Suite(.system) struct SimulateCommandTests {
    static let configuration = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Configuration").standardizedFileURL.path

    /// Returns a folder with the catalog and some scenarios.
    private static func folder(_ scenarios: [String: String] = [:]) throws -> Folder {
        let folder = try Folder()
        for name in ["Store.storekit", "Products.json"] {
            try folder.write(String(contentsOfFile: "\(configuration)/\(name)", encoding: .utf8), to: name)
        }
        for (name, steps) in scenarios {
            try folder.write(
                "story: Story \(name)\ncatalog: [Store.storekit, Products.json]\npeople: [anna]\nsteps:\n\(steps)",
                to: name)
        }
        return folder
    }

    @Test("A story is printed with the engine's answers, and drawn")
    func printedLines() throws {
        let folder = try Self.folder([
            "a.yaml": """
              - buy: remove.ads
              - expect: entitled remove.ads because owned
              - advance: 10 days
              - refund: remove.ads
              - expect: lapsed ad-free because refunded

            """
        ])
        let result = try Program.run(["simulate", "a.yaml"], in: folder)
        let story = result.output.components(separatedBy: "\n\n")[1]
        expectText(
            story,
            equals: """
                2026-01-01  > buy remove.ads
                              oneTimePurchased remove.ads (3.99 USD), ONE_TIME_CHARGE
                              → entitled (owned): remove.ads, ad-free
                            ✓ entitled remove.ads because owned
                            > advance 10 days
                2026-01-11  > refund remove.ads
                              refunded remove.ads (3.99 USD), REFUND
                              → lapsed (refunded): remove.ads, ad-free
                            ✓ lapsed ad-free because refunded
                """)
        #expect(result.output.hasPrefix("Story a.yaml\n\n2026"))
        #expect(result.output.hasSuffix("\n\n2 expectations, all met\n"))
        #expect(result.output.contains("\nremove.ads  ███"))
        #expect(result.outputLines.allSatisfy { $0.count <= 80 })
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
    }

    @Test("Unmet expectations are listed at the end with file and line, and the status is 1")
    func failed() throws {
        let folder = try Self.folder([
            "b.yaml": """
              - buy: coins.100
              - expect: balance coins 200
              - cancel: gold.monthly

            """
        ])
        let result = try Program.run(["simulate", "b.yaml"], in: folder)
        expectText(
            result.output,
            equals: """
                Story b.yaml

                2026-01-01  > buy coins.100
                              oneTimePurchased coins.100 (0.99 USD), ONE_TIME_CHARGE
                              → coins 0 to 100
                            ✗ balance coins 200
                              NOT AS EXPECTED: balance coins 100
                            > cancel gold.monthly
                              FAILED: noTransactionFound: 'anna' has no transaction of
                                'gold.monthly'

                b.yaml:6: expected balance coins 200, found balance coins 100
                b.yaml:7: expected a step that succeeds, found noTransactionFound: 'anna' has no transaction of 'gold.monthly'

                """)
        #expect(result.status == 1)
    }

    @Test("A folder gives a line for each story and a sum")
    func folder() throws {
        let folder = try Self.folder([
            "all/a.yaml": "  - expect: never pro\n", "all/b.yaml": "  - expect: entitled pro\n",
            "all/c.txt": "no story",
        ])
        for name in ["Store.storekit", "Products.json"] {
            try FileManager.default.copyItem(
                at: folder.url.appendingPathComponent(name), to: folder.url.appendingPathComponent("all/\(name)"))
        }
        let result = try Program.run(["simulate", "all"], in: folder)
        expectText(
            result.output,
            equals: """
                SCENARIO  RESULT  CHECKS  STORY
                a.yaml    ok      1       Story all/a.yaml
                b.yaml    FAILED  1       Story all/b.yaml

                all/b.yaml:5: expected entitled pro, found never pro because noPurchase without end
                2 scenarios, 1 failed

                """)
        #expect(result.status == 1)
        let json = try Program.run(["simulate", "all", "--format", "json"], in: folder).object()
        #expect(json["met"] as? Int == 1)
        #expect(json["failed"] as? Int == 1)
    }

    @Test("A broken file does not hide the results of the others, and all its errors are listed")
    func broken() throws {
        let folder = try Self.folder([
            "a.yaml": "  - bye: pro\n  - advance: soon\n", "b.yaml": "  - expect: never pro\n",
            "c.yaml": "  - expect: entitled pro\n",
        ])
        let result = try Program.run(["simulate", "a.yaml", "b.yaml", "none.yaml", "c.yaml"], in: folder)
        expectText(
            result.output,
            equals: """
                SCENARIO   RESULT  CHECKS  STORY
                a.yaml     BROKEN          2 mistakes
                b.yaml     ok      1       Story b.yaml
                none.yaml  BROKEN          1 mistake
                c.yaml     FAILED  1       Story c.yaml

                c.yaml:5: expected entitled pro, found never pro because noPurchase without end
                4 scenarios, 1 failed, 2 unreadable

                """)
        #expect(result.errorLines.count == 3)
        #expect(result.errors.contains("there is no step 'bye' (a.yaml:5:5): did you mean 'buy'?"))
        #expect(result.errors.contains("'soon' is not a valid duration (a.yaml:6:14)"))
        #expect(result.status == 65)
        let json = try Program.run(["simulate", "a.yaml", "b.yaml", "--format", "json"], in: folder).object()
        #expect(json["met"] as? Int == 1)
        let errors = (json["scenarios"] as? [[String: Any]])?.first?["errors"] as? [[String: String]]
        #expect(errors?.map { $0["location"] } == ["a.yaml:5:5", "a.yaml:6:14"])
        #expect(try Program.run(["simulate", "b.yaml", "none.yaml"], in: folder).status == 66)
    }

    @Test("The other commands accept the signed evidence, and the vault contains the same")
    func kept() throws {
        let folder = try Self.folder(["a.yaml": "  - buy: silver.monthly\n  - advance: 10 days\n"])
        let result = try Program.run(
            ["simulate", "a.yaml", "--evidence", "a.jws", "--root-out", "r.pem", "--vault", "v.sqlite"], in: folder)
        #expect(result.status == 0, "\(result.errors)")
        let asked = ["--root", "r.pem", "--environment", "Sandbox", "--at", "2026-01-20"]
        let expected = "entitled (active) until 2026-02-01T00:00:00.000Z\n"
        #expect(try Program.run(["check", "silver.monthly", "a.jws"] + asked, in: folder).output == expected)
        let fromVault = ["check", "silver.monthly", "--vault", "v.sqlite", "--customer", "anna"] + asked
        #expect(try Program.run(fromVault, in: folder).output == expected)
        let again = try Program.run(["simulate", "a.yaml", "--vault", "v.sqlite"], in: folder)
        #expect(again.status == 73)
    }

    @Test("Older copies, newest copies and notifications are written, a line each, and all are verified")
    func written() throws {
        let folder = try Self.folder([
            "a.yaml": "  - buy: remove.ads\n  - refund: remove.ads\n  - buy: silver.monthly\n  - advance: 40 days\n"
        ])
        let result = try Program.run(
            [
                "simulate", "a.yaml", "--evidence", "all.jws", "--root-out", "r.pem", "--notifications", "sent.jsonl",
            ], in: folder)
        #expect(result.status == 0, "\(result.errors)")
        _ = try Program.run(["simulate", "a.yaml", "--evidence", "newest.jws", "--newest"], in: folder)
        func kinds(_ file: String) throws -> [String: Int] {
            let lines = try Program.run(
                ["verify", file, "--root", "r.pem", "--environment", "Sandbox"], in: folder)
            #expect(lines.status == 0, "\(lines.errors)")
            var counts: [String: Int] = [:]
            for line in lines.outputLines {
                let object = try #require(
                    try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
                counts[object["kind"] as? String ?? "", default: 0] += 1
            }
            return counts
        }
        // One purchase and its refund, and another purchase and its renewal: four copies of three transactions.
        #expect(try kinds("all.jws") == ["transaction": 4, "renewalInfo": 2, "appTransaction": 1])
        #expect(try kinds("sent.jsonl") == ["notification": 4])
        let newest = try String(contentsOf: folder.url.appendingPathComponent("newest.jws"), encoding: .utf8)
        #expect(newest.split(separator: "\n").count == 5)
        let sent = try String(contentsOf: folder.url.appendingPathComponent("sent.jsonl"), encoding: .utf8)
        #expect(sent.split(separator: "\n").allSatisfy { $0.hasPrefix("{\"signedPayload\":\"") })
        #expect(try Program.run(["simulate", "a.yaml", "--newest"], in: folder).status == 64)
    }

    @Test("--schema prints the JSON schema of scenarios")
    func schema() throws {
        let folder = try Self.folder([:])
        let result = try Program.run(["simulate", "--schema"], in: folder)
        #expect(result.status == 0)
        #expect((try result.object()["properties"] as? [String: Any])?["steps"] != nil)
        #expect(try Program.run(["simulate", "--schema", "a.yaml"], in: folder).status == 64)
    }

    @Test(
        "Wrong input ends with one line and the status of its kind",
        arguments: [
            (["simulate", "none.yaml"], 66, "the file cannot be read"),
            (["simulate", "bad.yaml"], 65, "(bad.yaml:5:5)"),
            (["simulate", "bad.yaml", "bad.yaml", "--format", "svg"], 64, "are for one scenario"),
            (["simulate"], 64, "Missing expected argument"),
            (
                ["simulate", "--interactive", "Store.storekit", "--format", "json"], 64,
                "--interactive cannot be combined"
            ),
        ] as [([String], Int32, String)])
    func wrong(arguments: [String], status: Int32, message: String) throws {
        let folder = try Self.folder(["bad.yaml": "  - bye: x\n"])
        let result = try Program.run(arguments, in: folder)
        #expect(result.status == status)
        #expect(result.errorLines.count == 1)
        #expect(result.errors.contains(message), "\(result.errors)")
    }

    @Test("A picture is SVG, and JSON is one document")
    func formats() throws {
        let folder = try Self.folder(["a.yaml": "  - buy: remove.ads\n"])
        let svg = try Program.run(["simulate", "a.yaml", "--format", "svg"], in: folder)
        #expect(svg.output.hasPrefix("<svg") && svg.output.contains("remove.ads"))
        let json = try Program.run(["simulate", "a.yaml", "--format", "json", "--seed", "9"], in: folder).object()
        #expect(json["seed"] as? String == "9")
        let entries = try #require(json["entries"] as? [[String: Any]])
        #expect(entries.first?["text"] as? String == "buy remove.ads")
        let happening = try #require(entries.first { $0["kind"] as? String == "happening" })
        #expect(happening["person"] as? String == "anna")
        #expect(happening["what"] as? String == "oneTimePurchased")
        #expect(happening["price"] as? String == "3.99")
        #expect(happening["currency"] as? String == "USD")
        #expect(happening["notification"] as? String == "ONE_TIME_CHARGE")
        #expect(happening["transactionID"] as? String == happening["originalTransactionID"] as? String)
    }

    @Test("JSON has the documented kinds of entries only, and counts met and unmet expectations")
    func contract() throws {
        let folder = try Self.folder([
            "a.yaml": """
              - buy: gold.monthly
              - buy: coins.100
              - expect: [balance coins 100, balance coins 1]
              - spend: 30 coins
              - cancel: silver.monthly

            """
        ])
        let json = try Program.run(["simulate", "a.yaml", "--format", "json"], in: folder).object()
        #expect(json["expectations"] as? [String: Int] == ["met": 1, "failed": 2])
        #expect(json["end"] as? String == "2026-01-01T00:00:00.000Z")
        let entries = try #require(json["entries"] as? [[String: Any]])
        let kinds = Set(entries.compactMap { $0["kind"] as? String })
        #expect(kinds == ["step", "happening", "answer", "outcome", "expectation"])
        #expect(entries.contains { $0["balance"] as? String == "coins" && $0["after"] as? Int == 70 })
        let offers = entries.compactMap { $0["offer"] as? [String: String] }
        #expect(offers == [["type": "introductory", "paymentMode": "freeTrial"]])
    }

    @Test("The interactive session buys, lists, inspects, undoes and saves")
    func interactive() throws {
        let folder = try Self.folder()
        let input = """
            buy gold.monthly as first
            advance 10 days
            list state expired
            inspect first
            bye
            refund transaction 99
            undo
            list product gold.monthly
            save saved.yaml
            quit

            """
        let result = try Program.run(
            ["simulate", "--interactive", "Store.storekit", "Products.json"], in: folder, input: Array(input.utf8))
        expectText(
            result.output,
            equals: """
                An App Store at the terminal
                It is 2026-01-01. Type 'help' for the commands, 'quit' to end.
                2026-01-01  > buy gold.monthly as first
                              subscribed gold.monthly (0 USD, introductory, freeTrial),
                                SUBSCRIBED/INITIAL_BUY
                              → entitled (active) until 2026-01-08: gold.monthly, ad-free,
                                daily-lantern, pro
                              → Membership: subscribed (gold.monthly)
                2026-01-01  > advance 10 days
                2026-01-08    renewed gold.monthly (9.99 USD), DID_RENEW
                ID                PRODUCT       PERSON    STATE    PURCHASED                 EXPIRES
                2000000000000001  gold.monthly  customer  expired  2026-01-01T00:00:00.000Z  2026-01-08T00:00:00.000Z
                TRANSACTION
                id           2000000000000001
                original     the same
                product      gold.monthly
                person       customer
                app          com.example.game
                state        expired
                quantity     1
                price        0 USD
                offer        introductory, freeTrial
                storefront   USA
                purchased    2026-01-01
                expires      2026-01-08
                reason       purchase
                finished     no
                there is no step 'bye': did you mean 'buy'?
                noTransactionFound: there is no transaction 99
                undone: advance 10 days; it is 2026-01-01 again
                ID                PRODUCT       PERSON    STATE      PURCHASED                 EXPIRES
                2000000000000001  gold.monthly  customer  purchased  2026-01-01T00:00:00.000Z  2026-01-08T00:00:00.000Z
                saved as saved.yaml

                """)
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
        let again = try Program.run(["simulate", "saved.yaml"], in: folder)
        #expect(again.status == 0)
        #expect(again.output.contains("> buy gold.monthly by customer as first"))
    }
}
