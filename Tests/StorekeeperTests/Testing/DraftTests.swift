import FoundationEssentials
import Storekeeper
import StorekeeperTesting
import Testing

@Suite("Drafts of payloads")
struct DraftTests {
    private let monthly = Product(
        id: "gold.monthly", type: .autoRenewable,
        subscription: Product.SubscriptionInfo(
            subscriptionGroupID: "21", groupLevel: 1, subscriptionPeriod: SubscriptionPeriod("P1M")))

    @Test("Members are sorted, absent values are omitted, and text is escaped")
    func payload() {
        var draft = TransactionDraft(productID: "a\"/\\\u{1}é", purchasedAt: .day(0))
        draft.quantity = nil
        draft.storefront = nil
        draft.storefrontID = nil
        draft.otherMembers = ["zebra": .object(["b": .boolean(true), "a": .array([.integer(1), .string("x")])])]
        let expected =
            #"{"bundleId":"com.example.game","environment":"Production","inAppOwnershipType":"PURCHASED","#
            + #""originalPurchaseDate":1767225600000,"originalTransactionId":"1000","productId":"a\"/\\\u0001é","#
            + #""purchaseDate":1767225600000,"signedDate":1767225600000,"transactionId":"1000","#
            + #""transactionReason":"PURCHASE","type":"Non-Consumable","zebra":{"a":[1,"x"],"b":true}}"#
        #expect(String(decoding: draft.payload, as: UTF8.self) == expected)
    }

    @Test("Every member of a transaction draft is decoded")
    func transaction() throws {
        var draft = TransactionDraft.purchase(of: monthly, at: .month(0), id: "7")
            .revoked(at: .day(3), type: .proratedRefund, percentage: 50_000).upgraded(signedAt: .day(4))
            .owned(as: .familyShared).made(in: .sandbox)
        draft.webOrderLineItemID = "9"
        draft.appAccountToken = "6f9619ff-8b86-d011-b42d-00c04fc964ff"
        draft.appTransactionID = "70"
        draft.billingPlanType = .monthly
        draft.offerType = .code
        draft.offerID = "spring"
        draft.offerPaymentMode = .payUpFront
        draft.offerPeriod = "P3M"
        draft.price = 9990
        draft.currency = "EUR"
        draft.otherMembers = ["commitmentInfo": .object(["billingPeriodNumber": .integer(3)])]
        let transaction = try draft.transaction()
        #expect(transaction.id == "7" && transaction.originalID == "7")
        #expect(transaction.productID == "gold.monthly" && transaction.productType == .autoRenewable)
        #expect(transaction.subscriptionGroupID == "21" && transaction.webOrderLineItemID == "9")
        #expect(transaction.purchasedAt == .month(0) && transaction.expiresAt == .month(1))
        #expect(transaction.originallyPurchasedAt == .month(0) && transaction.signedAt == .day(4))
        #expect(transaction.revokedAt == .day(3) && transaction.revocationType == .proratedRefund)
        #expect(transaction.revocationReason == .other && transaction.revocationPercentage == 50_000)
        #expect(transaction.isUpgraded && transaction.ownershipType == .familyShared)
        #expect(transaction.environment == .sandbox && transaction.appBundleID == "com.example.game")
        #expect(transaction.appAccountToken?.uuidString == "6F9619FF-8B86-D011-B42D-00C04FC964FF")
        #expect(transaction.appTransactionID == "70" && transaction.billingPlanType == .monthly)
        let offer = Transaction.Offer(type: .code, id: "spring", paymentMode: .payUpFront, period: "P3M")
        #expect(transaction.offer == offer)
        #expect(transaction.priceInMilliunits == 9990 && transaction.currencyCode == "EUR")
        #expect(transaction.storefrontCountryCode == "USA" && transaction.storefrontID == "143441")
        #expect(transaction.reason == .purchase && transaction.purchasedQuantity == 1)
        #expect(transaction.commitmentInfo?.billingPeriodNumber == 3)
        #expect(transaction.source.payload == draft.payload)
    }

