import Foundation
import Storekeeper
import StorekeeperJWS
import Testing

@testable import StorekeeperSimulator

@Suite("The rules of subscriptions") struct SubscriptionRuleTests {
    /// Returns a session with a failed renewal, some days after the end of the period.
    private static func failed(
        _ product: Product.ID = "pro.monthly", hasGrace: Bool = true, days: Int = 0
    ) async throws -> (session: SimulatedSession, first: Transaction, end: Instant) {
        let session = try SimulatedSession.sample()
        session.billingGracePeriodIsEnabled = hasGrace
        let first = try await session.subscribe(product)
        try session.perform(.setPaymentsFail(true, of: "anna"))
        let end = try #require(first.expiresAt)
        try session.advance(to: end.adding(days: days))
        return (session, first, end)
    }

    @Test("Grace is off by default and lasts 16 days, for a week 6; retry lasts 60 days from the end of the period")
    func lengths() async throws {
        let monthly = try await Self.failed()
        #expect(try monthly.session.renewalInfo().gracePeriodExpiresAt == monthly.end.adding(days: 16))
        let weekly = try await Self.failed("basic.weekly")
        #expect(try weekly.session.renewalInfo().gracePeriodExpiresAt == weekly.end.adding(days: 6))
        for hasGrace in [true, false] {
            let (session, _, end) = try await Self.failed(hasGrace: hasGrace)
            try session.advance(to: end.adding(days: 60).adding(milliseconds: -1))
            #expect(try await session.answer() == "billingRetry")
            try session.advance(by: .milliseconds(1))
            #expect(try await session.answer() == "expired")
        }
        #expect(try !SimulatedSession.sample().billingGracePeriodIsEnabled)
    }

    @Test("Within retry nothing is charged automatically, unless daily attempts are enabled")
    func retrySchedule() async throws {
        for isDaily in [false, true] {
            let (session, _, _) = try await Self.failed(hasGrace: false)
            try session.perform(.setSetting(.retriesDaily(isDaily)))
            if isDaily { try session.advance(byDays: 0) }
            try session.perform(.setPaymentsFail(false, of: "anna"))
            try session.advance(byDays: 5)
            #expect(try await session.answer() == "billingRetry")
            try session.perform(.retryBilling(of: .latest("pro.monthly", of: "anna")))
            #expect(try await session.answer() == "active")
        }
        let session = try SimulatedSession.sample()
        try session.perform(.setSetting(.retriesDaily(true)))
        let end = try #require(try await session.subscribe().expiresAt)
        try session.perform(.setPaymentsFail(true, of: "anna"))
        try session.advance(to: end.adding(days: 2))
        #expect(try await session.answer() == "billingRetry")
        try session.perform(.setPaymentsFail(false, of: "anna"))
        try session.advance(byDays: 1)
        #expect(try session.newest().purchasedAt == end.adding(days: 3))
    }

    @Test("A recovery exactly when grace ends counts as after it")
    func recoveryAtGraceEnd() async throws {
        let inside = try await Self.failed(days: 16)
        try inside.session.resolveIssueForTransaction(identifier: inside.first.id)
        #expect(try inside.session.newest().purchasedAt == inside.session.now)
        let before = try await Self.failed(days: 15)
        try before.session.resolveIssueForTransaction(identifier: before.first.id)
        #expect(try before.session.newest().purchasedAt == before.end)
    }

    @Test("Turning renewal off in grace or retry ends the service at once", arguments: [true, false])
    func cancelInTrouble(hasGrace: Bool) async throws {
        let (session, first, _) = try await Self.failed(hasGrace: hasGrace, days: 3)
        try session.disableAutoRenewForTransaction(identifier: first.id)
        #expect(try await session.answer() == "expired")
        #expect(try session.renewalInfo().expirationReason == .autoRenewDisabled)
        #expect(try session.notifications().last == "EXPIRED/VOLUNTARY")
    }

