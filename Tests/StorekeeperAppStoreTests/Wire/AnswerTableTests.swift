import FoundationEssentials
import Storekeeper
import Testing

@testable import StorekeeperAppStore

@Suite("Answers") struct AnswerTableTests {
    func read<Answer>(_ request: AppStoreServerRequest<Answer>, _ json: String) throws -> Answer {
        try request.read(Array(json.utf8), .init(bundleID: Fixture.bundleID, environment: .production))
    }

    static let history =
        #"{"revision":"r1","hasMore":true,"bundleId":"com.example.game","appAppleId":1234,"#
        + #""environment":"Production","signedTransactions":["a.b.c","d.e.f"],"later":{"x":[1, 2]},"none":null}"#

    @Test("A page of history is read with unknown members") func history() throws {
        let answer = try read(.history("1"), Self.history)
        #expect(answer.revision == "r1")
        #expect(answer.hasMore)
        #expect(answer.appAppleID == 1234)
        #expect(answer.environment == .production)
        #expect(answer.signedTransactions == ["a.b.c", "d.e.f"])
        #expect(answer.unknownMembers == ["later": #"{"x":[1, 2]}"#])
    }

    @Test("Statuses are read by group, with unknown numbers") func statuses() throws {
        let answer = try read(
            .statuses("1"),
            #"{"environment":"Production","bundleId":"com.example.game","data":[{"subscriptionGroupIdentifier":"g","#
                + #""lastTransactions":[{"originalTransactionId":"1","status":9,"signedTransactionInfo":"t","#
                + #""signedRenewalInfo":"r","seats":4}]},{"subscriptionGroupIdentifier":"h","lastTransactions":[]}]}"#)
        #expect(answer.groups.map(\.subscriptionGroupID) == ["g", "h"])
        let last = try #require(answer.groups.first?.lastTransactions.first)
        #expect(last.originalTransactionID == "1")
        #expect(last.status == SubscriptionStatusCode(rawValue: 9))
        #expect(last.signedTransactionInfo == "t")
        #expect(last.signedRenewalInfo == "r")
        #expect(last.unknownMembers == ["seats": "4"])
    }

    @Test("Refunds, orders and single texts are read") func texts() throws {
        let refunds = try read(.refundHistory("1"), #"{"revision":"r","hasMore":false,"signedTransactions":[]}"#)
        #expect(refunds.signedTransactions.isEmpty && !refunds.hasMore && refunds.revision == "r")
        let order = try read(.orderLookup("A"), #"{"status":7,"signedTransactions":["a"]}"#)
        #expect(order.status.rawValue == 7 && order.signedTransactions == ["a"])
        #expect(try read(.orderLookup("A"), #"{"status":1}"#).signedTransactions.isEmpty)
        #expect(try read(.transactionInfo("1"), #"{"signedTransactionInfo":"x.y.z"}"#) == "x.y.z")
        #expect(try read(.appTransactionInfo("1"), #"{"signedAppTransactionInfo":"x.y.z"}"#) == "x.y.z")
    }

    @Test("Results of extensions are read") func extensions() throws {
        let change = RenewalExtension(days: 1, reason: .other, requestIdentifier: "Ab")
        let one = try read(
            .extend("5", by: change),
            #"{"originalTransactionId":"5","webOrderLineItemId":"w","success":true,"effectiveDate":1700000000000}"#)
        #expect(one.isSuccessful && one.webOrderLineItemID == "w")
        #expect(one.effectiveAt == Instant(millisecondsSince1970: 1_700_000_000_000))
        #expect(try read(.massExtend("p", by: change), #"{"requestIdentifier":"AB"}"#).requestIdentifier == "AB")
        let status = try read(
            .massExtendStatus("p", requestIdentifier: "Ab"),
            #"{"requestIdentifier":"ab","complete":true,"completeDate":5,"succeededCount":7,"failedCount":0}"#)
        #expect(status.isComplete && status.succeededCount == 7 && status.failedCount == 0)
        #expect(status.completedAt == Instant(millisecondsSince1970: 5))
    }

    @Test("Notifications are read with unknown results") func notifications() throws {
        let record =
            #"{"signedPayload":"p","sendAttempts":[{"attemptDate":5,"sendAttemptResult":"SUCCESS"},"#
            + #"{"attemptDate":6,"sendAttemptResult":"EATEN_BY_A_DOG"}]}"#
        let status = try read(.testNotificationStatus("t"), record)
        #expect(status.sendAttempts.map(\.result) == [.success, SendAttemptResult(rawValue: "EATEN_BY_A_DOG")])
        #expect(status.sendAttempts.map(\.at.millisecondsSince1970) == [5, 6])
        let filter = NotificationFilter(from: Instant(clamped: 1), until: Instant(clamped: 2))
        let page = try read(
            .notificationHistory(filter),
            #"{"notificationHistory":[\#(record)],"hasMore":true,"paginationToken":"t"}"#)
        #expect(page.notifications == [status] && page.hasMore && page.paginationToken == "t")
        #expect(try read(.requestTestNotification(), #"{"testNotificationToken":"t"}"#).token == "t")
    }

    @Test(
        "An answer with a missing or wrong member is refused",
        arguments: [
            "", "[]", "null", "{", "{}", #"{"revision":1}"#,
            #"{"revision":"r","hasMore":"yes","bundleId":"com.example.game","environment":"Production"}"#,
            #"{"revision":"r","hasMore":true,"bundleId":"com.example.game","environment":"Production","signedTransactions":[1]}"#,
            #"{"revision":"r","hasMore":true,"bundleId":"com.example.game","environment":"Production","signedTransactions":{}}"#,
            #"{"revision":"r","revision":"s","hasMore":true,"bundleId":"com.example.game","environment":"Production"}"#,
            String(repeating: "[", count: 10_000),
        ])
    func malformed(_ json: String) throws {
        let error = #expect(throws: AppStoreServerError.self) { try read(.history("1"), json) }
        #expect(error?.code == .malformedResponse)
    }

    @Test("An answer about another subject is refused") func mismatched() throws {
        let change = RenewalExtension(days: 1, reason: .other, requestIdentifier: "a")
        let attempts: [() throws -> Void] = [
            { _ = try read(.history("1"), Self.history.replacing("com.example.game", with: "com.example.other")) },
            { _ = try read(.history("1"), Self.history.replacing("Production", with: "Sandbox")) },
            {
                _ = try read(
                    .statuses("1"), #"{"environment":"Production","bundleId":"com.example.other","data":[]}"#)
            },
            { _ = try read(.extend("5", by: change), #"{"originalTransactionId":"6","success":true}"#) },
            { _ = try read(.massExtend("p", by: change), #"{"requestIdentifier":"b"}"#) },
            {
                _ = try read(
                    .massExtendStatus("p", requestIdentifier: "a"), #"{"requestIdentifier":"b","complete":false}"#)
            },
        ]
        for attempt in attempts {
            let error = #expect(throws: AppStoreServerError.self) { try attempt() }
            #expect(error?.code == .mismatchedResponse)
        }
    }
}
