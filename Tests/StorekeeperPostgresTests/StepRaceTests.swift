import Foundation
import Storekeeper
import StorekeeperTesting
import Synchronization
import Testing

@testable import FleetNode
@testable import StorekeeperPostgres

/// Tests with two nodes that change the same rows, while one node is held back at a chosen statement.
@Suite(
    "Concurrent steps", .serialized, .proof,
    .enabled(if: ServerPrograms.areInstalled, "no PostgreSQL server is installed"))
struct StepRaceTests {
    /// The first statement after a node has locked customers.
    private static let load = "SELECT c.name, c.version"
    /// The first statement of a node's writes.
    private static let guardRows = "SELECT s.id, k.stamp"
    /// A statement of a node that has facts to write.
    private static let facts = "INSERT INTO storekeeper.fact("
    /// The statement that records an erasure, after the statements that delete the customer's rows.
    private static let erasure = "INSERT INTO storekeeper.erasure"
    /// A statement of a node that has the state of a webhook to write.
    private static let webhook = "INSERT INTO storekeeper.webhook("
    /// The statement of a load that reads the evidence parked for customers.
    private static let parked = "FROM storekeeper.parked WHERE chain = s.id"
    /// The last statement of an erasure of an unknown customer.
    private static let undoing = "ROLLBACK"

    /// A customer whose id is an account token.
    private static let named: CustomerID = "6F9619FF-8B86-D011-B42D-00C04FC964F1"

    private static func badge(_ name: String, for customer: CustomerID) throws -> CommitBatch {
        let draft = TransactionDraft.purchase(of: "badge", at: .day(1), id: Transaction.ID(rawValue: name))
        return CommitBatch(
            customer: customer, at: .day(2), facts: [try draft.verifiedFact()], events: [Writer.event(name)])
    }

    /// Returns a purchase with the token of ``named``.
    private static func namedPurchase(_ name: String) -> TransactionDraft {
        var draft = TransactionDraft.purchase(of: "badge", at: .day(1), id: Transaction.ID(rawValue: name))
        draft.appAccountToken = named.rawValue.lowercased()
        return draft
    }

    /// Returns the row of a webhook whose events are queued up to a place in the feed.
    private static func row(of name: String, through place: Int64) -> RowBuffer {
        let row = RowBuffer(capacity: 1_024)
        WebhookRow(WebhookState(queuedThrough: FeedPlace(place)), of: name).write(to: row)
        return row
    }

    private static func receipt(of outcome: CommitOutcome) throws -> CommitReceipt {
        guard case .committed(let receipt) = outcome else { throw ServerFailure("a batch was refused") }
        return receipt
    }

    @Test("A customer created between two statements of a load is locked before the step writes their rows")
    func creation() async throws {
        let world = try await NodePair()
        defer { world.close() }
        let first = world.hold(before: Self.load)
        async let slow = world.slow.commit(try Self.badge("slow", for: "eve"))
        try await world.held(first)
        _ = try await world.quick.commit(try Self.badge("first", for: "eve"))
        let second = world.hold(before: Self.facts)
        first.open()
        try await world.held(second)
        let isDone = Flag()
        async let quick = {
            defer { isDone.set() }
            return try await world.quick.commit(try Self.badge("second", for: "eve"))
        }()
        try await world.settled(isDone)
        second.open()
        _ = try await (slow, quick)
        #expect(try await world.quick.version(of: "eve").version == 3)
        #expect(try await world.quick.facts(after: .start, of: "eve", limit: 9).count == 3)
        #expect(try await world.quick.checkIntegrity().faults == [])
    }

