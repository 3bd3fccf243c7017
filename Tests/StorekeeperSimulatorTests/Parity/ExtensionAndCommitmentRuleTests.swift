import Foundation
import Storekeeper
import StorekeeperJWS
import Testing

@testable import StorekeeperSimulator

@Suite("The rules of extended renewal dates and of commitments") struct ExtensionAndCommitmentRuleTests {
    private static func extend(_ session: SimulatedSession, days: Int) throws {
        try session.perform(.extendRenewalDate(of: .latest("pro.monthly", of: "anna"), days: days, reason: 1))
    }

    // MARK: Extensions

    @Test("An extension signs the same transaction again with a later end")
    func extends() async throws {
        let session = try SimulatedSession.sample()
        let first = try await session.subscribe()
        let end = try #require(first.expiresAt)
        let seen = session.store.happeningCount
        try Self.extend(session, days: 20)
        let longer = try session.signed(first.id)
        #expect(longer.expiresAt == end.adding(days: 20))
        #expect(longer.signedAt > first.signedAt)
        #expect(try session.notifications(after: seen) == ["RENEWAL_EXTENDED"])
        try session.advance(to: end.adding(days: 19))
        #expect(session.allTransactions().count == 1)
        #expect(try await session.answer() == "active")
        try session.advance(byDays: 1)
        #expect(try session.newest().purchasedAt == end.adding(days: 20))
    }

    @Test("An extension has 1 to 90 days", arguments: [(0, false), (1, true), (90, true), (91, false), (-1, false)])
    func days(days: Int, isAllowed: Bool) async throws {
        let session = try SimulatedSession.sample()
        try await session.subscribe()
        #expect(code { try Self.extend(session, days: days) } == (isAllowed ? nil : .invalidValue))
    }

    @Test("Two extensions are allowed in 365 days")
    func twiceAYear() async throws {
        let session = try SimulatedSession.sample()
        try await session.subscribe()
        try Self.extend(session, days: 1)
        try session.advance(byDays: 100)
        try Self.extend(session, days: 1)
        #expect(code { try Self.extend(session, days: 1) } == .invalidAction)
        try session.advance(byDays: 264)
        #expect(code { try Self.extend(session, days: 1) } == .invalidAction)
        try session.advance(byDays: 1)
        try Self.extend(session, days: 1)
    }

    @Test("A repeated request does not extend the period again")
    func repeated() async throws {
        let session = try SimulatedSession.sample()
        let first = try await session.subscribe()
        let end = try #require(first.expiresAt)
        func request(_ id: String) throws {
            try session.perform(
                .extendRenewalDate(of: .latest("pro.monthly", of: "anna"), days: 5, reason: 1, requestID: id))
        }
        for _ in 0..<3 { try request("outage") }
        #expect(try session.signed(first.id).expiresAt == end.adding(days: 5))
        try request("another outage")
        #expect(try session.signed(first.id).expiresAt == end.adding(days: 10))
    }

    @Test("No extension is allowed in a free offer, in grace, in billing retry or after the end")
    func obstacles() async throws {
        let trial = try SimulatedSession.sample()
        try await trial.buyProduct(identifier: "pro.monthly")
        #expect(code { try Self.extend(trial, days: 1) } == .invalidAction)
        try trial.advance(byDays: 7)
        try Self.extend(trial, days: 1)
        for hasGrace in [true, false] {
            let session = try SimulatedSession.sample()
            session.billingGracePeriodIsEnabled = hasGrace
            session.shouldEnterBillingRetryOnRenewal = true
            try await session.subscribe()
            try session.advance(byDays: 30)
            #expect(code { try Self.extend(session, days: 1) } == .invalidAction)
            try session.advance(byDays: 90)
            #expect(code { try Self.extend(session, days: 1) } == .invalidAction)
        }
    }

    @Test("Extending a shared subscription extends its copies")
    func family() async throws {
        let anna = try SimulatedSession.sample()
        let ben = try anna.joined(by: "ben")
        try anna.perform(.createFamily(organizer: "anna"))
        try anna.perform(.joinFamily("ben", of: "anna"))
        let own = try await anna.subscribe()
        try Self.extend(anna, days: 5)
        #expect(try ben.newest().expiresAt == own.expiresAt?.adding(days: 5))
        #expect(try ben.notifications().last == "RENEWAL_EXTENDED")
    }