    @Test("An upgrade in grace or retry is a purchase that must be paid", arguments: [true, false])
    func upgradeInTrouble(hasGrace: Bool) async throws {
        let (session, first, _) = try await Self.failed("basic.monthly", hasGrace: hasGrace, days: 3)
        #expect(await refusal { try await session.subscribe() } == .systemError)
        try session.perform(.setPaymentsFail(false, of: "anna"))
        let upgraded = try await session.subscribe()
        #expect(upgraded.originalID == first.id)
        #expect(upgraded.purchasedAt == session.now)
        #expect(try await session.hasPro())
        #expect(try !session.renewalInfo().isInBillingRetry)
    }

    @Test("An upgrade in a free trial ends the trial, charges the full price and refunds nothing")
    func upgradeInTrial() async throws {
        let session = try SimulatedSession(catalog: OfferCatalog.trial, environment: .sandbox)
        let trial = try await session.buyProduct(identifier: "low")
        #expect(trial.priceInMilliunits == 0)
        try session.advance(byDays: 2)
        let upgraded = try await session.buyProduct(identifier: "high")
        #expect(upgraded.priceInMilliunits == 20_000)
        #expect(upgraded.offer == nil)
        #expect(session.prorations.allSatisfy { $0.amount == 0 })
        #expect(try session.signed(trial.id).isUpgraded)
    }

    @Test("The proration of an upgrade is the unused share, rounded down, and is in no signed text")
    func proration() async throws {
        let session = try SimulatedSession.sample()
        let basic = try await session.subscribe("basic.monthly")
        try session.advance(by: .seconds(10 * 86_400 + 1))
        try await session.subscribe()
        // A period of 28 days costs 4990 milliunits, and all but ten days and a second of it are left.
        let left: Int64 = 28 * 86_400 - 10 * 86_400 - 1
        #expect(session.prorations.map(\.amount) == [4990 * left / (28 * 86_400)])
        #expect(try session.signed(basic.id).priceInMilliunits == 4990)
    }

    @Test("The transaction that an upgrade supersedes keeps its end and is not revoked")
    func superseded() async throws {
        let session = try SimulatedSession.sample()
        let basic = try await session.subscribe("basic.monthly")
        try session.advance(byDays: 3)
        try await session.subscribe()
        let old = try session.signed(basic.id)
        #expect(old.isUpgraded)
        #expect(old.expiresAt == basic.expiresAt)
        #expect(old.revokedAt == nil)
        #expect(try await session.answer("basic.monthly") == "upgraded")
    }

    @Test("An upgrade sends the new transaction, then the old one again")
    func upgradeOrder() async throws {
        let session = try SimulatedSession.sample()
        let basic = try await session.subscribe("basic.monthly")
        let seen = session.store.happeningCount
        let pro = try await session.subscribe()
        #expect(try session.deliveredTransactions(after: seen) == [pro.id, basic.id])
        #expect(try session.notifications(after: seen) == ["DID_CHANGE_RENEWAL_PREF/UPGRADE"])
    }

    @Test("Buying an active subscription turns renewal on, or returns the existing transaction")
    func buyingAgain() async throws {
        let session = try SimulatedSession.sample()
        let first = try await session.subscribe()
        let seen = session.store.happeningCount
        #expect(try await session.subscribe().id == first.id)
        #expect(try session.notifications(after: seen).isEmpty)
        try session.disableAutoRenewForTransaction(identifier: first.id)
        let mark = session.store.happeningCount
        #expect(try await session.subscribe().id == first.id)
        #expect(try session.renewalInfo().autoRenewStatus == .on)
        #expect(try session.notifications(after: mark) == ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED"])
        #expect(session.allTransactions().count == 1)
    }

    @Test("A cancelled downgrade stays chosen and returns when renewal is turned on")
    func downgradeAndCancel() async throws {
        let session = try SimulatedSession.sample()
        let first = try await session.subscribe()
        try session.perform(.changePlan(to: "basic.monthly", by: "anna", billingPlan: nil))
        try session.disableAutoRenewForTransaction(identifier: first.id)
        #expect(try session.renewalInfo().autoRenewProductID == "basic.monthly")
        #expect(try session.renewalInfo().autoRenewStatus == .off)
        try session.enableAutoRenewForTransaction(identifier: first.id)
        try session.advance(byDays: 30)
        #expect(try session.newest().productID == "basic.monthly")
    }