    @Test("Rows read before their customer was locked are read again")
    func lateLock() async throws {
        let world = try await NodePair()
        defer { world.close() }
        _ = try await world.quick.move(
            [.grant(100, of: "coins", to: "anna", because: "x", key: "start", at: .day(1))], policy: .debt)
        let (isWaiting, mayGoOn) = (Flag(), Gate())
        async let slow = world.slow.write { tables throws(VaultError) -> Int64 in
            // The step does not declare that it is about Anna, and reads only her balance.
            guard let balance = try tables.balance("coins", of: "anna") else { return 0 }
            if isWaiting.set() { mayGoOn.pass() }
            guard balance.amount >= 60 else { return balance.amount }
            let after = try balance.adding(.spend, -60)
            _ = try tables.append(
                LedgerDraft(
                    customer: "anna", at: .day(2), kind: .spend, balance: "coins", change: -60, after: after.amount,
                    cause: .request(key: "slow", reason: nil)))
            try tables.setBalance(after, of: "anna")
            return after.amount
        }
        try await eventually("the slow step has read the balance") { isWaiting.isSet }
        _ = try await world.quick.move(
            [.spend(60, of: "coins", by: "anna", key: "quick", at: .day(2))], policy: .debt)
        mayGoOn.open()
        #expect(try await slow == 40)
        #expect(try await world.quick.balances(of: "anna").map(\.amount) == [40])
        #expect(try await world.quick.entries(after: .start, of: "anna", limit: 9).map(\.after) == [100, 40])
    }

    @Test("An event that is queued while its customer is erased leaves no queue")
    func queueDuringErasure() async throws {
        let world = try await NodePair()
        defer { world.close() }
        _ = try await world.quick.commit(try Self.badge("badge", for: "anna"))
        let event = try #require(try await world.quick.events(after: .start, of: "anna", limit: 1).first)
        try await world.quick.changeWebhook("hook", of: [], isWhole: true) { step in step.begin(after: .start) }
        let gate = world.hold(before: Self.erasure)
        async let erasure = world.slow.erase("anna", reason: "asked", at: .day(3))
        try await world.held(gate)
        let isDone = Flag()
        async let queued = {
            defer { isDone.set() }
            return try await world.quick.changeWebhook("hook", of: ["anna"], isWhole: true) { step in
                step.queue([(customer: event.customer, place: event.place)], after: .start, at: .day(3))
            }
        }()
        try await world.settled(isDone)
        gate.open()
        _ = try await (erasure, queued)
        #expect(try await world.quick.webhookWakes(of: "hook", after: nil, limit: 10) == [])
    }

    @Test("A new webhook and a changed one are written together, and the new one replaces no other")
    func newBesideChangedWebhook() async throws {
        let world = try await NodePair()
        defer { world.close() }
        try await world.quick.changeWebhook("old", of: [], isWhole: true) { step in step.begin(after: .start) }
        try await world.quick.write { tables throws(VaultError) in
            _ = try tables.insert(Self.row(of: "first", through: 1), into: WebhookRow.table)
            try tables.update(Self.row(of: "old", through: 1), in: WebhookRow.table)
        }
        #expect(try await world.quick.webhookState(of: "first")?.queuedThrough == FeedPlace(1))
        #expect(try await world.quick.webhookState(of: "old")?.queuedThrough == FeedPlace(1))

        let gate = world.hold(before: Self.webhook)
        async let slow = world.slow.write { tables throws(VaultError) -> Bool in
            try tables.update(Self.row(of: "old", through: 3), in: WebhookRow.table)
            return try tables.insert(Self.row(of: "second", through: 3), into: WebhookRow.table)
        }
        try await world.held(gate)
        try await world.quick.changeWebhook("second", of: [], isWhole: true) { step in
            step.begin(after: FeedPlace(2))
        }
        gate.open()
        let isInserted = try await slow
        #expect(!isInserted)
        #expect(try await world.quick.webhookState(of: "second")?.queuedThrough == FeedPlace(2))
        #expect(try await world.quick.webhookState(of: "old")?.queuedThrough == FeedPlace(3))
    }

    @Test("An erasure that found no customer does not affect a customer created meanwhile")
    func erasureOfUnknownCustomer() async throws {
        let world = try await NodePair()
        defer { world.close() }
        let gate = world.hold(before: Self.undoing)
        async let erasure = { () async -> VaultError? in
            do throws(VaultError) { _ = try await world.slow.erase("eve", reason: "asked", at: .day(3)) } catch {
                return error
            }
            return nil
        }()
        try await world.held(gate)
        _ = try await world.quick.commit(try Self.badge("badge", for: "eve"))
        gate.open()
        #expect(await erasure?.code == .unknownCustomer)
        #expect(try await world.quick.erasures(of: "eve").isEmpty)
        let facts = try await world.quick.facts(after: .start, of: "eve", limit: 9).count
        #expect(facts == 1)
        #expect(try await world.quick.version(of: "eve").version == 1)
        #expect(try await world.quick.events(after: .start, of: "eve", limit: 9).count == 1)
        #expect(try await world.quick.checkIntegrity().faults == [])
    }

