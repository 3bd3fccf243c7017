import Foundation
import Storekeeper
import StorekeeperJWS
import Testing

@testable import StorekeeperSimulator

@Suite("SKTestSession: settings, pending purchases, failing payments") struct SessionSettingsParityTests {
    @Test("resetToDefaultState() reverts settings and simulated errors; transactions stay")
    func reset() async throws {
        var settings = AppSettings()
        settings.storefront = "FRA"
        settings.isAskToBuyEnabled = true
        let session = try SimulatedSession.sample(settings: settings)
        session.askToBuyEnabled = false
        session.storefront = "JPN"
        session.timeRate = .oneRenewalEveryMinute
        session.failureError = .invalidOfferPrice
        session.failTransactionsEnabled = true
        try session.setSimulatedError(.networkError, forAPI: .loadProducts)
        session.failTransactionsEnabled = false
        try await session.buyProduct(identifier: "coins.100")
        session.resetToDefaultState()
        #expect(session.settings == settings)
        #expect(session.storefront == "FRA")
        #expect(session.failureError == .unknown)
        #expect(session.simulatedError(forAPI: .loadProducts) == nil)
        #expect(session.allTransactions().count == 1)
    }

    @Test("storefront changes the country and currency of purchases")
    func storefront() async throws {
        let session = try SimulatedSession.sample()
        #expect(session.storefront == "USA")
        let before = try await session.buyProduct(identifier: "coins.100")
        session.storefront = "DEU"
        #expect(session.storefront == "DEU")
        let after = try await session.buyProduct(identifier: "coins.100")
        #expect([before, after].map(\.storefrontCountryCode) == ["USA", "DEU"])
        #expect([before, after].map(\.storefrontID) == ["143441", "143443"])
        #expect([before, after].map(\.currencyCode) == ["USD", "EUR"])
        #expect(session.store.happenings().contains { $0.kind == .storefrontChanged && $0.customer == "anna" })
        session.storefront = "Mars"
        #expect(session.storefront == "DEU")
    }

    @Test("locale is kept")
    func locale() throws {
        let session = try SimulatedSession.sample()
        #expect(session.locale == "en_US")
        session.locale = "ja_JP"
        #expect(session.locale == "ja_JP")
    }

    @Test("disableDialogs is kept; purchases need no dialog either way")
    func dialogs() async throws {
        let session = try SimulatedSession.sample()
        for isOff in [true, false] {
            session.disableDialogs = isOff
            #expect(session.disableDialogs == isOff)
            let bought = try await session.buyProduct(identifier: "coins.100")
            #expect(try session.signed(bought.id).productID == "coins.100")
        }
    }

