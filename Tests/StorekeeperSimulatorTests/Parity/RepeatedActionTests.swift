import Foundation
import Storekeeper
import Testing

@testable import StorekeeperSimulator

/// Tests of actions that are repeated, late, or about a period that is already paid.
@Suite("Partial refunds, refunds after an early charge, and repeated approvals") struct RepeatedActionTests {
    // MARK: Partial refunds

    /// Shares of a purchase that are refunded one after another, and the total in the newest copy of the transaction.
    struct Shares: Sendable, CustomTestStringConvertible {
        let quantity: Int
        let shares: [Int?]
        let whole: Int64
        /// The remaining coins; `nil` if the row does not check them.
        var coins: Int64?
        var testDescription: String { "\(shares.map { $0.map(String.init) ?? "the rest" }) of \(quantity)" }
    }

    static let shares = [
        Shares(quantity: 3, shares: [33_333, 33_333], whole: 66_667, coins: 100),
        Shares(quantity: 3, shares: [33_333, 33_333, 33_333], whole: 100_000, coins: 0),
        Shares(quantity: 3, shares: [33_333, nil], whole: 100_000, coins: 0),
        Shares(quantity: 1, shares: [25_000, 50_000], whole: 75_000, coins: 25),
        Shares(quantity: 4, shares: [25_000, 25_000], whole: 50_000, coins: 200),
        Shares(quantity: 7, shares: [14_286, 28_571], whole: 42_857),
    ]

    @Test("A second share adds to the first, and shares that represent units add up to whole units", arguments: shares)
    func parts(_ row: Shares) async throws {
        let session = try SimulatedSession.sample()
        let coins = try await session.buyProduct(identifier: "coins.100", options: [.quantity(row.quantity)])
        let seen = session.store.happeningCount
        for share in row.shares {
            try session.perform(.refund(.id(coins.id), percentage: share, reason: .other))
            try session.advance(byDays: 1)
        }
        let newest = try session.signed(coins.id)
        #expect(newest.revocationPercentage == row.whole)
        #expect(newest.revocationType == (row.whole == 100_000 ? .fullRefund : .proratedRefund))
        // The revocation date of the first refund stays.
        #expect(newest.revokedAt == coins.purchasedAt)
        #expect(try session.notifications(after: seen) == Array(repeating: "REFUND", count: row.shares.count))
        guard let left = row.coins else { return }
        #expect(try await session.synced().store.balance(of: "coins").amount == left)
    }

