import Foundation
import Storekeeper
import StorekeeperPostgres
import StorekeeperTesting
import Synchronization

/// Carries out random commands, several at a time, and records the answers.
struct CommandRunner {
    private let fleet: FleetVault<PostgresVault>
    private let journal: Journal
    private let node: Int
    private let count: Int
    private let begun = Counter()

    /// The number of commands that run at the same time.
    private static let lanes = 6

    init(_ vault: PostgresVault, _ journal: Journal, node: Int, count: Int) throws {
        fleet = try FleetVault(vault)
        self.journal = journal
        self.node = node
        self.count = count
    }

    func run(seed: UInt64) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<Self.lanes {
                let start = SplitMix64(seed: seed &* 1_000 &+ UInt64(node * 100 + lane))
                group.addTask { try await run(start) }
            }
            try await group.waitForAll()
        }
    }

    private func run(_ start: SplitMix64) async throws {
        var random = start
        while true {
            let number = begun.next()
            guard number <= count else { return }
            guard let command = try await command(&random, "\(node)-\(number)") else { continue }
            let begin = Self.now
            let answer = try await fleet.carryOut(command)
            let record = FleetRecord(command: command, answer: answer, begin: begin, end: Self.now)
            try journal.line(String(decoding: try JSONEncoder().encode(record), as: UTF8.self))
        }
    }

    /// The machine's clock, which all processes share.
    private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    private func command(_ random: inout SplitMix64, _ name: String) async throws -> FleetCommand? {
        let customer = random.element(of: FleetWorld.customers) ?? "anna"
        switch random.number(in: 0...99) {
        case 0..<55:
            return .move(
                (0..<random.pick(1, 1, 1, 2, 3)).map { _ in
                    // A step with requests of several customers locks all of them. The vault cannot lock a customer who
                    // may not exist, so all requests in a step of such a customer are their own.
                    let other = random.chance(20) && FleetWorld.lasting.contains(customer)
                    return request(&random, other ? random.element(of: FleetWorld.lasting) ?? customer : customer)
                })
        case 55..<80:
            let pieces = (0..<random.number(in: 1...3)).map { _ in piece(&random) }
            return .take(Array(Set(pieces)), for: customer, isForOwner: random.chance(30), event: name)
        case 80..<88:
            let waiting = try await fleet.adoptable(by: customer)
            return waiting.isEmpty ? nil : .take(waiting, for: customer, isForOwner: false, event: name)
        case 88..<93:
            return .claim(
                chain: random.element(of: FleetWorld.chains) ?? 0, for: random.element(of: FleetWorld.lasting) ?? "anna"
            )
        case 93..<97:
            let unfinished = try await fleet.vault.unfinished(
                of: CustomerID(rawValue: random.element(of: FleetWorld.lasting) ?? "anna"))
            let number = random.element(of: unfinished).flatMap { Int($0.key.transactionID.rawValue) }
            return number.map { .finish(chain: $0 - 7_000) }
        default: return .erase(random.element(of: FleetWorld.passing) ?? "eve")
        }
    }

    /// Returns a request with one of a few keys, so that several nodes use the same key.
    ///
    /// Sometimes a key is used for two different requests.
    private func request(_ random: inout SplitMix64, _ customer: String) -> FleetCommand.Request {
        let number = random.number(in: 0...max(100, count / 2))
        let isOther = random.chance(3)
        return FleetCommand.Request(
            customer: customer,
            isGrant: number % 3 == 0, quantity: Int64(1 + number % 70) + (isOther ? 1 : 0), key: "key \(number)")
    }

    private func piece(_ random: inout SplitMix64) -> FleetCommand.Piece {
        FleetCommand.Piece(
            chain: random.element(of: FleetWorld.chains) ?? 0, version: random.pick(0, 0, 0, 1, 1, 2))
    }
}

/// Counts the commands that all tasks of a node have begun.
private final class Counter: Sendable {
    private let value = Atomic<Int>(0)
    func next() -> Int { value.add(1, ordering: .relaxed).newValue }
}
