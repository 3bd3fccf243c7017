import Storekeeper
import StorekeeperTesting
import Testing

/// Tests of the sentences for customers about their purchases and subscriptions.
struct CustomerSentenceTests {
    private static func snapshot(
        _ transactions: [TransactionDraft], _ infos: [RenewalInfoDraft] = []
    ) throws -> StoreSnapshot {
        StoreSnapshot(
            customer: "ada", resolution: try TestShop.resolution(transactions, infos),
            freshness: Freshness(syncedAt: .day(0)))
    }

    /// A subscription from day 0 to the first of February, which is day 31.
    private static let silver = TransactionDraft.purchase(of: TestShop.silver, at: .day(0))

    /// Returns a renewal info of the subscription.
    private static func info(
        signedAt: Instant = .day(1), _ change: (inout RenewalInfoDraft) -> Void = { _ in }
    ) -> RenewalInfoDraft {
        var draft = RenewalInfoDraft(for: silver, signedAt: signedAt)
        change(&draft)
        return draft
    }

    /// A status of a subscription and its sentence.
    struct Example: Sendable, CustomTestStringConvertible {
        let sentence: String
        let day: Int
        let transaction: TransactionDraft
        let info: RenewalInfoDraft?
        var testDescription: String { sentence }

        init(
            _ sentence: String, on day: Int, _ transaction: TransactionDraft = silver, _ info: RenewalInfoDraft? = nil
        ) {
            self.sentence = sentence
            self.day = day
            self.transaction = transaction
            self.info = info
        }
    }

    static let subscriptions = [
        Example("The period ends in 12 days.", on: 19),
        Example("Renews in 12 days.", on: 19, silver, info()),
        Example("Renews in 1 day.", on: 30, silver, info()),
        Example(
            "Changes to bronze.monthly in 12 days.", on: 19, silver, info { $0.autoRenewProductID = TestShop.bronze.id }
        ),
        Example(
            "Please accept or decline the new price. Without your consent it ends in 12 days.", on: 19, silver,
            info { $0.priceIncreaseStatus = .pending }),
        Example("Cancelled. Ends in 12 days.", on: 19, silver, info().cancelled()),
        Example(
            "The payment failed. Access ends in 4 days unless it succeeds.", on: 33, silver,
            info(signedAt: .day(31)).grace(until: .day(37))),
        Example(
            "The payment failed. Access returns when it succeeds.", on: 33, silver,
            info(signedAt: .day(31)).billingRetry()),
        Example("Ended 2 days ago.", on: 33),
        Example(
            "Cancelled. Ended 2 days ago.", on: 33, silver,
            info(signedAt: .day(31)).cancelled(reason: .autoRenewDisabled)),
        Example(
            "Ended 2 days ago, because the new price was not accepted.", on: 33, silver,
            info(signedAt: .day(31)).cancelled(reason: .didNotConsentToPriceIncrease)),
        Example(
            "Ended 2 days ago, because it is no longer sold.", on: 33, silver,
            info(signedAt: .day(31)).cancelled(reason: .productUnavailable)),
        Example(
            "Ended 2 days ago, because the payment failed.", on: 33, silver,
            info(signedAt: .day(31)).cancelled(reason: .billingError)),
        Example("Refunded 3 days ago.", on: 8, silver.revoked(at: .day(5))),
        Example(
            "The family stopped sharing it 3 days ago.", on: 8, silver.owned(as: .familyShared).revoked(at: .day(5))),
        Example("The family stopped sharing it 3 days ago.", on: 8, revoked(silver, .familyRevocation)),
        Example("Refunded 3 days ago.", on: 8, revoked(silver.owned(as: .assigned), .fullRefund)),
        Example(
            "The organisation took it back 3 days ago.", on: 8,
            revoked(silver.owned(as: .assigned), .assignmentRevocation)
        ),
    ]

    /// Returns a transaction that was revoked on day 5 in a given way.
    private static func revoked(
        _ draft: TransactionDraft, _ type: RevocationType
    ) -> TransactionDraft {
        var draft = draft.revoked(at: .day(5))
        draft.revocationType = type
        return draft
    }

    @Test("The highest subscription of a group has a sentence", arguments: subscriptions)
    func subscription(_ example: Example) throws {
        let snapshot = try Self.snapshot([example.transaction], example.info.map { [$0] } ?? [])
        let info = try #require(snapshot.subscriptionInfo(for: "Membership", at: .day(example.day)))
        #expect(info.sentence == example.sentence)
        #expect(info.product == TestShop.silver)
        #expect(info.group?.id == "membership")
    }

