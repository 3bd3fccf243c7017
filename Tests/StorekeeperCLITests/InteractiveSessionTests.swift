import Foundation
import StorekeeperTesting
import Synchronization
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests of `storekeeper simulate --interactive`, with the input of a new user and of a malicious user.
@Suite(.system, .timeLimit(.minutes(20))) struct InteractiveSessionTests {
    /// Runs the program with some lines as its input, and returns the result.
    private static func answers(
        _ lines: [String], folder: Folder? = nil, arguments: [String] = ["Store.storekit", "Products.json"]
    ) throws -> Program.Result {
        try Program.run(
            ["simulate", "--interactive"] + arguments, in: try folder ?? Self.folder(),
            input: Array(lines.map { $0 + "\n" }.joined().utf8))
    }

    private static func folder() throws -> Folder {
        let folder = try Folder()
        for name in ["Store.storekit", "Products.json"] {
            try folder.write(
                String(contentsOfFile: "\(SimulateCommandTests.configuration)/\(name)", encoding: .utf8), to: name)
        }
        return folder
    }

    /// Returns the value next to a label of the inspector.
    private static func value(_ word: String, in output: String) -> String? {
        output.split(separator: "\n").last { $0.hasPrefix(word + "  ") }.map {
            String($0.dropFirst(word.count)).trimmingCharacters(in: .whitespaces)
        }
    }

    @Test("The inspector shows a subscription as Xcode's does")
    func inspector() throws {
        let result = try Self.answers([
            "set grace period 16 days", "buy silver.monthly token 7f3c5e52-4e2b-4b6e-9b0c-2f7e0a5d1c11",
            "inspect silver.monthly", "quit",
        ])
        let output = result.output
        #expect(Self.value("price", in: output) == "4.99 USD")
        #expect(Self.value("storefront", in: output) == "USA")
        #expect(Self.value("account token", in: output) == "7f3c5e52-4e2b-4b6e-9b0c-2f7e0a5d1c11")
        #expect(Self.value("renews", in: output) == "yes")
        #expect(Self.value("next product", in: output) == "silver.monthly")
        #expect(Self.value("next price", in: output) == "4.99 USD")
        #expect(output.components(separatedBy: "\nupcoming").count == 4)
        #expect(Self.value("upcoming", in: output) == "2026-04-01 to 2026-05-01: silver.monthly, 4.99 USD")
    }

    @Test("The inspector shows pending, failed, ending and refunded purchases")
    func troubles() throws {
        let failing = try Self.answers([
            "set grace period 16 days", "buy silver.monthly", "fail billing", "advance 40 days",
            "list silver state grace",
            "inspect", "advance 20 days", "list state retry", "inspect silver",
        ]).output
        #expect(failing.contains("  grace  "))
        #expect(failing.contains("\ngrace ends"))
        #expect(failing.contains("  retry  "))
        #expect(Self.value("retry ends", in: failing) == "2026-04-02")
        #expect(Self.value("state", in: failing) == "retry")
        let cancelled = try Self.answers(["buy silver.monthly", "cancel silver.monthly", "inspect"]).output
        #expect(Self.value("renews", in: cancelled) == "no")
        #expect(Self.value("next price", in: cancelled) == nil)
        #expect(Self.value("will end", in: cancelled) == "2026-02-01, autoRenewDisabled")
        let refunded = try Self.answers([
            "buy coins.500 quantity 3", "refund coins.500 percent 33.333 reason developerIssue", "inspect coins",
        ]).output
        #expect(Self.value("taken back", in: refunded) == "2026-01-01")
        #expect(Self.value("taken back because", in: refunded) == "developerIssue, 33.333 %")
        #expect(Self.value("quantity", in: refunded) == "3")
        let asked = try Self.answers([
            "buy silver.monthly", "price silver.monthly to 7.99 consent required", "ask consent silver.monthly",
            "inspect",
        ]).output
        #expect(Self.value("price increase", in: asked) == "pending, 7.99 USD")
    }

    @Test(
        "The list accepts prefixes of products and dates, and time ranges",
        arguments: [
            ("list gold", 0), ("list silver", 3), ("list product sil", 3), ("list date 2026-02", 1),
            ("list date 2026", 3),
            ("list date 2026-02-01", 1), ("list date 2026-02-01..2026-03-01", 2), ("list date ..2026-02", 2),
            ("list date 2026-02..", 2), ("list from 2026-02-01", 2), ("list from 2026-01-02 until 2026-02-28", 1),
            ("list until 2026-01-01", 1), ("list state expired until 2026-01", 1),
            ("list person customer silver", -1), ("list silver state purchased", 1),
        ] as [(String, Int)])
    func list(line: String, count: Int) throws {
        let output = try Self.answers(["buy silver.monthly", "advance 70 days", line]).output
        guard count >= 0 else {
            #expect(output.contains("'list' does not know 'silver'"))
            return
        }
        #expect(output.split(separator: "\n").count { $0.hasPrefix("2000000000") } == count, "\(output)")
        #expect(output.contains("no transaction") == (count == 0))
    }

    @Test(
        "An error is one line, and changes nothing",
        arguments: [
            ("bye gold", "there is no step 'bye'"), ("xyzzy", "there is no step 'xyzzy': type 'help'"),
            ("inspct first", "did you mean 'inspect'?"), ("list colour red", "'list' does not know 'colour'"),
            ("list state gold", "there is no state 'gold'"), ("list product", "no value follows 'product'"),
            ("list product copper", "no product begins with 'copper'"), ("list person zoe", "there is no person 'zoe'"),
            ("list date soon", "'soon' is not a time"), ("list date 2026-03..2026-01", "ends before it begins"),
            ("list date 2026-99", "is not a time"), ("inspect", "there are no transactions yet"),
            ("inspect nothing", "there is no transaction 'nothing'"), ("help nonsense", "there is no step 'nonsense'"),
            ("help expct", "there is no step 'expct'"), ("undo", "there is nothing to undo"),
            ("save", "'save' needs a file"), ("save Store.storekit", "already"),
            ("save no/such/folder.yaml", "written"),
            ("buy", "'buy' names no product"), ("buy gold.montly", "did you mean 'gold.monthly'?"),
            ("advance 99999999999 days", "is not a valid duration"), ("advance to 1999-01-01", "timeRunsForward"),
            ("advance 101 years", "is more than 100 years"), ("advance to 9999-12-31", "invalidValue"),
            ("spend 0 coins", "requires a number above 0"),
            ("spend 9223372036854775808 coins", "requires a number above 0"),
            ("refund transaction 99999999999999999999", "noTransactionFound"),
            ("buy gold.monthly quantity 99999999999999999999", "is not a whole number"),
            ("price gold.monthly to -1", "not a number with at most three decimals"),
            ("expect signed transaction colour red", "signs no 'colour'"), ("expect", "nothing is expected"),
            ("expect signed", "nothing is expected"), ("expect receipt pending remove.ads", "gives no such answer"),
            ("expect receipt balance coins 1", "gives no such answer"), ("set", "'set' has no setting"),
            ("set colour red", "no setting"),
        ])
    func mistakes(line: String, message: String) throws {
        let result = try Self.answers([line, "list"])
        let lines = result.outputLines.dropFirst(2)
        #expect(lines.dropLast().joined(separator: " ").contains(message), "\(result.output)")
        #expect(lines.last == "no transaction")
        #expect(result.errors.isEmpty)
        #expect(result.status == 0)
    }

    @Test("A refused step leaves nothing behind")
    func refused() throws {
        let result = try Self.answers([
            "grant 5 coins", "grant 9223372036854775807 coins", "spend 1 coins", "story",
        ])
        #expect(result.output.contains("would overflow the balance 'coins'"), "\(result.output)")
        #expect(result.output.contains("coins 5 to 4"), "\(result.output)")
        #expect(result.status == 0)
    }

    @Test("A failed purchase is not an input error, and the saved story expects it")
    func failedPurchase() throws {
        let folder = try Self.folder()
        let result = try Self.answers(
            ["buy silver.monthly offer promotional silver.loyal", "save s.yaml"], folder: folder)
        #expect(result.output.contains("✓ outcome failed ineligibleForOffer"), "\(result.output)")
        #expect(result.status == 0)
        #expect(try Program.run(["simulate", "s.yaml"], in: folder).status == 0)
    }

    @Test("A saved story runs in any folder, together with its catalogs")
    func saved() throws {
        let folder = try Self.folder()
        try folder.write("story: S\ncatalog: ../Store.storekit\npeople: [anna]\nsteps: []\n", to: "in/story.yaml")
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("out/deep"), withIntermediateDirectories: true)
        let result = try Self.answers(
            ["buy gold.monthly", "save out/deep/a.yaml", "save b.yaml", "save in/my story.yaml", "save b.yaml"],
            folder: folder, arguments: ["in/story.yaml"])
        #expect(result.outputLines.count { $0.hasPrefix("saved as ") } == 4, "\(result.output)")
        let text = try String(contentsOf: folder.url.appendingPathComponent("out/deep/a.yaml"), encoding: .utf8)
        #expect(text.contains("../../Store.storekit"))
        for file in ["out/deep/a.yaml", "b.yaml", "in/my story.yaml"] {
            let again = try Program.run(["simulate", file], in: folder)
            #expect(again.status == 0, "\(file): \(again.errors)")
            #expect(again.output.contains("> buy gold.monthly"))
        }
        let catalogs = try Self.answers(
            ["buy remove.ads", "save out/c.yaml"], folder: folder, arguments: ["Store.storekit"])
        #expect(catalogs.status == 0)
        #expect(try Program.run(["simulate", "out/c.yaml"], in: folder).status == 0)
        // A file of another program is not overwritten.
        let kept = try Self.answers(["save b.yaml", "save b.yaml --force"], folder: folder)
        #expect(kept.output.contains("the file 'b.yaml' already exists"))
        #expect(kept.output.contains("saved as b.yaml"))
    }

    @Test("A story of minutes is drawn in minutes")
    func minutes() throws {
        let output = try Self.answers([
            "set pace xcode month is 5 minutes", "buy silver.monthly", "cancel silver.monthly", "advance 20 minutes",
            "chart",
        ]).output
        #expect(output.contains("01-01 00:10"), "\(output)")
        let bar = try #require(output.split(separator: "\n").first { $0.hasPrefix("silver.monthly  █") })
        let access = bar.count { $0 == "█" }
        // The customer had access in five of twenty-one minutes.
        #expect((12...20).contains(access), "\(bar)")
    }
}
