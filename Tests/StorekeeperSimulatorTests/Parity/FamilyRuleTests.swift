import Foundation
import Storekeeper
import Testing

@testable import StorekeeperSimulator

@Suite("The rules of Family Sharing") struct FamilyRuleTests {
    /// Returns the sessions of Anna and Ben, a family with Anna as its organizer.
    private static func family() throws -> (anna: SimulatedSession, ben: SimulatedSession) {
        let anna = try SimulatedSession.sample()
        let ben = try anna.joined(by: "ben")
        try anna.perform(.createFamily(organizer: "anna"))
        try anna.perform(.joinFamily("ben", of: "anna"))
        return (anna, ben)
    }

    @Test("A member gets copies with their own ids, without token and price")
    func copies() async throws {
        let (anna, ben) = try Self.family()
        let own = try await anna.buyProduct(
            identifier: "pro.monthly",
            request: PurchaseRequest(appAccountToken: UUID(), introductoryEligibility: false))
        let copy = try ben.newest()
        #expect(copy.ownershipType == .familyShared)
        #expect(copy.id != own.id)
        #expect(copy.originalID == copy.id)
        #expect(copy.appTransactionID != own.appTransactionID)
        #expect(copy.expiresAt == own.expiresAt)
        #expect(copy.appAccountToken == nil)
        #expect(copy.priceInMilliunits == nil)
        #expect(copy.currencyCode == nil)
        #expect(try ben.renewalInfo().renewalPriceInMilliunits == nil)
        #expect(try ben.renewalInfo().appAccountToken == nil)
        #expect(try ben.notifications() == ["SUBSCRIBED/INITIAL_BUY"])
        #expect(try await ben.hasPro())
    }

    @Test("Non-consumables are shared, too; consumables, non-renewing and unshareable products are not")
    func whatIsShared() async throws {
        let (anna, ben) = try Self.family()
        for product: Product.ID in ["remove.ads", "coins.100", "season.pass", "basic.weekly"] {
            try await anna.buyProduct(identifier: product)
        }
        #expect(ben.allTransactions().map(\.productIdentifier) == ["remove.ads"])
        #expect(try ben.notifications() == ["ONE_TIME_CHARGE"])
        #expect(try await ben.answer("remove.ads") == "owned")
        let refused = code {
            try anna.perform(.shareProduct(true, product: "coins.100", by: "anna"))
        }
        #expect(refused == .invalidProductType)
    }

    /// An event that ends sharing.
    enum Ending: String, Sendable, CaseIterable {
        case purchaserStopsSharing, memberLeaves, purchaserLeaves, purchaserRefunded, sharingTurnedOff
    }

    @Test("A copy is revoked when sharing ends", arguments: Ending.allCases)
    func endings(ending: Ending) async throws {
        let (anna, ben) = try Self.family()
        let own = try await anna.subscribe()
        let ads = try await anna.buyProduct(identifier: "remove.ads")
        let seen = anna.store.happeningCount
        switch ending {
        case .purchaserStopsSharing:
            for product: Product.ID in ["pro.monthly", "remove.ads"] {
                try anna.perform(.shareProduct(false, product: product, by: "anna"))
            }
        case .memberLeaves: try anna.perform(.leaveFamily("ben"))
        case .purchaserLeaves: try anna.perform(.leaveFamily("anna"))
        case .purchaserRefunded:
            for id in [own.id, ads.id] {
                try anna.perform(.refund(.id(id), percentage: nil, reason: .developerIssue))
            }
        case .sharingTurnedOff: try anna.perform(.setPurchaseSharing(false, of: "anna"))
        }
        let copies = try ben.signedTransactions()
        #expect(copies.count == 2)
        #expect(copies.allSatisfy { $0.revokedAt == ben.now && $0.revocationType == .familyRevocation })
        let reason: RevocationReason = ending == .purchaserRefunded ? .developerIssue : .other
        #expect(copies.allSatisfy { $0.revocationReason == reason })
        #expect(try ben.notifications(after: seen) == ["REVOKE", "REVOKE"])
        #expect(try await ben.answer() == "familySharingEnded")
        #expect(try await anna.answer() == (ending == .purchaserRefunded ? "refunded" : "active"))
    }

    @Test("A copy expires with the purchaser's subscription, without a revocation")
    func expiry() async throws {
        let (anna, ben) = try Self.family()
        let own = try await anna.subscribe()
        try anna.disableAutoRenewForTransaction(identifier: own.id)
        try anna.advance(byDays: 40)
        #expect(try ben.newest().revokedAt == nil)
        #expect(try await ben.answer() == "expired")
        #expect(try ben.notifications().last == "EXPIRED/VOLUNTARY")
    }

    @Test("An expired copy stays expired when the purchaser continues with an unshareable product")
    func expiredCopyStaysExpired() async throws {
        let (anna, ben) = try Self.family()
        try await anna.subscribe("pro.yearly")
        try anna.perform(.expire("pro.yearly", by: "anna"))
        try anna.advance(byDays: 1)
        try await anna.subscribe("basic.weekly")
        try anna.perform(.setAutoRenew(false, of: .latest("basic.weekly", of: "anna")))
        #expect(try await anna.answer("basic.weekly") == "active")
        #expect(try await ben.answer("pro.yearly") == "expired")
        #expect(try ben.newest().productID == "pro.yearly")
        #expect(try ben.renewalInfo().autoRenewProductID == "pro.yearly")
    }

