import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS
import StorekeeperPostgres
import StorekeeperSQLite

/// Notifications from a request body to a durable vault, 64 at a time, compared with their verification alone.
///
/// A durable update of a store that is in memory takes about 1.5 times as long as three signatures, so that 0.4 × the
/// speed of verification is what the parts allow; the target leaves a sixth for the rest. PostgreSQL is another process,
/// with two exchanges for each group of updates, and its own times vary by a third.
func notificationCases(on server: PostgresServer?) async throws -> BenchmarkGroup {
    let count = 8_000
    let folder = try TemporaryFolder()
    let signed = try SignedNotifications(count: count)
    let verifier = signed.verifier

    func post(to vault: some TransactionalVault) async throws -> Double {
        let pool = StorePool(
            configuration: .init(store: StoreConfiguration(catalog: SampleShop.catalog), readsHistories: false),
            vault: vault, verifier: verifier)
        let receiver = NotificationReceiver(verifier: verifier, pool: pool)
        let seconds = try await concurrently(count) { position in
            let reply = await receiver.receive(Array(#"{"signedPayload":"\#(signed.payloads[position])"}"#.utf8))
            guard reply.status == 200 else { throw BenchmarkError("a good notification was not taken in: \(reply)") }
        }
        let facts = try await vault.facts(after: .start, of: SignedNotifications.customer(0), limit: 100).count
        // A transaction, a renewal info, and the notification with the App Store's state of the subscription.
        guard facts == 3 * count / SignedNotifications.customers else {
            throw BenchmarkError("of a customer's facts \(facts) are there")
        }
        return seconds
    }
    let verifyName = "verification alone, all cores", sqliteName = "into SQLite, FULL"
    var cases: [BenchmarkCase] = [
        .timed(verifyName, operations: count) {
            try await concurrently(count) { position in
                guard case .notification(.verified) = verifier.verify(signed.payloads[position]),
                    signed.parts[position].allSatisfy({ VerifiedFact($0, verifiedBy: verifier) != nil })
                else { throw BenchmarkError("a good notification was refused") }
            }
        },
        .timed(sqliteName, operations: count, .speed(of: verifyName, atLeast: 0.33)) {
            let vault = try SQLiteVault(path: try folder.freshDatabase(), options: .init(creation: .new))
            try await SignedNotifications.claim(in: vault)
            let seconds = try await post(to: vault)
            try vault.close()
            return seconds
        },
    ]
    if let server {
        let (start, name) = ("bench_notifications_start", "bench_notifications")
        try server.makeDatabase(start)
        let vault = try await PostgresVault(server.address(of: start))
        try await SignedNotifications.claim(in: vault)
        vault.close()
        try server.execute("VACUUM ANALYZE", in: start)
        cases.append(
            .timed("into PostgreSQL", operations: count, .speed(of: sqliteName, atLeast: 0.4)) {
                try server.makeDatabase(name, template: start)
                let vault = try await PostgresVault(server.address(of: name))
                defer { vault.close() }
                return try await post(to: vault)
            })
    }
    return BenchmarkGroup(
        title: "Notifications of renewals, three signatures each, 64 at a time (per notification, wall)", rounds: 7,
        cases: cases)
}