    @Test("Evidence parked for a customer during their erasure does not remain after it")
    func erasureBesideParking() async throws {
        let world = try await NodePair()
        defer { world.close() }
        let draft = TransactionDraft.purchase(of: "badge", at: .day(1), id: "1")
        _ = try await world.quick.commit(
            CommitBatch(customer: "eve", at: .day(1), facts: [try draft.verifiedFact()]))
        let gate = world.hold(before: Self.guardRows)
        async let erasure = world.slow.erase("eve", reason: "asked", at: .day(3))
        try await world.held(gate)
        let copy = draft.revoked(at: .day(2))
        let outcome = try await world.quick.commit(
            CommitBatch(customer: "ben", at: .day(2), facts: [try copy.verifiedFact()]))
        #expect(try Self.receipt(of: outcome).parked.positions == [0])
        gate.open()
        #expect(try await erasure.facts == 1)
        #expect(try await world.quick.allParked().isEmpty)
        #expect(try await world.quick.checkIntegrity().faults == [])
    }

    @Test("Evidence parked for a customer between two loads of their erasure does not remain after it")
    func parkingBetweenLoadsOfErasure() async throws {
        let world = try await NodePair()
        defer { world.close() }
        let draft = TransactionDraft.purchase(of: "badge", at: .day(1), id: "1")
        _ = try await world.quick.commit(
            CommitBatch(customer: "eve", at: .day(1), facts: [try draft.verifiedFact()]))
        let (isWaiting, mayGoOn) = (Flag(), Gate())
        async let erasure = world.slow.write([.customer("eve"), .parkedFacts(heldBy: "eve")]) {
            tables throws(VaultError) in
            let waiting = try tables.parked(heldBy: "eve", after: .start, limit: 1).rows.count
            if isWaiting.set() { mayGoOn.pass() }
            return (waiting, try VaultRules.erase("eve", reason: "asked", at: .day(3), in: &tables))
        }
        try await eventually("the slow step has read the parked evidence") { isWaiting.isSet }
        _ = try await world.quick.commit(
            CommitBatch(customer: "ben", at: .day(2), facts: [try draft.revoked(at: .day(2)).verifiedFact()]))
        mayGoOn.open()
        #expect(try await erasure.0 == 1)
        #expect(try await world.quick.allParked().isEmpty)
    }

    @Test("Evidence parked under a chain between two loads of its claim is read")
    func parkingBetweenLoadsOfClaim() async throws {
        let world = try await NodePair()
        defer { world.close() }
        let draft = TransactionDraft.purchase(of: "badge", at: .day(1), id: "1")
        let (first, other) = (try draft.verifiedFact(), try draft.revoked(at: .day(2)).verifiedFact())
        let chain = ChainID(try draft.transaction())
        _ = try await world.quick.commit(CommitBatch(for: .owner(primary: nil), at: .day(1), facts: [first]))
        let (isWaiting, mayGoOn) = (Flag(), Gate())
        async let claim = world.slow.write([.customer("anna"), .versionFloor, .parkedChain(of: chain)]) {
            tables throws(VaultError) in
            let waiting = try tables.parked(of: chain, after: .start, limit: 9).rows.count
            if isWaiting.set() { mayGoOn.pass() }
            _ = try VaultRules.claim(.chain(chain), for: "anna", at: .day(3), in: &tables)
            return waiting
        }
        try await eventually("the slow step has read the parked evidence") { isWaiting.isSet }
        _ = try await world.quick.commit(CommitBatch(for: .owner(primary: nil), at: .day(2), facts: [other]))
        mayGoOn.open()
        #expect(try await claim == 2)
    }

