import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperPostgres

/// Tests with writers that have reserved places in the feed, but have not yet written the rows for these places.
@Suite("Tickets of the feed", .proof, .enabled(if: ServerPrograms.areInstalled, "no PostgreSQL server is installed"))
struct FeedTicketTests {
    private static func gift(_ key: LedgerRequest.Key, to customer: CustomerID) -> LedgerRequest {
        .grant(1, of: "coins", to: customer, because: "x", key: key, at: .day(1))
    }

    private static let entries = "INSERT INTO storekeeper.ledger("
    private static let locks = "FOR UPDATE OF c"

    @Test("Writers do not wait for a ticket holder, and readers stop before its places, so that they miss nothing")
    func readers() async throws {
        let world = try await NodePair()
        defer { world.close() }
        let gate = world.hold(before: Self.entries)
        async let first = world.slow.move([Self.gift("first", to: "anna")], policy: .debt)
        try await world.held(gate)
        _ = try await world.quick.move([Self.gift("second", to: "ben")], policy: .debt)
        // Ben's entry is visible in his own feed. The feed of all customers still ends before the place that is
        // reserved for Anna's entry.
        #expect(try await world.quick.entries(after: .start, of: "ben", limit: 9).count == 1)
        #expect(try await world.quick.entries(after: .start, of: nil, limit: 9).isEmpty)
        gate.open()
        _ = try await first
        #expect(try await world.quick.entries(after: .start, of: nil, limit: 9).map(\.customer) == ["anna", "ben"])
    }

    @Test("A reader waits a short time for ticket holders")
    func patience() async throws {
        let world = try await NodePair()
        defer { world.close() }
        let gate = world.hold(before: Self.entries)
        async let first = world.slow.move([Self.gift("first", to: "anna")], policy: .debt)
        try await world.held(gate)
        _ = try await world.quick.move([Self.gift("second", to: "ben")], policy: .debt)
        gate.open(after: .milliseconds(100))
        #expect(try await world.quick.entries(after: .start, of: nil, limit: 9).count == 2)
        _ = try await first
    }

    @Test("The places of one customer follow the order of the writes, not of the tickets")
    func order() async throws {
        let world = try await NodePair()
        defer { world.close() }
        _ = try await world.quick.move([Self.gift("start", to: "anna")], policy: .debt)
        let gate = world.hold(before: Self.locks)
        async let late = world.slow.move([Self.gift("late", to: "anna")], policy: .debt)
        try await world.held(gate)
        _ = try await world.quick.move([Self.gift("early", to: "anna")], policy: .debt)
        gate.open()
        _ = try await late
        let entries = try await world.quick.entries(after: .start, of: nil, limit: 9)
        #expect(entries.compactMap(\.key) == ["start", "early", "late"])
        #expect(entries.map(\.number) == [1, 2, 3])
        #expect(try await world.quick.checkIntegrity().faults == [])
    }

    @Test("A step whose ticket was removed is not written with it, and starts again")
    func removed() async throws {
        let world = try await NodePair()
        defer { world.close() }
        let gate = world.hold(before: Self.entries)
        async let first = world.slow.move([Self.gift("first", to: "anna")], policy: .debt)
        try await world.held(gate)
        try await world.server.run("DELETE FROM storekeeper.ticket", on: world.database)
        _ = try await world.quick.move([Self.gift("second", to: "ben")], policy: .debt)
        let seen = try await world.quick.entries(after: .start, of: nil, limit: 9)
        #expect(seen.map(\.customer) == ["ben"])
        gate.open()
        _ = try await first
        let rest = try await world.quick.entries(after: try #require(seen.last).place, of: nil, limit: 9)
        #expect(rest.map(\.customer) == ["anna"])
        #expect(try await world.quick.checkIntegrity().faults == [])
    }

    @Test("The next reader removes the ticket of a dead process")
    func left() async throws {
        let world = try await NodePair()
        defer { world.close() }
        _ = try await world.quick.move([Self.gift("first", to: "anna")], policy: .debt)
        // A node that ends during a step leaves its ticket. This ticket names a process number that no process of the
        // server has.
        try await world.server.run(
            "INSERT INTO storekeeper.ticket VALUES(1, clock_timestamp(), 2147483647)", on: world.database)
        #expect(try await world.quick.entries(after: .start, of: nil, limit: 9).count == 1)
        #expect(try await world.server.number("SELECT count(*) FROM storekeeper.ticket", on: world.database) == 0)
    }

    @Test("A step that needs more places than its ticket holds takes another ticket, and leaves none behind")
    func manyPlaces() async throws {
        let world = try await NodePair()
        defer { world.close() }
        let count = Int(FeedTicket.leastCount) + 500
        let requests = (0..<count).map { Self.gift("\($0)", to: "anna") }
        let receipts = try await world.quick.move(requests, policy: .debt)
        #expect(receipts.allSatisfy { (try? $0.get()) != nil })
        _ = try await world.quick.move([Self.gift("last", to: "anna")], policy: .debt)
        let entries = try await world.quick.entries(after: .start, of: nil, limit: count + 9)
        #expect(entries.map(\.number) == (1...Int64(count + 1)).map(\.self))
        #expect(try await world.server.number("SELECT count(*) FROM storekeeper.ticket", on: world.database) == 0)
        #expect(try await world.quick.checkIntegrity().faults == [])
    }

    @Test("A refused step leaves no ticket behind")
    func refused() async throws {
        let world = try await NodePair()
        defer { world.close() }
        let spend = LedgerRequest.spend(5, of: "coins", by: "anna", key: "castle", at: .day(1))
        let receipts = try await world.quick.move([spend], policy: .debt)
        #expect(throws: LedgerRefusal.self) { try receipts[0].get() }
        _ = try await world.quick.customers(after: nil, limit: 1)
        try await eventually("it is given back") {
            try await world.server.number("SELECT count(*) FROM storekeeper.ticket", on: world.database) == 0
        }
    }
}

extension LedgerEntry {
    /// The key of the request that caused the entry.
    fileprivate var key: String? {
        if case .request(let key, _) = cause { key.rawValue } else { nil }
    }
}
