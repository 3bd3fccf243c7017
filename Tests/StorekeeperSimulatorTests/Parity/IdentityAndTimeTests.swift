import Foundation
import Storekeeper
import StorekeeperJWS
import Testing

@testable import StorekeeperSimulator

@Suite("The rules of ids and time") struct IdentityAndTimeTests {
    @Test("Transaction ids start at 2000000000000001, in Xcode's environment at 0")
    func transactionIDs() async throws {
        for (environment, first) in [(AppStore.Environment.sandbox, 2_000_000_000_000_001), (.xcode, 0)] {
            let session = try SimulatedSession.sample(environment: environment)
            for number in 0..<3 {
                #expect(try await session.buyProduct(identifier: "coins.100").id.rawValue == String(first + number))
            }
        }
    }

    @Test("Web order line items start at 1, and each customer of an app has one app transaction id")
    func otherIDs() async throws {
        let anna = try SimulatedSession.sample()
        let ben = try anna.joined(by: "ben")
        let first = try await anna.subscribe()
        #expect(first.webOrderLineItemID == "1")
        #expect(try await ben.subscribe().webOrderLineItemID == "2")
        #expect(first.appTransactionID == "700000000000000001")
        #expect(try ben.newest().appTransactionID == "700000000000000002")
        #expect(try await anna.buyProduct(identifier: "coins.100").appTransactionID == first.appTransactionID)
        #expect(try await anna.buyProduct(identifier: "coins.100").webOrderLineItemID == nil)
    }

    @Test("The original transaction id of a group never changes, even after a lapse of years")
    func originalID() async throws {
        let session = try SimulatedSession.sample()
        let first = try await session.subscribe()
        try session.expireSubscription(productIdentifier: "pro.monthly")
        try session.advance(byDays: 1000)
        let again = try await session.subscribe("basic.monthly")
        #expect(again.originalID == first.id)
        #expect(again.id != first.id)
        #expect(again.originallyPurchasedAt == first.purchasedAt)
    }

    @Test("The same seed and calls give the same payloads byte for byte, with sorted keys")
    func determinism() async throws {
        func story(seed: UInt64) async throws -> [[UInt8]] {
            let session = try SimulatedSession.sample(seed: seed)
            try await session.buyProduct(identifier: "basic.monthly")
            try session.advance(byDays: 100)
            let device = UUID(uuidString: "5A2C4C3E-0A0F-4B6D-9C58-0F1B7E3A9D11")
            let page = try await session.store.backend(device: device).history(for: "anna", after: nil)
            return try page.items.map { try session.verifier.transaction($0).payloadValue.source.payload }
        }
        let (one, same, other) = (try await story(seed: 7), try await story(seed: 7), try await story(seed: 8))
        #expect(one == same)
        #expect(one != other)
        let text = String(decoding: try #require(one.first), as: UTF8.self)
        #expect(text.hasPrefix(#"{"appTransactionId":"#))
        #expect(!text.contains(": ") && !text.contains(#"\/"#))
    }

    @Test("At equal instants the older account comes first, and advancing time alone causes no event")
    func order() async throws {
        let anna = try SimulatedSession.sample()
        let ben = try anna.joined(by: "ben")
        try await ben.subscribe()
        try await anna.subscribe()
        let seen = anna.store.happeningCount
        try anna.advance(byDays: 200)
        let renewals = anna.store.happenings(after: seen)
        #expect(renewals.count == 12)
        #expect(zip(renewals, renewals.dropFirst()).allSatisfy { $0.at <= $1.at })
        #expect(Array(renewals.map(\.customer).prefix(4)) == ["anna", "ben", "anna", "ben"])
    }

    @Test("Signing dates increase, even at one instant")
    func signedDates() async throws {
        let session = try SimulatedSession.sample()
        let first = try await session.subscribe()
        try session.refundTransaction(identifier: first.id)
        let refunded = try session.signed(first.id)
        try session.perform(.reverseRefund(.id(first.id)))
        let reversed = try session.signed(first.id)
        #expect(refunded.signedAt == first.signedAt.adding(milliseconds: 1))
        #expect(reversed.signedAt == first.signedAt.adding(milliseconds: 2))
        #expect(try await session.answer() == "active")
    }

    @Test("A renewal is charged at the end of the period, or a day earlier with the same dates")
    func chargeTime() async throws {
        for (isEarly, before) in [(false, 0), (true, 1)] {
            let session = try SimulatedSession.sample()
            try session.perform(.setSetting(.chargesEarly(isEarly)))
            let end = try #require(try await session.subscribe().expiresAt)
            try session.advance(to: end.adding(days: -before).adding(milliseconds: -1))
            #expect(session.allTransactions().count == 1)
            try session.advance(by: .milliseconds(1))
            #expect(session.allTransactions().count == 2)
            #expect(try session.newest().purchasedAt == end)
        }
    }

    @Test("Every period of an advance has a transaction, and more than 10,000 at once are refused")
    func everyPeriod() async throws {
        let session = try SimulatedSession.sample()
        try await session.subscribe("basic.weekly")
        try session.advance(byDays: 7 * 500)
        let list = session.allTransactions()
        #expect(list.count == 501)
        #expect(zip(list, list.dropFirst()).allSatisfy { $0.purchaseDate == $1.expirationDate })
        #expect(code { try session.advance(byDays: 7 * 10_100) } == .tooManyEvents)
        #expect(session.allTransactions().count == 501)
    }

    @Test("Months are counted from the anchor, in UTC, without daylight saving time")
    func calendar() async throws {
        let session = try SimulatedSession.sample()
        try await session.subscribe()
        try session.advance(byDays: 130)
        let ends = session.allTransactions().reversed().compactMap { $0.expirationDate?.minute }
        #expect(
            ends == [
                "2026-02-28T12:00", "2026-03-31T12:00", "2026-04-30T12:00", "2026-05-31T12:00", "2026-06-30T12:00",
            ])
    }
}
