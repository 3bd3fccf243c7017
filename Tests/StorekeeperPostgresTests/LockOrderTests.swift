import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperPostgres

/// Tests that all steps lock customers in the same order, so that two steps about the same customers wait for each
/// other and never deadlock.
@Suite(
    "The order of locks", .enabled(if: TestDatabase.server != nil, "STOREKEEPER_POSTGRES is not set"), .system,
    .timeLimit(.minutes(5)))
struct LockOrderTests {
    private static let limit = Duration.seconds(30)
    private static let waits = Statement(
        "SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
    private static let tryLock = Statement(
        "SELECT count(*) FROM (SELECT id FROM storekeeper.customer WHERE id = $1 FOR UPDATE SKIP LOCKED) AS got")

    @Test("Customers are locked in the order of their keys, not of the request")
    func sortedChains() async throws {
        let database = try await TestDatabase.make()
        let vault = try await PostgresVault(database)
        defer { vault.close() }
        for customer in ["anna", "ben"] as [CustomerID] {
            _ = try await vault.move(
                [.grant(1, of: "coins", to: customer, because: "a gift", key: "g", at: .day(1))], policy: .debt)
        }
        let ids = [RowID.of("anna" as CustomerID), RowID.of("ben" as CustomerID)]
            .sorted { $0.lexicographicallyPrecedes($1) }
        let pools = try (0..<3).map { _ in ConnectionPool(try ConnectionSettings(database), size: 1) }
        defer { for pool in pools { pool.close() } }
        let holder = try await pools[0].acquire()
        _ = try await holder.run { connection throws(PostgresFailure) in
            _ = try connection.run(
                [Call(.begin), Call(LoadStatements.lockCustomers, [.bytes([ids[0]])])], within: Self.limit)
        }
        // The call names the customers in the opposite order of the locks.
        let waiter = try await pools[1].acquire()
        async let waited: Void = waiter.run { connection throws(PostgresFailure) in
            _ = try connection.run(
                [Call(.begin), Call(LoadStatements.lockCustomers, [.bytes([ids[1], ids[0]])]), Call(.rollback)],
                within: Self.limit)
        }
        try await eventually("the second waits") {
            try await pools[2].run { connection throws(PostgresFailure) in
                try connection.run(Self.waits, within: Self.limit).first { row throws(PostgresFailure) in
                    try row.bool()
                }
            } == true
        }
        // The waiter waits for the first key, and has not locked the second key.
        let free = try await pools[2].run { connection throws(PostgresFailure) in
            try connection.run(Self.tryLock, [.bytes(ids[1])], within: Self.limit).first {
                row throws(PostgresFailure) in
                try row.int()
            }
        }
        #expect(free == 1)
        try await holder.proceed { connection throws(PostgresFailure) in
            _ = try connection.run(.rollback, within: Self.limit)
        }
        try await waited
        pools[0].release(holder)
        pools[1].release(waiter)
    }
}

/// Tests of the errors of a server that refuses connections.
@Suite(.system) struct RefusalWordsTests {
    @Test(
        "A wrong user, password or database counts as refused",
        arguments: [
            "FATAL:  password authentication failed for user \"game\"", "fe_sendauth: no password supplied",
            "FATAL:  no pg_hba.conf entry for host \"10.0.0.1\", user \"game\"", "FATAL:  role \"game\" does not exist",
            "FATAL:  database \"game\" does not exist", "FATAL:  Peer authentication failed for user \"game\"",
            "FATAL:  role \"game\" is not permitted to log in", "FATAL:  database \"certificates\" does not exist",
        ])
    func refused(_ words: String) {
        #expect(Connection.kind(ofRefusal: "connection to server at \"db\" failed: \(words)") == .refused)
    }

    @Test(
        "A certificate or a server without TLS does not count as a wrong password",
        arguments: [
            "SSL error: certificate verify failed", "server does not support SSL, but SSL was required",
            "root certificate file \"/root/.postgresql/root.crt\" does not exist",
            "server certificate for \"db.example.com\" does not match host name \"db\"",
            "SSL error: tlsv1 alert unknown ca", "SSL error: ssl/tls alert handshake failure",
            "SSL error: wrong version number",
            "could not load private key file \"client.key\": no such file or directory",
        ])
    func insecure(_ words: String) {
        let kind = Connection.kind(ofRefusal: "connection to server at \"db\" failed: \(words)")
        #expect(kind == .insecure)
        let message = PostgresFailure(kind, words).vaultError.message
        #expect(message.contains("TLS") && message.contains("sslmode") && !message.contains("password"), "\(message)")
    }

    @Test(
        "A server that ends, starts or has no free connection counts as unreachable",
        arguments: [
            "FATAL:  terminating connection due to unexpected postmaster exit",
            "FATAL:  terminating connection due to administrator command",
            "FATAL:  terminating connection because of crash of another server process",
            "FATAL:  the database system is starting up", "FATAL:  the database system is shutting down",
            "FATAL:  the database system is in recovery mode", "FATAL:  sorry, too many clients already",
            "FATAL:  canceling authentication due to timeout", "server closed the connection unexpectedly",
            "could not connect to server: Connection refused", "SSL SYSCALL error: EOF detected",
            "could not translate host name \"tlsv1 alert\" to address: Name or service not known",
        ])
    func unreachable(_ words: String) {
        for host in ["db", "alert.example.com", "certificate.example.com"] {
            #expect(Connection.kind(ofRefusal: "connection to server at \"\(host)\" failed: \(words)") == .unreachable)
        }
    }

    @Test(
        "SQL states of lost connections count as lost, those of class 28 as refused",
        arguments: [
            ("08000", .lost), ("08006", .lost), ("57P01", .lost), ("57P02", .lost), ("57P03", .lost),
            ("28000", .refused),
            ("28P01", .refused), ("3D000", .refused), ("42P01", .rejected),
        ] as [(String, PostgresFailure.Kind)])
    func codes(_ state: String, _ kind: PostgresFailure.Kind) {
        #expect(PostgresFailure(sqlState: state, message: "words", constraint: nil).kind == kind)
    }
}
