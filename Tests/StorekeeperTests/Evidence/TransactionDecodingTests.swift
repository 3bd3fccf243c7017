import FoundationEssentials
import Storekeeper
import StorekeeperTesting
import Testing

@Suite("Decoding transactions") struct TransactionDecodingTests {
    private static let all = """
        {"transactionId":"2000000000000002","originalTransactionId":"2000000000000001",
         "webOrderLineItemId":"2000000000000077","bundleId":"com.example.game","productId":"gold.monthly",
         "subscriptionGroupIdentifier":"21","purchaseDate":1767225600000,"originalPurchaseDate":1764547200000,
         "expiresDate":1769904000000,"quantity":3,"type":"Auto-Renewable Subscription",
         "appAccountToken":"9F6EF2F0-3b2c-4f7e-9a35-0a4d8f1c2b3a","inAppOwnershipType":"FAMILY_SHARED",
         "signedDate":1767225600123,"revocationDate":1768000000000,"revocationReason":1,
         "revocationType":"REFUND_PRORATED","revocationPercentage":67932,"isUpgraded":true,"offerType":2,
         "offerIdentifier":"loyal","offerDiscountType":"PAY_AS_YOU_GO","offerPeriod":"P1M",
         "environment":"Sandbox","storefront":"DEU","storefrontId":"143443","transactionReason":"RENEWAL",
         "price":9990,"currency":"EUR","appTransactionId":"704000000000000001","billingPlanType":"MONTHLY",
         "commitmentInfo":{"billingPeriodNumber":2,"totalBillingPeriods":12,
           "commitmentExpiresDate":1796083200000,"commitmentPrice":119880},
         "deviceVerification":"c2Nob2Vu","deviceVerificationNonce":"0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d",
         "advancedCommerceInfo":{"items":[]},"somethingNew":{"a":[1]}}
        """
    private static let least = """
        {"transactionId":"1","originalTransactionId":"1","bundleId":"b","productId":"p","purchaseDate":0,
         "type":"Non-Consumable","environment":"Production","signedDate":0}
        """

    private func decode(_ text: String) throws -> Transaction {
        let bytes = Array(text.utf8)
        return try Transaction(payload: JSONReader().read(bytes).root, source: .unsigned(bytes))
    }

