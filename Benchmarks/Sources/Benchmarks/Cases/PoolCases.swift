import Storekeeper
import StorekeeperSQLite
import StorekeeperTesting

/// A pool of many customers in memory.
func poolCases(players: Int) async throws -> BenchmarkGroup {
    let before = try ResidentMemory.bytes()
    let crowd = try await ManyCustomers(players: players, vault: InMemoryVault())
    let memory = (try ResidentMemory.bytes() - before) / Double(players)
    return BenchmarkGroup(
        title: "A pool of \(FigureFormat.count(Double(players))) customers, vault in memory",
        cases: [.memory("memory of a customer in the vault", bytes: memory)] + (try await crowd.cases()), rounds: 9)
}

/// A pool of many customers in a file.
func durablePoolCases(players: Int) async throws -> BenchmarkGroup {
    let folder = try TemporaryFolder()
    let path = folder.file("players.sqlite")
    for ending in ["-wal", "-shm"] { _ = folder.file("players.sqlite" + ending) }
    let crowd = try await ManyCustomers(players: players, vault: SQLiteVault(path: path), folder: folder)
    return BenchmarkGroup(
        title: "A pool of \(FigureFormat.count(Double(players))) customers, vault in a file at FULL",
        cases: try await crowd.cases(), rounds: 5)
}

/// Many customers in one vault.
private final class ManyCustomers {
    /// The capacity of the small pool.
    private static let few = 1_000
    private static let tasks = 64
    private static let operations = 2_000

    private let players: Int
    private let vault: any Vault
    /// Kept for as long as the vault.
    private let folder: TemporaryFolder?
    private var turn = 0

    /// Writes the initial facts of all customers.
    init(players: Int, vault: any Vault, folder: TemporaryFolder? = nil) async throws {
        (self.players, self.vault, self.folder) = (players, vault, folder)
        let pool = makePool(capacity: Self.few)
        for start in stride(from: 0, to: players, by: Self.operations) {
            let end = min(start + Self.operations, players)
            try await receive((start..<end).map(SamplePlayers.beginning), by: pool)
        }
        guard try await pool.snapshot(of: SamplePlayers.customer(players - 1)).balance(of: "coins").amount > 0 else {
            throw BenchmarkError("the last player has nothing")
        }
    }

    func cases() async throws -> [BenchmarkCase] {
        let empty = try ResidentMemory.bytes()
        let small = makePool(capacity: Self.few)
        try await openAll(in: small)
        let few = try ResidentMemory.bytes()
        let large = makePool(capacity: players)
        try await openAll(in: large)
        let all = try ResidentMemory.bytes()
        let held = min(Self.few, players)
        return [
            .memory("memory of the whole pool, \(FigureFormat.count(Double(held))) stores in it", bytes: few - empty),
            .memory("memory of a store, all of them in it", bytes: (all - few) / Double(players)),
            updates("an update, 64 tasks, store in memory", of: large, clock: .processTime),
            updates("an update, 64 tasks, store in memory (wall)", of: large, clock: .wallTime),
            updates("an update, 64 tasks, store to be opened", of: small, clock: .processTime),
            opening("opening a store of \(SamplePlayers.facts) facts", in: small),
        ]
    }

    private func updates(_ name: String, of pool: StorePool, clock: Stopwatch) -> BenchmarkCase {
        BenchmarkCase(name: name, operations: Self.operations, targets: []) { [self] calls in
            var seconds = 0.0
            for _ in 0..<calls {
                let updates = (0..<Self.operations).map { _ in SamplePlayers.update(of: nextPlayer(), number: turn) }
                let start = clock.seconds
                try await receive(updates, by: pool)
                seconds += clock.seconds - start
            }
            return seconds
        }
    }

    private func opening(_ name: String, in pool: StorePool) -> BenchmarkCase {
        .parallel(name, operations: 100, clock: .processTime) { [self] in
            for _ in 0..<100 {
                let customer = SamplePlayers.customer(nextPlayer())
                blackHole(try await pool.lease(customer).store.snapshot.balances.count)
            }
        }
    }

    /// All players in turn, with the longest possible interval between two uses of one.
    private func nextPlayer() -> Int {
        turn += 1
        return turn * 7 % players
    }

    private func receive(_ updates: [TransactionUpdate], by pool: StorePool) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<Self.tasks {
                group.addTask {
                    for place in stride(from: task, to: updates.count, by: Self.tasks) {
                        try await pool.receive(updates[place])
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private func openAll(in pool: StorePool) async throws {
        for player in 0..<players { _ = try await pool.lease(SamplePlayers.customer(player)) }
    }

    private func makePool(capacity: Int) -> StorePool {
        var configuration = StorePool.Configuration(capacity: capacity)
        configuration.store.catalog = SampleShop.catalog
        return StorePool(configuration: configuration, vault: vault, verifier: DraftVerifier())
    }
}
