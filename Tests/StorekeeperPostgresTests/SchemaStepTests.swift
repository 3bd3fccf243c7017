import Storekeeper
import StorekeeperTesting
import Synchronization
import Testing

@testable import StorekeeperPostgres

/// Tests with invented later releases.
///
/// The second schema adds columns, and the third schema drops a column of the first schema.
@Suite(
    "A new schema with nodes of the previous release", .system,
    .enabled(if: TestDatabase.server != nil, "STOREKEEPER_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct SchemaStepTests {
    private static let expanding = SchemaStep(
        [
            "ALTER TABLE storekeeper.ledger ADD COLUMN note text",
            "ALTER TABLE storekeeper.customer ADD COLUMN tier bigint NOT NULL DEFAULT 0",
            "ALTER TABLE storekeeper.feed ADD COLUMN shard bigint NOT NULL DEFAULT 0",
            "ALTER TABLE storekeeper.fact ADD COLUMN seen bigint",
            "ALTER TABLE storekeeper.step ADD COLUMN node text",
            "CREATE TABLE storekeeper.extra(id integer PRIMARY KEY)",
            "CREATE INDEX ledger_at ON storekeeper.ledger(at)",
        ], oldest: Schema.version)
    private static let contracting = SchemaStep(
        ["ALTER TABLE storekeeper.ledger DROP COLUMN product"], oldest: Schema.version + 2)

    private let database: String
    private let pool: ConnectionPool

    init() async throws {
        database = try await TestDatabase.make()
        pool = ConnectionPool(try ConnectionSettings(database), size: 1)
    }

    /// Returns the schema creator of a release with further schema steps.
    private func maker(_ more: SchemaStep..., limit: Duration = .seconds(60)) -> SchemaCreator {
        SchemaCreator(
            pool: pool, steps: Schema.steps + more, limit: limit, lockPatience: .milliseconds(100))
    }

    private func node() async throws -> PostgresVault {
        try await PostgresVault(database, options: .init(connections: 2, makesSchema: false))
    }

    /// Returns the code of the error that the work throws.
    private func code(_ work: () async throws -> Void) async -> VaultError.Code? {
        do {
            try await work()
            return nil
        } catch {
            return (error as? VaultError)?.code
        }
    }

    private func batch(_ number: Int) throws -> CommitBatch {
        let purchase = TransactionDraft.purchase(
            of: TestShop.coins, at: .day(1), id: Transaction.ID(rawValue: "\(number)"))
        return CommitBatch(
            customer: "anna", at: .day(1), facts: [try purchase.verifiedFact()],
            rule: LedgerRule(catalog: TestShop.catalog))
    }

    @Test("Nodes of the previous release work during and after a step that adds, and not after one that removes")
    func rolling() async throws {
        defer { pool.close() }
        #expect(try await maker().make() == nil)
        let old = try await node()
        defer { old.close() }
        _ = try await old.commit(try batch(0))
        let isMade = Atomic<Bool>(false), isSeen = Atomic<Int>(0)
        let (database, before) = (database, Int64(Schema.version))
        async let written = { () async throws -> Int in
            var number = 0
            // The loop continues for a while after the schema was made.
            while isSeen.load(ordering: .relaxed) < 20 {
                number += 1
                _ = try await old.commit(try batch(number))
                _ = try await old.move(
                    [.spend(1, of: "coins", by: "anna", key: "\(number)", at: .day(2))], policy: .debt)
                if isMade.load(ordering: .acquiring) { isSeen.add(1, ordering: .relaxed) }
            }
            return number
        }()
        #expect(try await maker(Self.expanding).make() == before)
        isMade.store(true, ordering: .releasing)
        let count = Int64(try await written)
        #expect(try await old.balances(of: "anna").first?.amount == (count + 1) * 500 - count)
        #expect(try await old.checkIntegrity().faults == [])

        // The previous release can still be started, and does not change the newer schema.
        #expect(try await maker().make() == before + 1)
        let other = try await node()
        defer { other.close() }
        _ = try await other.commit(try batch(Int(count) + 1))
        #expect(try await maker(Self.expanding).state() == SchemaState(version: before + 1, oldest: before))
        // A later release refuses the schema until its own step was made.
        let newer = maker(Self.expanding, Self.contracting)
        #expect(await code { try newer.check(try await newer.state()) } == .schemaTooOld)

        #expect(try await newer.make() == before + 1)
        try newer.check(try await newer.state())
        #expect(await code { try await PostgresVault(database).close() } == .schemaTooNew)
        #expect(await code { _ = try await node() } == .schemaTooNew)
        #expect(await code { try await maker(Self.expanding).make() } == .schemaTooNew)
        // A node of the old release that was not stopped fails, and writes nothing.
        #expect(await code { _ = try await old.commit(try batch(Int(count) + 2)) } == .schemaTooNew)
        #expect(
            try await TestDatabase.text("SELECT count(*)::text FROM storekeeper.fact", in: database) == "\(count + 2)")
    }

    @Test("Several schema steps are made in one transaction: if the last fails, none is made")
    func whole() async throws {
        defer { pool.close() }
        try await maker().make()
        let failing = SchemaStep(["SELECT public.nothing()"], oldest: Schema.version)
        #expect(await code { try await maker(Self.expanding, failing).make() } == .io)
        #expect(try await maker().state()?.version == Int64(Schema.version))
        #expect(
            try await TestDatabase.text("SELECT (to_regclass('storekeeper.extra') IS NULL)::text", in: database)
                == "true")
    }

    @Test(
        "A schema maker that loses a lock or a catalog row to another retries",
        arguments: [("40001", 3), ("40P01", 3), ("55P03", 7), ("23505", 3), ("42P06", 3)])
    func overtaken(_ state: String, _ tries: Int) async throws {
        defer { pool.close() }
        try await TestDatabase.run("CREATE SEQUENCE public.tries", in: database)
        let late = SchemaStep(
            [
                """
                DO $$BEGIN
                  IF nextval('public.tries') < \(tries) THEN RAISE EXCEPTION 'others' USING ERRCODE = '\(state)'; END IF;
                END$$
                """
            ], oldest: Schema.version)
        #expect(try await maker(late).make() == nil)
        #expect(try await TestDatabase.text("SELECT last_value::text FROM public.tries", in: database) == "\(tries)")
    }

    @Test("A schema maker that always loses gives up, after fewer tries if the step itself may be the cause")
    func patience() async throws {
        defer { pool.close() }
        try await maker().make()
        let (twice, start) = (
            SchemaStep(["INSERT INTO storekeeper.feed VALUES(1, 1)"], oldest: 1), ContinuousClock.now
        )
        #expect(await code { try await maker(twice).make() } == .locked)
        #expect(ContinuousClock.now - start < .seconds(30))
        // A reader leaves its transaction open.
        let reader = ConnectionPool(try ConnectionSettings(database), size: 1)
        defer { reader.close() }
        let connection = try await reader.acquire()
        _ = try await connection.run { connection throws(PostgresFailure) in
            _ = try connection.run(
                [Call(.begin), Call(Statement("SELECT count(*) FROM storekeeper.ledger"))], within: .seconds(30))
        }
        #expect(await code { try await maker(Self.expanding, limit: .milliseconds(600)).make() } == .locked)
        // While the creator waits for its lock, other nodes wait only for a moment.
        let vault = try await node()
        defer { vault.close() }
        async let made = maker(Self.expanding).make()
        for number in 0..<5 { _ = try await vault.commit(try batch(number)) }
        try await connection.proceed { connection throws(PostgresFailure) in
            _ = try connection.run(.rollback, within: .seconds(30))
        }
        #expect(try await made == Int64(Schema.version))
        reader.release(connection)
    }
}
