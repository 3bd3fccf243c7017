import Storekeeper
import StorekeeperPostgres
import StorekeeperSQLite
import StorekeeperTesting

/// Durable credits of many tasks to one vault in PostgreSQL, compared with a C program on libpq.
///
/// The program writes the same rows into the same tables, in equally large groups, on two connections with separate
/// customers, each group in one round trip: the fact, the transaction and its delivery, the binding, the entry, the
/// balance, the customer, and the group's places, checkpoint and step.
///
/// A credit depends on rows that other nodes may change, so a vault must lock and read before it writes, which takes
/// another round trip: the target is a part of the speed of the program that locks, looks up and hashes, too. That
/// program has its rows ready as bytes and knows what it will find; the vault builds them from facts, decides by the
/// rules, and shares two cores with the server, which uses as much time for its own part. Without locks, look-ups and
/// hashes, and row by row (each step as a separate transaction, without feed and chains), it is compared only.
struct PostgresCredits {
    private static let start = "bench_start"
    private static let bare = "bench_bare"
    private static let name = "bench"
    private static let rawName = "libpq in groups: locks, look-ups, writes"
    private static let writesName = "libpq in groups: writes alone"
    private static let rowByRowName = "libpq, row by row"
    private let server: PostgresServer
    private let sales: VaultSales
    private let raw: RawCredits

    /// Creates the databases with which each sample begins.
    init(on server: PostgresServer) async throws {
        self.server = server
        sales = try VaultSales()
        guard let transaction = sales.credits.first?.facts.first?.transaction else {
            throw BenchmarkError("a credit has no fact")
        }
        raw = RawCredits(payload: transaction.jsonRepresentation)
        try await makeStart(on: server)
    }

    /// Creates a vault with customers who have balances and purchases, with planner statistics.
    private func makeStart(on server: PostgresServer) async throws {
        let (start, bare) = (Self.start, Self.bare)
        try server.makeDatabase(start)
        let vault = try await PostgresVault(server.address(of: start))
        _ = try await vault.move(sales.grants, policy: .debt)
        vault.close()
        _ = try raw.write(
            6_000, group: 256, connections: 2, [.feed, .chains], to: server.address(of: start), seed: 8)
        try server.execute("VACUUM ANALYZE", in: start)
        try server.makeDatabase(bare, template: start)
        for table in ["fact", "ledger", "subject"] {
            try server.execute("ALTER TABLE storekeeper.\(table) DROP COLUMN link, DROP COLUMN hash", in: bare)
        }
        try server.execute("ALTER TABLE storekeeper.customer DROP COLUMN links, DROP COLUMN head", in: bare)
    }

    // MARK: Compared with libpq

    /// Credits by a number of concurrent writers.
    func beside(writers: Int) -> BenchmarkGroup {
        let count = writers < 1_000 ? 8_000 : 16_000
        return BenchmarkGroup(
            title:
                "Durable credits in PostgreSQL, \(FigureFormat.count(Double(writers))) writers (per write, time on the wall)",
            cases: [
                rawCase(Self.rawName, count, group: min(256, writers / 2), .necessary),
                rawCase(Self.writesName, count, group: min(256, writers / 2), [.feed, .standIns]),
                rawCase(Self.rowByRowName, 2_000, group: 1, connections: 16, [.rowByRow], from: Self.bare),
                vaultCase(
                    "vault", count, writers: writers,
                    targets: [
                        .speed(of: Self.rawName, atLeast: 0.35), .comparedSpeed(of: Self.writesName),
                        .comparedSpeed(of: Self.rowByRowName),
                    ]),
            ],
            rounds: 7)
    }

    /// The cost of ordered places, of linked rows, and of locks for concurrent writers.
    func costs() -> BenchmarkGroup {
        let bareName = "libpq, the rows alone"
        return BenchmarkGroup(
            title:
                "What feed, chains and locks cost in PostgreSQL, groups of 256 credits (per write, time on the wall)",
            cases: [
                rawCase(bareName, 16_000, group: 256, [], from: Self.bare),
                rawCase(
                    "libpq, with feed", 16_000, group: 256, [.feed], from: Self.bare,
                    targets: [.comparedTime(of: bareName)]),
                rawCase(
                    "libpq, with chains", 16_000, group: 256, [.chains], targets: [.comparedTime(of: bareName)]),
                rawCase(
                    "libpq, with locks", 16_000, group: 256, [.locks], from: Self.bare,
                    targets: [.comparedTime(of: bareName)]),
                rawCase(
                    "libpq, with all three", 16_000, group: 256, [.feed, .chains, .locks],
                    targets: [.comparedTime(of: bareName)]),
            ],
            rounds: 7)
    }

    private func rawCase(
        _ name: String, _ count: Int, group: Int, connections: Int = 2, _ extras: RawCredits.Extras,
        from template: String = Self.start, targets: [BenchmarkCase.Target] = []
    ) -> BenchmarkCase {
        .timed(name, operations: count, targets: targets) {
            try server.makeDatabase(Self.name, template: template)
            return try raw.write(
                count, group: group, connections: connections, extras, to: server.address(of: Self.name))
        }
    }