    /// Returns the smallest payload with one member replaced or added.
    private func decode(_ name: String, _ value: String) throws -> Transaction {
        let bytes = Array(Self.least.utf8)
        var members = Dictionary(
            uniqueKeysWithValues: try #require(JSONReader().read(bytes).root.object).map {
                ($0.name, String(decoding: $0.value.sourceText, as: UTF8.self))
            })
        members[name] = value
        return try decode("{" + members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}")
    }

    @Test("A transaction has every member that the App Store documents")
    func allMembers() throws {
        let transaction = try decode(Self.all)
        #expect(transaction.id == "2000000000000002")
        #expect(transaction.originalID == "2000000000000001")
        #expect(transaction.webOrderLineItemID == "2000000000000077")
        #expect(transaction.appBundleID == "com.example.game")
        #expect(transaction.productID == "gold.monthly")
        #expect(transaction.subscriptionGroupID == "21")
        #expect(transaction.purchasedAt == .testEpoch)
        #expect(transaction.originallyPurchasedAt == .day(-31))
        #expect(transaction.expiresAt == .month(1))
        #expect(transaction.purchasedQuantity == 3)
        #expect(transaction.productType == .autoRenewable)
        #expect(transaction.appAccountToken?.uuidString == "9F6EF2F0-3B2C-4F7E-9A35-0A4D8F1C2B3A")
        #expect(transaction.ownershipType == .familyShared)
        #expect(transaction.signedAt.millisecondsSince1970 == 1_767_225_600_123)
        #expect(transaction.revokedAt?.millisecondsSince1970 == 1_768_000_000_000)
        #expect(transaction.revocationReason == .developerIssue)
        #expect(transaction.revocationType == .proratedRefund)
        #expect(transaction.revocationPercentage == 67_932)
        #expect(transaction.isUpgraded)
        #expect(
            transaction.offer
                == Transaction.Offer(type: .promotional, id: "loyal", paymentMode: .payAsYouGo, period: "P1M"))
        #expect(transaction.environment == .sandbox)
        #expect(transaction.storefrontCountryCode == "DEU")
        #expect(transaction.storefrontID == "143443")
        #expect(transaction.reason == .renewal)
        #expect(transaction.priceInMilliunits == 9990)
        #expect(transaction.currencyCode == "EUR")
        #expect(transaction.appTransactionID == "704000000000000001")
        #expect(transaction.billingPlanType == .monthly)
        let commitment = try #require(transaction.commitmentInfo)
        #expect(commitment.billingPeriodNumber == 2)
        #expect(commitment.totalBillingPeriods == 12)
        #expect(commitment.commitmentExpiresAt?.millisecondsSince1970 == 1_796_083_200_000)
        #expect(commitment.commitmentPriceInMilliunits == 119_880)
        #expect(transaction.deviceVerification == "c2Nob2Vu")
        #expect(transaction.deviceVerificationNonce?.uuidString == "0A1B2C3D-4E5F-4A6B-8C7D-9E0F1A2B3C4D")
        #expect(transaction.unknownValues == [])
        #expect(transaction.jsonRepresentation == Array(Self.all.utf8), "unknown members stay in the source")
    }

    @Test("StoreKit's names give the same values")
    func storeKitNames() throws {
        let transaction = try decode(Self.all)
        #expect(transaction.purchaseDate.timeIntervalSince1970 == 1_767_225_600)
        #expect(transaction.originalPurchaseDate.timeIntervalSince1970 == 1_764_547_200)
        #expect(transaction.expirationDate?.timeIntervalSince1970 == 1_769_904_000)
        #expect(transaction.revocationDate?.timeIntervalSince1970 == 1_768_000_000)
        #expect(transaction.price == Decimal(string: "9.99"))
        #expect(try decode(Self.least).originalPurchaseDate.timeIntervalSince1970 == 0)
    }

    @Test("Only the members that identify a transaction and its dates are required")
    func leastMembers() throws {
        let transaction = try decode(Self.least)
        #expect(transaction.purchasedQuantity == 1)
        #expect(transaction.ownershipType == .purchased)
        #expect(!transaction.isUpgraded)
        #expect(transaction.expiresAt == nil && transaction.offer == nil && transaction.revokedAt == nil)
        #expect(transaction.unknownValues == [])
    }

    @Test(
        "The error names the required member that is missing or null",
        arguments: [
            "transactionId", "originalTransactionId", "bundleId", "productId", "purchaseDate", "type", "environment",
            "signedDate",
        ])
    func missing(member: String) {
        let error = #expect(throws: PayloadError.self) { try decode(member, "null") }
        #expect(error?.description == "\(member) is missing")
    }

    @Test("A payload that is not an object is refused")
    func noObject() {
        let error = #expect(throws: PayloadError.self) { try decode("[]") }
        #expect(error?.description == "payload is not an object")
    }

    @Test(
        "Fractions of milliseconds, which Xcode writes, are truncated",
        arguments: [
            ("1767225600123.999", 1_767_225_600_123), ("1767225600123.0", 1_767_225_600_123),
            ("1.767225600123e12", 1_767_225_600_123), ("0.9", 0), ("-62135769600000", -62_135_769_600_000),
        ] as [(String, Int64)])
    func fractions(text: String, milliseconds: Int64) throws {
        #expect(try decode("purchaseDate", text).purchasedAt.millisecondsSince1970 == milliseconds)
    }

    @Test(
        "Unknown words and numbers are kept and listed",
        arguments: [
            ("type", "\"Rental\"", "type: Rental"), ("inAppOwnershipType", "\"LEASED\"", "inAppOwnershipType: LEASED"),
            ("environment", "\"Moon\"", "environment: Moon"), ("revocationReason", "7", "revocationReason: 7"),
            ("revocationType", "\"GONE\"", "revocationType: GONE"), ("offerType", "-5", "offerType: -5"),
            ("transactionReason", "\"GIFT\"", "transactionReason: GIFT"),
            ("billingPlanType", "\"DAILY\"", "billingPlanType: DAILY"),
            ("offerDiscountType", "\"BARTER\"", "offerDiscountType: BARTER"),
            ("appAccountToken", "\"me\"", "appAccountToken: not a UUID"),
            ("deviceVerificationNonce", "\"x\"", "deviceVerificationNonce: not a UUID"),
        ])
    func unknownValues(member: String, value: String, listed: String) throws {
        #expect(try decode(member, value).unknownValues == [listed])
    }

    @Test("An unknown word keeps its exact text")
    func unknownWord() throws {
        #expect(try decode("type", "\"Rental \\u00e9\"").productType.rawValue == "Rental é")
        #expect(try decode("environment", "\"production\"").environment != .production)
        #expect(try decode("appAccountToken", "\"\"").unknownValues == [])
    }

    @Test("Ids are text: zero, leading zeros and words are distinct ids")
    func ids() throws {
        for id in ["0", "007", "18446744073709551616", "unknown", " 1"] {
            #expect(try decode("transactionId", "\"\(id)\"").id.rawValue == id)
        }
    }
}