    @Test("A token does not become a customer's while the customer with this id is created")
    func creationOfTokenOwner() async throws {
        let world = try await NodePair()
        defer { world.close() }
        _ = try await world.quick.commit(Self.badge("0", for: "carl"))
        let gate = world.hold(before: Self.facts)
        async let slow = world.slow.commit(
            CommitBatch(customer: "ben", at: .day(2), facts: [try Self.namedPurchase("1").verifiedFact()]))
        try await world.held(gate)
        _ = try await world.quick.commit(
            CommitBatch(customer: Self.named, at: .day(2), facts: [try Self.namedPurchase("2").verifiedFact()]))
        gate.open()
        #expect(try await Self.receipt(of: slow).parked.positions == [0])
        #expect(try await world.quick.bindings(of: "ben").isEmpty)
        #expect(try await world.quick.adoptable(by: Self.named, after: .start, limit: 9).rows.count == 1)
        #expect(try await world.quick.checkIntegrity().faults == [])
    }

    @Test("Evidence parked for a customer during their creation is adoptable")
    func parkingDuringCreation() async throws {
        let world = try await NodePair()
        defer { world.close() }
        _ = try await world.quick.commit(Self.badge("0", for: "carl"))
        let gate = world.hold(before: Self.facts)
        async let slow = world.slow.commit(try Self.badge("2", for: Self.named))
        try await world.held(gate)
        _ = try await world.quick.commit(
            CommitBatch(for: .owner(primary: nil), at: .day(2), facts: [try Self.namedPurchase("1").verifiedFact()]))
        gate.open()
        #expect(try await Self.receipt(of: slow).adoptable.rows.count == 1)
    }

    @Test("A chain whose row is deleted and added again during a step has changed")
    func chainAddedAgain() async throws {
        let world = try await NodePair()
        defer { world.close() }
        let draft = TransactionDraft.purchase(of: "badge", at: .day(1), id: "1")
        let (first, other) = (try draft.verifiedFact(), try draft.revoked(at: .day(2)).verifiedFact())
        _ = try await world.quick.commit(CommitBatch(for: .owner(primary: nil), at: .day(1), facts: [first]))
        let gate = world.hold(before: Self.guardRows)
        async let slow = world.slow.commit(
            CommitBatch(customer: "anna", at: .day(3), facts: [try draft.signed(at: .day(3)).verifiedFact()]))
        try await world.held(gate)
        _ = try await world.quick.commit(CommitBatch(customer: "eve", at: .day(2), facts: [first]))
        _ = try await world.quick.erase("eve", reason: "asked", at: .day(2))
        _ = try await world.quick.commit(CommitBatch(for: .owner(primary: nil), at: .day(2), facts: [other]))
        gate.open()
        #expect(try await Self.receipt(of: slow).adoptable.rows.map(\.jws.compact) == [other.jws.compact])
    }

    @Test("A customer created during the erasure of their parked evidence is erased too")
    func creationDuringErasure() async throws {
        let world = try await NodePair()
        defer { world.close() }
        // Ben owns the chain, so the erasure leaves the evidence that is parked under the other customer's token: a second
        // transaction of the chain, because a copy of a transaction that counts for ben is ben's.
        let draft = TransactionDraft.purchase(of: "badge", at: .day(1), id: "1")
        var named = Self.namedPurchase("1").signed(at: .day(2))
        named.id = "1-again"
        _ = try await world.quick.commit(Self.badge("0", for: Self.named))
        _ = try await world.quick.commit(
            CommitBatch(customer: "ben", at: .day(2), facts: [try draft.verifiedFact()]))
        _ = try await world.quick.commit(
            CommitBatch(customer: "ben", at: .day(2), facts: [try named.verifiedFact()]))
        _ = try await world.quick.erase(Self.named, reason: "asked", at: .day(3))
        let gate = world.hold(before: Self.guardRows)
        async let erasure = world.slow.erase(Self.named, reason: "asked", at: .day(3))
        try await world.held(gate)
        _ = try await world.quick.commit(Self.badge("2", for: Self.named))
        gate.open()
        #expect(try await erasure.facts == 1)
        #expect(try await world.quick.version(of: Self.named).version == 0)
        #expect(try await world.quick.checkIntegrity().faults == [])
    }