    private func vaultCase(
        _ name: String, _ count: Int, writers: Int, on other: PostgresServer? = nil,
        targets: [BenchmarkCase.Target] = [],
        before: @escaping () throws -> Void = {}
    ) -> BenchmarkCase {
        BenchmarkCase(name: name, operations: count, targets: targets) { [server, sales] calls in
            var seconds = 0.0
            for _ in 0..<calls {
                let server = other ?? server
                try server.makeDatabase(Self.name, template: Self.start)
                try before()
                let vault = try await PostgresVault(server.address(of: Self.name))
                defer { vault.close() }
                seconds += try await Self.write(sales.credits[..<count], to: vault, writers: writers)
            }
            return seconds
        }
    }

    private static func write(
        _ credits: ArraySlice<CommitBatch>, to vault: PostgresVault, writers: Int
    ) async throws -> Double {
        let start = Stopwatch.wallTime.seconds
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<writers {
                group.addTask {
                    for position in stride(from: writer, to: credits.count, by: writers) {
                        guard case .committed = try await vault.commit(credits[position]) else {
                            throw BenchmarkError("a credit was not written")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        return Stopwatch.wallTime.seconds - start
    }

    // MARK: Over a network

    /// The cost of waiting for a standby on this machine.
    func standby() async throws -> BenchmarkGroup {
        let pair = try PostgresPair()
        try await makeStart(on: pair.primary)
        let alone = "vault, no standby", behind = "vault, an asynchronous standby"
        return BenchmarkGroup(
            title: "Durable credits through a synchronous standby, 1,024 writers (per write, time on the wall)",
            cases: [
                vaultCase(alone, 16_000, writers: 1_024),
                vaultCase(
                    behind, 16_000, writers: 1_024,
                    on: pair.primary.asked("options=-c%20synchronous_commit%3Dlocal"),
                    targets: [.comparedTime(of: alone)], before: pair.awaitStandby),
                vaultCase(
                    "vault, a standby that has it on disk", 16_000, writers: 1_024, on: pair.primary,
                    targets: [.time(of: behind, atMost: 1.30), .comparedTime(of: alone)], before: pair.awaitStandby),
            ],
            rounds: 7)
    }

    /// Single steps over a network, as the median of a hundred.
    func network() async throws -> BenchmarkGroup {
        try server.makeDatabase(Self.name, template: Self.start)
        func step(
            _ name: String, _ server: PostgresServer, first: Int, targets: [BenchmarkCase.Target]
        ) async throws -> BenchmarkCase {
            let vault = try await PostgresVault(server.address(of: Self.name))
            let next = Counter(first)
            return BenchmarkCase(name: name, operations: 1, targets: targets) { [sales] calls in
                var samples: [Double] = []
                for _ in 0..<max(calls, 100) {
                    let start = Stopwatch.wallTime.seconds
                    _ = try await vault.commit(sales.credits[next.next()])
                    samples.append(Stopwatch.wallTime.seconds - start)
                }
                return samples.sorted()[samples.count / 2] * Double(calls)
            }
        }
        let delayed = try server.delayed(microseconds: 250)
        let rawName = "libpq, 0.5 ms of network there and back"
        return BenchmarkGroup(
            title: "One credit after the other in PostgreSQL (median, time on the wall)",
            cases: [
                // Two round trips, of which the second waits for the disk.
                .timed(rawName, operations: 100) {
                    try server.makeDatabase(Self.name + "_raw", template: Self.start)
                    return try raw.write(
                        100, group: 1, connections: 1, .necessary, to: delayed.address(of: Self.name + "_raw"))
                },
                try await step("on the same machine", server, first: 0, targets: []),
                // The time of the disk depends on the machine.
                try await step(
                    "0.5 ms of network, no disk waited for",
                    try server.asked("options=-c%20synchronous_commit%3Doff").delayed(microseconds: 250), first: 4_000,
                    targets: []),
                try await step(
                    "0.5 ms of network there and back", delayed, first: 8_000,
                    targets: [.time(of: rawName, atMost: 1.5)]),
            ],
            rounds: 7)
    }

    private final class Counter {
        private var value: Int
        init(_ value: Int) { self.value = value }
        func next() -> Int {
            defer { value += 1 }
            return value
        }
    }
}

/// Opening a known customer of a vault in PostgreSQL, compared with SQLite.
func postgresOpening(on server: PostgresServer) async throws -> BenchmarkGroup {
    try server.makeDatabase("bench_opening")
    let folder = try TemporaryFolder()
    let near = try SQLiteVault(path: folder.file("opening.sqlite"))
    let far = try await PostgresVault(server.address(of: "bench_opening"))
    let customer = try SampleCustomer(count: 1_000, chains: 4)
    let batch = CommitBatch(customer: "anna", at: .day(4_000), facts: customer.facts)
    for vault in [near, far] as [any Vault] {
        guard case .committed = try await vault.commit(batch) else { throw BenchmarkError("nothing was written") }
    }
    try server.execute("VACUUM ANALYZE", in: "bench_opening")
    return BenchmarkGroup(
        title: "Opening a customer with 1,000 facts, SQLite and PostgreSQL (time on the wall)",
        cases: [
            .parallel("SQLite, load", operations: 1) {
                blackHole(try await near.load("anna"))
                // The file exists as long as the folder.
                withExtendedLifetime(folder) {}
            },
            .parallel("PostgreSQL, load", operations: 1, targets: [.time(of: "SQLite, load", atMost: 4.5)]) {
                blackHole(try await far.load("anna"))
            },
        ])
}
