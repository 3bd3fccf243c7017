import FoundationEssentials
import Storekeeper
import StorekeeperTesting
import Testing

@Suite("Decoding renewal infos and app transactions") struct RenewalInfoDecodingTests {
    private func renewalInfo(_ text: String) throws -> RenewalInfo {
        let bytes = Array(text.utf8)
        return try RenewalInfo(payload: JSONReader().read(bytes).root, source: .unsigned(bytes))
    }

    private func appTransaction(_ text: String) throws -> AppTransaction {
        let bytes = Array(text.utf8)
        return try AppTransaction(payload: JSONReader().read(bytes).root, source: .unsigned(bytes))
    }

    @Test("A renewal info has every documented member")
    func allOfRenewalInfo() throws {
        let info = try renewalInfo(
            """
            {"originalTransactionId":"1","productId":"gold.monthly","autoRenewProductId":"silver.monthly",
             "autoRenewStatus":1,"expirationIntent":2,"isInBillingRetryPeriod":true,
             "gracePeriodExpiresDate":1769904000000,"priceIncreaseStatus":1,"offerType":4,
             "offerIdentifier":"back","offerDiscountType":"FREE_TRIAL","offerPeriod":"P1W",
             "recentSubscriptionStartDate":1767225600000,"renewalDate":1769904000000,"renewalPrice":4990,
             "currency":"USD","eligibleWinBackOfferIds":["best","second"],
             "appAccountToken":"9f6ef2f0-3b2c-4f7e-9a35-0a4d8f1c2b3a","appTransactionId":"7",
             "renewalBillingPlanType":"BILLED_UPFRONT",
             "commitmentInfo":{"commitmentAutoRenewProductId":"gold.yearly","commitmentAutoRenewStatus":0,
               "commitmentRenewalBillingPlanType":"MONTHLY","commitmentRenewalDate":1796083200000,
               "commitmentRenewalPrice":119880},
             "signedDate":1767225600123,"environment":"Production","deviceVerification":"eA==",
             "deviceVerificationNonce":"0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d","consistencyToken":"new"}
            """)
        #expect(info.originalTransactionID == "1")
        #expect(info.currentProductID == "gold.monthly")
        #expect(info.autoRenewProductID == "silver.monthly" && info.autoRenewPreference == "silver.monthly")
        #expect(info.autoRenewStatus == .on && info.willAutoRenew)
        #expect(info.expirationReason == .billingError)
        #expect(info.billingRetryFlag == true && info.isInBillingRetry)
        #expect(info.gracePeriodExpiresAt == .month(1))
        #expect(info.priceIncreaseStatus == .agreed)
        #expect(
            info.offer == Transaction.Offer(type: .winBack, id: "back", paymentMode: .freeTrial, period: "P1W"))
        #expect(info.recentSubscriptionStartedAt == .testEpoch)
        #expect(info.renewsAt == .month(1) && info.renewalDate == Instant.month(1).date)
        #expect(info.renewalPriceInMilliunits == 4990)
        #expect(info.currencyCode == "USD")
        #expect(info.eligibleWinBackOfferIDs == ["best", "second"])
        #expect(info.appAccountToken?.uuidString == "9F6EF2F0-3B2C-4F7E-9A35-0A4D8F1C2B3A")
        #expect(info.appTransactionID == "7")
        #expect(info.renewalBillingPlanType == .billedUpfront)
        let commitment = try #require(info.commitmentInfo)
        #expect(commitment.autoRenewProductID == "gold.yearly")
        #expect(commitment.autoRenewStatus == .off)
        #expect(commitment.renewalBillingPlanType == .monthly)
        #expect(commitment.renewsAt?.millisecondsSince1970 == 1_796_083_200_000)
        #expect(commitment.renewalPriceInMilliunits == 119_880)
        #expect(info.signedAt.millisecondsSince1970 == 1_767_225_600_123)
        #expect(info.environment == .production)
        #expect(info.deviceVerification == "eA==" && info.deviceVerificationNonce != nil)
        #expect(info.unknownValues == [])
    }

    @Test("With auto-renewal off there is no next product and no renewal date, as in StoreKit")
    func autoRenewalOff() throws {
        let info = try renewalInfo(
            """
            {"originalTransactionId":"1","autoRenewProductId":"p","autoRenewStatus":0,"renewalDate":5,
             "signedDate":0.5,"environment":"Xcode"}
            """)
        #expect(info.autoRenewPreference == nil && info.renewalDate == nil)
        #expect(info.autoRenewProductID == "p" && info.renewsAt?.millisecondsSince1970 == 5)
        #expect(info.billingRetryFlag == nil && !info.isInBillingRetry)
    }

    @Test(
        "The error names the required member that a renewal info lacks",
        arguments: [
            (#"{"environment":"Production","signedDate":0}"#, "originalTransactionId is missing"),
            (#"{"originalTransactionId":"1","signedDate":0}"#, "environment is missing"),
            (#"{"originalTransactionId":"1","environment":"Production"}"#, "signedDate is missing"),
        ])
    func wrongRenewalInfo(text: String, problem: String) {
        let error = #expect(throws: PayloadError.self) { try renewalInfo(text) }
        #expect(error?.description == problem)
    }

    @Test("Unknown words and numbers of a renewal info are listed")
    func unknownValues() throws {
        let info = try renewalInfo(
            """
            {"originalTransactionId":"1","environment":"Moon","signedDate":0,"autoRenewStatus":2,
             "expirationIntent":9,"priceIncreaseStatus":5,"renewalBillingPlanType":"DAILY","offerType":8}
            """)
        #expect(
            Set(info.unknownValues) == [
                "environment: Moon", "autoRenewStatus: 2", "expirationIntent: 9", "priceIncreaseStatus: 5",
                "renewalBillingPlanType: DAILY", "offerType: 8",
            ])
        #expect(info.autoRenewStatus?.rawValue == 2 && !info.willAutoRenew)
    }

    @Test("An app transaction has every documented member")
    func allOfAppTransaction() throws {
        let app = try appTransaction(
            """
            {"receiptType":"Sandbox","appAppleId":1234567890,"bundleId":"com.example.game",
             "applicationVersion":"2.1","versionExternalIdentifier":86,"receiptCreationDate":1767225600000.7,
             "requestDate":1767225600001,"originalPurchaseDate":1375340400000,
             "originalApplicationVersion":"1.0","preorderDate":1370000000000,"appTransactionId":"704",
             "originalPlatform":"iOS","deviceVerification":"eA==",
             "deviceVerificationNonce":"0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d"}
            """)
        #expect(app.environment == .sandbox)
        #expect(app.appID == 1_234_567_890)
        #expect(app.bundleID == "com.example.game")
        #expect(app.appVersion == "2.1")
        #expect(app.appVersionID == 86)
        #expect(app.signedAt == .testEpoch)
        #expect(app.requestedAt?.millisecondsSince1970 == 1_767_225_600_001)
        #expect(app.originalPurchaseDate?.timeIntervalSince1970 == 1_375_340_400)
        #expect(app.originalAppVersion == "1.0")
        #expect(app.preorderDate?.timeIntervalSince1970 == 1_370_000_000)
        #expect(app.appTransactionID == "704")
        #expect(app.originalPlatform == "iOS")
        #expect(app.deviceVerification == "eA==" && app.deviceVerificationNonce != nil)
    }

    @Test("An app transaction without an environment is Xcode's, and the error names a missing required member")
    func leastOfAppTransaction() throws {
        #expect(try appTransaction(#"{"bundleId":"b","receiptCreationDate":0}"#).environment == .xcode)
        for (text, problem) in [
            (#"{"receiptCreationDate":0}"#, "bundleId is missing"),
            (#"{"bundleId":"b","signedDate":0}"#, "receiptCreationDate is missing"),
        ] {
            let error = #expect(throws: PayloadError.self) { try appTransaction(text) }
            #expect(error?.description == problem)
        }
    }
}
