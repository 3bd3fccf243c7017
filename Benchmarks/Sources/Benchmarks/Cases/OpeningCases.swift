import Storekeeper
import StorekeeperPostgres
import StorekeeperSQLite
import StorekeeperTesting

/// Opening a known customer, compared with reading the rows of the facts by SQLite alone.
func openingCases(on server: PostgresServer?) async throws -> BenchmarkGroup {
    let folder = try TemporaryFolder()
    let facts = try SampleCustomer(count: 1_000).facts
    func write(_ vault: some TransactionalVault) async throws {
        let batch = CommitBatch(customer: "anna", at: .day(4_000), facts: facts)
        guard case .committed = try await vault.commit(batch) else { throw BenchmarkError("nothing was written") }
    }
    let vault = try SQLiteVault(path: folder.file("opening.sqlite"))
    try await write(vault)
    let raw = try RawVault(path: folder.file("opening.sqlite"), isReadOnly: true)
    let rawName = "SQLite alone, the rows of the facts", loadName = "SQLite, load"
    var cases = [
        BenchmarkCase(rawName, clock: .wallTime) {
            guard try raw.readFacts() == facts.count else { throw BenchmarkError("a row is missing") }
        },
        BenchmarkCase(loadName, .time(of: rawName), clock: .wallTime) { blackHole(try await vault.load("anna")) },
        BenchmarkCase("SQLite, load, merge and resolve", .time(of: rawName, atMost: 12), clock: .wallTime) {
            let facts = try await vault.facts(after: .start, of: "anna", limit: .max)
            var history = PurchaseHistory()
            history.merge(facts.compactMap { $0.fact.transaction.map(VerificationResult.verified) })
            for fact in facts {
                if let info = fact.fact.renewalInfo { history.merge(VerificationResult.verified(info)) }
            }
            blackHole(SampleShop.resolver.resolve(history))
            // The file exists as long as the folder.
            withExtendedLifetime(folder) {}
        },
    ]
    if let server {
        try server.makeDatabase("bench_opening")
        let far = try await PostgresVault(server.address(of: "bench_opening"))
        try await write(far)
        try server.execute("VACUUM ANALYZE", in: "bench_opening")
        cases.append(
            BenchmarkCase("PostgreSQL, load", .time(of: loadName, atMost: 4.5), clock: .wallTime) {
                blackHole(try await far.load("anna"))
            })
    }
    return BenchmarkGroup(title: "Opening a customer with 1,000 facts, not verified again (wall)", cases: cases)
}
