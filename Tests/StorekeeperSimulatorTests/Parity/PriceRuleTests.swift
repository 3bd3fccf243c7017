import Storekeeper
import Testing

@testable import StorekeeperSimulator

@Suite("The rules of price changes") struct PriceRuleTests {
    /// A price change, and whether subscribers must consent to it.
    struct Change: Sendable, CustomTestStringConvertible {
        let product: Product.ID
        let price: Int64
        let needsConsent: Bool
        let why: String
        var testDescription: String { "\(product) at \(price): \(why)" }
    }

    static let changes = [
        Change(product: "pro.monthly", price: 14_985, needsConsent: false, why: "not more than 50 per cent"),
        Change(product: "pro.monthly", price: 14_990, needsConsent: false, why: "not more than 5 a period"),
        Change(product: "pro.monthly", price: 14_991, needsConsent: true, why: "more than both"),
        Change(product: "basic.monthly", price: 7_990, needsConsent: false, why: "60 per cent, but less than 5"),
        Change(product: "basic.monthly", price: 9_990, needsConsent: false, why: "twice as much, but exactly 5"),
        Change(product: "basic.monthly", price: 9_991, needsConsent: true, why: "more than 5"),
        Change(product: "pro.yearly", price: 149_990, needsConsent: false, why: "exactly 50 a year"),
        Change(product: "pro.yearly", price: 149_991, needsConsent: true, why: "more than 50 a year"),
        Change(product: "pro.yearly", price: 109_990, needsConsent: false, why: "10 more a year"),
    ]

