import Foundation
import Storekeeper
import StorekeeperJWS
import Testing

@testable import StorekeeperSimulator

@Suite("Xcode's transaction manager, and the data of its environment", .timeLimit(.minutes(20)))
struct TransactionManagerParityTests {
    private static let cheap = OfferReference(.introductory)

    @Test("Upcoming renewals list the rest of an offer, then the standard price")
    func offerAhead() async throws {
        let session = try SimulatedSession.sample()
        let first = try await session.buyProduct(identifier: "basic.monthly")
        #expect(first.priceInMilliunits == 1000)
        let ahead = try session.renewals(ofTransaction: first.id, count: 4)
        #expect(ahead.periods.map(\.price) == [1000, 1000, 4990, 4990])
        #expect(ahead.periods.map(\.offer) == [Self.cheap, Self.cheap, nil, nil])
        #expect(
            ahead.periods.map(\.startsAt.minute) == [
                "2026-02-28T12:00", "2026-03-31T12:00", "2026-04-30T12:00", "2026-05-31T12:00",
            ])
        #expect(ahead.endsAt == nil)
        // The prediction itself has changed nothing. The predicted renewals happen when the clock advances.
        #expect(session.allTransactions().count == 1)
        try session.advance(byDays: 121)
        let real = session.allTransactions().reversed().dropFirst()
        #expect(real.map(\.purchaseDate) == ahead.periods.map(\.startsAt))
        #expect(try real.map { try session.signed($0.identifier).priceInMilliunits } == ahead.periods.map(\.price))
    }

    @Test("Upcoming renewals list another chosen product, and end if the subscription does not renew")
    func changeAhead() async throws {
        let session = try SimulatedSession.sample()
        let first = try await session.subscribe()
        try session.perform(.changePlan(to: "basic.monthly", by: "anna", billingPlan: nil))
        #expect(try session.renewals(ofTransaction: first.id, count: 1).periods.map(\.productID) == ["basic.monthly"])
        try session.disableAutoRenewForTransaction(identifier: first.id)
        let ahead = try session.renewals(ofTransaction: first.id)
        #expect(ahead.periods.isEmpty)
        #expect(ahead.endsAt == first.expiresAt)
        #expect(ahead.endReason == .autoRenewDisabled)
    }

    @Test("The end of the grace period and of billing retry can be inspected")
    func troubleAhead() async throws {
        let session = try SimulatedSession.sample()
        session.billingGracePeriodIsEnabled = true
        session.shouldEnterBillingRetryOnRenewal = true
        let first = try await session.subscribe()
        let end = try #require(first.expiresAt)
        try session.advance(to: end)
        let grace = try session.renewals(ofTransaction: first.id)
        #expect(grace.gracePeriodEndsAt == end.adding(days: 16))
        #expect(grace.billingRetryEndsAt == end.adding(days: 60))
        try session.advance(byDays: 16)
        let retry = try session.renewals(ofTransaction: first.id)
        #expect(retry.gracePeriodEndsAt == nil)
        #expect(retry.billingRetryEndsAt == end.adding(days: 60))
    }

    @Test("A subscription can be cancelled and changed: an upgrade at once, a downgrade at the end of the period")
    func changePlan() async throws {
        let session = try SimulatedSession.sample()
        let basic = try await session.subscribe("basic.monthly")
        try session.advance(byDays: 14)
        try session.perform(.changePlan(to: "pro.monthly", by: "anna", billingPlan: nil))
        #expect(try session.newest().productID == "pro.monthly")
        #expect(try session.newest().purchasedAt == session.now)
        #expect(try session.signed(basic.id).isUpgraded)
        #expect(try await session.hasPro())
        try session.perform(.changePlan(to: "basic.weekly", by: "anna", billingPlan: nil))
        #expect(try session.newest().productID == "pro.monthly")
        #expect(try session.renewalInfo().autoRenewProductID == "basic.weekly")
        try session.advance(byDays: 28)
        #expect(try session.newest().productID == "basic.weekly")
        #expect(try await !session.hasPro())
    }

    @Test("The proration of an upgrade can be read")
    func prorations() async throws {
        let session = try SimulatedSession.sample()
        let basic = try await session.subscribe("basic.monthly")
        try session.advance(byDays: 14)
        try session.perform(.changePlan(to: "pro.monthly", by: "anna", billingPlan: nil))
        #expect(
            session.prorations == [SimulatedProration(transactionID: basic.id, amount: 4990 / 2, at: session.now)])
    }

    @Test("A purchase intent names a promoted product, which is bought only if the app sells it")
    func purchaseIntents() async throws {
        let session = try SimulatedSession.sample()
        #expect(session.purchaseIntents.isEmpty)
        try session.intendPurchase(productIdentifier: "coins.100")
        #expect(session.purchaseIntents.map(\.productID) == ["coins.100"])
        #expect(session.allTransactions().isEmpty)
        let engine = try await session.openStore()
        let intent = try #require(session.purchaseIntents.first)
        _ = try await engine.bought(intent.productID)
        #expect(code { try session.intendPurchase(productIdentifier: "nothing") } == .invalidProductIdentifier)
    }

    @Test("Messages are sent for a billing issue and for a win-back offer")
    func messages() async throws {
        let session = try SimulatedSession.sample()
        session.shouldEnterBillingRetryOnRenewal = true
        let first = try await session.subscribe()
        try session.advance(byDays: 29)
        #expect(session.messages.map(\.reason) == [.billingIssue])
        #expect(session.messages.map(\.transactionID) == [first.id])
        try session.advance(byDays: 60)
        #expect(session.messages.map(\.reason) == [.billingIssue, .winBackOffer])
    }

    // MARK: The data of Xcode's environment

    @Test("In Xcode's environment transaction ids start at 0, which is a valid id")
    func xcodeIDs() async throws {
        let session = try SimulatedSession.sample(environment: .xcode)
        let first = try await session.subscribe()
        let second = try await session.buyProduct(identifier: "coins.100")
        #expect([first.id, first.originalID, second.id] == ["0", "0", "1"])
        #expect(first.environment == .xcode)
        #expect(try await session.hasPro())
        try session.refundTransaction(identifier: "0")
        #expect(try await session.answer() == "refunded")
    }

    @Test("In Xcode's environment isUpgraded is written even if it is false")
    func xcodeUpgraded() async throws {
        for (environment, exists) in [(AppStore.Environment.xcode, true), (.sandbox, false)] {
            let session = try SimulatedSession.sample(environment: environment)
            let first = try await session.subscribe()
            let value = try session.payload(of: first.id)["isUpgraded"] as? Bool
            #expect(value == (exists ? false : nil))
        }
    }

    @Test("In Xcode's environment the storefront is USA/143441 and the group's id is that of the file")
    func xcodeStorefront() async throws {
        let session = try SimulatedSession.sample(environment: .xcode)
        let first = try await session.subscribe()
        #expect(first.storefrontCountryCode == "USA")
        #expect(first.storefrontID == "143441")
        #expect(first.subscriptionGroupID == "21400001")
    }

    @Test("In Xcode's environment the app transaction is from the year 1, with versions \"1\"")
    func xcodeAppTransaction() throws {
        let session = try SimulatedSession.sample(environment: .xcode)
        let jws = try session.store.appTransaction(of: "anna")
        let app = try session.verifier.appTransaction(jws).payloadValue
        #expect(app.originallyPurchasedAt?.millisecondsSince1970 == -62_135_769_600_000)
        #expect(app.originalAppVersion == "1")
        #expect(app.appVersion == "1")
    }

    @Test("After a call returns, every answer and the stream include its effect")
    func atOnce() async throws {
        let session = try SimulatedSession.sample()
        let first = try await session.subscribe()
        let seen = session.store.happeningCount
        try session.expireSubscription(productIdentifier: "pro.monthly")
        #expect(try session.newest().expiresAt == session.now)
        #expect(try session.renewalInfo().expirationReason == .autoRenewDisabled)
        #expect(try await session.streamed(after: seen) == [first.id])
    }
}
