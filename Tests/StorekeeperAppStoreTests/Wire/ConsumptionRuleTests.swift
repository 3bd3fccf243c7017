import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperAppStore

@Suite("Rules for consumption requests") struct ConsumptionRuleTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        var consents = true
        var product = TestShop.coins
        var delivery = DeliveryStatus.delivered
        var share: Int64?
        var preference: RefundPreference?
        var ownership = OwnershipType.purchased
        let code: AppStoreServerError.Code?
        var apiCode: AppStoreErrorCode?

        var testDescription: String { name }
    }

    static let rows: [Row] = [
        Row(name: "only required members", code: nil),
        Row(name: "without consent", consents: false, code: .consentMissing, apiCode: .invalidCustomerConsented),
        Row(name: "0 of a delivered purchase", share: 0, code: nil),
        Row(name: "all of a delivered purchase", share: 100_000, code: nil),
        Row(name: "a negative share", share: -1, code: .invalidRequest),
        Row(name: "a share above 100 %", share: 100_001, code: .invalidRequest),
        Row(name: "a share of an undelivered purchase", delivery: .wrongItem, share: 1, code: .invalidRequest),
        Row(name: "0 of an undelivered purchase", delivery: .wrongItem, share: 0, code: nil),
        Row(name: "prorated without a share", preference: .grantProrated, code: .invalidRequest),
        Row(name: "prorated with a share of 0", share: 0, preference: .grantProrated, code: .invalidRequest),
        Row(name: "prorated with a share of 100 %", share: 100_000, preference: .grantProrated, code: .invalidRequest),
        Row(name: "prorated with the least share", share: 1, preference: .grantProrated, code: nil),
        Row(name: "prorated with the greatest share", share: 99_999, preference: .grantProrated, code: nil),
        Row(name: "full without a share", preference: .grantFull, code: nil),
        Row(
            name: "a share of a subscription", product: TestShop.gold, share: 50_000, code: .invalidRequest,
            apiCode: .consumptionPercentageOfAutoRenewableSubscription),
        Row(name: "prorated, of a subscription", product: TestShop.gold, preference: .grantProrated, code: nil),
        Row(name: "a share of a non-consumable", product: TestShop.removeAds, share: 50_000, code: nil),
        Row(
            name: "a family member's copy", product: TestShop.removeAds, ownership: .familyShared,
            code: .invalidRequest, apiCode: .familyTransactionNotSupported),
    ]

    @Test("A request that breaks a rule is not sent", arguments: rows) func rule(_ row: Row) throws {
        var draft = TransactionDraft.purchase(of: row.product, at: .day(0))
        draft.ownership = row.ownership
        let request = ConsumptionRequest(
            customerConsented: row.consents, deliveryStatus: row.delivery, sampleContentProvided: false,
            consumptionPercentage: row.share, refundPreference: row.preference)
        let transaction = try draft.transaction()
        var found: AppStoreServerError?
        do {
            try request.check(about: transaction)
        } catch {
            found = error
        }
        #expect(found?.code == row.code)
        #expect(found?.apiCode == row.apiCode)
    }

    @Test(
        "The share is computed from the ledger's figures",
        arguments: [
            ([Int64](), nil), ([0], 0), ([33], 33_000), ([100], 100_000), ([50, 100], 75_000), ([0, 0, 1], 333),
        ] as [([Int64], Int64?)])
    func ledger(_ used: [Int64], _ share: Int64?) throws {
        let transaction = try TransactionDraft.purchase(of: TestShop.coins, at: .day(0)).transaction()
        let consumption = used.enumerated().map {
            Consumption(id: "balance\($0)", credited: 100, used: $1, takenBack: 0)
        }
        let request = try ConsumptionRequest(of: transaction, consumption: consumption, customerConsented: true)
        #expect(request.consumptionPercentage == share)
        let undelivered = try ConsumptionRequest(
            of: transaction, consumption: consumption, customerConsented: true, deliveryStatus: .qualityIssue)
        #expect(undelivered.consumptionPercentage == 0)
    }

    @Test("The ledger gives no share for a subscription, and a request without consent is refused")
    func ledgerOfOthers() throws {
        let gold = try TransactionDraft.purchase(of: TestShop.gold, at: .day(0)).transaction()
        let spent = [Consumption(id: "coins", credited: 10, used: 5, takenBack: 0)]
        let request = try ConsumptionRequest(of: gold, consumption: spent, customerConsented: true)
        #expect(request.consumptionPercentage == nil)
        let error = #expect(throws: AppStoreServerError.self) {
            try ConsumptionRequest(of: gold, consumption: spent, customerConsented: false)
        }
        #expect(error?.code == .consentMissing)
    }

    @Test("The numbers of the deprecated form have bounds") func numbers() throws {
        let transaction = try TransactionDraft.purchase(of: TestShop.coins, at: .day(0)).transaction()
        let bounds: [(WritableKeyPath<ConsumptionRequestV1, Int64>, Int64)] = [
            (\.accountTenure, 7), (\.consumptionStatus, 3), (\.deliveryStatus, 5), (\.lifetimeDollarsPurchased, 7),
            (\.lifetimeDollarsRefunded, 7), (\.platform, 2), (\.playTime, 7), (\.refundPreference, 3),
            (\.userStatus, 4),
        ]
        for (member, greatest) in bounds {
            var request = ConsumptionRequestV1(customerConsented: true, sampleContentProvided: false)
            request[keyPath: member] = greatest
            #expect(throws: Never.self) { try request.check(about: transaction) }
            for wrong in [greatest + 1, -1] {
                request[keyPath: member] = wrong
                #expect(throws: AppStoreServerError.self) { try request.check(about: transaction) }
            }
        }
    }

    @Test("The deprecated form is refused for other types of products") func deprecatedTypes() throws {
        let ads = try TransactionDraft.purchase(of: TestShop.removeAds, at: .day(0)).transaction()
        let request = ConsumptionRequestV1(customerConsented: true, sampleContentProvided: false)
        let error = #expect(throws: AppStoreServerError.self) { try request.check(about: ads) }
        #expect(error?.apiCode == .invalidTransactionTypeNotSupported)
    }
}
