import Storekeeper
import Testing

@testable import StorekeeperSimulator

/// Tests of `recentSubscriptionStartDate`, the start of continuous paid service.
///
/// A lapse of less than 60 days does not interrupt the continuous service.
@Suite("The start of continuous service") struct ServiceStartTests {
    /// The start of a gap, and its length.
    struct Gap: Sendable, CustomTestStringConvertible {
        let why: String
        var settings = AppSettings()
        var product: Product.ID = "pro.monthly"
        /// An event that ends the service.
        ///
        /// The gap starts at the end of the last paid period.
        let ending: @Sendable (SimulatedSession) throws -> Void
        /// The length of the gap in paid service, in milliseconds.
        let length: Int64
        let isNewRun: Bool
        var testDescription: String { "\(why), a gap of \(Double(length) / 86_400_000) days" }
    }

    private static let day: Int64 = 86_400_000
    private static let month: Int64 = 300_000

    static let gaps: [Gap] = {
        var fast = AppSettings()
        fast.pace = .xcode(.monthlyRenewalEveryFiveMinutes)
        var graceful = AppSettings()
        graceful.gracePeriod = .days16
        let cancel = { @Sendable (session: SimulatedSession) throws -> Void in
            try session.perform(.setAutoRenew(false, of: .latest("pro.monthly", of: "anna")))
        }
        let fail = { @Sendable (session: SimulatedSession) throws -> Void in
            try session.perform(.setPaymentsFail(true, of: "anna"))
        }
        return [
            Gap(why: "cancelled", ending: cancel, length: 60 * day - 1, isNewRun: false),
            Gap(why: "cancelled", ending: cancel, length: 60 * day, isNewRun: true),
            // Service in the grace period and in billing retry is not paid service.
            Gap(why: "never paid", ending: fail, length: 59 * day, isNewRun: false),
            Gap(why: "never paid", ending: fail, length: 61 * day, isNewRun: true),
            Gap(why: "never paid, with grace", settings: graceful, ending: fail, length: 61 * day, isNewRun: true),
            // Two months of five minutes each represent sixty days.
            Gap(why: "quick", settings: fast, ending: cancel, length: 2 * month - 1, isNewRun: false),
            Gap(why: "quick", settings: fast, ending: cancel, length: 2 * month, isNewRun: true),
        ]
    }()

    @Test("A new start follows 60 days without paid service, scaled to the app's pace", arguments: gaps)
    func gap(_ gap: Gap) async throws {
        let session = try SimulatedSession.sample(settings: gap.settings)
        let first = try await session.subscribe()
        try gap.ending(session)
        try session.advance(to: try #require(first.expiresAt).adding(milliseconds: gap.length))
        try session.perform(.setPaymentsFail(false, of: "anna"))
        let second = try await session.subscribe()
        let start = try session.renewalInfo().recentSubscriptionStartedAt
        #expect(start == (gap.isNewRun ? second.purchasedAt : first.purchasedAt))
        // Later renewals do not change the start.
        try session.advance(to: try #require(second.expiresAt))
        #expect(try session.renewalInfo().recentSubscriptionStartedAt == start)
    }

    @Test("After a refund the gap starts when it is granted, not at the end of the period")
    func refund() async throws {
        for (days, isNew) in [(59, false), (60, true)] {
            let session = try SimulatedSession.sample()
            let first = try await session.subscribe("pro.yearly")
            try session.advance(byDays: 10)
            try session.refundTransaction(identifier: first.id)
            try session.advance(byDays: days)
            let second = try await session.subscribe("pro.yearly")
            #expect(
                try session.renewalInfo().recentSubscriptionStartedAt
                    == (isNew ? second.purchasedAt : first.purchasedAt))
        }
    }

    @Test("A payment after 70 days gives a new start, one after 50 does not")
    func lateRecovery() async throws {
        for (days, isNew) in [(50, false), (70, true)] {
            let session = try SimulatedSession.sample()
            session.storefront = "DEU"
            let first = try await session.buyProduct(
                identifier: "pro.yearly",
                request: PurchaseRequest(introductoryEligibility: false, billingPlan: .monthly))
            try session.perform(.setPaymentsFail(true, of: "anna"))
            try session.advance(to: try #require(first.expiresAt).adding(days: days))
            try session.resolveIssueForTransaction(identifier: first.id)
            let late = try session.newest()
            #expect(late.purchasedAt == session.now)
            #expect(
                try session.renewalInfo().recentSubscriptionStartedAt == (isNew ? late.purchasedAt : first.purchasedAt))
        }
    }

    @Test("Family copies count their own service: the purchaser's lapse and their own absence")
    func families() async throws {
        for isMembersGap in [false, true] {
            let anna = try SimulatedSession.sample()
            let ben = try anna.joined(by: "ben")
            try anna.perform(.createFamily(organizer: "anna"))
            try anna.perform(.joinFamily("ben", of: "anna"))
            let first = try await anna.subscribe()
            if isMembersGap {
                try anna.perform(.leaveFamily("ben"))
                try anna.advance(byDays: 100)
                try anna.perform(.joinFamily("ben", of: "anna"))
                #expect(try anna.renewalInfo().recentSubscriptionStartedAt == first.purchasedAt)
            } else {
                try anna.perform(.setAutoRenew(false, of: .id(first.id)))
                try anna.advance(byDays: 100)
                try await anna.subscribe()
                #expect(try anna.renewalInfo().recentSubscriptionStartedAt == anna.now)
            }
            #expect(try ben.renewalInfo().recentSubscriptionStartedAt == ben.newest().purchasedAt)
            #expect(try ben.newest().purchasedAt > first.purchasedAt)
        }
    }
}
