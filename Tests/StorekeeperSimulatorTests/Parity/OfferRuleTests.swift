import Foundation
import Storekeeper
import Testing

@testable import StorekeeperSimulator

@Suite("The rules of offers") struct OfferRuleTests {
    /// A customer's past in the group.
    enum Past: String, Sendable, CaseIterable { case new, trial, active, grace, retry, lapsed, refunded }

    /// Returns a session of a customer with a past, in a shop with the offers of `pro.monthly`.
    private static func session(_ past: Past) async throws -> SimulatedSession {
        let session = try SimulatedSession.sample()
        switch past {
        case .new: break
        case .trial: try await session.buyProduct(identifier: "pro.monthly")
        case .active: try await session.subscribe()
        case .grace, .retry:
            session.billingGracePeriodIsEnabled = past == .grace
            try await session.subscribe()
            session.shouldEnterBillingRetryOnRenewal = true
            try session.advance(byDays: 30)
        case .lapsed:
            try await session.subscribe()
            try session.expireSubscription(productIdentifier: "pro.monthly")
        case .refunded:
            let first = try await session.subscribe()
            try session.refundTransaction(identifier: first.id)
        }
        return session
    }

    private static func apply(_ offer: OfferReference, in session: SimulatedSession) async -> PurchaseError.Code? {
        await refusal {
            try await session.buyProduct(identifier: "pro.monthly", request: PurchaseRequest(offer: offer))
        }
    }

