import Foundation
import Storekeeper
import Testing

@testable import StorekeeperSimulator

/// Tests that scenarios can check signed data, and that all signed data can be exported.
struct ScenarioSignedTests {
    private static let catalog = """
        {"products":[{"id":"remove.ads","type":"nonConsumable","price":"2.99"},
           {"id":"gold.monthly","type":"autoRenewable","group":"Membership","level":1,"period":"P1M","price":"9.99",
            "familyShareable":true,
            "offers":[{"kind":"promotional","id":"loyal","paymentMode":"payAsYouGo","period":"P1M","periodCount":2,
                       "price":"4.99"}]},
           {"id":"silver.monthly","type":"autoRenewable","group":"Membership","level":2,"period":"P1M","price":"4.99"}]}
        """

    private static func play(_ steps: String, people: String = "[anna, ben]") async throws -> ScenarioRunner {
        let text =
            "story: S\ncatalog: c.json\npeople: \(people)\nfamilies: [\(people)]\nsettings: { grace period: 16 days }\n"
            + "steps:\n" + steps
        var runner = try await ScenarioRunner(
            try Scenario(reading: text, file: "story.yaml") {
                CatalogFile(name: $0, bytes: Array(catalog.utf8))
            })
        _ = try await runner.run()
        return runner
    }

    @Test("Expectations can check members of transactions, renewal infos and notifications")
    func met() async throws {
        let runner = try await Self.play(
            """
              - { buy: remove.ads, by: anna, as: ads }
              - { buy: gold.monthly, by: anna, as: first }
              - { apply offer: gold.monthly, by: anna, offer: promotional loyal }
              - expect signed:
                  transaction: { price: 9990, currency: USD, offerType: none, purchaseDate: 2026-01-01, quantity: 1 }
                  renewal: { offerType: 2, offerIdentifier: loyal, renewalPrice: 4990, autoRenewStatus: 1 }
                for: anna
              - { expect signed: { transaction: { price: none, inAppOwnershipType: FAMILY_SHARED } }, for: ben }
              - { expect signed: { transaction: { productId: remove.ads, isUpgraded: none } }, purchase: ads }
              - advance: 40 days
              - expect signed:
                  transaction: { price: 4990, offerType: 2, transactionReason: RENEWAL, originalTransactionId: first }
                for: anna
              - { refund: first, reason: developerIssue }
              - expect signed:
                  transaction: { revocationReason: 1, revocationDate: any, transactionId: first }
                  notification: { notificationType: REFUND, data: { status: any } }
                purchase: first

            """)
        #expect(runner.report.failures.map(\.found) == [])
        #expect(runner.report.expectationCount == 7)
    }

    @Test(
        "A failed expectation shows the signed value",
        arguments: [
            (
                "{ transaction: { price: 4990, currency: EUR } }", "signed transaction price 4990, currency EUR",
                "signed transaction price 9990, currency USD"
            ),
            (
                "{ renewal: { autoRenewStatus: 0, expirationIntent: any } }",
                "signed renewal autoRenewStatus 0, expirationIntent any",
                "signed renewal autoRenewStatus 1, expirationIntent none"
            ),
            ("{ transaction: { price: 4990 } }", "signed transaction price 4990", "signed transaction price 9990"),
            (
                "{ transaction: { currency: EUR } }", "signed transaction currency EUR",
                "signed transaction currency USD"
            ),
            (
                "{ transaction: { expiresDate: 2026-03-01 } }",
                "signed transaction expiresDate 2026-03-01T00:00:00.000Z",
                "signed transaction expiresDate 2026-02-01T00:00:00.000Z"
            ),
            (
                "{ transaction: { commitmentInfo: { billingPeriodNumber: 2 } } }",
                "signed transaction commitmentInfo.billingPeriodNumber 2",
                "signed transaction commitmentInfo.billingPeriodNumber none"
            ),
            ("{ renewal: { offerType: 2 } }", "signed renewal offerType 2", "signed renewal offerType none"),
        ])
    func unmet(members: String, expected: String, found: String) async throws {
        let runner = try await Self.play(
            "  - { buy: gold.monthly, by: anna }\n  - { expect signed: \(members), for: anna }\n")
        #expect(runner.report.failures.map(\.expected) == [expected])
        #expect(runner.report.failures.map(\.found) == [found])
    }

