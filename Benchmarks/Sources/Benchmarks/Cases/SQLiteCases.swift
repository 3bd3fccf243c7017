import Storekeeper
import StorekeeperSQLite

/// Durable writes of 64 tasks to one vault, compared with SQLite alone.
///
/// SQLite alone writes the same rows into the same tables with the same settings over one connection, bound by its C
/// interface, in transactions of 64 steps. A step of the vault changes threads twice, to the queue that owns the
/// connection and back, and is a value with its result: the targets leave two fifths for that.
func sqliteCases() throws -> BenchmarkGroup {
    let folder = try TemporaryFolder()
    let sales = try SampleSales()
    // Enough to restart the log several times: while its file grows, each sync also writes the file's length.
    let count = SampleSales.count

    /// Returns the path of a closed vault with customers who have a balance.
    func freshVault() async throws -> String {
        let path = try folder.freshDatabase()
        let vault = try SQLiteVault(path: path, options: .init(synchronous: .full, creation: .new))
        _ = try await vault.move(sales.grants, policy: .debt)
        try vault.close()
        return path
    }
    func alone(
        _ name: String, _ write: @escaping (RawVault, ArraySlice<RawVault.Sale>) throws -> Void
    ) -> BenchmarkCase {
        .timed(name, operations: count) {
            let alone = try RawVault(path: try await freshVault())
            let start = Stopwatch.wallTime.seconds
            try write(alone, sales.rows[...])
            return Stopwatch.wallTime.seconds - start
        }
    }
    func vault(
        _ name: String, _ other: String, _ write: @escaping (SQLiteVault) async throws -> Double
    ) -> BenchmarkCase {
        .timed(name, operations: count, .speed(of: other, atLeast: 0.60)) {
            let vault = try SQLiteVault(path: try await freshVault(), options: .init(synchronous: .full))
            let seconds = try await write(vault)
            try vault.close()
            return seconds
        }
    }
    return BenchmarkGroup(
        title: "Durable writes to SQLite at FULL, 64 writers (per write, wall)", rounds: 11,
        cases: [
            alone("SQLite alone, credits") { try $0.credit($1, batch: 64) },
            vault("a vault, credits", "SQLite alone, credits") { try await sales.credit(0..<count, in: $0) },
            alone("SQLite alone, spends") { try $0.spend($1, batch: 64) },
            vault("a vault, spends", "SQLite alone, spends") { try await sales.spend(0..<count, in: $0) },
        ])
}