    @Test(
        "An introductory offer requires that the customer never had one in the group and has no subscription in it now",
        arguments: [
            (Past.new, true), (.trial, false), (.active, false), (.grace, false), (.lapsed, true), (.refunded, true),
        ])
    func introductory(past: Past, isEligible: Bool) async throws {
        let session = try await Self.session(past)
        let refused = await Self.apply(OfferReference(.introductory), in: session)
        #expect(refused == (isEligible ? nil : .ineligibleForOffer))
        if isEligible { #expect(try session.newest().offer?.type == .introductory) }
    }

    @Test("An introductory offer applies automatically, once per group, and not to a change of plan")
    func introductoryOnce() async throws {
        let session = try SimulatedSession.sample()
        #expect(try await session.buyProduct(identifier: "pro.monthly").offer?.paymentMode == .freeTrial)
        try session.expireSubscription(productIdentifier: "pro.monthly")
        try session.advance(byDays: 400)
        #expect(try await session.buyProduct(identifier: "basic.monthly").offer == nil)

        let other = try session.joined(by: "ben")
        try await other.subscribe("basic.weekly")
        #expect(try await other.buyProduct(identifier: "pro.monthly").offer == nil)
    }

    @Test("A shared subscription does not use up a family member's introductory offer")
    func introductoryInFamily() async throws {
        let session = try SimulatedSession.sample()
        let ben = try session.joined(by: "ben")
        try session.perform(.createFamily(organizer: "anna"))
        try session.perform(.joinFamily("ben", of: "anna"))
        try await session.buyProduct(identifier: "pro.monthly")
        #expect(try ben.newest().ownershipType == .familyShared)
        try session.expireSubscription(productIdentifier: "pro.monthly")
        #expect(try await ben.buyProduct(identifier: "pro.monthly").offer?.type == .introductory)
    }

    @Test(
        "A promotional offer is for existing and lapsed subscribers, not for new ones",
        arguments: [(Past.new, false), (.trial, true), (.active, true), (.grace, true), (.lapsed, true)])
    func promotional(past: Past, isEligible: Bool) async throws {
        let session = try await Self.session(past)
        let refused = await Self.apply(OfferReference(.promotional, id: "loyal"), in: session)
        #expect(refused == (isEligible ? nil : .ineligibleForOffer))
    }

    @Test("The engine answers from the evidence as the App Store decides", arguments: Past.allCases)
    func engine(past: Past) async throws {
        let session = try await Self.session(past)
        var history = PurchaseHistory()
        for transaction in try session.signedTransactions() { history.merge(.verified(transaction)) }
        for info in try session.renewalInfos() { history.merge(.verified(info)) }
        let signatures = try session.renewalInfos().map(\.signedAt) + session.signedTransactions().map(\.signedAt)
        let now = ([session.store.clock.now] + signatures).max() ?? session.store.clock.now
        let offers = EntitlementResolver(catalog: SampleStore.catalog, policy: World.policy)
            .offers(in: history, at: now).rows.filter { $0.productID == "pro.monthly" }
        #expect(Set(offers.map(\.offer.kind)).count == 4)
        for row in offers {
            // Each offer is tried with a new customer who has the same past.
            let other = try await Self.session(past)
            let refused = await Self.apply(OfferReference(row.offer.kind, id: row.offer.id), in: other)
            #expect(row.answer.isEligible == (refused == nil), "\(row.offer.kind): \(row.answer)")
        }
    }

    @Test("A promotional offer may be redeemed again")
    func promotionalAgain() async throws {
        let session = try await Self.session(.lapsed)
        for _ in 0..<2 {
            #expect(await Self.apply(OfferReference(.promotional, id: "loyal"), in: session) == nil)
            #expect(try session.newest().offer?.id == "loyal")
            #expect(try session.newest().priceInMilliunits == 2000)
            try session.expireSubscription(productIdentifier: "pro.monthly")
        }
        #expect(await Self.apply(OfferReference(.promotional, id: "none"), in: session) == .invalidOfferIdentifier)
    }

    @Test(
        "A code is for the customers it is configured for, here new and expired",
        arguments: [
            (Past.new, true), (.trial, false), (.active, false), (.retry, false), (.lapsed, true), (.refunded, true),
        ])
    func code(past: Past, isEligible: Bool) async throws {
        let session = try await Self.session(past)
        let refused = await Self.apply(OfferReference(.code, id: "WELCOME"), in: session)
        #expect(refused == (isEligible ? nil : .ineligibleForOffer))
    }

    @Test(
        "A win-back offer is for lapsed subscribers, not during billing retry",
        arguments: [
            (Past.new, false), (.trial, false), (.active, false), (.grace, false), (.retry, false), (.lapsed, true),
            (.refunded, false),
        ])
    func winBack(past: Past, isEligible: Bool) async throws {
        let session = try await Self.session(past)
        // The offer is available only if the customer's renewal info lists it.
        #expect(try session.renewalInfos().flatMap(\.eligibleWinBackOfferIDs) == (isEligible ? ["back"] : []))
        let refused = await Self.apply(OfferReference(.winBack, id: "back"), in: session)
        #expect(refused == (isEligible ? nil : .ineligibleForOffer))
        guard isEligible else { return }
        let bought = try session.newest()
        #expect(bought.offer?.type == .winBack)
        #expect(bought.offer?.paymentMode == .payUpFront)
        #expect(bought.priceInMilliunits == 5000)
        #expect(bought.expiresAt == bought.purchasedAt.adding(months: 3))
    }

    @Test("Win-back offers are those of the last product that the testing file does not disable")
    func winBackSwitch() async throws {
        func offer(_ id: SubscriptionOffer.ID, isEligible: Bool?) -> SubscriptionOffer {
            SubscriptionOffer(
                kind: .winBack, id: id, paymentMode: .payUpFront, period: SubscriptionPeriod("P1M"), price: 1,
                isEligible: isEligible)
        }
        let catalog = OfferCatalog.make(
            low: [offer("on", isEligible: true), offer("off", isEligible: false), offer("unsaid", isEligible: nil)],
            high: [offer("higher", isEligible: true)])
        let session = try SimulatedSession(catalog: catalog, environment: .sandbox)
        try await session.buyProduct(identifier: "low")
        try session.expireSubscription(productIdentifier: "low")
        #expect(try session.renewalInfo().eligibleWinBackOfferIDs == ["on", "unsaid"])
        let cases: [(Product.ID, SubscriptionOffer.ID)] = [("low", "off"), ("high", "higher")]
        for (product, id) in cases {
            let request = PurchaseRequest(offer: OfferReference(.winBack, id: id))
            #expect(
                await refusal { try await session.buyProduct(identifier: product, request: request) }
                    == .ineligibleForOffer)
        }
        let request = PurchaseRequest(offer: OfferReference(.winBack, id: "on"))
        #expect(try await session.buyProduct(identifier: "low", request: request).offer?.id == "on")
    }

