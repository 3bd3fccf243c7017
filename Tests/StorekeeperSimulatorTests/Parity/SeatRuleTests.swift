import Foundation
import Storekeeper
import Testing

@testable import StorekeeperSimulator

@Suite("The rules of seats") struct SeatRuleTests {
    /// Returns a session of a customer who has bought several seats of `pro.monthly`.
    private static func session(
        _ number: Int = 5, _ invitations: SeatInvitations = .developer
    ) async throws -> (session: SimulatedSession, id: Transaction.ID) {
        let session = try SimulatedSession.sample()
        let first = try await session.subscribe()
        try session.perform(.setSeats(number, of: .id(first.id), invitations: invitations))
        return (session, first.id)
    }

    private static func refund(_ seats: Int, _ id: Transaction.ID, _ session: SimulatedSession) throws {
        try session.perform(.refundSeats(seats, of: .id(id), reason: .other))
    }

    @Test("A refund of seats leaves access; the refund of the last ones ends it")
    func refunds() async throws {
        let (session, id) = try await Self.session()
        let before = session.store.happeningCount
        try Self.refund(2, id, session)
        try Self.refund(1, id, session)
        let partly = try session.signed(id)
        #expect(partly.multiSeatInfo?.revokedSeatQuantity == 3 && partly.purchasedQuantity == 5)
        #expect(partly.revokedAt == nil && partly.revocationReason == nil)
        #expect(try session.renewalInfo().autoRenewStatus == .on)
        #expect(try session.notifications(after: before) == ["REFUND/SEATS", "REFUND/SEATS"])
        #expect(try await session.answer() == "active")
        #expect(code { try Self.refund(3, id, session) } == .invalidValue)
        try Self.refund(2, id, session)
        let whole = try session.signed(id)
        #expect(whole.multiSeatInfo?.revokedSeatQuantity == 5 && whole.revocationType == .fullRefund)
        #expect(try await session.answer() == "refunded")
        #expect(try session.notifications(after: before).last == "REFUND")
        #expect(code { try Self.refund(1, id, session) } == .invalidAction)
    }

    @Test("Added seats are a transaction of their own, and access ends with the last transaction of the period")
    func additions() async throws {
        let (session, id) = try await Self.session()
        #expect(try session.signed(id).purchasedQuantity == 5)
        try session.perform(.setSeats(8, of: .id(id), invitations: .developer))
        let added = try session.newest()
        #expect(added.id != id && added.originalID == id && added.purchasedQuantity == 3)
        #expect(try session.signed(id).purchasedQuantity == 5)
        #expect(try added.expiresAt == session.signed(id).expiresAt)
        #expect(try added.webOrderLineItemID != session.signed(id).webOrderLineItemID)
        for transaction in [added, try session.signed(id)] {
            let payload = try JSONReader().read(transaction.jsonRepresentation).root.object
            #expect(payload?["additionalTransactionReason"]?.string == "SEAT_ADDITION")
            #expect(!transaction.isUpgraded)
        }
        #expect(session.store.seats(of: id)?.quantity == 8)
        let before = session.store.happeningCount
        try session.perform(.refund(.id(added.id), percentage: nil, reason: .other))
        #expect(session.store.seats(of: id)?.quantity == 5)
        #expect(try session.renewalInfo().autoRenewStatus == .on)
        try session.perform(.refund(.id(id), percentage: nil, reason: .other))
        #expect(try session.renewalInfo().autoRenewStatus == .off)
        #expect(try session.notifications(after: before) == ["REFUND", "REFUND"])
        #expect(try await session.answer() == "refunded")
        try session.perform(.reverseRefund(.id(added.id)))
        #expect(session.store.seats(of: id)?.quantity == 3)
        try session.advance(byDays: 31)
    }

    @Test("The next period is one transaction with all seats")
    func renewalAfterAdditions() async throws {
        let (session, id) = try await Self.session()
        try session.perform(.setSeats(8, of: .id(id), invitations: .developer))
        try session.advance(byDays: 31)
        let next = try session.newest()
        #expect(next.purchasedQuantity == 8)
        let payload = try JSONReader().read(next.jsonRepresentation).root.object
        #expect(payload?["additionalTransactionReason"] == nil)
        #expect(session.store.seats(of: id)?.quantity == 8)
    }