    @Test("Refunds cannot exceed the whole purchase")
    func tooMuch() async throws {
        let session = try SimulatedSession.sample()
        let coins = try await session.buyProduct(identifier: "coins.100")
        try session.perform(.refund(.id(coins.id), percentage: 60_000, reason: .other))
        #expect(
            code { try session.perform(.refund(.id(coins.id), percentage: 40_001, reason: .other)) } == .invalidValue)
        try session.perform(.refund(.id(coins.id), percentage: 40_000, reason: .other))
        #expect(
            code { try session.perform(.refund(.id(coins.id), percentage: 1, reason: .other)) } == .invalidAction)
        try session.perform(.reverseRefund(.id(coins.id)))
        #expect(try session.signed(coins.id).revokedAt == nil)
    }

    // MARK: Early charges

    /// Returns sessions of Anna and Ben on the last day of January, after February was charged early.
    private static func lastDay() async throws -> (anna: SimulatedSession, ben: SimulatedSession, running: Transaction)
    {
        let anna = try SimulatedSession.sample()
        let ben = try anna.joined(by: "ben")
        try anna.perform(.createFamily(organizer: "anna"))
        try anna.perform(.joinFamily("ben", of: "anna"))
        try anna.perform(.setSetting(.chargesEarly(true)))
        let running = try await anna.subscribe()
        try anna.advance(to: try #require(running.expiresAt).adding(milliseconds: -3_600_000))
        return (anna, ben, running)
    }

    @Test("The current month is refunded on its last day, and the next one, which is already paid, begins anyway")
    func runningMonth() async throws {
        let (anna, ben, running) = try await Self.lastDay()
        let end = try #require(running.expiresAt)
        let next = try anna.newest()
        #expect(next.purchasedAt == end)
        let seen = anna.store.happeningCount
        try anna.perform(.refund(.id(running.id), percentage: nil, reason: .developerIssue))
        #expect(try anna.signed(running.id).revokedAt == anna.now)
        #expect(try anna.signed(next.id).revokedAt == nil)
        #expect(try anna.renewalInfo().autoRenewStatus == .off)
        #expect(try anna.notifications(after: seen) == ["REFUND"])
        #expect(try ben.notifications(after: seen) == ["REVOKE"])
        #expect(anna.store.happenings(after: seen).map(\.status) == [5, 5])
        #expect(try await anna.answer() == "refunded")
        #expect(try await ben.answer() == "familySharingEnded")
        try anna.advance(to: end)
        #expect(try await anna.answer() == "active")
        #expect(try await ben.answer() == "active")
        // The subscription ends with the month that is already paid.
        try anna.advance(to: try #require(next.expiresAt))
        #expect(try await anna.answer() == "expired")
        #expect(try anna.notifications().last == "EXPIRED/VOLUNTARY")
    }

    @Test("Reversing the refund before the month ends restores the family's access")
    func runningMonthReversed() async throws {
        let (anna, ben, running) = try await Self.lastDay()
        try anna.perform(.refund(.id(running.id), percentage: nil, reason: .other))
        try anna.perform(.reverseRefund(.id(running.id)))
        #expect(anna.store.happenings().suffix(2).map(\.status) == [1, 1])
        #expect(try await anna.answer() == "active")
        #expect(try await ben.answer() == "active")
    }

    @Test("A month can be refunded only after it has begun")
    func nextMonth() async throws {
        let (anna, _, running) = try await Self.lastDay()
        let next = try anna.newest()
        let refund = SimulatorCommand.refund(.id(next.id), percentage: nil, reason: .other)
        #expect(code { try anna.perform(refund) } == .invalidAction)
        try anna.advance(to: try #require(running.expiresAt))
        try anna.perform(refund)
        #expect(try await anna.answer() == "refunded")
    }

    // MARK: Approvals

    @Test("A second approved request for a non-consumable buys nothing")
    func twoApprovals() async throws {
        let session = try SimulatedSession.sample()
        session.askToBuyEnabled = true
        let first = try session.buyProduct(productIdentifier: "remove.ads").identifier
        let second = try session.buyProduct(productIdentifier: "remove.ads").identifier
        let seen = session.store.happeningCount
        #expect(try session.perform(.approveAskToBuy(first)) == .purchased(first))
        #expect(try session.perform(.approveAskToBuy(second)) == .alreadyOwned(first))
        #expect(try session.notifications(after: seen) == ["ONE_TIME_CHARGE"])
        #expect(try session.signedTransactions().map(\.id) == [first])
        #expect(code { try session.perform(.approveAskToBuy(second)) } == .invalidAction)
    }

    @Test("A second approved request for a subscription buys nothing")
    func twoApprovedSubscriptions() async throws {
        let session = try SimulatedSession.sample()
        session.askToBuyEnabled = true
        let first = try session.buyProduct(productIdentifier: "pro.monthly").identifier
        let second = try session.buyProduct(productIdentifier: "pro.monthly").identifier
        #expect(try session.perform(.approveAskToBuy(first)) == .purchased(first))
        #expect(try session.perform(.approveAskToBuy(second)) == .alreadyOwned(first))
        #expect(try session.signedTransactions().map(\.id) == [first])
    }

    @Test("An interrupted purchase waits without a time limit")
    func bankApproval() async throws {
        let session = try SimulatedSession.sample()
        session.interruptedPurchasesEnabled = true
        let waiting = try session.buyProduct(productIdentifier: "remove.ads").identifier
        try session.advance(byDays: 400)
        try session.resolveIssueForTransaction(identifier: waiting)
        #expect(try session.signed(waiting).purchasedAt == session.now)
    }

    // MARK: Buying in billing retry

    @Test("Buying the same product in billing retry pays the owed renewal late")
    func sameInRetry() async throws {
        let session = try SimulatedSession.sample()
        let first = try await session.subscribe()
        try session.perform(.changePrice(of: "pro.monthly", to: 12_990, consent: .preserved))
        try session.perform(.setPaymentsFail(true, of: "anna"))
        try session.advance(to: try #require(first.expiresAt).adding(days: 20))
        try session.perform(.setPaymentsFail(false, of: "anna"))
        let seen = session.store.happeningCount
        let paid = try await session.subscribe()
        #expect(try session.notifications(after: seen) == ["DID_RENEW/BILLING_RECOVERY"])
        #expect(paid.reason == .renewal)
        #expect(paid.purchasedAt == session.now)
        // The subscriber pays the old price, and not the price for new customers.
        #expect(paid.priceInMilliunits == 9_990)
        #expect(try session.renewalInfo().isInBillingRetry == false)
    }

    @Test("Buying another product in billing retry is a purchase, and the owed renewal is cancelled")
    func otherInRetry() async throws {
        let session = try SimulatedSession.sample()
        let first = try await session.subscribe("basic.monthly")
        try session.perform(.setPaymentsFail(true, of: "anna"))
        try session.advance(to: try #require(first.expiresAt).adding(days: 20))
        try session.perform(.setPaymentsFail(false, of: "anna"))
        let seen = session.store.happeningCount
        let bought = try await session.subscribe()
        #expect(try session.notifications(after: seen) == ["SUBSCRIBED/RESUBSCRIBE"])
        #expect(bought.reason == .purchase)
        #expect(bought.originalID == first.id)
    }

    @Test("A commitment continues with the payment that was owed")
    func commitmentInRetry() async throws {
        let session = try SimulatedSession.sample()
        session.storefront = "DEU"
        let request = PurchaseRequest(introductoryEligibility: false, billingPlan: .monthly)
        let first = try await session.buyProduct(identifier: "pro.yearly", request: request)
        try session.perform(.setPaymentsFail(true, of: "anna"))
        try session.advance(to: try #require(first.expiresAt).adding(days: 20))
        try session.perform(.setPaymentsFail(false, of: "anna"))
        let second = try await session.buyProduct(identifier: "pro.yearly", request: request)
        #expect(second.commitmentInfo?.billingPeriodNumber == 2)
    }
}
