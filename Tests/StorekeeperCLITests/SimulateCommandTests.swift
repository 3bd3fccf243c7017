import Foundation
import Testing

/// `storekeeper simulate` tells a story, judges it, and lets somebody play on.
struct SimulateCommandTests {
    static let configuration = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Configuration").standardizedFileURL.path

    /// A folder with the catalog and some scenarios.
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

    @Test("A story is told with the engine's answers beside it, and drawn")
    func told() throws {
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
        expectText(
            result.output,
            equals: """
                Story a.yaml

                TIME        AT THE APP STORE                                THE ENGINE
                2026-01-01  > buy remove.ads                                entitled remove.ads because owned
                              oneTimePurchased remove.ads, ONE_TIME_CHARGE  entitled ad-free because owned
                              purchased
                            > expect entitled remove.ads because owned      as expected
                            > advance 10 days
                2026-01-11  > refund remove.ads                             lapsed remove.ads because refunded
                              refunded remove.ads, REFUND                   lapsed ad-free because refunded
                            > expect lapsed ad-free because refunded        as expected

                            2026-01-01                                 2026-01-08
                            ┬──────────────────────────────────────────┬────────────────────────
                remove.ads  ██████████████████████████████████████████████████████████████······
                                                                                         ▲ 2026-01-11T00:00:00.000Z

                            █ access   · no longer

                2 expectations, all met

                """)
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
    }

    @Test("What is not as expected is told at the end with file and line, and ends with 1")
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

                TIME        AT THE APP STORE                               THE ENGINE
                2026-01-01  > buy coins.100                                coins 0 to 100
                              oneTimePurchased coins.100, ONE_TIME_CHARGE
                              purchased
                            > expect balance coins 200                     NOT AS EXPECTED: balance coins 100
                            > cancel gold.monthly                          FAILED: noTransactionFound: 'anna' has no transaction of 'gold.monthly'

                b.yaml:6: expected balance coins 200, found balance coins 100
                b.yaml:7: expected a step that can be done, found noTransactionFound: 'anna' has no transaction of 'gold.monthly'

                """)
        #expect(result.status == 1)
    }

    @Test("A folder is told in a line a story and a sum")
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
                2 scenarios, 1 not as expected

                """)
        #expect(result.status == 1)
        let json = try Program.run(["simulate", "all", "--format", "json"], in: folder).object()
        #expect(json["met"] as? Int == 1)
        #expect(json["failed"] as? Int == 1)
    }

    @Test("What was signed is believed by the other commands, and the vault keeps the same")
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

    @Test(
        "Wrong input ends with one line and the status of its kind",
        arguments: [
            (["simulate", "none.yaml"], 66, "the file cannot be read"),
            (["simulate", "bad.yaml"], 65, "(bad.yaml:5:5)"),
            (["simulate", "bad.yaml", "bad.yaml", "--format", "svg"], 64, "are for one scenario"),
            (["simulate"], 64, "Missing expected argument"),
            (["simulate", "--interactive", "Store.storekit", "--format", "json"], 64, "--interactive goes"),
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
        #expect((json["entries"] as? [[String: Any]])?.first?["text"] as? String == "buy remove.ads")
    }

    @Test("At the terminal one buys, lists, inspects, undoes and saves")
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
                It is 2026-01-01T00:00:00.000Z. Type 'help' for the commands, 'quit' to end.
                2026-01-01  > buy gold.monthly as first                        entitled gold.monthly because active until 2026-01-08
                              subscribed gold.monthly, SUBSCRIBED/INITIAL_BUY  entitled ad-free because active until 2026-01-08
                              purchased                                        entitled daily-lantern because active until 2026-01-08
                                                                               entitled pro because active until 2026-01-08
                                                                               Membership subscribed gold.monthly
                2026-01-01  > advance 10 days
                2026-01-08    renewed gold.monthly, DID_RENEW
                ID                PRODUCT       PERSON    STATE    PURCHASED                 EXPIRES
                2000000000000001  gold.monthly  customer  expired  2026-01-01T00:00:00.000Z  2026-01-08T00:00:00.000Z
                TRANSACTION
                id           2000000000000001
                original     2000000000000001
                product      gold.monthly
                person       customer
                app          com.example.game
                state        expired
                quantity     1
                purchased    2026-01-01T00:00:00.000Z
                expires      2026-01-08T00:00:00.000Z
                finished     no
                there is no step 'bye': did you mean 'buy'?
                noTransactionFound: there is no transaction 99
                undone: advance 10 days; it is 2026-01-01T00:00:00.000Z again
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