    @Test("A refund of the current period removes access at once, and the customer may subscribe again at once")
    func refund() async throws {
        let session = try SimulatedSession.sample()
        let first = try await session.subscribe()
        try session.refundTransaction(identifier: first.id)
        #expect(session.store.happenings().last?.status == 5)
        let info = try session.renewalInfo()
        #expect(info.autoRenewStatus == .off)
        #expect(info.expirationReason == nil)
        try session.advance(by: .seconds(1))
        let again = try await session.subscribe()
        #expect(again.originalID == first.id)
        #expect(try session.notifications().last == "SUBSCRIBED/RESUBSCRIBE")
        #expect(try await session.hasPro())
    }

    @Test("A reversed refund restores the dates, and renewal stays off")
    func reversal() async throws {
        let session = try SimulatedSession.sample()
        let first = try await session.subscribe()
        try session.refundTransaction(identifier: first.id)
        try session.advance(byDays: 5)
        try session.perform(.reverseRefund(.id(first.id)))
        #expect(try session.newest().expiresAt == first.expiresAt)
        #expect(try session.renewalInfo().autoRenewStatus == .off)
        #expect(try await session.hasPro())
    }

    @Test("The statuses of ended subscriptions stay")
    func endedStatuses() async throws {
        let session = try SimulatedSession.sample()
        let first = try await session.subscribe()
        try session.expireSubscription(productIdentifier: "pro.monthly")
        try session.advance(byDays: 3650)
        let statuses = try await session.store.backend().subscriptionStatuses(for: "anna")
        #expect(try statuses.map { try session.verifier.transaction($0.transaction).payloadValue.id } == [first.id])
    }

    @Test("A code is redeemed by its name, once by each customer")
    func codeOnce() throws {
        let session = try SimulatedSession.sample()
        let redeem = SimulatorCommand.redeemOfferCode("WELCOME", product: "pro.monthly", by: "anna")
        try session.perform(redeem)
        try session.expireSubscription(productIdentifier: "pro.monthly")
        #expect(try session.perform(redeem) == .failed(PurchaseError(.ineligibleForOffer, "")))
        let ben = try session.joined(by: "ben")
        try ben.perform(.redeemOfferCode("WELCOME", product: "pro.monthly", by: "ben"))
        #expect(ben.allTransactions().first?.state == .purchased)
    }

    @Test("An introductory offer is used up by its transaction and restored only if that is deleted")
    func introductoryUsedUp() async throws {
        let session = try SimulatedSession.sample()
        let trial = try await session.buyProduct(identifier: "pro.monthly")
        #expect(trial.offer?.type == .introductory)
        try session.expireSubscription(productIdentifier: "pro.monthly")
        let paid = try await session.buyProduct(identifier: "pro.monthly")
        #expect(paid.offer == nil)
        try session.deleteTransaction(identifier: paid.id)
        try session.deleteTransaction(identifier: trial.id)
        #expect(try await session.buyProduct(identifier: "pro.monthly").offer?.type == .introductory)
    }

    @Test("Win-back offers are for lapsed subscribers, the cheapest first")
    func winBack() async throws {
        let session = try SimulatedSession(catalog: OfferCatalog.winBack, environment: .sandbox)
        try await session.buyProduct(identifier: "pro")
        #expect(try session.renewalInfo().eligibleWinBackOfferIDs.isEmpty)
        try session.expireSubscription(productIdentifier: "pro")
        #expect(try session.renewalInfo().eligibleWinBackOfferIDs == ["free", "cheap", "dear"])
    }

