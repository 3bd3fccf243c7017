import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS
import StorekeeperPostgres
import StorekeeperSQLite

/// Notifications from a request body to a durable vault, 64 concurrently, compared with their verification alone.
///
/// A durable update of a store that is in memory takes about 1.5 times as long as three signatures (the group of the
/// pool in a file), so that 0.4 × the speed of verification is what the parts allow; the target leaves a sixth for the
/// rest.
///
/// PostgreSQL is another process, with two exchanges for each group of updates. The target was one half of a file's
/// speed until a file became half again as fast; the database's own times vary by a third, so that 0.4 is required.
struct NotificationCases {
    private static let count = 8_000
    private static let callers = 64
    private static let verifyName = "verification alone, all cores"
    private static let sqliteName = "into SQLite, FULL"
    private static let database = "bench_notifications"
    private static let start = "bench_notifications_start"
    private let folder: TemporaryFolder
    private let signed: SignedNotifications
    private let server: PostgresServer?

    init(on server: PostgresServer?) async throws {
        folder = try TemporaryFolder()
        signed = try SignedNotifications(count: Self.count)
        self.server = server
        guard let server else { return }
        try server.makeDatabase(Self.start)
        let vault = try await PostgresVault(server.address(of: Self.start))
        try await SignedNotifications.claim(in: vault)
        vault.close()
        try server.execute("VACUUM ANALYZE", in: Self.start)
    }

    func group() -> BenchmarkGroup {
        var cases = [
            BenchmarkCase(name: Self.verifyName, operations: Self.count, targets: []) { calls in
                var seconds = 0.0
                for _ in 0..<calls { seconds += try await verify() }
                return seconds
            },
            BenchmarkCase(
                name: Self.sqliteName, operations: Self.count,
                targets: [.speed(of: Self.verifyName, atLeast: 0.33)]
            ) { calls in
                var seconds = 0.0
                for _ in 0..<calls {
                    let vault = try await freshFile()
                    seconds += try await post(to: vault)
                    try vault.close()
                }
                return seconds
            },
        ]
        if let server {
            cases.append(
                BenchmarkCase(
                    name: "into PostgreSQL", operations: Self.count,
                    targets: [.speed(of: Self.sqliteName, atLeast: 0.4), .comparedSpeed(of: Self.verifyName)]
                ) { calls in
                    var seconds = 0.0
                    for _ in 0..<calls {
                        try server.makeDatabase(Self.database, template: Self.start)
                        let vault = try await PostgresVault(server.address(of: Self.database))
                        seconds += try await post(to: vault)
                        vault.close()
                    }
                    return seconds
                })
        }
        return BenchmarkGroup(
            title:
                "Notifications of renewals, three signatures each, 64 at a time (per notification, time on the wall)",
            cases: cases, rounds: 7)
    }

    /// Only the signatures and the decoding.
    private func verify() async throws -> Double {
        let verifier = signed.verifier
        return try await timed { [signed] position in
            guard case .notification(.verified) = verifier.verify(signed.payloads[position]) else {
                throw BenchmarkError("a good notification was refused")
            }
            for part in signed.parts[position] where VerifiedFact(part, verifiedBy: verifier) == nil {
                throw BenchmarkError("a good part of a notification was refused")
            }
        }
    }

    private func post(to vault: any Vault) async throws -> Double {
        let verifier = signed.verifier
        let pool = StorePool(
            configuration: .init(store: StoreConfiguration(catalog: SampleShop.catalog), readsHistories: false),
            vault: vault, verifier: verifier)
        let receiver = NotificationReceiver(verifier: verifier, pool: pool)
        let seconds = try await timed { [payloads = signed.payloads] position in
            let reply = await receiver.receive(Array(#"{"signedPayload":"\#(payloads[position])"}"#.utf8))
            guard reply.status == 200 else { throw BenchmarkError("a good notification was not taken in: \(reply)") }
        }
        let facts = try await vault.facts(after: .start, of: SignedNotifications.customer(0), limit: 100).count
        guard facts == 2 * Self.count / SignedNotifications.customers else {
            throw BenchmarkError("of a customer's facts \(facts) are there")
        }
        return seconds
    }

    /// Runs work for every position with a number of concurrent callers.
    private func timed(_ work: @escaping @Sendable (Int) async throws -> Void) async throws -> Double {
        let start = Stopwatch.wallTime.seconds
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<Self.callers {
                group.addTask {
                    for position in stride(from: caller, to: Self.count, by: Self.callers) { try await work(position) }
                }
            }
            try await group.waitForAll()
        }
        return Stopwatch.wallTime.seconds - start
    }

    private func freshFile() async throws -> SQLiteVault {
        let path = folder.file("notifications.sqlite")
        for end in ["", "-wal", "-shm"] { folder.remove("notifications.sqlite" + end) }
        let vault = try SQLiteVault(path: path, options: .init(creation: .new))
        try await SignedNotifications.claim(in: vault)
        return vault
    }
}