    @Test("An expectation about missing signed data fails, and the scenario continues")
    func nothing() async throws {
        let runner = try await Self.play(
            """
              - { expect signed: { transaction: { price: 1 } }, for: anna }
              - { expect signed: { transaction: { price: 1 } }, purchase: gold.monthly, by: anna }
              - { buy: remove.ads, by: anna }
              - { expect signed: { renewal: { autoRenewStatus: 1 } }, for: anna }

            """)
        #expect(
            runner.report.failures.map(\.found) == [
                "no signed transaction", "noTransactionFound: 'anna' has no transaction of 'gold.monthly'",
                "no signed renewal",
            ])
    }

    // MARK: All signed data

    private static func payload(_ jws: String) throws -> JSONObject {
        let part = try #require(jws.utf8.split(separator: UInt8(ascii: ".")).dropFirst().first)
        let bytes = try #require(Base64URL.decode(part))
        let document = try JSONReader().read(bytes)
        return try #require(document.root.object)
    }

    /// Returns a short description of each text.
    private static func words(_ texts: [String]) throws -> [String] {
        try texts.map { text in
            let payload = try payload(text)
            if payload["receiptCreationDate"] != nil { return "app transaction" }
            if payload["autoRenewStatus"] != nil { return "renewal \(payload["autoRenewStatus"]?.int64 ?? -1)" }
            return "\(payload["productId"]?.string ?? "") \(payload["revocationDate"] == nil ? "" : "revoked")"
        }
    }

    @Test(
        "All evidence includes older copies, deleted transactions and the app transaction; the newest only the last copies"
    )
    func evidence() async throws {
        let runner = try await Self.play(
            """
              - { buy: remove.ads, as: ads }
              - refund: ads
              - buy: gold.monthly
              - cancel: gold.monthly

            """, people: "[anna]")
        #expect(
            try Self.words(runner.evidence()) == [
                "remove.ads ", "gold.monthly ", "renewal 1", "remove.ads revoked", "renewal 0", "app transaction",
            ])
        #expect(
            try Self.words(runner.evidence(.newest)) == [
                "gold.monthly ", "remove.ads revoked", "renewal 0", "app transaction",
            ])
        let deleted = try await Self.play("  - { buy: remove.ads, as: ads }\n  - delete: ads\n", people: "[anna]")
        #expect(try Self.words(deleted.evidence()) == ["remove.ads ", "app transaction"])
        #expect(try Self.words(deleted.evidence(.newest)) == ["app transaction"])
    }

    @Test("The newest copies are those that the App Store returns")
    func newest() async throws {
        let runner = try await Self.play(
            """
              - { buy: gold.monthly, by: anna }
              - advance: 70 days
              - { fail billing: ben }
              - { buy: silver.monthly, by: ben }
              - { refund: gold.monthly, by: anna }

            """)
        var expected: [String] = []
        for person in runner.store.accounts {
            expected += try runner.store.evidence(of: person).map {
                "\(try Self.payload($0).map { "\($0.value.sourceText)" })"
            }
        }
        let found = try runner.evidence(.newest).filter { try Self.payload($0)["receiptCreationDate"] == nil }
        #expect(
            try Set(found.map { "\(try Self.payload($0).map { "\($0.value.sourceText)" })" }) == Set(expected))
        #expect(found.count == expected.count)
    }

    @Test("Notifications are listed in the order in which they were sent")
    func notifications() async throws {
        let runner = try await Self.play(
            "  - { buy: gold.monthly, by: anna }\n  - advance: 40 days\n  - { cancel: gold.monthly, by: anna }\n")
        let sent = try runner.notifications().map { try Self.payload($0)["notificationType"]?.string ?? "" }
        #expect(sent == runner.store.happenings().compactMap { $0.kind.notification?.type })
        #expect(sent.count >= 4)
    }

    // MARK: The content of events

    @Test("An event has the price, the offer and the reason of a revocation")
    func happening() async throws {
        let runner = try await Self.play(
            """
              - { buy: silver.monthly, by: anna }
              - { cancel: silver.monthly, by: anna }
              - advance: 40 days
              - { buy: gold.monthly, by: anna, offer: promotional loyal }
              - { refund: gold.monthly, by: anna, percent: 50, reason: developerIssue }

            """)
        let happenings = runner.store.happenings()
        let bought = try #require(happenings.first { $0.kind == .resubscribed && $0.customer == "anna" })
        #expect(bought.price?.description == "4.99")
        #expect(bought.currency == "USD")
        #expect(bought.offer?.kind == .promotional && bought.offer?.id == "loyal")
        #expect(bought.offer?.paymentMode == .payAsYouGo)
        #expect(bought.revocationReason == nil)
        let refunded = try #require(happenings.first { $0.kind == .refunded })
        #expect(refunded.revocationReason == "developerIssue")
        #expect(refunded.revocationPercentage == 50_000)
        let copy = try #require(happenings.last { $0.customer == "ben" && $0.productID == "gold.monthly" })
        #expect(copy.price == nil && copy.currency == nil)
    }
}