    @Test("All subscriptions of a product can be extended, and a summary counts them")
    func all() async throws {
        let anna = try SimulatedSession.sample()
        let (ben, cleo) = (try anna.joined(by: "ben"), try anna.joined(by: "cleo"))
        cleo.storefront = "DEU"
        for session in [anna, cleo] { try await session.subscribe() }
        try await ben.buyProduct(identifier: "pro.monthly")
        let seen = anna.store.happeningCount
        try anna.perform(
            .extendRenewalDates(of: "pro.monthly", days: 3, reason: 0, storefronts: ["USA"], requestID: "1"))
        #expect(try anna.notifications(after: seen) == ["RENEWAL_EXTENDED"])
        #expect(try ben.notifications(after: seen) == ["RENEWAL_EXTENSION/FAILURE"])
        #expect(try cleo.notifications(after: seen).isEmpty)
        let last = try #require(anna.store.happenings().last)
        #expect(last.notification == "RENEWAL_EXTENSION/SUMMARY")
        let jws = try #require(try anna.store.notification(of: last.id))
        let payload = try SimulatedSession.members(of: anna.verifier.notification(jws).payloadValue.source.payload)
        let summary = try #require(payload["summary"] as? [String: Any])
        #expect(summary["succeededCount"] as? Int == 1)
        #expect(summary["failedCount"] as? Int == 1)
        #expect(summary["requestIdentifier"] as? String == "1")
    }

    // MARK: Commitments

    /// Returns a session of a customer with a yearly subscription that is paid monthly, in a storefront that sells it.
    private static func commitment() async throws -> SimulatedSession {
        let session = try SimulatedSession.sample()
        session.storefront = "DEU"
        try await session.buyProduct(
            identifier: "pro.yearly",
            request: PurchaseRequest(introductoryEligibility: false, billingPlan: .monthly))
        return session
    }