    @Test("Seats can be added after a refund, and the next period has the chosen number")
    func afterwards() async throws {
        let (session, id) = try await Self.session()
        try Self.refund(3, id, session)
        #expect(session.store.seats(of: id)?.quantity == 2)
        try session.perform(.setSeats(3, of: .id(id), invitations: .developer))
        #expect(session.store.seats(of: id)?.quantity == 3)
        #expect(try session.signed(id).multiSeatInfo?.revokedSeatQuantity == 3)
        try session.advance(byDays: 31)
        let next = try session.newest()
        #expect(next.id != id && next.purchasedQuantity == 3 && next.multiSeatInfo?.revokedSeatQuantity == nil)
        #expect(session.store.seats(of: id)?.quantity == 3)
        // A refund of the past period does not affect the seats of the current period.
        try Self.refund(1, id, session)
        #expect(session.store.seats(of: id)?.quantity == 3)
        #expect(try await session.answer() == "active")
    }

    @Test("If more seats are claimed than are left, the newest claims end")
    func surplus() async throws {
        let (session, id) = try await Self.session()
        let claims = (0..<4).map { _ in UUID() }
        for claim in claims {
            try session.perform(.claimSeat(SeatClaim(id: claim, request: claim), of: .id(id)))
            // If the same request is repeated, it does not claim a second seat.
            try session.perform(.claimSeat(SeatClaim(id: UUID(), request: claim), of: .id(id)))
        }
        func left() -> [UUID]? { session.store.seats(of: id)?.claims.map(\.id) }
        #expect(left() == claims)
        #expect(
            code { try session.perform(.claimSeat(SeatClaim(id: UUID(), request: UUID()), of: .id(id))) }
                == .invalidAction)
        let before = session.store.happeningCount
        try Self.refund(2, id, session)
        #expect(left() == Array(claims.prefix(2)))
        #expect(try session.notifications(after: before) == ["REFUND/SEATS", "UNCLAIM_SEATS"])
        try session.perform(.releaseSeat(claims[0], of: .id(id)))
        try session.perform(.associateSeat(claims[1], with: "anna", of: .id(id)))
        #expect(session.store.seats(of: id)?.claims.map(\.appTransactionID) == [session.store.seats(of: id)?.purchaser])
        #expect(code { try session.perform(.releaseSeat(claims[3], of: .id(id))) } == .invalidValue)
        #expect(code { try session.perform(.associateSeat(claims[1], with: "zoe", of: .id(id))) } == .noAccountFound)
        // The App Store does not end claims when fewer seats are renewed.
        try session.perform(.claimSeat(SeatClaim(id: claims[0], request: claims[0]), of: .id(id)))
        try session.perform(.setSeats(1, of: .id(id), invitations: .developer))
        try session.advance(byDays: 31)
        #expect(session.store.seats(of: id)?.quantity == 1 && left() == [claims[1], claims[0]])
    }

    @Test("A member occupies one seat at a time")
    func members() async throws {
        let (session, id) = try await Self.session()
        try session.perform(.createAccount("bert", storefront: nil))
        let (first, second) = (UUID(), UUID())
        try session.perform(.claimSeat(SeatClaim(id: first, request: first, member: "bert"), of: .id(id)))
        let claim = SeatClaim(id: second, request: second, member: "bert")
        #expect(code { try session.perform(.claimSeat(claim, of: .id(id))) } == .invalidAction)
        try session.perform(.claimSeat(SeatClaim(id: second, request: second), of: .id(id)))
        #expect(code { try session.perform(.associateSeat(second, with: "bert", of: .id(id))) } == .invalidAction)
        try session.perform(.associateSeat(first, with: "bert", of: .id(id)))
        try session.perform(.releaseSeat(first, of: .id(id)))
        try session.perform(.associateSeat(second, with: "bert", of: .id(id)))
        #expect(session.store.seats(of: id)?.claims.map(\.id) == [second])
    }

    @Test("Only purchases for a group have seats to refund, and only those that the app invites to have claims")
    func refusals() async throws {
        let (session, id) = try await Self.session(3, .apple)
        let claim = SeatClaim(id: UUID(), request: UUID())
        #expect(code { try session.perform(.claimSeat(claim, of: .id(id))) } == .invalidAction)
        #expect(code { try session.perform(.releaseSeat(claim.id, of: .id(id))) } == .invalidAction)
        for number in [0, -1, 4] { #expect(code { try Self.refund(number, id, session) } == .invalidValue) }
        try Self.refund(1, id, session)
        #expect(try session.signed(id).multiSeatInfo?.revokedSeatQuantity == 1)
        let other = try SimulatedSession.sample()
        let alone = try await other.subscribe()
        #expect(code { try Self.refund(1, alone.id, other) } == .invalidAction)
    }
}
