import FoundationEssentials
import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperAppStore

/// Tests of the HTTP request that each call of the API sends.
@Suite("Requests on the wire") struct RequestTableTests {
    /// A call and its expected request.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let method: String
        let target: String
        let body: String?
        let type: String
        let endpoint: AppStoreServerEndpoint?
        let call: @Sendable (AppStoreServerClient) async throws -> Void

        var testDescription: String { name }

        init<Answer>(
            _ method: String, _ target: String, _ body: String? = nil, type: String = "application/json",
            _ request: @escaping @Sendable () throws -> AppStoreServerRequest<Answer>
        ) {
            name = "\(method) \(target)"
            (self.method, self.target, self.body, self.type) = (method, target, body, type)
            endpoint = (try? request())?.endpoint
            // The test examines only the request, so the answer does not matter.
            call = { client in _ = try? await client.send(request()) }
        }
    }

    static let transaction = TransactionDraft.purchase(of: TestShop.coins, at: .day(0), id: "7001")
    static let subscription = TransactionDraft.purchase(of: TestShop.gold, at: .day(0), id: "7002")
    static let change = RenewalExtension(days: 14, reason: .serviceIssue, requestIdentifier: "A-1")

    static var filter: HistoryFilter {
        var filter = HistoryFilter()
        filter.order = .descending
        filter.from = Instant(millisecondsSince1970: 1_000)
        filter.until = Instant(millisecondsSince1970: 2_000)
        filter.productIDs = ["a b", "c&d"]
        filter.productTypes = [.autoRenewable, .nonRenewable, .consumable, .nonConsumable]
        filter.subscriptionGroupIDs = ["g/1"]
        filter.ownership = .familyShared
        filter.isRevoked = false
        return filter
    }

    static let notifications = NotificationFilter(
        from: Instant(clamped: 5), until: Instant(clamped: 9), subject: .type("DID_RENEW", subtype: "BILLING_RECOVERY"),
        onlyFailures: true)

    static let rows: [Row] =
        [
            Row("GET", "/inApps/v1/transactions/1") { try .transactionInfo("1") },
            Row("GET", "/inApps/v2/history/1") { try .history("1") },
            Row("GET", "/inApps/v2/history/1?revision=a%2Bb%3D%3D") { try .history("1", revision: "a+b==") },
            Row(
                "GET",
                "/inApps/v2/history/1?revision=r&startDate=1000&endDate=2000&productId=a%20b&productId=c%26d"
                    + "&productType=AUTO_RENEWABLE&productType=NON_RENEWABLE&productType=CONSUMABLE"
                    + "&productType=NON_CONSUMABLE&sort=DESCENDING&subscriptionGroupIdentifier=g%2F1"
                    + "&inAppOwnershipType=FAMILY_SHARED&revoked=false"
            ) { try .history("1", revision: "r", filter: filter) },
            Row("GET", "/inApps/v1/history/1?excludeRevoked=true") { try .historyV1("1", excludesRevoked: true) },
            Row("GET", "/inApps/v1/subscriptions/1") { try .statuses("1") },
            Row("GET", "/inApps/v1/subscriptions/1?status=1&status=4") {
                try .statuses("1", only: [.active, .gracePeriod])
            },
            Row("GET", "/inApps/v2/refund/lookup/1") { try .refundHistory("1") },
            Row("GET", "/inApps/v2/refund/lookup/1?revision=r") { try .refundHistory("1", revision: "r") },
            Row("GET", "/inApps/v1/lookup/MK%2F5%20X") { try .orderLookup("MK/5 X") },
            Row(
                "PUT", "/inApps/v2/transactions/consumption/7001",
                #"{"consumptionPercentage":25000,"customerConsented":true,"deliveryStatus":"DELIVERED","#
                    + #""refundPreference":"GRANT_PRORATED","sampleContentProvided":false}"#
            ) {
                try .consumption(
                    ConsumptionRequest(
                        customerConsented: true, deliveryStatus: .delivered, sampleContentProvided: false,
                        consumptionPercentage: 25_000, refundPreference: .grantProrated),
                    about: transaction.transaction())
            },
            Row(
                "PUT", "/inApps/v2/transactions/consumption/7002",
                #"{"customerConsented":true,"deliveryStatus":"UNDELIVERED_SERVER_OUTAGE","sampleContentProvided":true}"#
            ) {
                try .consumption(
                    ConsumptionRequest(
                        customerConsented: true, deliveryStatus: .serverOutage, sampleContentProvided: true),
                    about: subscription.transaction())
            },
            Row(
                "PUT", "/inApps/v1/transactions/consumption/7001",
                #"{"accountTenure":7,"appAccountToken":"","consumptionStatus":3,"customerConsented":true,"#
                    + #""deliveryStatus":5,"lifetimeDollarsPurchased":1,"lifetimeDollarsRefunded":2,"platform":1,"#
                    + #""playTime":6,"refundPreference":3,"sampleContentProvided":true,"userStatus":4}"#
            ) {
                try .consumptionV1(
                    ConsumptionRequestV1(
                        customerConsented: true, sampleContentProvided: true, accountTenure: 7, consumptionStatus: 3,
                        deliveryStatus: 5, lifetimeDollarsPurchased: 1, lifetimeDollarsRefunded: 2, platform: 1,
                        playTime: 6, refundPreference: 3, userStatus: 4),
                    about: transaction.transaction())
            },
            Row(
                "PUT", "/inApps/v1/subscriptions/extend/7002",
                #"{"extendByDays":14,"extendReasonCode":3,"requestIdentifier":"A-1"}"#
            ) { try .extend("7002", by: change) },
            Row(
                "POST", "/inApps/v1/subscriptions/extend/mass",
                #"{"extendByDays":14,"extendReasonCode":3,"productId":"gold","requestIdentifier":"A-1","#
                    + #""storefrontCountryCodes":["DEU","USA"]}"#
            ) { try .massExtend("gold", by: change, in: ["DEU", "USA"]) },
            Row(
                "POST", "/inApps/v1/subscriptions/extend/mass",
                #"{"extendByDays":14,"extendReasonCode":3,"productId":"gold","requestIdentifier":"A-1"}"#
            ) { try .massExtend("gold", by: change) },
            Row("GET", "/inApps/v1/subscriptions/extend/mass/gold.monthly/A-1") {
                try .massExtendStatus("gold.monthly", requestIdentifier: "A-1")
            },
            Row("POST", "/inApps/v1/notifications/test") { .requestTestNotification() },
            Row("GET", "/inApps/v1/notifications/test/ab_1-2%3A3") { try .testNotificationStatus("ab_1-2:3") },
            Row(
                "POST", "/inApps/v1/notifications/history?paginationToken=t%2F1",
                #"{"endDate":9,"notificationSubtype":"BILLING_RECOVERY","notificationType":"DID_RENEW","#
                    + #""onlyFailures":true,"startDate":5}"#
            ) { try .notificationHistory(notifications, paginationToken: "t/1") },
            Row(
                "POST", "/inApps/v1/notifications/history", #"{"endDate":9,"startDate":5,"transactionId":"1"}"#
            ) {
                try .notificationHistory(
                    NotificationFilter(
                        from: Instant(clamped: 5), until: Instant(clamped: 9), subject: .transaction("1")))
            },
            Row(
                "PUT", "/inApps/v1/transactions/1/appAccountToken",
                #"{"appAccountToken":"7f3c2a10-1111-4222-8333-444455556666"}"#
            ) {
                let token = try #require(UUID(uuidString: "7F3C2A10-1111-4222-8333-444455556666"))
                return try .setAppAccountToken(token, of: "1")
            },
            Row("GET", "/inApps/v1/transactions/appTransactions/704") { try .appTransactionInfo("704") },
            Row("POST", "/inApps/v1/transactions/1/finish") { try .finish("1") },
        ] + messaging + commerce + seats

    static let id = UUID(uuidString: "7F3C2A10-1111-4222-8333-444455556666") ?? UUID()
    static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    private static let path = "7f3c2a10-1111-4222-8333-444455556666"

    static let info = AdvancedCommerce.RequestInfo(requestReferenceID: id, appAccountToken: id, consistencyToken: "t")
    private static let infoText =
        #""requestInfo":{"appAccountToken":"7f3c2a10-1111-4222-8333-444455556666","consistencyToken":"t","#
        + #""requestReferenceId":"7f3c2a10-1111-4222-8333-444455556666"}"#

    /// The calls of the Advanced Commerce API.
    static let commerce: [Row] = [
        Row("POST", "/advancedCommerce/v1/subscription/cancel/1", #"{\#(infoText),"storefront":"USA"}"#) {
            try .cancelSubscription("1", info, storefront: "USA")
        },
        Row(
            "POST", "/advancedCommerce/v1/subscription/revoke/1",
            #"{"refundReason":"LEGAL","refundRiskingPreference":true,"refundType":"FULL",\#(infoText)}"#
        ) {
            try .revokeSubscription("1", info, type: .full, reason: .legal, refundRiskingPreference: true)
        },
        Row(
            "POST", "/advancedCommerce/v1/subscription/changeMetadata/1",
            #"{"descriptors":{"displayName":"N","effective":"IMMEDIATELY"},"items":[{"SKU":"b","currentSKU":"a","#
                + #""description":"D","effective":"NEXT_BILL_CYCLE"}],\#(infoText),"taxCode":"C"}"#
        ) {
            try .changeMetadata(
                "1", info, descriptors: AdvancedCommerce.DescriptorsChange(displayName: "N", effective: .immediately),
                items: [
                    AdvancedCommerce.ItemMetadata(
                        of: "a", sku: "b",
                        descriptors: AdvancedCommerce.DescriptorsChange(description: "D", effective: .nextBillCycle))
                ], taxCode: "C")
        },
        Row(
            "POST", "/advancedCommerce/v1/subscription/changePrice/1",
            #"{"currency":"USD","items":[{"SKU":"a","dependentSKUs":["b"],"price":4990}],\#(infoText)}"#
        ) {
            try .changePrice(
                "1", info, items: [AdvancedCommerce.ItemPrice(sku: "a", price: 4990, dependentSKUs: ["b"])],
                currency: "USD")
        },
        Row(
            "POST", "/advancedCommerce/v1/subscription/migrate/1",
            #"{"descriptors":{"description":"D","displayName":"N"},"items":[{"SKU":"a","description":"D","#
                + #""displayName":"N"}],"renewalItems":[{"SKU":"b","description":"D","displayName":"N"}],\#(infoText),"#
                + #""targetProductId":"p","taxCode":"C"}"#
        ) {
            let names = AdvancedCommerce.Descriptors(displayName: "N", description: "D")
            return try .migrateSubscription(
                "1", info,
                AdvancedCommerce.Migration(
                    to: "p", descriptors: names, items: [.init(sku: "a", descriptors: names)],
                    renewalItems: [.init(sku: "b", descriptors: names)], taxCode: "C"))
        },
        Row(
            "POST", "/advancedCommerce/v1/transaction/requestRefund/1",
            #"{"items":[{"SKU":"a","refundAmount":5,"refundReason":"OTHER","refundType":"CUSTOM","revoke":false}],"#
                + #""refundRiskingPreference":false,\#(infoText)}"#
        ) {
            try .requestRefund(
                "1", info,
                items: [
                    AdvancedCommerce.ItemRefund(sku: "a", type: .custom, reason: .other, revokes: false, amount: 5)
                ], refundRiskingPreference: false)
        },
    ]

    /// The calls about groups and seats.
    static let seats: [Row] = [
        Row("GET", "/groups/v1/transactions/1/seats") { try .seatInfo("1") },
        Row(
            "POST", "/groups/v1/transactions/1/seats",
            #"{"appTransactionId":"7","requestIdentifier":"\#(path)"}"#
        ) { try .claimSeat("1", requestIdentifier: id, appTransactionID: "7") },
        Row("DELETE", "/groups/v1/transactions/1/seats/\(path)") { try .unclaimSeat(id, of: "1") },
        Row("POST", "/groups/v1/transactions/1/seats/\(path)/associate", #"{"appTransactionId":"7"}"#) {
            try .associateSeat(id, of: "1", appTransactionID: "7")
        },
        Row("GET", "/groups/v1/currentGroups/7") { try .customerGroups("7") },
        Row("GET", "/groups/v1/group/g?limit=9&paginationToken=t") {
            try .groupMembers("g", limit: 9, paginationToken: "t")
        },
    ]

    /// The calls of the Retention Messaging API.
    static let messaging: [Row] = [
        Row(
            "PUT", "/inApps/v1/messaging/image/\(path)?imageSize=BULLET_POINT", String(decoding: png, as: UTF8.self),
            type: "image/png"
        ) { try .uploadImage(png, id: id, size: .bulletPoint) },
        Row("DELETE", "/inApps/v1/messaging/image/\(path)") { .deleteImage(id) },
        Row("GET", "/inApps/v1/messaging/image/list") { .images() },
        Row("PUT", "/inApps/v1/messaging/message/\(path)", #"{"body":"b","header":"h"}"#) {
            try .uploadMessage(RetentionMessage(header: "h", body: "b"), id: id)
        },
        Row(
            "PUT", "/inApps/v1/messaging/message/\(path)",
            #"{"body":"b","bulletPoints":[{"altText":"a","imageIdentifier":"\#(path)","text":"t"}],"header":"h","#
                + #""headerPosition":"ABOVE_IMAGE","image":{"altText":"a","imageIdentifier":"\#(path)"}}"#
        ) {
            let image = RetentionMessage.Image(id, altText: "a")
            return try .uploadMessage(
                RetentionMessage(
                    header: "h", body: "b", image: image, headerPosition: .aboveImage,
                    bulletPoints: [RetentionMessage.BulletPoint("t", image: image)]), id: id)
        },
        Row("DELETE", "/inApps/v1/messaging/message/\(path)") { .deleteMessage(id) },
        Row("GET", "/inApps/v1/messaging/message/list") { .messages() },
        Row("PUT", "/inApps/v1/messaging/default/gold%2F1/en-US", #"{"messageIdentifier":"\#(path)"}"#) {
            try .configureDefaultMessage(id, for: "gold/1", locale: "en-US")
        },
        Row("GET", "/inApps/v1/messaging/default/gold/en-US") { try .defaultMessage(for: "gold", locale: "en-US") },
        Row("DELETE", "/inApps/v1/messaging/default/gold/en-US") {
            try .deleteDefaultMessage(for: "gold", locale: "en-US")
        },
        Row("PUT", "/inApps/v1/messaging/realtime/url", #"{"realtimeURL":"https://a.example/b"}"#) {
            try .configureRealtimeURL("https://a.example/b")
        },
        Row("GET", "/inApps/v1/messaging/realtime/url") { .realtimeURL() },
        Row("DELETE", "/inApps/v1/messaging/realtime/url") { .deleteRealtimeURL() },
        Row("POST", "/inApps/v1/messaging/performanceTest", #"{"originalTransactionId":"1"}"#) {
            try .initiatePerformanceTest("1")
        },
        Row("GET", "/inApps/v1/messaging/performanceTest/result/r") { try .performanceTestResult("r") },
    ]

    @Test("A request is exactly these bytes", arguments: rows) func bytes(_ row: Row) async throws {
        try await Fixture.withClient(attempts: 1, serving: { _, _ in .error(4_000_000) }) { client, server in
            try await row.call(client)
            let request = try #require(server.requests.first)
            #expect(server.requests.count == 1)
            #expect(request.method == row.method)
            #expect(request.target == row.target)
            #expect(request.text == row.body ?? "")
            #expect(request.fields["content-type"] == (row.body == nil ? nil : row.type))
            #expect(request.fields["accept"] == "application/json")
            #expect(request.fields["authorization"]?.hasPrefix("Bearer ey") == true)
        }
    }

    @Test("The table has every endpoint") func complete() {
        #expect(Set(Self.rows.compactMap(\.endpoint)) == Set(AppStoreServerEndpoint.allCases))
        #expect(Self.rows.allSatisfy { $0.endpoint != nil })
    }

    @Test(
        "An invalid request is not sent",
        arguments: [
            { _ = try AppStoreServerRequest<String>.transactionInfo("") },
            { _ = try AppStoreServerRequest<String>.transactionInfo("12a") },
            { _ = try AppStoreServerRequest<String>.transactionInfo("../1") },
            { _ = try AppStoreServerRequest<String>.appTransactionInfo(String(repeating: "1", count: 65)) },
            { _ = try AppStoreServerRequest.orderLookup("..") },
            {
                _ = try AppStoreServerRequest.extend(
                    "1", by: RenewalExtension(days: 0, reason: .other, requestIdentifier: "a"))
            },
            {
                _ = try AppStoreServerRequest.extend(
                    "1", by: RenewalExtension(days: 91, reason: .other, requestIdentifier: "a"))
            },
            {
                _ = try AppStoreServerRequest.extend(
                    "1", by: RenewalExtension(days: 1, reason: .other, requestIdentifier: ""))
            },
            { _ = try AppStoreServerRequest.massExtend("p", by: RequestTableTests.change, in: []) },
            {
                _ = try AppStoreServerRequest.notificationHistory(
                    NotificationFilter(from: Instant(clamped: 5), until: Instant(clamped: 5)))
            },
            { _ = try AppStoreServerRequest.uploadImage([0x47, 0x49, 0x46], id: RequestTableTests.id) },
            { _ = try AppStoreServerRequest.configureRealtimeURL("") },
            {
                _ = try AppStoreServerRequest.configureRealtimeURL(
                    "https://example.com/" + String(repeating: "x", count: 240))
            },
            { _ = try AppStoreServerRequest.defaultMessage(for: "", locale: "en-US") },
            { _ = try AppStoreServerRequest.changePrice("1", RequestTableTests.info, items: []) },
            {
                let item = AdvancedCommerce.ItemRefund(sku: "a", type: .full, reason: .other, revokes: true, amount: 1)
                _ = try AppStoreServerRequest.requestRefund(
                    "1", RequestTableTests.info, items: [item], refundRiskingPreference: true)
            },
            {
                let names = AdvancedCommerce.DescriptorsChange(
                    displayName: String(repeating: "x", count: 31), effective: .immediately)
                _ = try AppStoreServerRequest.changeMetadata("1", RequestTableTests.info, descriptors: names)
            },
            { _ = try AppStoreServerRequest.groupMembers("g", limit: 101) },
        ] as [@Sendable () throws -> Void]
    ) func refused(_ make: @Sendable () throws -> Void) {
        let error = #expect(throws: AppStoreServerError.self) { try make() }
        #expect(error?.code == .invalidRequest)
    }
}