    private static func advanceToEnd(_ session: SimulatedSession) throws {
        try session.advance(to: try #require(try session.newest().expiresAt))
    }

    @Test("Twelve payments have their number and the end of the commitment, and then a new commitment begins")
    func twelvePayments() async throws {
        let session = try await Self.commitment()
        var numbers: [Int64?] = []
        let end = try session.newest().commitmentInfo?.commitmentExpiresAt
        #expect(end == SampleStore.day("2027-01-31T12:00:00Z"))
        for number in 1...12 {
            let period = try session.newest()
            numbers.append(period.commitmentInfo?.billingPeriodNumber)
            #expect(period.priceInMilliunits == 10_990)
            #expect(period.billingPlanType == .monthly)
            #expect(period.commitmentInfo?.totalBillingPeriods == 12)
            #expect(period.commitmentInfo?.commitmentPriceInMilliunits == 131_880)
            #expect(period.commitmentInfo?.commitmentExpiresAt == end, "payment \(number)")
            #expect(try await session.answer("pro.yearly") == "active")
            try Self.advanceToEnd(session)
        }
        #expect(numbers == (1...12).map { Int64($0) })
        #expect(try session.newest().commitmentInfo?.billingPeriodNumber == 1)
        #expect(try session.newest().commitmentInfo?.commitmentExpiresAt == SampleStore.day("2028-01-31T12:00:00Z"))
        #expect(try session.notifications() == ["SUBSCRIBED/INITIAL_BUY"] + Array(repeating: "DID_RENEW", count: 12))
    }

    @Test("A commitment that is cancelled in month 3 is paid to month 12 and then ends")
    func cancelAtMonthThree() async throws {
        let session = try await Self.commitment()
        for _ in 1...2 { try Self.advanceToEnd(session) }
        try session.disableAutoRenewForTransaction(identifier: try session.newest().id)
        var info = try session.renewalInfo()
        #expect(info.autoRenewStatus == .on)
        #expect(info.commitmentInfo?.autoRenewStatus == .off)
        #expect(try session.notifications().last == "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED")
        for _ in 3...11 { try Self.advanceToEnd(session) }
        #expect(try session.newest().commitmentInfo?.billingPeriodNumber == 12)
        info = try session.renewalInfo()
        #expect(info.autoRenewStatus == .off)
        try Self.advanceToEnd(session)
        #expect(session.allTransactions().count == 12)
        #expect(try session.notifications().last == "EXPIRED/VOLUNTARY")
        #expect(try await session.answer("pro.yearly") == "expired")
    }

    @Test("A failed payment has no grace in any setting, and 90 days of retry")
    func failedPayment() async throws {
        let session = try await Self.commitment()
        session.billingGracePeriodIsEnabled = true
        session.shouldEnterBillingRetryOnRenewal = true
        let end = try #require(try session.newest().expiresAt)
        try session.advance(to: end)
        #expect(try session.notifications().last == "DID_FAIL_TO_RENEW")
        #expect(try await session.answer("pro.yearly") == "billingRetry")
        try session.advance(to: end.adding(days: 90).adding(milliseconds: -1))
        #expect(try session.renewalInfo().isInBillingRetry)
        try session.advance(to: end.adding(days: 90))
        #expect(try session.notifications().last == "EXPIRED/BILLING_RETRY")
        #expect(try await session.answer("pro.yearly") == "expired")
    }

    @Test("A recovery starts the month of the payment, and moves the end of the commitment")
    func recovery() async throws {
        let session = try await Self.commitment()
        session.shouldEnterBillingRetryOnRenewal = true
        let first = try session.newest()
        try Self.advanceToEnd(session)
        try session.advance(byDays: 10)
        session.shouldEnterBillingRetryOnRenewal = false
        try session.resolveIssueForTransaction(identifier: first.id)
        let second = try session.newest()
        #expect(second.purchasedAt == session.now)
        #expect(second.commitmentInfo?.billingPeriodNumber == 2)
        #expect(second.commitmentInfo?.commitmentExpiresAt == session.now.adding(months: 11))
        #expect(try session.notifications().last == "DID_RENEW/BILLING_RECOVERY")
    }

    @Test("A refund of the current month ends the commitment, a refund of an earlier month does not")
    func refunds() async throws {
        let session = try await Self.commitment()
        let first = try session.newest()
        try Self.advanceToEnd(session)
        try session.refundTransaction(identifier: first.id)
        #expect(try await session.answer("pro.yearly") == "active")
        try session.refundTransaction(identifier: try session.newest().id)
        #expect(try await session.answer("pro.yearly") == "refunded")
        try session.advance(byDays: 400)
        #expect(session.allTransactions().count == 2)
    }

    @Test("A downgrade waits for the end of the commitment, not of the month")
    func downgrade() async throws {
        let session = try await Self.commitment()
        try session.perform(.changePlan(to: "basic.monthly", by: "anna", billingPlan: nil))
        #expect(try session.notifications().last == "DID_CHANGE_RENEWAL_PREF/DOWNGRADE")
        let info = try session.renewalInfo()
        #expect(info.commitmentInfo?.autoRenewProductID == "basic.monthly")
        #expect(info.renewalPriceInMilliunits == 10_990)
        for number in 2...12 {
            try Self.advanceToEnd(session)
            #expect(try session.newest().productID == "pro.yearly", "payment \(number)")
            #expect(try session.newest().commitmentInfo?.billingPeriodNumber == Int64(number))
        }
        #expect(try session.renewalInfo().renewalPriceInMilliunits == 4990)
        try Self.advanceToEnd(session)
        #expect(try session.newest().productID == "basic.monthly")
        #expect(try session.newest().commitmentInfo == nil)
    }

    @Test("An upgrade takes effect at once and ends the commitment")
    func upgrade() async throws {
        let catalog = OfferCatalog.commitment
        let session = try SimulatedSession(catalog: catalog, environment: .sandbox)
        session.storefront = "DEU"
        try await session.buyProduct(identifier: "low", request: PurchaseRequest(billingPlan: .monthly))
        try session.advance(byDays: 40)
        try await session.buyProduct(identifier: "high")
        #expect(try session.newest().productID == "high")
        #expect(try session.newest().commitmentInfo == nil)
        try session.advance(byDays: 40)
        #expect(try session.newest().productID == "high")
    }

    @Test("Only a product with a monthly plan is billed monthly")
    func noPlan() async throws {
        let session = try SimulatedSession.sample()
        let refused = await refusal {
            try await session.buyProduct(identifier: "pro.monthly", request: PurchaseRequest(billingPlan: .monthly))
        }
        #expect(refused == .invalidOptions)
    }
}

extension OfferCatalog {
    /// A yearly product that can be paid monthly, and a higher product.
    static let commitment = Catalog(
        products: [
            Product(
                id: "low", type: .autoRenewable, price: 100, currencyCode: "USD",
                subscription: Product.SubscriptionInfo(
                    subscriptionGroupID: "1", groupLevel: 2, subscriptionPeriod: SubscriptionPeriod("P1Y"),
                    billingPlans: [BillingPlan(type: .monthly, price: 10, commitmentPrice: 120, isEnabled: true)])),
            Product(
                id: "high", type: .autoRenewable, price: 20, currencyCode: "USD",
                subscription: Product.SubscriptionInfo(
                    subscriptionGroupID: "1", groupLevel: 1, subscriptionPeriod: SubscriptionPeriod("P1M"))),
        ], groups: [SubscriptionGroup(id: "1", name: "Membership", productIDs: ["low", "high"])], features: [])
}
