import Foundation
import Storekeeper
import StorekeeperJWS
import StorekeeperSQLite

/// A game of a thousand players: sixty times a second it checks what each player may do, while the App Store reports
/// purchases and players spend coins.
///
///     swift run -c release GameServer [SECONDS]
@main
struct GameServer {
    static func main() async throws {
        let seconds = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 5
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("game-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }

        // A simulated App Store replaces Apple's: it signs with a local authority, which the verifier trusts.
        let shop = Shop()
        let appStore = try FakeAppStore(shop: shop)
        let verifier = JWSVerifier(.init(roots: [appStore.root], bundleID: shop.bundleID))
        let vault = try SQLiteVault(path: folder.appendingPathComponent("players.sqlite").path)
        var configuration = StorePool.Configuration()
        configuration.store.catalog = shop.catalog
        let pool = StorePool(
            configuration: configuration, vault: vault, verifier: verifier, backend: appStore,
            deliver: { _ in /* The ledger counts the coins; there is nothing else to hand out. */ })

        let players = (0..<1_000).map { CustomerID(rawValue: "player-\($0)") }
        var connections: [Connection] = []
        for player in players { connections.append(Connection(try await pool.lease(player))) }

        let measured = try await withThrowingTaskGroup(of: Measured?.self) { group in
            group.addTask {
                try await pool.run()
                return nil
            }
            group.addTask {
                try await appStore.sellToEverybody(players)
                return nil
            }
            let online = connections
            group.addTask { try await playGame(online, seconds: seconds) }
            var measured: Measured?
            while measured == nil { measured = try await group.next() ?? nil }
            group.cancelAll()
            return measured
        }
        guard let measured else { return }
        let report = try await VaultAudit(vault: vault, verifier: verifier).run()
        print(measured.text(players: players.count, purchases: appStore.sold))
        print(
            "The vault afterwards: \(report.signatures) signatures, \(report.sums) sums and \(report.links) links"
                + " checked, \(report.faults.count) faults.")
        if !report.faults.isEmpty || measured.spent == 0 || measured.yes == 0 { exit(1) }
    }
}

/// A player who is online: their store is in memory.
final class Connection: Sendable {
    private let lease: StorePool.Lease

    init(_ lease: consuming StorePool.Lease) { self.lease = lease }

    var store: Store { lease.store }
}

/// What the game saw.
struct Measured: Sendable {
    var ticks: [Duration] = []
    var questions = 0
    var yes = 0
    var spent = 0
    var refused = 0
    /// The duration of a spend, from the request until it is on disk.
    var spending: [Duration] = []

    func text(players: Int, purchases: Int) -> String {
        func milliseconds(_ durations: [Duration], _ share: Double) -> String {
            guard !durations.isEmpty else { return "–" }
            let sorted = durations.sorted()
            let duration = sorted[min(Int(Double(sorted.count) * share), sorted.count - 1)]
            return String(format: "%.3f ms", Double(duration.components.attoseconds) / 1e15)
        }
        return """
            \(players) players, \(ticks.count) ticks, \(purchases) purchases by the App Store meanwhile.
            A tick asks \(questions / max(ticks.count, 1)) questions and takes \(milliseconds(ticks, 0.5)), \
            at most \(milliseconds(ticks, 1)); there are 16.667 ms for it.
            \(yes) of \(questions) questions were answered with yes.
            \(spent) spendings, each on disk after \(milliseconds(spending, 0.5)), at most \
            \(milliseconds(spending, 1)); \(refused) were refused because there was not enough.
            """
    }
}

/// Sixty ticks a second: what may each player, and a few of them spend.
private func playGame(_ online: [Connection], seconds: Int) async throws -> Measured {
    var measured = Measured()
    let clock = ContinuousClock()
    let start = clock.now
    try await withThrowingTaskGroup(of: (Duration, Bool).self) { group in
        for tick in 1...max(seconds * 60, 1) {
            let begun = clock.now
            let now = WallClock().now
            for connection in online {
                let snapshot = connection.store.snapshot
                if snapshot.hasFeature("double-experience", at: now) { measured.yes += 1 }
                if snapshot.isEntitled("gold.monthly", at: now) { measured.yes += 1 }
                measured.questions += 2
            }
            measured.ticks.append(clock.now - begun)
            for number in 0..<3 {
                let store = online[(tick * 31 + number * 337) % online.count].store
                group.addTask {
                    let begun = clock.now
                    do {
                        try await store.spend(30, of: "coins", key: "tick-\(tick)-\(number)")
                        return (clock.now - begun, true)
                    } catch is LedgerRefusal {
                        return (clock.now - begun, false)
                    }
                }
            }
            try await clock.sleep(until: start + .seconds(tick) / 60)
        }
        for try await (duration, isDone) in group {
            measured.spending.append(duration)
            if isDone { measured.spent += 1 } else { measured.refused += 1 }
        }
    }
    return measured
}
