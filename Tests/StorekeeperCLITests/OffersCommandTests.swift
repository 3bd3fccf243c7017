import Foundation
import StorekeeperTesting
import Testing

@testable import StorekeeperCLI

/// Tests of `storekeeper offers`.
@Suite(.system) struct OffersCommandTests {
    private let folder: Folder

    private static let catalog = """
        {"products":[{"id":"gold.monthly","type":"autoRenewable","period":"P1M","price":"9.99","currency":"USD","offers":[
          {"kind":"introductory","paymentMode":"freeTrial","period":"P1W"},
          {"kind":"promotional","id":"loyal","paymentMode":"payAsYouGo","period":"P1M","price":"4.99"}]}],
         "subscriptions":[{"group":"21","name":"Club","products":["gold.monthly"]}]}
        """
    private static let purchase = """
        {"transactionId":"2000","originalTransactionId":"2000","productId":"gold.monthly","bundleId":"com.example.game",
         "purchaseDate":1772323200000,"originalPurchaseDate":1772323200000,"expiresDate":1775001600000,"quantity":1,
         "type":"Auto-Renewable Subscription","inAppOwnershipType":"PURCHASED","signedDate":1772323200000,
         "environment":"Production","subscriptionGroupIdentifier":"21","offerType":1,"offerDiscountType":"FREE_TRIAL"}
        """

    init() throws {
        folder = try Folder()
        try folder.write(Self.catalog, to: "Products.json")
        try folder.write(Self.purchase.replacing("\n", with: ""), to: "decoded.json")
        try folder.write("", to: "empty.jws")
    }

    private func ask(_ arguments: String...) throws -> Program.Result {
        try Tool.run(
            ["offers"] + arguments + ["--catalog", "Products.json", "--bundle-id", "com.example.game"], in: folder)
    }

    @Test("A line for each offer, and the pages of Apple for each group")
    func text() throws {
        let result = try ask("decoded.json", "--unsigned", "--at", "2026-03-02")
        #expect(result.status == 0, "\(result.errors)")
        #expect(
            result.output.hasSuffix(
                """
                PRODUCT       OFFER                ANSWER                        UNTIL
                gold.monthly  introductory         ineligible (alreadyUsed)
                gold.monthly  promotional "loyal"  eligible (currentSubscriber)  2026-04-01T00:00:00.000Z

                GROUP Club
                  introductory offers: ineligible (alreadyUsed)
                  gold.monthly is subscribed
                    manage  https://apps.apple.com/account/subscriptions
                    refund  https://reportaproblem.apple.com

                """),
            "\(result.output)")
    }

    @Test("JSON has the facts that decide, and no nulls")
    func json() throws {
        let result = try ask("decoded.json", "--unsigned", "--at", "2026-03-02", "--format", "json")
        for part in [
            #""answer": "ineligible""#, #""reason": "alreadyUsed""#, #""verified": false"#, #""id": "loyal""#,
            #""name": "Club""#, #""fact": "transaction 2000 used an introductory offer of the group""#,
            #""until": "2026-04-01T00:00:00.000Z""#,
            #""diagnostics": "#, #""url": "https://apps.apple.com/account/subscriptions""#,
        ] { #expect(result.output.contains(part), "\(part): \(result.output)") }
        #expect(!result.output.contains("null"))
    }

    @Test("Empty evidence is complete: a new customer may have the introductory offer")
    func new() throws {
        let result = try ask(
            "empty.jws", "--unsigned", "--at", "2026-03-02", "--product", "gold.monthly", "--format", "json")
        #expect(
            result.output.contains(#""reason": "newCustomer""#)
                && result.output.contains(#""reason": "neverSubscribed""#))
    }

    @Test("An unknown product is named with what may have been meant")
    func unknown() throws {
        let result = try ask("decoded.json", "--unsigned", "--product", "gold.montly")
        #expect(result.status == 64 && result.errors.contains("did you mean 'gold.monthly'?"), "\(result.errors)")
        #expect(try ask().status == 64)
    }
}
