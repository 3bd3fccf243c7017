import Storekeeper
import StorekeeperTesting
import Testing

/// Tests of features for customers of the paid app, and of questions about features, groups and devices.
@Suite("Features of the paid app, and explanations of features and devices") struct PaidAppCommandTests {
    static let at = ["--at", "2026-01-15"]

    private func customer(
        _ transactions: [TransactionDraft] = [], version: String, environment: AppStore.Environment = .production
    ) throws -> Customer {
        let customer = try Customer(transactions)
        var app = AppTransactionDraft(signedAt: .day(10))
        app.originalAppVersion = version
        app.environment = environment
        app.originallyPurchasedAt = .day(-400)
        try customer.folder.write(try customer.evidence.sign(app.payload), to: "app.jws")
        try customer.folder.write(
            """
            {"products":["gold.monthly"],"features":{"pro":{"products":["gold.monthly"],"originalVersionBefore":"2.0"},
             "lounge":{"products":["gold.monthly"],"paidPeriods":true}}}
            """, to: "features.json")
        return customer
    }

    private func ask(_ customer: Customer, _ words: [String]) throws -> Program.Result {
        try customer.ask(words + ["customer.jws", "app.jws", "--catalog", "features.json"] + Self.at)
    }

    @Test("An app transaction before the version gives the feature, for good")
    func paidApp() throws {
        let old = try ask(try customer(version: "1.10"), ["check", "--feature", "pro"])
        #expect(old.output == "entitled (paidApp)\n" && old.status == 0)
        #expect(old.errors.contains("by the app itself, first got in version 1.10"))
        let new = try ask(try customer(version: "2.0"), ["check", "--feature", "pro"])
        #expect(new.output == "never (noPurchase)\n" && new.status == 1)
    }

    @Test("The sandbox's version counts only where the sandbox is accepted")
    func sandbox() throws {
        let tester = try customer([Customer.gold], version: "1.0", environment: .sandbox)
        #expect(try ask(tester, ["check", "--feature", "pro"]).output.hasPrefix("entitled (active)"))
        let accepted = try ask(
            tester, ["check", "--feature", "pro", "--environment", "Production", "--environment", "Sandbox"])
        #expect(accepted.output == "entitled (paidApp)\n")
    }

    @Test("An app transaction of another bundle counts nowhere")
    func anotherBundle() throws {
        let customer = try customer([Customer.gold], version: "1.0")
        var app = AppTransactionDraft(signedAt: .day(10))
        app.bundleID = "com.example.other"
        try customer.folder.write(try customer.evidence.sign(app.payload), to: "app.jws")
        #expect(try ask(customer, ["check", "--feature", "pro"]).output.hasPrefix("entitled (active)"))
    }

    @Test("A free trial does not give a feature of paid periods")
    func paidPeriods() throws {
        let trial = with(Customer.gold) {
            $0.offerType = .introductory
            $0.offerPaymentMode = .freeTrial
        }
        let lounge = try ask(try customer([trial], version: "3"), ["check", "--feature", "lounge"])
        #expect(lounge.output == "never (noPurchase)\n")
        let paid = try ask(try customer([Customer.gold], version: "3"), ["check", "--feature", "lounge"])
        #expect(paid.output == "entitled (active) until 2026-02-01T00:00:00.000Z\n")
    }

    @Test("Features and groups are explained by what gives access, also by a family copy")
    func explained() throws {
        let shared = try customer([Customer.gold.owned(as: .familyShared)], version: "3")
        for question in [["--feature", "pro"], ["--group", "membership"]] {
            let text = try ask(shared, ["explain"] + question).output
            #expect(text.contains("a copy that the family shares"), "\(text)")
            let check = try ask(shared, ["check"] + question)
            #expect(check.output == "entitled (active) until 2026-02-01T00:00:00.000Z\n")
            #expect(check.errors.contains("by gold.monthly (familyShared, transaction 1000)"))
        }
        let json = try ask(shared, ["check", "--feature", "pro", "--format", "json"]).output
        #expect(json.contains(#""by": "gold.monthly""#) && json.contains(#""ownership": "familyShared""#))
        #expect(try ask(shared, ["explain", "--feature", "nothing"]).status == 64)
    }

    @Test("A device's contents are shown, with the reason of each absence")
    func device() throws {
        let result = try customer(Customer.upgrades, version: "3").ask(
            "explain", "--storekit", "customer.jws", "--at", "2026-02-20", "--format", "json")
        #expect(result.status == 0)
        for reason in ["superseded", "revoked", "consumable"] {
            #expect(result.output.contains(#""reason": "\#(reason)""#), "\(result.output)")
        }
        let text = try customer(Customer.upgrades, version: "3").ask(
            "explain", "--storekit", "customer.jws", "--at", "2026-02-20")
        #expect(text.output.contains("Transaction.currentEntitlements\n  transaction 1002 of gold.monthly"))
    }
}