    @Test("A code that means a downgrade is refused, one that means an upgrade takes effect at once")
    func codeAndLevel() async throws {
        let catalog = OfferCatalog.make(lowerCode: "LOW", higherCode: "HIGH")
        let session = try SimulatedSession(catalog: catalog, environment: .sandbox)
        try await session.buyProduct(identifier: "high")
        let low = OfferReference(.code, id: "LOW")
        #expect(
            await refusal {
                try await session.buyProduct(identifier: "low", request: PurchaseRequest(offer: low))
            } == .ineligibleForOffer)
        let other = try SimulatedSession(catalog: catalog, environment: .sandbox)
        try await other.buyProduct(identifier: "low")
        let seen = other.store.happeningCount
        try other.perform(.redeemOfferCode("HIGH", product: "high", by: other.customer))
        #expect(try other.newest().productID == "high")
        #expect(try other.newest().offer?.id == "HIGH")
        #expect(try other.notifications(after: seen) == ["OFFER_REDEEMED/UPGRADE"])
    }

    @Test("A code on a running subscription takes effect with the next renewal, for the same or a lower product")
    func onRunning() async throws {
        let session = try await Self.session(.active)
        let seen = session.store.happeningCount
        try session.perform(
            .applyOffer(OfferReference(.promotional, id: "loyal"), of: .latest("pro.monthly", of: "anna")))
        #expect(try session.newest().offer == nil)
        #expect(try session.renewalInfo().offer?.id == "loyal")
        #expect(try session.renewalInfo().renewalPriceInMilliunits == 2000)
        #expect(try session.notifications(after: seen) == ["OFFER_REDEEMED"])
        try session.advance(byDays: 60)
        #expect(try session.newest().offer?.id == "loyal")
        #expect(try session.renewalInfo().offer == nil)

        let other = try await Self.session(.active)
        let mark = other.store.happeningCount
        try await other.buyProduct(
            identifier: "basic.monthly", request: PurchaseRequest(offer: OfferReference(.promotional, id: "loyal")))
        #expect(try other.notifications(after: mark) == ["OFFER_REDEEMED/DOWNGRADE"])
        #expect(try other.newest().productID == "pro.monthly")
        try other.advance(byDays: 30)
        #expect(try other.newest().productID == "basic.monthly")
        #expect(try other.newest().priceInMilliunits == 2000)
    }

    @Test("A retention offer is of type 5 from the next renewal on, and only for a running subscription")
    func retention() async throws {
        let session = try await Self.session(.active)
        let seen = session.store.happeningCount
        try session.perform(.applyOffer(.retention("loyal"), of: .latest("pro.monthly", of: "anna")))
        #expect(try session.newest().offer == nil)
        #expect(try session.renewalInfo().offer?.type == .retention)
        #expect(try session.notifications(after: seen) == ["OFFER_REDEEMED"])
        try session.advance(byDays: 30)
        #expect(try session.newest().offer?.type == .retention)
        #expect(try session.newest().offer?.id == "loyal")
        #expect(try session.newest().priceInMilliunits == 2000)
        let offer = try #require(session.store.happenings(after: seen).compactMap(\.offer).last)
        #expect(offer.isRetention && offer.words == "retention loyal, payAsYouGo")

        for past in [Past.new, .lapsed, .refunded] {
            let other = try await Self.session(past)
            #expect(await Self.apply(.retention("loyal"), in: other) == .ineligibleForOffer, "\(past)")
        }
    }

    @Test("A stacking code is used after the introductory offer and before the standard price")
    func stacking() async throws {
        let session = try SimulatedSession(catalog: OfferCatalog.stacked, environment: .sandbox)
        try session.perform(.redeemOfferCode("MORE", product: "pro", by: session.customer))
        var transactions: [OfferType?] = []
        var renewals: [OfferType?] = []
        for _ in 0..<5 {
            transactions.append(try session.newest().offer?.type)
            renewals.append(try session.renewalInfo().offer?.type)
            try session.advance(to: try #require(try session.newest().expiresAt))
        }
        #expect(transactions == [.introductory, .introductory, .introductory, .code, nil])
        #expect(renewals == [.introductory, .introductory, .code, nil, nil])
    }

    @Test("Only one offer can be queued after the current one")
    func oneQueued() async throws {
        let session = try SimulatedSession.sample()
        try await session.buyProduct(identifier: "basic.monthly")
        let loyal = SimulatorCommand.applyOffer(
            OfferReference(.promotional, id: "loyal"), of: .latest("basic.monthly", of: "anna"))
        #expect(try session.perform(loyal) == .alreadyOwned("2000000000000001"))
        #expect(try session.perform(loyal) == .failed(PurchaseError(.ineligibleForOffer, "")))
    }

    @Test("A redemption by a new or lapsed customer is a SUBSCRIBED with the offer in the transaction")
    func subscribing() async throws {
        let new = try await Self.session(.new)
        _ = await Self.apply(OfferReference(.code, id: "WELCOME"), in: new)
        #expect(try new.notifications() == ["SUBSCRIBED/INITIAL_BUY"])
        let lapsed = try await Self.session(.lapsed)
        let seen = lapsed.store.happeningCount
        _ = await Self.apply(OfferReference(.winBack, id: "back"), in: lapsed)
        #expect(try lapsed.notifications(after: seen) == ["SUBSCRIBED/RESUBSCRIBE"])
    }
}

