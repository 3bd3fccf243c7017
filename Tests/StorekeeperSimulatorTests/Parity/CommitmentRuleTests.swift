import Foundation
import Storekeeper
import Testing

@testable import StorekeeperSimulator

/// Tests of the signed data of commitments with twelve monthly payments that end, are cancelled, are shared, or change
/// their price.
@Suite("Data and prices of commitments") struct CommitmentRuleTests {
    private static let request = PurchaseRequest(introductoryEligibility: false, billingPlan: .monthly)

    /// Returns a session of a customer in Germany with a yearly subscription that is paid monthly.
    private static func commitment() async throws -> SimulatedSession {
        let session = try SimulatedSession.sample()
        session.storefront = "DEU"
        try await session.buyProduct(identifier: "pro.yearly", request: request)
        return session
    }

    private static func advanceToEnd(_ session: SimulatedSession) throws {
        try session.advance(to: try #require(try session.newest().expiresAt))
    }

    /// An event that ends a commitment.
    struct End: Sendable, CustomTestStringConvertible {
        let name: String
        let end: @Sendable (SimulatedSession) throws -> Void
        var testDescription: String { name }
    }

    static let ends = [
        End(name: "billing retry runs out") { session in
            try session.perform(.setPaymentsFail(true, of: "anna"))
            try session.advance(byDays: 130)
        },
        // The payments of the commitment remain due, so that they are retried to the end of billing retry.
        End(name: "cancelled in billing retry, which runs out") { session in
            try session.perform(.setPaymentsFail(true, of: "anna"))
            try session.advance(byDays: 40)
            try session.perform(.setAutoRenew(false, of: .latest("pro.yearly", of: "anna")))
            try session.advance(byDays: 90)
        },
        End(name: "refunded") { session in
            try session.perform(.refund(.latest("pro.yearly", of: "anna"), percentage: nil, reason: .other))
        },
        End(name: "expired by the tester") { session in
            try session.perform(.expire("pro.yearly", by: "anna"))
        },
        End(name: "cancelled, with all payments made") { session in
            try session.perform(.setAutoRenew(false, of: .latest("pro.yearly", of: "anna")))
            try session.advance(byDays: 400)
        },
    ]

    @Test("After its end, a commitment has no next renewal", arguments: ends)
    func ended(_ row: End) async throws {
        let session = try await Self.commitment()
        try row.end(session)
        let info = try session.renewalInfo()
        #expect(info.autoRenewStatus == .off)
        let commitment = try #require(info.commitmentInfo)
        #expect(commitment.autoRenewStatus == .off)
        #expect(commitment.renewalPriceInMilliunits == nil)
    }

    @Test("After an early end, a chosen product no longer waits for the last payment")
    func preferenceAfterEnd() async throws {
        let session = try await Self.commitment()
        try session.perform(.changePlan(to: "basic.monthly", by: "anna", billingPlan: nil))
        #expect(try session.renewalInfo().autoRenewProductID == "pro.yearly")
        try session.perform(.expire("pro.yearly", by: "anna"))
        #expect(try session.renewalInfo().autoRenewProductID == "basic.monthly")
    }

    @Test("Family copies have the payment number and the end of the commitment, but no price")
    func families() async throws {
        let anna = try SimulatedSession.sample()
        anna.storefront = "DEU"
        let ben = try anna.joined(by: "ben")
        try anna.perform(.createFamily(organizer: "anna"))
        try anna.perform(.joinFamily("ben", of: "anna"))
        try await anna.buyProduct(identifier: "pro.yearly", request: Self.request)
        for payment in 1...2 {
            let (own, copy) = (try anna.newest(), try ben.newest())
            #expect(copy.commitmentInfo?.billingPeriodNumber == Int64(payment))
            #expect(copy.commitmentInfo?.commitmentExpiresAt == own.commitmentInfo?.commitmentExpiresAt)
            #expect(copy.commitmentInfo?.commitmentPriceInMilliunits == nil)
            #expect(own.commitmentInfo?.commitmentPriceInMilliunits == 131_880)
            try Self.advanceToEnd(anna)
        }
        try anna.perform(.setAutoRenew(false, of: .latest("pro.yearly", of: "anna")))
        #expect(try ben.renewalInfo().commitmentInfo?.autoRenewStatus == .off)
        try anna.perform(.leaveFamily("ben"))
        #expect(try ben.newest().commitmentInfo?.billingPeriodNumber == 3)
        #expect(try ben.renewalInfo().commitmentInfo?.autoRenewStatus == .off)
    }

    // MARK: Storefronts

    @Test("Monthly plans are not sold in the United States and in Singapore", arguments: ["USA", "SGP", "DEU", "JPN"])
    func storefronts(country: String) async throws {
        let session = try SimulatedSession.sample()
        session.storefront = country
        let isSold = country != "USA" && country != "SGP"
        let refused = await refusal {
            try await session.buyProduct(identifier: "pro.yearly", request: Self.request)
        }
        #expect(refused == (isSold ? nil : .productUnavailable))
        let other = try session.joined(by: "ben")
        try await other.buyProduct(identifier: "basic.weekly")
        try session.perform(.setStorefront(country, of: "ben"))
        let change = try session.perform(.changePlan(to: "pro.yearly", by: "ben", billingPlan: .monthly))
        #expect(try other.newest().billingPlanType == (isSold ? .monthly : .billedUpfront), "\(change as Any)")
    }

    // MARK: Prices

    @Test("The price changes with the next commitment, and consent depends on the yearly price")
    func increase() async throws {
        for (price, status) in [(15_990, PriceIncreaseStatus.agreed), (15_200, .agreed), (16_990, .pending)] {
            let session = try await Self.commitment()
            let seen = session.store.happeningCount
            try session.perform(
                .changePrice(of: "pro.yearly", to: Int64(price), consent: .automatic, billingPlan: .monthly))
            let word = status == .agreed ? "ACCEPTED" : "PENDING"
            #expect(try session.notifications(after: seen) == ["PRICE_INCREASE/\(word)"])
            var info = try session.renewalInfo()
            #expect(info.priceIncreaseStatus == status)
            #expect(info.renewalPriceInMilliunits == 10_990)
            for _ in 2...12 { try Self.advanceToEnd(session) }
            let last = try session.newest()
            #expect(last.commitmentInfo?.billingPeriodNumber == 12)
            #expect(last.priceInMilliunits == 10_990)
            #expect(last.commitmentInfo?.commitmentPriceInMilliunits == 131_880)
            info = try session.renewalInfo()
            let coming = Int64(status == .agreed ? price : 10_990)
            #expect(info.renewalPriceInMilliunits == coming)
            #expect(info.commitmentInfo?.renewalPriceInMilliunits == (status == .agreed ? coming * 12 : 131_880))
            try Self.advanceToEnd(session)
            guard status == .agreed else {
                #expect(try session.notifications().last == "EXPIRED/PRICE_INCREASE")
                continue
            }
            #expect(try session.newest().priceInMilliunits == coming)
            #expect(try session.newest().commitmentInfo?.commitmentPriceInMilliunits == coming * 12)
            #expect(try session.renewalInfo().priceIncreaseStatus == nil)
        }
    }

    @Test("A lower price also waits for the next commitment, and is separate from the price billed up front")
    func decrease() async throws {
        let session = try await Self.commitment()
        try session.perform(.changePrice(of: "pro.yearly", to: 49_990, consent: .automatic))
        try session.perform(.changePrice(of: "pro.yearly", to: 8_990, consent: .automatic, billingPlan: .monthly))
        var info = try session.renewalInfo()
        #expect(info.renewalPriceInMilliunits == 10_990)
        #expect(info.commitmentInfo?.renewalPriceInMilliunits == 107_880)
        for _ in 2...12 {
            try Self.advanceToEnd(session)
            #expect(try session.newest().priceInMilliunits == 10_990)
        }
        info = try session.renewalInfo()
        #expect(info.renewalPriceInMilliunits == 8_990)
        try Self.advanceToEnd(session)
        #expect(try session.newest().priceInMilliunits == 8_990)
    }

    @Test("A product without a monthly plan has no monthly price")
    func noPlan() throws {
        let session = try SimulatedSession.sample()
        let change = SimulatorCommand.changePrice(
            of: "pro.monthly", to: 1000, consent: .automatic, billingPlan: .monthly)
        #expect(code { try session.perform(change) } == .invalidProductType)
    }
}
