import HTTPTypes
import Storekeeper
import StorekeeperSimulator
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests of the answers of the App Store Server API to malformed requests.
@Suite struct ServerAPIConformanceTests {
    @Test(
        "A member of a wrong JSON type gets the member's error code",
        arguments: [
            (
                "POST", "notifications/history",
                #"{"startDate": 1767225600000, "endDate": 1799999999999, "transactionId": 5}"#, 4_000_006
            ),
            (
                "POST", "notifications/history",
                #"{"startDate": 1767225600000, "endDate": 1799999999999, "onlyFailures": "yes"}"#, 4_000_000
            ),
            (
                "POST", "notifications/history",
                #"{"startDate": 1767225600000, "endDate": 1799999999999, "notificationType": 5}"#, 4_000_018
            ),
            (
                "POST", "notifications/history",
                #"{"startDate": 1767225600000, "endDate": 1799999999999, "notificationType": "TEST", "notificationSubtype": []}"#,
                4_000_018
            ),
            ("POST", "notifications/history", #"{"startDate": "2026", "endDate": 1799999999999}"#, 4_000_015),
            ("POST", "notifications/history", #"{"startDate": 1767225600000, "endDate": true}"#, 4_000_016),
            (
                "POST", "subscriptions/extend/mass",
                #"{"extendByDays": "5", "extendReasonCode": 1, "requestIdentifier": "r", "productId": "gold.monthly"}"#,
                4_000_009
            ),
            (
                "POST", "subscriptions/extend/mass",
                #"{"extendByDays": 5, "extendReasonCode": "1", "requestIdentifier": "r", "productId": "gold.monthly"}"#,
                4_000_010
            ),
            (
                "POST", "subscriptions/extend/mass",
                #"{"extendByDays": 5, "extendReasonCode": 1, "requestIdentifier": 7, "productId": "gold.monthly"}"#,
                4_000_011
            ),
            (
                "POST", "subscriptions/extend/mass",
                #"{"extendByDays": 5, "extendReasonCode": 1, "requestIdentifier": "r", "productId": 5}"#, 4_000_023
            ),
            (
                "POST", "subscriptions/extend/mass",
                #"{"extendByDays": 5, "extendReasonCode": 1, "requestIdentifier": "r", "productId": "gold.monthly", "storefrontCountryCodes": "USA"}"#,
                4_000_028
            ),
            (
                "POST", "subscriptions/extend/mass",
                #"{"extendByDays": 5, "extendReasonCode": 1, "requestIdentifier": "r", "productId": "gold.monthly", "storefrontCountryCodes": ["USA", "XXX"]}"#,
                4_000_028
            ),
            (
                "POST", "subscriptions/extend/mass",
                #"{"extendByDays": 5, "extendReasonCode": 1, "requestIdentifier": "r", "productId": "gold.monthly", "storefrontCountryCodes": ["usa"]}"#,
                4_000_028
            ),
            (
                "POST", "subscriptions/extend/mass",
                #"{"extendByDays": 5, "extendReasonCode": 1, "requestIdentifier": "r", "productId": "gold.monthly", "storefrontCountryCodes": []}"#,
                4_000_027
            ),
            ("PUT", "transactions/2000000000000001/appAccountToken", #"{"appAccountToken": 5}"#, 4_000_183),
            ("POST", "subscriptions/extend/mass", "[]", 4_000_000),
        ] as [(String, String, String, Int64)])
    func types(_ method: String, _ path: String, _ body: String, _ code: Int64) async throws {
        let served = try await ServedStore()
        try await served.step("buy gold.monthly by anna")
        let answer = await served.ask(method, "/inApps/v1/\(path)", body: body)
        #expect(answer.status == 400 && answer.code == code)
    }

    @Test(
        "A notification history is filtered only by a type that exists, and by a subtype that the type has",
        arguments: [
            ("SUBSCRIBED", "INITIAL_BUY", nil), ("EXPIRED", "VOLUNTARY", nil), ("REFUND", "SEATS", nil),
            ("EXPIRED", nil, nil), ("SUBSCRIBED", nil, nil),
            ("SUBSCRIBED", "BILLING_RECOVERY", 4_000_018), ("DID_RENEW", "INITIAL_BUY", 4_000_018),
            ("TEST", "SUMMARY", 4_000_018), ("TEST", "MOON", 4_000_018), ("MOON_LANDING", nil, 4_000_018),
            (nil, "INITIAL_BUY", 4_000_018),
        ] as [(String?, String?, Int64?)])
    func kinds(_ type: String?, _ subtype: String?, _ code: Int64?) async throws {
        let served = try await ServedStore()
        try await served.step("buy gold.monthly by anna")
        var body = #"{"startDate": 1767225600000, "endDate": 1799999999999"#
        if let type { body += #", "notificationType": "\#(type)""# }
        if let subtype { body += #", "notificationSubtype": "\#(subtype)""# }
        let answer = await served.ask("POST", "/inApps/v1/notifications/history", body: body + "}")
        #expect(answer.code == code && answer.status == (code == nil ? 200 : 400))
        // The one notification is SUBSCRIBED/INITIAL_BUY.
        guard code == nil else { return }
        let count = answer.document?["notificationHistory"]?.array.map { Array($0).count }
        #expect(count == (type == "SUBSCRIBED" ? 1 : 0))
    }

    @Test("A test notification's token is a UUID and milliseconds, and returns its send attempts")
    func testToken() async throws {
        let webhook = ScriptedWebhook()
        let served = try await ServedStore(webhook: webhook)
        let asked = await served.ask("POST", "/inApps/v1/notifications/test")
        let token = try #require(asked.document?["testNotificationToken"]?.string)
        #expect(token.wholeMatch(of: #/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}_[0-9]{13}/#) != nil)
        try await served.local.outbox.sendDue()
        let status = await served.ask("GET", "/inApps/v1/notifications/test/\(token)")
        #expect(status.signed("signedPayload")?["notificationUUID"]?.string == String(token.prefix(36)))
        #expect(status.document?["sendAttempts"]?.array.map { Array($0).count } == 1)
        for (other, code) in [
            ("1_1767225600000", 4_000_020), ("\(token)0", 4_040_008), ("x", 4_000_020),
            ("00000000-0000-4000-8000-000000000000_1767225600000", 4_040_008),
        ] {
            #expect(await served.ask("GET", "/inApps/v1/notifications/test/\(other)").code == Int64(code), "\(other)")
        }
        try await served.step("advance 181 days")
        #expect(await served.ask("GET", "/inApps/v1/notifications/test/\(token)").code == 4_040_008)
    }

    @Test("A repeated request to extend one subscription gets the same answer, and does not extend it again")
    func repeatedExtension() async throws {
        let served = try await ServedStore()
        let silver = try #require(try await served.step("buy silver.monthly by anna")).rawValue
        func extend(_ request: String) async -> LocalResponse {
            await served.ask(
                "PUT", "/inApps/v1/subscriptions/extend/\(silver)",
                body: #"{"extendByDays":5,"extendReasonCode":1,"requestIdentifier":"\#(request)"}"#)
        }
        let first = await extend("outage")
        #expect(first.status == 200 && first.document?["effectiveDate"]?.int64 != nil)
        let count = served.store.happeningCount
        #expect(await extend("outage").body == first.body)
        #expect(served.store.happeningCount == count)
        // Another request extends the subscription. The first request still gets its own answer, even after the limit
        // of two extensions was reached and the subscription was renewed.
        #expect(await extend("another").body != first.body)
        #expect(await extend("third").code == 4_030_005)
        try await served.step("advance 62 days")
        #expect(await extend("outage").body == first.body)
    }

    @Test("A revision belongs to the filter of a request; unknown parameters are ignored")
    func unknownParameters() async throws {
        let served = try await ServedStore()
        let id = try #require(try await served.step("buy coins.100 by anna")).rawValue
        let history = "/inApps/v2/history/\(id)"
        for path in [history, "/inApps/v2/refund/lookup/\(id)"] {
            let first = await served.ask("GET", path, query: [("unknown", "1")])
            let revision = try #require(first.document?["revision"]?.string, "\(path)")
            let next = await served.ask("GET", path, query: [("revision", revision), ("other", "2")])
            #expect(next.status == 200, "\(path)")
        }
        let first = await served.ask("GET", history, query: [("sort", "ASCENDING")])
        let revision = try #require(first.document?["revision"]?.string)
        for (sort, code) in [("ASCENDING", nil), ("DESCENDING", 4_000_005)] as [(String, Int64?)] {
            let next = await served.ask("GET", history, query: [("revision", revision), ("sort", sort)])
            #expect(next.code == code, "\(sort)")
        }
    }

    @Test("A refund history is in the order of the revocation dates, a transaction history in that of the changes")
    func refundOrder() async throws {
        let served = try await ServedStore()
        let coins = try #require(try await served.step("buy coins.100 by anna")).rawValue
        try await served.step("buy remove.ads by anna")
        try await served.step("refund coins.100 by anna percent 25")
        try await served.step("advance 1 day")
        try await served.step("refund remove.ads by anna")
        try await served.step("advance 1 day")
        // The revocation date remains that of the first refund.
        try await served.step("refund coins.100 by anna percent 25")
        func products(_ answer: LocalResponse) -> [String?] {
            answer.transactions().map { $0["productId"]?.string }
        }
        let refunds = "/inApps/v2/refund/lookup/\(coins)"
        let first = await served.ask("GET", refunds)
        #expect(products(first) == ["coins.100", "remove.ads"])
        let dates = first.transactions().compactMap { $0["revocationDate"]?.int64 }
        #expect(dates.count == 2 && dates == dates.sorted())
        let changes = await served.ask("GET", "/inApps/v2/history/\(coins)")
        #expect(products(changes) == ["remove.ads", "coins.100"])
        // The last revision leads to the refunds that follow, and only to them.
        try await served.step("buy coins.500 by anna")
        try await served.step("refund coins.500 by anna")
        let revision = try #require(first.document?["revision"]?.string)
        let next = await served.ask("GET", refunds, query: [("revision", revision)])
        #expect(products(next) == ["coins.500"] && next.document?["hasMore"]?.bool == false)
    }

    @Test("A pagination token of notifications expires after 24 hours of the store's time")
    func tokenAge() async throws {
        let served = try await ServedStore()
        for _ in 1...21 { try await served.step("buy coins.100 by anna") }
        let path = "/inApps/v1/notifications/history"
        let body = #"{"startDate": 1767225600000, "endDate": 1799999999999}"#
        let first = await served.ask("POST", path, body: body)
        let token = try #require(first.document?["paginationToken"]?.string)
        try await served.step("advance 24 hours")
        let last = await served.ask("POST", path, query: [("paginationToken", token)], body: body)
        #expect(last.status == 200)
        #expect(last.document?["notificationHistory"]?.array.map { Array($0).count } == 1)
        try await served.step("advance 1 second")
        let late = await served.ask("POST", path, query: [("paginationToken", token)], body: body)
        #expect(late.status == 400 && late.code == 4_000_017)
    }

    @Test(
        "A wrong method is answered with the allowed methods",
        arguments: [
            ("POST", "/inApps/v2/history/1", "GET"), ("DELETE", "/inApps/v1/transactions/1", "GET"),
            ("GET", "/inApps/v1/transactions/1/finish", "POST"),
            ("GET", "/inApps/v1/subscriptions/extend/mass", "POST"),
            ("GET", "/inApps/v2/transactions/consumption/1", "PUT"),
        ])
    func methods(_ method: String, _ path: String, _ allowed: String) async throws {
        let served = try await ServedStore()
        let answer = await served.ask(method, path)
        #expect(answer.status == 405)
        #expect(answer.headers[.allow] == allowed)
        #expect(await served.ask("GET", "/inApps/v3/nothing/1").code == 4_040_000)
    }
}