/// Catalogs for the rules of offers.
enum OfferCatalog {
    private static func catalog(_ products: [Product]) -> Catalog {
        Catalog(
            products: products,
            groups: [SubscriptionGroup(id: "1", name: "Membership", productIDs: products.map(\.id))], features: [])
    }

    private static func product(_ id: Product.ID, level: Int, offers: [SubscriptionOffer]) -> Product {
        Product(
            id: id, type: .autoRenewable, price: 10, currencyCode: "USD",
            subscription: Product.SubscriptionInfo(
                subscriptionGroupID: "1", groupLevel: level, subscriptionPeriod: SubscriptionPeriod("P1M"),
                offers: offers))
    }

    /// Returns a catalog with two levels, each of which has a code.
    static func make(lowerCode: SubscriptionOffer.ID, higherCode: SubscriptionOffer.ID) -> Catalog {
        func code(_ id: SubscriptionOffer.ID) -> SubscriptionOffer {
            SubscriptionOffer(
                kind: .code, id: id, paymentMode: .payAsYouGo, period: SubscriptionPeriod("P1M"), price: 3)
        }
        return make(low: [code(lowerCode)], high: [code(higherCode)])
    }

    /// Returns a catalog with two levels that have offers.
    static func make(low: [SubscriptionOffer], high: [SubscriptionOffer]) -> Catalog {
        catalog([product("high", level: 1, offers: high), product("low", level: 2, offers: low)])
    }

    /// An introductory offer of three months, with a code that stacks after it.
    static let stacked = catalog([
        product(
            "pro", level: 1,
            offers: [
                SubscriptionOffer(
                    kind: .introductory, paymentMode: .payAsYouGo, period: SubscriptionPeriod("P1M"), periodCount: 3,
                    price: 1),
                SubscriptionOffer(
                    kind: .code, id: "MORE", paymentMode: .freeTrial, period: SubscriptionPeriod("P1M"), price: 0,
                    isStackable: true),
            ])
    ])
}
