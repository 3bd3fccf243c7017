import Storekeeper
import StorekeeperPostgres

/// Durable writes of 64 tasks to one vault in PostgreSQL, compared with SQL that a server would write, run by pgbench.
///
/// The SQL has separate tables, without the vault's feed, chains of hashes and look-ups. In a transaction each, its 64
/// clients are what a server would do; a statement with the rows of many writes shows what the database can do at most.
func postgresCases(on server: PostgresServer) async throws -> BenchmarkGroup {
    let count = 8_000
    let sales = try SampleSales()
    let size = sales.credits.first?.facts.first?.transaction?.jsonRepresentation.count ?? 0
    let (start, name) = ("bench_start", "bench")
    // Customers with balances and purchases, and statistics for the planner.
    try server.makeDatabase(start)
    let first = try await PostgresVault(server.address(of: start))
    _ = try await first.move(sales.grants, policy: .debt)
    _ = try await sales.credit(count..<count + 4_000, in: first)
    first.close()
    try server.execute("VACUUM ANALYZE", in: start)

    func alone(_ name: String, clients: Int, rows: Int, _ script: String) -> BenchmarkCase {
        .timed(name, operations: count) {
            try server.makeDatabase("bench_alone")
            try server.execute(PlainSQL.schema, in: "bench_alone")
            return try server.pgbench(script, in: "bench_alone", clients: clients, transactions: count / rows)
        }
    }
    let single = "SQL, a transaction each", many = "SQL, 80 in a statement"
    func vault(_ kind: String, write: @escaping (PostgresVault) async throws -> Double) -> BenchmarkCase {
        .timed(
            "a vault, \(kind)", operations: count, .speed(of: "\(single), \(kind)"), .speed(of: "\(many), \(kind)")
        ) {
            try server.makeDatabase(name, template: start)
            let vault = try await PostgresVault(server.address(of: name))
            defer { vault.close() }
            return try await write(vault)
        }
    }
    return BenchmarkGroup(
        title: "Durable writes to PostgreSQL, 64 writers (per write, wall)", rounds: 7,
        cases: [
            alone("\(single), credits", clients: 64, rows: 1, PlainSQL.credit(payload: size)),
            alone("\(many), credits", clients: 2, rows: 80, PlainSQL.credits(80, payload: size)),
            vault("credits") { try await sales.credit(0..<count, in: $0) },
            alone("\(single), spends", clients: 64, rows: 1, PlainSQL.spend),
            alone("\(many), spends", clients: 2, rows: 80, PlainSQL.spends(80)),
            vault("spends") { try await sales.spend(0..<count, in: $0) },
        ])
}

/// Purchases and spends as a server without Storekeeper would write them.
private enum PlainSQL {
    static let schema = """
        CREATE TABLE purchase(transaction_id text PRIMARY KEY, customer text NOT NULL, payload bytea NOT NULL);
        CREATE TABLE entry(customer text, key text, amount bigint NOT NULL, at timestamptz DEFAULT now(),
          PRIMARY KEY (customer, key));
        CREATE TABLE balance(customer text PRIMARY KEY, coins bigint NOT NULL);
        INSERT INTO balance SELECT 'customer-' || n, 100000 FROM generate_series(0, 999) n;
        """

    static func credit(payload size: Int) -> String {
        """
        \\set n :n + 1
        \\set customer random(0, 999)
        BEGIN;
        INSERT INTO purchase VALUES(:client_id || '-' || :n, 'customer-' || :customer, \(payload(size)));
        INSERT INTO entry VALUES('customer-' || :customer, :client_id || '-' || :n, 500);
        UPDATE balance SET coins = coins + 500 WHERE customer = 'customer-' || :customer;
        COMMIT;
        """
    }

    static let spend = """
        \\set n :n + 1
        \\set customer random(0, 999)
        BEGIN;
        INSERT INTO entry VALUES('customer-' || :customer, :client_id || '-' || :n, -1);
        UPDATE balance SET coins = coins - 1 WHERE customer = 'customer-' || :customer AND coins >= 1;
        COMMIT;
        """

    /// Purchases of several customers; each client has its own, so that none waits for another.
    static func credits(_ count: Int, payload size: Int) -> String {
        """
        \\set n :n + \(count)
        WITH bought AS (
          INSERT INTO purchase
          SELECT :client_id || '-' || (:n + i), 'customer-' || (:client_id * 500 + i), \(payload(size))
          FROM generate_series(1, \(count)) i),
        noted AS (
          INSERT INTO entry SELECT 'customer-' || (:client_id * 500 + i), :client_id || '-' || (:n + i), 500
          FROM generate_series(1, \(count)) i)
        UPDATE balance SET coins = coins + 500
        WHERE customer IN (SELECT 'customer-' || (:client_id * 500 + i) FROM generate_series(1, \(count)) i);
        """
    }

    static func spends(_ count: Int) -> String {
        """
        \\set n :n + \(count)
        WITH noted AS (
          INSERT INTO entry SELECT 'customer-' || (:client_id * 500 + i), :client_id || '-' || (:n + i), -1
          FROM generate_series(1, \(count)) i)
        UPDATE balance SET coins = coins - 1 WHERE coins >= 1
          AND customer IN (SELECT 'customer-' || (:client_id * 500 + i) FROM generate_series(1, \(count)) i);
        """
    }

    private static func payload(_ size: Int) -> String { "convert_to(repeat('x', \(size)), 'UTF8')" }
}
