import Foundation
import StorekeeperTesting
import Testing

/// Tests of suggestions for misspelled names, and for names of another kind, such as a feature in place of a product.
@Suite(.system) struct NearNamesTests {
    private static let at = ["--at", "2026-01-10"]

    @Test(
        "An unknown product is reported with a suggestion",
        arguments: [
            ("gold.montly", "did you mean 'gold.monthly'?"),
            ("pro", "'pro' is a feature: see 'storekeeper check --feature pro'"),
            ("membership", "'membership' is a subscription group: see 'storekeeper check --group membership'"),
            ("21", "'21' is a subscription group: see 'storekeeper check --group 21'"),
            ("something.else.altogether", "check the spelling, or name the --catalog that contains it"),
        ])
    func product(id: String, advice: String) throws {
        let customer = try Customer([Customer.gold])
        for command in ["check", "explain"] {
            let result = try customer.ask([command, id, "customer.jws"] + Self.at)
            #expect(
                result.errors
                    == "storekeeper: error: neither catalog nor evidence knows the product '\(id)' (PRODUCT): \(advice)\n"
            )
            #expect(result.status == 64)
        }
    }

    @Test(
        "An unknown feature or group is reported with a suggestion",
        arguments: [
            (["--feature", "ad-fre"], "there is no feature 'ad-fre' (--feature): did you mean 'ad-free'?"),
            (
                ["--feature", "gold.monthly"],
                "there is no feature 'gold.monthly' (--feature): 'gold.monthly' is a product: see 'storekeeper check "
                    + "gold.monthly'"
            ),
            (["--group", "membershp"], "there is no group 'membershp' (--group): did you mean 'membership'?"),
            (
                ["--group", "pro"],
                "there is no group 'pro' (--group): 'pro' is a feature: see 'storekeeper check --feature pro'"
            ),
        ])
    func featureOrGroup(words: [String], line: String) throws {
        let result = try Customer([Customer.gold]).ask(["check"] + words + ["customer.jws"] + Self.at)
        #expect(result.errors == "storekeeper: error: \(line)\n")
        #expect(result.status == 64)
    }

    @Test("A feature that names an unlisted product is reported, unless the customer has it")
    func unlisted() throws {
        let customer = try Customer([Customer.gold])
        let list = #"{"products":["silver.monthly"],"features":{"pro":["gold.monthly","gold.montly"]}}"#
        try customer.folder.write(list, to: "list.json")
        let products = try Tool.run(["products", "list.json", "--format", "json"], in: customer.folder)
        #expect(try products.diagnostics() == ["unknownProduct gold.monthly", "unknownProduct gold.montly"])
        let check = try customer.ask(["check", "--feature", "pro", "customer.jws"] + Self.at, catalog: "list.json")
        #expect(
            check.errorLines.contains(
                "storekeeper: warning: unknownProduct: the feature pro names gold.montly, which is in no product "
                    + "list: check the spelling (gold.montly)"))
        #expect(!check.errors.contains("names gold.monthly"))
        #expect(check.status == 0)
    }

    @Test(
        "A command's help lists only options with an effect, but all evidence options are accepted",
        arguments: [
            (
                ["verify"], ["--root", "--bundle-id", "--environment", "--config"],
                ["--catalog", "--at ", "--no-grace"]
            ),
            (["vault", "import"], ["--root", "--catalog", "--refunds"], ["--at ", "--as-known-at", "--unsigned"]),
            (["vault", "claim"], ["--catalog"], ["--at ", "--as-known-at", "--unsigned", "--renewal-leeway"]),
            (["entitlements"], ["--root", "--catalog", "--at ", "--as-known-at", "--unsigned", "--no-grace"], []),
        ] as [([String], [String], [String])])
    func offered(command: [String], offered: [String], hidden: [String]) throws {
        let help = try Tool.run(command + ["--help"], in: Folder()).output
        let options = try #require(help.range(of: "OPTIONS:")).lowerBound
        for option in offered { #expect(help[options...].contains("  \(option)")) }
        for option in hidden { #expect(!help[options...].contains(option)) }
    }

    @Test("verify accepts the options of the other commands")
    func sameLine() throws {
        let customer = try Customer([Customer.gold])
        let result = try customer.ask(["verify", "customer.jws", "--no-grace"] + Self.at)
        #expect(result.status == 0)
        #expect(result.outputLines.count == 1)
    }
}
