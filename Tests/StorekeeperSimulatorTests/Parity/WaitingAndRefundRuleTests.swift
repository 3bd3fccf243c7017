import Foundation
import Storekeeper
import Testing

@testable import StorekeeperSimulator

@Suite("The rules of pending purchases and refunds") struct WaitingAndRefundRuleTests {
    // MARK: Pending purchases

    @Test("Ask to Buy ends after 24 hours without an answer")
    func guardianTimeout() async throws {
        let session = try SimulatedSession.sample()
        session.askToBuyEnabled = true
        let waiting = try session.buyProduct(productIdentifier: "remove.ads")
        try session.advance(by: .seconds(86_399))
        #expect(session.allTransactions().count == 1)
        try session.advance(by: .seconds(1))
        #expect(session.allTransactions().isEmpty)
        #expect(try session.signedTransactions().isEmpty)
        #expect(code { try session.approveAskToBuyTransaction(identifier: waiting.identifier) } == .invalidAction)
    }

    @Test("Renewals do not need Ask to Buy")
    func renewalsDoNotAsk() async throws {
        let session = try SimulatedSession.sample()
        try await session.subscribe()
        session.askToBuyEnabled = true
        session.interruptedPurchasesEnabled = true
        try session.advance(byDays: 30)
        #expect(session.allTransactions().map(\.state) == [.purchased, .purchased])
    }

    @Test("Ask to Buy can be requested by a purchase option alone")
    func askToBuyOption() async throws {
        let session = try SimulatedSession.sample()
        let engine = try await session.openStore()
        guard
            case .pending(.askToBuy, _) = try await engine.purchase(
                productID: "remove.ads", options: [.simulatesAskToBuyInSandbox(true)])
        else {
            Issue.record("the purchase is not pending")
            return
        }
        #expect(try session.notifications().isEmpty)
        try session.approveAskToBuyTransaction(identifier: try #require(session.allTransactions().first).identifier)
        #expect(try session.notifications() == ["ONE_TIME_CHARGE"])
    }

    // MARK: Refunds

    @Test("A refund request in the app turns renewal off, requests consumption data, and is granted at once in tests")
    func requestGranted() async throws {
        let session = try SimulatedSession.sample()
        let first = try await session.subscribe()
        let seen = session.store.happeningCount
        try session.perform(.requestRefund(.id(first.id), reason: .other))
        #expect(
            try session.notifications(after: seen) == [
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "CONSUMPTION_REQUEST", "REFUND",
            ])
        #expect(session.store.happenings().last?.status == 5)
        #expect(try await session.answer() == "refunded")
    }

    @Test("The reason of the request becomes the reason of the revocation", arguments: RefundRequestReason.allCases)
    func requestReason(reason: RefundRequestReason) async throws {
        let session = try SimulatedSession.sample()
        let coins = try await session.buyProduct(identifier: "coins.100")
        try session.perform(.requestRefund(.id(coins.id), reason: reason))
        let isAppsFault = reason == .fulfillmentIssue || reason == .unsatisfiedWithPurchase
        #expect(try session.signed(coins.id).revocationReason == (isAppsFault ? .developerIssue : .other))
    }

    @Test("A declined request keeps access, with renewal off")
    func requestDeclined() async throws {
        let session = try SimulatedSession.sample()
        try session.perform(.setSetting(.grantsRefundRequests(false)))
        let first = try await session.subscribe()
        let seen = session.store.happeningCount
        try session.perform(.requestRefund(.id(first.id), reason: .other))
        #expect(code { try session.perform(.requestRefund(.id(first.id), reason: .other)) } == .invalidAction)
        try session.perform(.declineRefund(.id(first.id)))
        #expect(
            try session.notifications(after: seen) == [
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "CONSUMPTION_REQUEST", "REFUND_DECLINED",
            ])
        #expect(try session.signed(first.id).revokedAt == nil)
        #expect(try await session.answer() == "active")
        #expect(try session.renewalInfo().autoRenewStatus == .off)
        #expect(code { try session.perform(.declineRefund(.id(first.id))) } == .invalidAction)
    }

    @Test("A prorated refund has its percentage")
    func prorated() async throws {
        let session = try SimulatedSession.sample()
        let first = try await session.subscribe()
        try session.perform(.refund(.id(first.id), percentage: 67_932, reason: .other))
        let refunded = try session.signed(first.id)
        #expect(refunded.revocationType == .proratedRefund)
        #expect(refunded.revocationPercentage == 67_932)
        #expect(try await session.answer() == "refunded")
        for percentage in [0, 100_001] {
            let coins = try await session.buyProduct(identifier: "coins.100")
            #expect(
                code { try session.perform(.refund(.id(coins.id), percentage: percentage, reason: .other)) }
                    == .invalidValue)
        }
    }

    @Test("A partial refund of several units claws back whole units")
    func partOfSeveral() async throws {
        let session = try SimulatedSession.sample()
        let coins = try await session.buyProduct(identifier: "coins.100", options: [.quantity(3)])
        try session.perform(.refund(.id(coins.id), percentage: 33_333, reason: .other))
        let balance = try await session.synced().store.balance(of: "coins")
        // 33.333 percent is a rounded third, so one of three packs was refunded.
        #expect(balance.amount == 200)
    }

    @Test("A refund of an earlier period does not affect the current one")
    func earlierPeriod() async throws {
        let session = try SimulatedSession.sample()
        let first = try await session.subscribe()
        try session.advance(byDays: 30)
        try session.refundTransaction(identifier: first.id)
        #expect(try session.signed(first.id).revokedAt == session.now)
        #expect(session.store.happenings().last?.status == 1)
        #expect(try session.renewalInfo().autoRenewStatus == .on)
        #expect(try await session.answer() == "active")
    }

    @Test("A reversed refund removes the revocation and restores access, and renewal stays off")
    func reversed() async throws {
        let session = try SimulatedSession.sample()
        let first = try await session.subscribe()
        try session.refundTransaction(identifier: first.id)
        let engine = try await session.synced()
        #expect(engine.store.entitlement(for: "pro.monthly").reasonWord == "refunded")
        let seen = session.store.happeningCount
        try session.perform(.reverseRefund(.id(first.id)))
        let reversed = try session.signed(first.id)
        #expect(reversed.revokedAt == nil)
        #expect(reversed.revocationReason == nil)
        #expect(reversed.revocationType == nil)
        #expect(reversed.revocationPercentage == nil)
        #expect(reversed.expiresAt == first.expiresAt)
        #expect(try session.renewalInfo().autoRenewStatus == .off)
        #expect(try session.notifications(after: seen) == ["REFUND_REVERSED"])
        try await engine.store.sync()
        #expect(engine.store.entitlement(for: "pro.monthly").reasonWord == "active")
        try session.advance(byDays: 40)
        #expect(try session.renewalInfo().expirationReason == .autoRenewDisabled)
        #expect(code { try session.perform(.reverseRefund(.id(first.id))) } == .invalidAction)
    }
}