    @Test("A customer created between two statements of an erasure's load is erased completely")
    func creationDuringLoadOfErasure() async throws {
        let world = try await NodePair()
        defer { world.close() }
        _ = try await world.quick.commit(Self.badge("0", for: "carl"))
        let draft = TransactionDraft.purchase(of: "badge", at: .day(1), id: "1")
        let gate = world.hold(before: Self.parked)
        async let erasure = world.slow.erase("eve", reason: "asked", at: .day(3))
        try await world.held(gate)
        _ = try await world.quick.commit(
            CommitBatch(customer: "eve", at: .day(1), facts: [try draft.verifiedFact()]))
        _ = try await world.quick.commit(
            CommitBatch(customer: "ben", at: .day(2), facts: [try draft.revoked(at: .day(2)).verifiedFact()]))
        gate.open()
        #expect(try await erasure.facts == 1)
        #expect(try await world.quick.facts(after: .start, of: "eve", limit: 9).isEmpty)
        #expect(try await world.quick.checkIntegrity().faults == [])
    }

    @Test("A step reported as not written is not written later by a delayed call, and can be repeated")
    func lateStep() async throws {
        let world = try await NodePair(patience: .milliseconds(500))
        defer { world.close() }
        var batch = try Self.badge("badge", for: "anna")
        var generator = SystemRandomNumberGenerator()
        let step = StepID(using: &generator)
        batch.step = step
        let gate = world.hold(before: Self.facts)
        async let late = { [batch] () async -> VaultError? in
            do throws(VaultError) { _ = try await world.slow.commit(batch) } catch { return error }
            return nil
        }()
        try await world.held(gate)
        // Close the vault as if its process had died.
        world.slow.close()
        #expect(await late?.code == .inDoubt)
        #expect(try await !world.quick.wasWritten(step))
        world.proxy.decide { _ in .pass }
        gate.open()
        try await eventually("what was sent is carried out") {
            try await world.server.number(
                "SELECT count(*) FROM pg_stat_activity WHERE state <> 'idle' AND pid <> pg_backend_pid()",
                on: world.database) == 0
        }
        #expect(try await world.quick.events(after: .start, of: "anna", limit: 9).isEmpty)
        #expect(try await !world.quick.wasWritten(step))
        guard case .committed = try await world.quick.commit(batch) else { throw ServerFailure("a batch was refused") }
        #expect(try await world.quick.wasWritten(step))
        guard case .stale = try await world.quick.commit(batch) else {
            throw ServerFailure("a step was written twice")
        }
        #expect(try await world.quick.events(after: .start, of: "anna", limit: 9).count == 1)
        #expect(try await world.quick.checkIntegrity().faults == [])
    }

    @Test("A node that becomes silent in the middle of a step does not block others", .timeLimit(.minutes(20)))
    func silence() async throws {
        let world = try await NodePair(patience: .milliseconds(700))
        defer { world.close() }
        _ = try await world.quick.move(
            [.grant(1, of: "coins", to: "anna", because: "x", key: "first", at: .day(1))], policy: .debt)
        // After the server has answered the first round trip, it receives no further messages.
        let (gate, isAnswered) = (Gate(), Flag())
        world.proxy.decide { message in
            if message.completes("BEGIN") { isAnswered.set() }
            return message.direction == .toServer && isAnswered.isSet ? .wait(gate) : .pass
        }
        async let silent: VaultError? = {
            do throws(VaultError) {
                _ = try await world.slow.move(
                    [.grant(1, of: "coins", to: "anna", because: "x", key: "slow", at: .day(1))], policy: .debt)
                return nil
            } catch {
                return error
            }
        }()
        try await world.held(gate)
        let results = try await world.quick.move(
            [.grant(1, of: "coins", to: "anna", because: "x", key: "second", at: .day(1))], policy: .debt)
        #expect(try results.first?.get().balance == 2)
        gate.open()
        // Either the step failed, or it detected that nothing was written and ran a second time.
        let error = await silent
        #expect(try await world.quick.balances(of: "anna").map(\.amount) == [error == nil ? 3 : 2])
    }

    @Test("Calls to a closed vault throw `closed`")
    func closed() async throws {
        let world = try await NodePair()
        world.close()
        let error = await #expect(throws: VaultError.self) { try await world.slow.balances(of: "anna") }
        #expect(error?.code == .closed)
    }
}