    @Test("Consent is needed above both thresholds", arguments: changes)
    func thresholds(change: Change) async throws {
        let session = try SimulatedSession.sample()
        try await session.subscribe(change.product)
        let seen = session.store.happeningCount
        try session.perform(.changePrice(of: change.product, to: change.price, consent: .automatic))
        #expect(
            try session.notifications(after: seen)
                == [change.needsConsent ? "PRICE_INCREASE/PENDING" : "PRICE_INCREASE/ACCEPTED"])
        #expect(try session.renewalInfo().priceIncreaseStatus == (change.needsConsent ? .pending : .agreed))
    }

    @Test("A second increase within a year needs consent, after a year it does not")
    func secondIncrease() async throws {
        for (days, status) in [(364, PriceIncreaseStatus.pending), (366, .agreed)] {
            let session = try SimulatedSession.sample()
            try await session.subscribe()
            try session.perform(.changePrice(of: "pro.monthly", to: 10_990, consent: .automatic))
            #expect(try session.renewalInfo().priceIncreaseStatus == .agreed)
            try session.advance(byDays: days)
            try session.perform(.changePrice(of: "pro.monthly", to: 11_990, consent: .automatic))
            #expect(try session.renewalInfo().priceIncreaseStatus == status)
        }
    }

    @Test("A decrease takes effect at the next renewal, and the renewal info has it at once")
    func decrease() async throws {
        let session = try SimulatedSession.sample()
        let first = try await session.subscribe()
        let seen = session.store.happeningCount
        try session.perform(.changePrice(of: "pro.monthly", to: 7_990, consent: .automatic))
        #expect(try session.renewalInfo().renewalPriceInMilliunits == 7_990)
        #expect(try session.renewalInfo().priceIncreaseStatus == nil)
        #expect(try session.signed(first.id).priceInMilliunits == 9_990)
        try session.advance(byDays: 30)
        #expect(try session.newest().priceInMilliunits == 7_990)
        #expect(try session.notifications(after: seen) == ["DID_RENEW"])
    }

    @Test("Subscribers may keep their price while new customers pay the new one")
    func preserved() async throws {
        let session = try SimulatedSession.sample()
        try await session.subscribe()
        try session.perform(.changePrice(of: "pro.monthly", to: 19_990, consent: .preserved))
        try session.advance(byDays: 30)
        #expect(try session.newest().priceInMilliunits == 9_990)
        #expect(try session.renewalInfo().priceIncreaseStatus == nil)
        #expect(try await session.joined(by: "ben").subscribe().priceInMilliunits == 19_990)
    }

    @Test("A subscriber who does not consent loses the subscription at its end")
    func silence() async throws {
        let session = try SimulatedSession.sample()
        try await session.subscribe()
        let seen = session.store.happeningCount
        try session.perform(.changePrice(of: "pro.monthly", to: 10_990, consent: .required))
        try session.advance(byDays: 30)
        #expect(try session.notifications(after: seen) == ["PRICE_INCREASE/PENDING", "EXPIRED/PRICE_INCREASE"])
        #expect(try session.renewalInfo().expirationReason == .didNotConsentToPriceIncrease)
        #expect(try await session.answer() == "expired")
    }

    @Test("Turning off renewal after a notice that needs no consent is a cancellation")
    func cancelAfterNotice() async throws {
        let session = try SimulatedSession.sample()
        let first = try await session.subscribe()
        try session.perform(.changePrice(of: "pro.monthly", to: 10_990, consent: .notRequired))
        try session.disableAutoRenewForTransaction(identifier: first.id)
        try session.advance(byDays: 30)
        #expect(try session.renewalInfo().expirationReason == .autoRenewDisabled)
        #expect(try session.notifications().last == "EXPIRED/VOLUNTARY")
    }

    // MARK: Affected subscribers

    /// A subscriber of `pro.monthly`, and whether a price increase affects them.
    struct Subscriber: Sendable, CustomTestStringConvertible {
        let name: String
        let prepare: @Sendable (SimulatedSession) throws -> Void
        let isAsked: Bool
        var testDescription: String { name }
    }

    static let subscribers = [
        Subscriber(name: "about to renew", prepare: { _ in }, isAsked: true),
        Subscriber(
            name: "in grace",
            prepare: {
                $0.billingGracePeriodIsEnabled = true
                $0.shouldEnterBillingRetryOnRenewal = true
                try $0.advance(byDays: 30)
            }, isAsked: true),
        Subscriber(
            name: "cancelled",
            prepare: { try $0.perform(.setAutoRenew(false, of: .latest("pro.monthly", of: "anna"))) },
            isAsked: false),
        Subscriber(
            name: "another product chosen",
            prepare: { try $0.perform(.changePlan(to: "basic.monthly", by: "anna", billingPlan: nil)) }, isAsked: false),
        Subscriber(
            name: "in billing retry",
            prepare: {
                $0.shouldEnterBillingRetryOnRenewal = true
                try $0.advance(byDays: 30)
            }, isAsked: false),
    ]

    @Test("A price increase and a consent request affect the same subscribers", arguments: subscribers)
    func whoIsAsked(_ row: Subscriber) async throws {
        for isQuestion in [false, true] {
            let session = try SimulatedSession.sample()
            try await session.subscribe()
            try row.prepare(session)
            let seen = session.store.happeningCount
            if isQuestion {
                let question = SimulatorCommand.requestPriceConsent(.latest("pro.monthly", of: "anna"))
                #expect(code { try session.perform(question) } == (row.isAsked ? nil : .invalidAction))
            } else {
                try session.perform(.changePrice(of: "pro.monthly", to: 20_000, consent: .required))
            }
            #expect(try session.notifications(after: seen) == (row.isAsked ? ["PRICE_INCREASE/PENDING"] : []))
            #expect(try session.renewalInfo().priceIncreaseStatus == (row.isAsked ? .pending : nil))
        }
    }

    @Test("A subscriber who turns renewal on again is asked then, and pays the old price until they consent")
    func askedLater() async throws {
        let session = try SimulatedSession.sample()
        let first = try await session.subscribe()
        try session.perform(.changePlan(to: "basic.monthly", by: "anna", billingPlan: nil))
        try session.perform(.changePrice(of: "pro.monthly", to: 20_000, consent: .automatic))
        let seen = session.store.happeningCount
        try session.perform(.changePlan(to: "pro.monthly", by: "anna", billingPlan: nil))
        #expect(
            try session.notifications(after: seen) == ["DID_CHANGE_RENEWAL_PREF", "PRICE_INCREASE/PENDING"])
        try session.consentToPriceIncreaseForTransaction(identifier: first.id)
        try session.advance(byDays: 30)
        #expect(try session.newest().priceInMilliunits == 20_000)
    }

    @Test("A subscriber who chooses another product need not consent")
    func leavesWhileAsked() async throws {
        let session = try SimulatedSession.sample()
        try await session.subscribe()
        try session.perform(.changePrice(of: "pro.monthly", to: 20_000, consent: .automatic))
        try session.perform(.changePlan(to: "basic.monthly", by: "anna", billingPlan: nil))
        try session.advance(byDays: 30)
        #expect(try session.newest().productID == "basic.monthly")
        #expect(try session.renewalInfo().priceIncreaseStatus == nil)
    }
}
