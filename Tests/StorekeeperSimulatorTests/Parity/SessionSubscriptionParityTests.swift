import Foundation
import Storekeeper
import StorekeeperJWS
import Testing

@testable import StorekeeperSimulator

@Suite("SKTestSession: subscriptions, prices, refunds") struct SessionSubscriptionParityTests {
    @Test("disableAutoRenewForTransaction and enableAutoRenewForTransaction turn renewal off and on")
    func autoRenew() async throws {
        let session = try SimulatedSession.sample()
        let first = try await session.subscribe()
        let seen = session.store.happeningCount
        try session.disableAutoRenewForTransaction(identifier: first.id)
        #expect(try session.renewalInfo().autoRenewStatus == .off)
        #expect(try await session.answer() == "active")
        try session.enableAutoRenewForTransaction(identifier: first.id)
        #expect(try session.renewalInfo().autoRenewStatus == .on)
        try session.disableAutoRenewForTransaction(identifier: first.id)
        try session.advance(byDays: 40)
        #expect(try await session.answer() == "expired")
        #expect(try session.renewalInfo().expirationReason == .autoRenewDisabled)
        #expect(
            try session.notifications(after: seen) == [
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED",
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "EXPIRED/VOLUNTARY",
            ])
    }

    @Test("enableAutoRenewForTransaction refuses unknown transactions and products that do not renew")
    func autoRenewErrors() async throws {
        let session = try SimulatedSession.sample()
        let coins = try await session.buyProduct(identifier: "coins.100")
        #expect(code { try session.enableAutoRenewForTransaction(identifier: "7") } == .noTransactionFound)
        #expect(code { try session.enableAutoRenewForTransaction(identifier: coins.id) } == .invalidProductType)
        #expect(code { try session.disableAutoRenewForTransaction(identifier: coins.id) } == .invalidProductType)
    }

    @Test("forceRenewalOfSubscription ends the period now and begins the next")
    func forceRenewal() async throws {
        let session = try SimulatedSession.sample()
        let first = try await session.subscribe()
        try session.advance(byDays: 3)
        try session.forceRenewalOfSubscription(productIdentifier: "pro.monthly")
        #expect(try session.signed(first.id).expiresAt == session.now)
        let second = try session.newest()
        #expect(second.id != first.id)
        #expect(second.purchasedAt == session.now)
        #expect(second.reason == .renewal)
        #expect(try await session.answer() == "active")
        #expect(
            code { try session.forceRenewalOfSubscription(productIdentifier: "basic.monthly") }
                == .noSubscriptionFound)
    }

    @Test("forceRenewalOfSubscription fails if renewals fail")
    func forceFailingRenewal() async throws {
        let session = try SimulatedSession.sample()
        try await session.subscribe()
        session.shouldEnterBillingRetryOnRenewal = true
        try session.advance(byDays: 3)
        try session.forceRenewalOfSubscription(productIdentifier: "pro.monthly")
        #expect(session.allTransactions().count == 1)
        #expect(try await session.answer() == "billingRetry")
    }

    @Test("expireSubscription ends the period now, with renewal off")
    func expire() async throws {
        let session = try SimulatedSession.sample()
        try await session.subscribe()
        try session.advance(byDays: 3)
        try session.expireSubscription(productIdentifier: "pro.monthly")
        #expect(try await session.answer() == "expired")
        #expect(try session.newest().expiresAt == session.now)
        let info = try session.renewalInfo()
        #expect(info.autoRenewStatus == .off)
        #expect(info.expirationReason == .autoRenewDisabled)
        #expect(code { try session.expireSubscription(productIdentifier: "pro.monthly") } == .noSubscriptionFound)
    }

    @Test("expireSubscription while a price increase is pending or declined gives that as the reason")
    func expireWithPriceIncrease() async throws {
        for declines in [false, true] {
            let session = try SimulatedSession.sample()
            let first = try await session.subscribe()
            try session.requestPriceIncreaseConsentForTransaction(identifier: first.id)
            if declines { try session.declinePriceIncreaseForTransaction(identifier: first.id) }
            try session.expireSubscription(productIdentifier: "pro.monthly")
            #expect(try session.renewalInfo().expirationReason == .didNotConsentToPriceIncrease)
        }
    }

    @Test("requestPriceIncreaseConsentForTransaction can ask repeatedly, with a message each time")
    func requestConsent() async throws {
        let session = try SimulatedSession.sample()
        let first = try await session.subscribe()
        #expect(session.messages.isEmpty)
        try session.requestPriceIncreaseConsentForTransaction(identifier: first.id)
        try session.requestPriceIncreaseConsentForTransaction(identifier: first.id)
        #expect(session.messages.map(\.reason) == [.priceIncreaseConsent, .priceIncreaseConsent])
        #expect(session.messages.first?.productID == "pro.monthly")
        #expect(session.allTransactions().first?.isPendingPriceIncreaseConsent == true)
        #expect(try session.renewalInfo().priceIncreaseStatus == .pending)
        try session.advance(byDays: 40)
        #expect(try session.renewalInfo().expirationReason == .didNotConsentToPriceIncrease)
        #expect(try await session.answer() == "expired")
    }

    @Test("consentToPriceIncreaseForTransaction lets the subscription renew at the new price")
    func consent() async throws {
        let session = try SimulatedSession.sample()
        let first = try await session.subscribe()
        try session.perform(.changePrice(of: "pro.monthly", to: 19_990, consent: .required))
        #expect(code { try session.consentToPriceIncreaseForTransaction(identifier: "9") } == .noTransactionFound)
        try session.consentToPriceIncreaseForTransaction(identifier: first.id)
        #expect(try session.renewalInfo().priceIncreaseStatus == .agreed)
        #expect(try session.renewalInfo().renewalPriceInMilliunits == 19_990)
        try session.advance(byDays: 30)
        #expect(try session.newest().priceInMilliunits == 19_990)
        #expect(try session.renewalInfo().priceIncreaseStatus == nil)
        #expect(code { try session.consentToPriceIncreaseForTransaction(identifier: first.id) } == .invalidAction)
    }

    @Test("declinePriceIncreaseForTransaction turns renewal off, and the subscription ends for that reason")
    func declineConsent() async throws {
        let session = try SimulatedSession.sample()
        let first = try await session.subscribe()
        try session.requestPriceIncreaseConsentForTransaction(identifier: first.id)
        let seen = session.store.happeningCount
        try session.declinePriceIncreaseForTransaction(identifier: first.id)
        #expect(try session.renewalInfo().autoRenewStatus == .off)
        #expect(try await session.answer() == "active")
        try session.advance(byDays: 40)
        #expect(try session.renewalInfo().expirationReason == .didNotConsentToPriceIncrease)
        #expect(
            try session.notifications(after: seen) == [
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "EXPIRED/PRICE_INCREASE",
            ])
    }

    @Test("refundTransaction revokes with another reason and notifies the app")
    func refund() async throws {
        let session = try SimulatedSession.sample()
        let coins = try await session.buyProduct(identifier: "coins.100")
        let ads = try await session.buyProduct(identifier: "remove.ads")
        let engine = try await session.synced()
        #expect(engine.store.isEntitled("remove.ads"))
        let seen = session.store.happeningCount
        try session.refundTransaction(identifier: ads.id)
        try session.refundTransaction(identifier: coins.id)
        #expect(try session.deliveredTransactions(after: seen) == [ads.id, coins.id])
        let refunded = try session.signed(ads.id)
        #expect(refunded.revokedAt == session.now)
        #expect(refunded.revocationReason == .other)
        #expect(refunded.revocationType == .fullRefund)
        #expect(refunded.revocationPercentage == 100_000)
        try await engine.store.sync()
        #expect(engine.store.entitlement(for: "remove.ads").reasonWord == "refunded")
        #expect(engine.store.balance(of: "coins").amount == 0)
        #expect(code { try session.refundTransaction(identifier: ads.id) } == .invalidAction)
        #expect(code { try session.refundTransaction(identifier: "5") } == .noTransactionFound)
    }

    @Test("advance(by:) and advance(to:) move time forward only")
    func time() async throws {
        let session = try SimulatedSession.sample()
        let start = session.now
        try session.advance(by: .seconds(90))
        #expect(session.now.milliseconds(since: start) == 90_000)
        try session.advance(by: .milliseconds(1500))
        #expect(session.now.milliseconds(since: start) == 91_500)
        try session.advance(byDays: 1)
        try session.advance(to: start.adding(days: 2))
        #expect(session.now == start.adding(days: 2))
        #expect(code { try session.advance(to: start) } == .timeRunsForward)
        #expect(code { try session.advance(by: .seconds(-1)) } == .timeRunsForward)
        #expect(code { try session.advance(by: .seconds(Int64.max)) } == .invalidValue)
    }
}