    @Test("A deleted copy stays deleted, and the next period makes a new one")
    func deletedCopy() async throws {
        let (anna, ben) = try Self.family()
        try await anna.subscribe()
        let copy = try ben.newest()
        try ben.deleteTransaction(identifier: copy.id)
        #expect(ben.allTransactions().isEmpty)
        try anna.advance(byDays: 40)
        #expect(ben.allTransactions().count == 1)
        #expect(try ben.newest().originalID != copy.originalID)
        #expect(try await ben.answer() == "active")
    }

    @Test("A member cannot resolve the purchaser's failed payment")
    func paymentOfCopies() async throws {
        let (anna, ben) = try Self.family()
        anna.shouldEnterBillingRetryOnRenewal = true
        let bought = try await anna.subscribe()
        try anna.advance(byDays: 40)
        let copy = try ben.newest()
        #expect(code { try ben.resolveIssueForTransaction(identifier: copy.id) } == .invalidAction)
        #expect(try await ben.answer() == "billingRetry")
        try anna.resolveIssueForTransaction(identifier: bought.id)
        #expect(try await ben.answer() == "active")
    }

    @Test("Clearing the purchaser's transactions removes all periods of the copies")
    func clearedCopies() async throws {
        let (anna, ben) = try Self.family()
        try await anna.subscribe()
        try anna.advance(byDays: 40)
        #expect(ben.allTransactions().count == 2)
        try anna.perform(.clearTransactions(of: "anna"))
        #expect(ben.allTransactions().isEmpty)
    }

    @Test("A copy renews, enters grace and billing retry with the purchaser's subscription")
    func sameLife() async throws {
        let (anna, ben) = try Self.family()
        anna.billingGracePeriodIsEnabled = true
        try await anna.subscribe()
        try anna.advance(byDays: 30)
        #expect(ben.allTransactions().count == 2)
        anna.shouldEnterBillingRetryOnRenewal = true
        try anna.advance(byDays: 31)
        #expect(try await ben.answer() == "gracePeriod")
        try anna.advance(byDays: 16)
        #expect(try await ben.answer() == "billingRetry")
    }

    @Test("A copy cannot be refunded, extended, or given a token")
    func copiesAreNotOwned() async throws {
        let (anna, ben) = try Self.family()
        try await anna.subscribe()
        let copy = try ben.newest()
        #expect(code { try ben.refundTransaction(identifier: copy.id) } == .invalidAction)
        #expect(
            code { try ben.perform(.extendRenewalDate(of: .id(copy.id), days: 5, reason: 0)) } == .invalidAction)
        #expect(code { try ben.perform(.setAppAccountToken(UUID(), of: .id(copy.id))) } == .invalidAction)
        #expect(code { try ben.disableAutoRenewForTransaction(identifier: copy.id) } == .invalidAction)
    }

    @Test("A family has at most six people, and a person is in one family only")
    func limit() throws {
        let anna = try SimulatedSession.sample()
        try anna.perform(.createFamily(organizer: "anna"))
        for number in 1...5 {
            _ = try anna.joined(by: CustomerID(rawValue: "member \(number)"))
            try anna.perform(.joinFamily(CustomerID(rawValue: "member \(number)"), of: "anna"))
        }
        _ = try anna.joined(by: "late")
        #expect(code { try anna.perform(.joinFamily("late", of: "anna")) } == .invalidAction)
        #expect(code { try anna.perform(.joinFamily("member 1", of: "anna")) } == .invalidAction)
        #expect(code { try anna.perform(.createFamily(organizer: "anna")) } == .invalidAction)
    }

    @Test("A new member gets existing purchases, and a returning member gets them again")
    func joiningLater() async throws {
        let anna = try SimulatedSession.sample()
        let ben = try anna.joined(by: "ben")
        try await anna.subscribe()
        try anna.perform(.createFamily(organizer: "anna"))
        try anna.perform(.joinFamily("ben", of: "anna"))
        let first = try ben.newest()
        #expect(try await ben.hasPro())
        try anna.perform(.leaveFamily("ben"))
        #expect(try await !ben.hasPro())
        try anna.advance(byDays: 1)
        try anna.perform(.joinFamily("ben", of: "anna"))
        #expect(try await ben.hasPro())
        #expect(try ben.newest().originalID == first.originalID)
        #expect(try ben.notifications().last == "SUBSCRIBED/RESUBSCRIBE")
    }

    @Test("A reversed refund restores the family's access")
    func reversedRefund() async throws {
        let (anna, ben) = try Self.family()
        let own = try await anna.subscribe()
        try anna.refundTransaction(identifier: own.id)
        #expect(try await !ben.hasPro())
        try anna.perform(.reverseRefund(.id(own.id)))
        #expect(try await ben.hasPro())
        #expect(try ben.newest().revokedAt == nil)
    }
}