    @Test("Consent thresholds apply to the amount in the storefront's currency as if it were dollars")
    func consentAbroad() async throws {
        let session = try SimulatedSession.sample()
        session.storefront = "JPN"
        try await session.subscribe()
        try session.perform(.changePrice(of: "pro.monthly", to: 14_991, consent: .automatic))
        #expect(try session.renewalInfo().priceIncreaseStatus == .pending)
        #expect(try session.newest().currencyCode == "JPY")
    }

    @Test("A family has six people and shares immediately")
    func family() async throws {
        #expect(World.familyLimit == 6)
        let anna = try SimulatedSession.sample()
        let ben = try anna.joined(by: "ben")
        try anna.perform(.createFamily(organizer: "anna"))
        try anna.perform(.joinFamily("ben", of: "anna"))
        try await anna.subscribe()
        #expect(try await ben.hasPro())
    }

    @Test("A family's copy has no price, currency, account token or offer")
    func copies() async throws {
        let anna = try SimulatedSession.sample()
        let ben = try anna.joined(by: "ben")
        try anna.perform(.createFamily(organizer: "anna"))
        try anna.perform(.joinFamily("ben", of: "anna"))
        let own = try await anna.buyProduct(identifier: "pro.monthly", options: [.appAccountToken(UUID())])
        #expect(own.offer != nil)
        let payload = try ben.payload(of: ben.newest().id)
        for member in ["price", "currency", "appAccountToken", "offerType", "offerDiscountType", "offerPeriod"] {
            #expect(payload[member] == nil, "\(member)")
        }
    }

    @Test(
        "Renewals stop after 12 in the sandbox, after 6 in TestFlight, and never in Xcode",
        arguments: [
            (RenewalPace.sandbox(.fiveMinutes), 12), (.testFlight, 6), (.xcode(.monthlyRenewalEveryFiveMinutes), 100),
        ])
    func renewalLimit(pace: RenewalPace, renewals: Int) async throws {
        let session = try SimulatedSession.sample()
        try session.perform(.setSetting(.pace(pace)))
        try await session.subscribe()
        let isLimited = renewals < 100
        try session.advance(by: isLimited ? .seconds(30 * 86_400) : .seconds(renewals * 300))
        #expect(session.allTransactions().count == renewals + 1)
        #expect(try session.notifications().last == (isLimited ? "EXPIRED/VOLUNTARY" : "DID_RENEW"))
        #expect(try session.renewalInfo().autoRenewStatus == (isLimited ? .off : .on))
    }
}

extension OfferCatalog {
    private static func catalog(_ products: [(Product.ID, Int, Decimal, [SubscriptionOffer])]) -> Catalog {
        Catalog(
            products: products.map { id, level, price, offers in
                Product(
                    id: id, type: .autoRenewable, price: price, currencyCode: "USD",
                    subscription: Product.SubscriptionInfo(
                        subscriptionGroupID: "1", groupLevel: level, subscriptionPeriod: SubscriptionPeriod("P1M"),
                        offers: offers))
            }, groups: [SubscriptionGroup(id: "1", name: "Membership", productIDs: products.map(\.0))], features: [])
    }

    /// A lower product with a free week.
    static let trial = catalog([
        ("high", 1, 20, []),
        (
            "low", 2, 10,
            [
                SubscriptionOffer(
                    kind: .introductory, paymentMode: .freeTrial, period: SubscriptionPeriod("P1W"), price: 0)
            ]
        ),
    ])

    /// Three offers for lapsed subscribers.
    static let winBack = catalog([
        (
            "pro", 1, 20,
            [
                SubscriptionOffer(
                    kind: .winBack, id: "dear", paymentMode: .payAsYouGo, period: SubscriptionPeriod("P1M"),
                    periodCount: 3, price: 4),
                SubscriptionOffer(
                    kind: .winBack, id: "cheap", paymentMode: .payUpFront, period: SubscriptionPeriod("P3M"), price: 5),
                SubscriptionOffer(
                    kind: .winBack, id: "free", paymentMode: .freeTrial, period: SubscriptionPeriod("P1M"), price: 0),
            ]
        )
    ])
}