    @Test("A free trial has a sentence of its own, and the information contains its offer")
    func trial() throws {
        let trial = with(Self.silver) {
            $0.offerType = .introductory
            $0.offerPaymentMode = .freeTrial
        }
        let info = try #require(
            try Self.snapshot([trial], [Self.info()]).subscriptionInfo(for: "Membership", at: .day(19)))
        #expect(info.sentence == "Free trial. Renews in 12 days.")
        #expect(info.offer?.type == .introductory && info.offer?.paymentMode == .freeTrial)
        let paid = try #require(try Self.snapshot([Self.silver]).subscriptionInfo(for: "Membership", at: .day(19)))
        #expect(paid.offer == nil)
    }

    @Test("Before the first purchase, and for an unknown group, there is no subscription")
    func noSubscription() throws {
        let snapshot = try Self.snapshot([Self.silver])
        #expect(snapshot.subscriptionInfo(for: "Membership", at: .day(-1)) == nil)
        #expect(snapshot.subscriptionInfo(for: "news", at: .day(1)) == nil)
        #expect(snapshot.subscriptionInfo(for: "no such group", at: .day(1)) == nil)
    }

    static let purchases = [
        Example("Not purchased.", on: -1, .purchase(of: TestShop.removeAds, at: .day(0))),
        Example("Purchased 3 days ago.", on: 3, .purchase(of: TestShop.removeAds, at: .day(0))),
        Example(
            "Shared by the family.", on: 3, .purchase(of: TestShop.removeAds, at: .day(0)).owned(as: .familyShared)),
        Example(
            "Refunded 2 days ago.", on: 4, .purchase(of: TestShop.removeAds, at: .day(0)).revoked(at: .day(2))),
        Example(
            "The family stopped sharing it 2 days ago.", on: 4,
            .purchase(of: TestShop.removeAds, at: .day(0)).owned(as: .familyShared).revoked(at: .day(2))),
        Example(
            "Purchased 3 days ago. The period ends in 2 months.", on: 3,
            .purchase(of: TestShop.seasonPass, at: .day(0))),
        Example("Ended 10 days ago.", on: 100, .purchase(of: TestShop.seasonPass, at: .day(0))),
        Example("Purchased 19 days ago. The period ends in 12 days.", on: 19, silver, info()),
        Example(
            "The payment failed. Access ends in 4 days unless it succeeds.", on: 33, silver,
            info(signedAt: .day(31)).grace(until: .day(37))),
        Example(
            "The payment failed. Access returns when it succeeds.", on: 33, silver,
            info(signedAt: .day(31)).billingRetry()),
    ]

    @Test("A product has a sentence, and its deciding transaction", arguments: purchases)
    func purchase(_ example: Example) throws {
        let snapshot = try Self.snapshot([example.transaction], example.info.map { [$0] } ?? [])
        let id = example.transaction.productID
        let info = snapshot.purchaseInfo(for: id, at: .day(example.day))
        #expect(info.sentence == example.sentence)
        #expect(info.product == TestShop.catalog.product(id))
        #expect(info.isEntitled == snapshot.isEntitled(id, at: .day(example.day)))
        #expect((info.transaction == nil) == (example.day < 0))
    }

    @Test("Without a complete history it is not known whether something was purchased")
    func unknown() throws {
        let snapshot = StoreSnapshot(customer: "ada", resolution: try TestShop.resolution([]))
        let info = snapshot.purchaseInfo(for: TestShop.removeAds.id, at: .day(1))
        #expect(info.sentence == "Whether this was purchased is not known at the moment.")
        #expect(snapshot.purchaseInfo(for: "misspelt", at: .day(1)).product == nil)
    }

    @Test("A customer of a lower level could upgrade to a product")
    func lowerValue() throws {
        let grace = Self.info(signedAt: .day(31)).grace(until: .day(37))
        let snapshot = try Self.snapshot([Self.silver], [grace])
        let products = [TestShop.gold, TestShop.goldYearly, TestShop.silver, TestShop.bronze, TestShop.news]
        func upgrades(on day: Int) -> [Product.ID] {
            products.map(\.id).filter { snapshot.hasLowerValueCurrentSubscription(than: $0, at: .day(day)) }
        }
        #expect(upgrades(on: -1) == [])
        #expect(upgrades(on: 1) == [TestShop.gold.id, TestShop.goldYearly.id])
        #expect(upgrades(on: 33) == [TestShop.gold.id, TestShop.goldYearly.id])
        #expect(upgrades(on: 38) == [])
        #expect(!snapshot.hasLowerValueCurrentSubscription(than: TestShop.removeAds.id, at: .day(1)))
        #expect(!snapshot.hasLowerValueCurrentSubscription(than: "misspelt", at: .day(1)))

        // A subscription of a higher level that is shared by the family gives access to its own product, but not to
        // other products of its level.
        let gold = TransactionDraft.purchase(of: TestShop.gold, at: .day(0), id: "2000").owned(as: .familyShared)
        let both = try Self.snapshot([Self.silver, gold])
        #expect(!both.hasLowerValueCurrentSubscription(than: TestShop.gold.id, at: .day(1)))
    }
}
