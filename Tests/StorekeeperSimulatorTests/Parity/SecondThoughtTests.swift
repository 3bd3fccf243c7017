import Foundation
import Storekeeper
import Testing

@testable import StorekeeperSimulator

/// What is done twice, late, or to something that is paid already.
@Suite("Refunds in part, of a running month, and second approvals") struct SecondThoughtTests {
    // MARK: Refunds in part

    /// Shares of a purchase that are refunded one after the other, and what the newest copy says.
    struct Shares: Sendable, CustomTestStringConvertible {
        let quantity: Int
        let shares: [Int?]
        let whole: Int64
        /// What is left of the coins; `nil` where that is not what the row is about.
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

    @Test("A second share adds to the first; shares that stand for units add up to units", arguments: shares)
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
        // What was taken back stays taken back since then.
        #expect(newest.revokedAt == coins.purchasedAt)
        #expect(try session.notifications(after: seen) == Array(repeating: "REFUND", count: row.shares.count))
        guard let left = row.coins else { return }
        #expect(try await session.synced().store.balance(of: "coins").amount == left)
    }

    @Test("Never more than all of it")
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

    // MARK: A running month, when the next is paid

    /// Anna and Ben on the last day of January, with February charged early.
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

    @Test("The running month is refunded on its last day; the next one, which is paid, begins all the same")
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
        // Nothing follows the month that is paid.
        try anna.advance(to: try #require(next.expiresAt))
        #expect(try await anna.answer() == "expired")
        #expect(try anna.notifications().last == "EXPIRED/VOLUNTARY")
    }

    @Test("Taken back before it ends, the refund gives the family its day back")
    func runningMonthReversed() async throws {
        let (anna, ben, running) = try await Self.lastDay()
        try anna.perform(.refund(.id(running.id), percentage: nil, reason: .other))
        try anna.perform(.reverseRefund(.id(running.id)))
        #expect(anna.store.happenings().suffix(2).map(\.status) == [1, 1])
        #expect(try await anna.answer() == "active")
        #expect(try await ben.answer() == "active")
    }

    @Test("A month that has not begun is refunded when it has")
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

    @Test("Of two approved requests for one thing for good the second buys nothing")
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

    @Test("Nor does the second of one subscription")
    func twoApprovedSubscriptions() async throws {
        let session = try SimulatedSession.sample()
        session.askToBuyEnabled = true
        let first = try session.buyProduct(productIdentifier: "pro.monthly").identifier
        let second = try session.buyProduct(productIdentifier: "pro.monthly").identifier
        #expect(try session.perform(.approveAskToBuy(first)) == .purchased(first))
        #expect(try session.perform(.approveAskToBuy(second)) == .alreadyOwned(first))
        #expect(try session.signedTransactions().map(\.id) == [first])
    }

    @Test("What the bank wants to see waits without end")
    func bankApproval() async throws {
        let session = try SimulatedSession.sample()
        session.interruptedPurchasesEnabled = true
        let waiting = try session.buyProduct(productIdentifier: "remove.ads").identifier
        try session.advance(byDays: 400)
        try session.resolveIssueForTransaction(identifier: waiting)
        #expect(try session.signed(waiting).purchasedAt == session.now)
    }

    // MARK: Buying in billing retry

    @Test("Who buys what is owed pays it: the renewal comes, late")
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
        // What was owed, not what new customers pay.
        #expect(paid.priceInMilliunits == 9_990)
        #expect(try session.renewalInfo().isInBillingRetry == false)
    }

    @Test("Another product in its place is a purchase, and what was owed is not asked for any more")
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

    @Test("Twelve payments go on with the one that was owed")
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