    @Test("askToBuyEnabled makes purchases pending, and approveAskToBuyTransaction completes them through the stream")
    func approve() async throws {
        let session = try SimulatedSession.sample()
        session.askToBuyEnabled = true
        let engine = try await session.openStore()
        guard case .pending(.askToBuy, _) = try await engine.purchase(productID: "remove.ads") else {
            Issue.record("the purchase is not pending")
            return
        }
        #expect(engine.store.entitlement(for: "remove.ads").word == "pending")
        let waiting = try #require(session.allTransactions().first)
        #expect(waiting.pendingAskToBuyConfirmation)
        #expect(try session.signedTransactions().isEmpty)
        let seen = session.store.happeningCount
        try session.approveAskToBuyTransaction(identifier: waiting.identifier)
        #expect(try session.deliveredTransactions(after: seen) == [waiting.identifier])
        try await engine.store.sync()
        #expect(engine.store.entitlement(for: "remove.ads").reasonWord == "owned")
        #expect(
            code { try session.approveAskToBuyTransaction(identifier: waiting.identifier) } == .invalidAction)
    }

    @Test("declineAskToBuyTransaction removes the pending purchase and notifies the engine")
    func decline() async throws {
        let session = try SimulatedSession.sample()
        session.askToBuyEnabled = true
        let waiting = try session.buyProduct(productIdentifier: "remove.ads")
        let seen = session.store.happeningCount
        try session.declineAskToBuyTransaction(identifier: waiting.identifier)
        #expect(session.allTransactions().isEmpty)
        #expect(try await session.answer("remove.ads") == "noPurchase")
        guard case .declined("remove.ads")? = try session.deliveries(after: seen).first else {
            Issue.record("the engine is not notified")
            return
        }
    }

    @Test("interruptedPurchasesEnabled interrupts purchases until resolveIssueForTransaction")
    func interrupted() async throws {
        let session = try SimulatedSession.sample()
        session.interruptedPurchasesEnabled = true
        let engine = try await session.openStore()
        guard case .pending(.bankApproval, _) = try await engine.purchase(productID: "coins.100") else {
            Issue.record("the purchase is not interrupted")
            return
        }
        let waiting = try #require(session.allTransactions().first)
        #expect(waiting.hasPurchaseIssue)
        try session.resolveIssueForTransaction(identifier: waiting.identifier)
        let resolved = try #require(session.allTransactions().first)
        #expect(resolved.identifier == waiting.identifier)
        #expect(!resolved.hasPurchaseIssue)
        #expect(resolved.state == .purchased)
        try await engine.store.sync()
        #expect(engine.store.balance(of: "coins").amount == 100)
        #expect(code { try session.resolveIssueForTransaction(identifier: waiting.identifier) } == .invalidAction)
    }

    @Test("billingGracePeriodIsEnabled has no effect unless renewals fail")
    func graceAlone() async throws {
        let session = try SimulatedSession.sample()
        session.billingGracePeriodIsEnabled = true
        try await session.subscribe()
        try session.advance(byDays: 40)
        #expect(session.store.story(of: "anna").suffix(2) == ["subscribed", "renewed"])
        #expect(try await session.answer() == "active")
    }

    @Test("shouldEnterBillingRetryOnRenewal makes renewals fail: with grace service continues, without it stops")
    func billingRetry() async throws {
        for (hasGrace, answer, word) in [
            (true, "gracePeriod", "DID_FAIL_TO_RENEW/GRACE_PERIOD"), (false, "billingRetry", "DID_FAIL_TO_RENEW"),
        ] {
            let session = try SimulatedSession.sample()
            session.billingGracePeriodIsEnabled = hasGrace
            session.shouldEnterBillingRetryOnRenewal = true
            try await session.subscribe()
            let seen = session.store.happeningCount
            try session.advance(byDays: 30)
            #expect(try await session.answer() == answer)
            #expect(try session.notifications(after: seen) == [word])
            let info = try session.renewalInfo()
            #expect(info.isInBillingRetry)
            #expect(info.expirationReason == .billingError)
            #expect((info.gracePeriodExpiresAt != nil) == hasGrace)
            #expect(session.allTransactions().first?.hasPurchaseIssue == true)
        }
    }

    @Test("resolveIssueForTransaction ends billing retry; the next renewal fails again while the setting is on")
    func resolveBilling() async throws {
        let session = try SimulatedSession.sample()
        session.shouldEnterBillingRetryOnRenewal = true
        let first = try await session.subscribe()
        try session.advance(byDays: 40)
        try session.resolveIssueForTransaction(identifier: first.id)
        let recovered = try session.newest()
        #expect(recovered.purchasedAt == session.now)
        #expect(recovered.reason == .renewal)
        #expect(try await session.answer() == "active")
        try session.advance(byDays: 31)
        #expect(try await session.answer() == "billingRetry")
    }

    @Test("resolveIssueForTransaction has no effect after billing retry has ended")
    func resolveTooLate() async throws {
        let session = try SimulatedSession.sample()
        session.shouldEnterBillingRetryOnRenewal = true
        let first = try await session.subscribe()
        try session.advance(byDays: 100)
        let seen = session.store.happeningCount
        try session.resolveIssueForTransaction(identifier: first.id)
        #expect(session.store.happeningCount == seen)
        #expect(try await session.answer() == "expired")
        #expect(try session.renewalInfo().expirationReason == .billingError)
    }

    @Test("failTransactionsEnabled makes every payment fail with failureError", arguments: FailureError.allCases)
    func failTransactions(error: FailureError) async throws {
        let expected: PurchaseError.Code =
            switch error {
            case .unknown: .unknown
            case .invalidOfferIdentifier: .invalidOfferIdentifier
            case .invalidSignature: .invalidOfferSignature
            case .missingOfferParams: .missingOfferParameters
            case .invalidOfferPrice: .invalidOfferPrice
            }
        let session = try SimulatedSession.sample()
        #expect(session.failureError == .unknown)
        session.failTransactionsEnabled = true
        session.failureError = error
        #expect(session.failTransactionsEnabled)
        let engine = try await session.openStore()
        await #expect(throws: PurchaseError(expected, "")) { try await engine.purchase(productID: "coins.100") }
        session.failTransactionsEnabled = false
        _ = try await engine.bought("coins.100")
    }

    @Test("timeRate sets the length of periods that begin afterwards")
    func timeRate() async throws {
        let session = try SimulatedSession.sample()
        #expect(session.timeRate == .realTime)
        let slow = try await session.subscribe()
        session.timeRate = .monthlyRenewalEveryThirtySeconds
        #expect(session.timeRate == .monthlyRenewalEveryThirtySeconds)
        #expect(try session.newest().expiresAt == slow.expiresAt)
        let end = try #require(slow.expiresAt)
        try session.advance(to: end)
        #expect(try session.newest().expiresAt == end.adding(milliseconds: 30_000))
    }
}