    @Test("A renewal begins at the end of the previous period, with the next id of its chain")
    func renewal() {
        let first = TransactionDraft.purchase(of: monthly, at: .month(0)).revoked(at: .day(1))
        let renewal = TransactionDraft.renewal(of: first, expires: .month(2))
        #expect(renewal.id == "1001" && renewal.originalID == "1000")
        #expect(renewal.purchasedAt == .month(1) && renewal.expiresAt == .month(2))
        #expect(renewal.reason == .renewal && renewal.revokedAt == nil)
        #expect(renewal.originallyPurchasedAt == .month(0) && renewal.subscriptionGroupID == "21")
        let change = TransactionDraft.change(
            of: renewal, to: "gold.yearly", at: .day(40), expires: .day(405), id: "up")
        #expect(change.productID == "gold.yearly" && change.reason == .purchase && change.id == "up")
        #expect(TransactionDraft.renewal(of: change).id == "up.1")
    }

    @Test("Every member of a renewal info draft is decoded")
    func renewalInfo() throws {
        let transaction = TransactionDraft.purchase(of: monthly, at: .month(0))
        var draft = RenewalInfoDraft(for: transaction, signedAt: .day(31)).grace(until: .day(47)).cancelled()
        draft.priceIncreaseStatus = .agreed
        draft.recentSubscriptionStartedAt = .day(0)
        draft.renewalPrice = 4990
        draft.currency = "EUR"
        draft.eligibleWinBackOfferIDs = ["back"]
        draft.renewalBillingPlanType = .billedUpfront
        draft.appTransactionID = "70"
        draft.offerType = .winBack
        draft.offerID = "back"
        draft.otherMembers = ["commitmentInfo": .object(["commitmentAutoRenewStatus": .integer(0)])]
        let info = try draft.renewalInfo()
        #expect(info.originalTransactionID == "1000" && info.currentProductID == "gold.monthly")
        #expect(info.autoRenewProductID == "gold.monthly" && info.autoRenewStatus == .off)
        #expect(info.expirationReason == .billingError && info.billingRetryFlag == true)
        #expect(info.gracePeriodExpiresAt == .day(47) && info.renewsAt == .month(1))
        #expect(info.signedAt == .day(31) && info.environment == .production)
        #expect(info.priceIncreaseStatus == .agreed && info.recentSubscriptionStartedAt == .day(0))
        #expect(info.renewalPriceInMilliunits == 4990 && info.currencyCode == "EUR")
        #expect(info.eligibleWinBackOfferIDs == ["back"] && info.renewalBillingPlanType == .billedUpfront)
        #expect(info.appTransactionID == "70")
        // The offer is read in a separate statement, because the optimizer of Swift 6.3.1 crashes on an optional chain
        // through the offer in an expectation.
        let offer = try #require(info.offer)
        #expect(offer.type == .winBack && offer.id == "back")
        #expect(info.commitmentInfo?.autoRenewStatus == .off)
    }

    @Test("A cancelled renewal info has auto-renewal off, no billing retry and the reason")
    func cancelled() throws {
        let draft = RenewalInfoDraft().grace(until: .day(3)).cancelled(reason: .autoRenewDisabled)
        let info = try draft.renewalInfo()
        #expect(info.billingRetryFlag == false && info.autoRenewStatus == .off)
        #expect(info.expirationReason == .autoRenewDisabled && info.gracePeriodExpiresAt == .day(3))
    }

    @Test("Every member of an app transaction draft is decoded")
    func appTransaction() throws {
        var draft = AppTransactionDraft(signedAt: .day(5))
        draft.preorderedAt = .day(-9)
        draft.requestedAt = .day(6)
        draft.appVersionID = 12
        let app = try draft.appTransaction()
        #expect(app.bundleID == "com.example.game" && app.signedAt == .day(5) && app.environment == .production)
        #expect(app.appID == 1_234_567_890 && app.appVersion == "2.0" && app.appVersionID == 12)
        #expect(app.originalAppVersion == "1.0" && app.originallyPurchasedAt == .testEpoch)
        #expect(app.preorderedAt == .day(-9) && app.requestedAt == .day(6))
        #expect(app.appTransactionID == "700000000000000001" && app.originalPlatform == "iOS")
        draft.environment = nil
        #expect(try draft.appTransaction().environment == .xcode)
    }
}
