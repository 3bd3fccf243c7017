import Foundation
import NIOHTTP1
import Storekeeper
import StorekeeperTesting
import Synchronization
import Testing

/// Tests of the answers of three nodes on one database, after the database was away or a node was frozen.
@Suite(
    "Faults of a fleet", .proof, .serialized, .timeLimit(.minutes(60)),
    .enabled(if: ServerDatabase.server != nil, "STOREKEEPER_POSTGRES is not set"))
struct FleetFaultTests {
    private static let faults = ProcessInfo.processInfo.environment["STOREKEEPER_FAULTS"].flatMap(Int.init) ?? 2
    /// The age of an answer that "A fleet on PostgreSQL" permits.
    private static let bound = Duration.seconds(3)

    /// The acknowledged grants to a customer, and the answers that lack some of them.
    private final class Observations: Sendable {
        private struct State {
            var grants: [ContinuousClock.Instant] = []
            var answers = 0
            var wrong: [String] = []
            var frozen: String?
            var isOver = false
        }

        private let state = Mutex(State())

        var isOver: Bool { state.withLock { $0.isOver } }
        var answers: Int { state.withLock { $0.answers } }
        var wrong: [String] { state.withLock { $0.wrong } }

        /// The URL of the node that is frozen, at which a request would wait.
        var frozen: String? {
            get { state.withLock { $0.frozen } }
            set { state.withLock { $0.frozen = newValue } }
        }

        func end() { state.withLock { $0.isOver = true } }
        func addGrant() { state.withLock { $0.grants.append(.now) } }

        /// Compares a balance with the grants that were acknowledged longer than the bound before its request.
        func compare(_ balance: Int64, at url: String, requestedAt start: ContinuousClock.Instant) {
            state.withLock { state in
                state.answers += 1
                let least = state.grants.count { $0 < start - FleetFaultTests.bound }
                if balance < least { state.wrong.append("\(url) answered \(balance) instead of at least \(least)") }
            }
        }
    }

    @Test("No answer is older than the documented bound, and no refused spend is charged")
    func faults() async throws {
        let seed = PropertySettings.environment.seed ?? .random(in: .min ... .max)
        var random = SplitMix64(seed: seed)
        let database = try ServerDatabase()
        let folder = try await CompanionFolder(customers: 1)
        let options = ["--vault", database.address]
        try folder.makeVault(options)
        var nodes: [ServedProcess] = []
        for _ in 0..<3 { nodes.append(try ServedProcess(serving: ["--port", "0"] + options, in: folder.folder)) }
        let urls = nodes.map(\.url)
        let seen = Observations()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for url in urls { group.addTask { try await Self.read(at: url, folder, seen) } }
            let choices = random.next()
            group.addTask { try await Self.grant(at: urls, folder, seen, seed: choices) }
            for number in 0..<Self.faults {
                let comment: Comment = "seed \(seed), fault \(number)"
                let length = Duration.milliseconds(random.number(in: 500...9_000))
                if random.chance(50) {
                    try database.refuseConnections()
                    try await Task.sleep(for: length)
                    try database.acceptConnections()
                } else {
                    let node = random.number(in: 0...2)
                    seen.frozen = urls[node]
                    kill(nodes[node].process.processIdentifier, SIGSTOP)
                    async let late = Self.spend(by: "poor-\(number)", at: urls[node], folder)
                    try await Task.sleep(for: length)
                    let (other, path) = (urls[(node + 1) % 3], "/v1/customers/poor-\(number)/balances/coins")
                    #expect(try await Self.spend(by: "poor-\(number)", at: other, folder) == 409, comment)
                    let gift = try await folder.ask(
                        .POST, other + path + "/grant", body: #"{"quantity":5,"reason":"a gift"}"#, idempotencyKey: "g")
                    #expect(gift?.status == 200, comment)
                    kill(nodes[node].process.processIdentifier, SIGCONT)
                    seen.frozen = nil
                    #expect(try await late != 200, comment)
                    for url in urls {
                        try await Self.ready(url, folder)
                        let balance = try await folder.ask(.GET, url + path)?.document?.object?["balance"]?.int64
                        #expect(balance == 5, comment)
                    }
                }
                for url in urls { try await Self.ready(url, folder) }
                // Each node answers from its memory again.
                try await Task.sleep(for: .milliseconds(random.number(in: 0...2_000)))
            }
            seen.end()
            try await group.waitForAll()
        }
        for node in nodes { #expect(node.end(SIGTERM) == 0, "seed \(seed)") }
        #expect(seen.answers > 0)
        #expect(seen.wrong == [], "seed \(seed)")
        let verified = try Program.run(["vault", "verify"] + options, in: folder.folder)
        #expect(verified.status == 0, "seed \(seed): \(verified.output)\(verified.errors)")
    }

    /// Reads a customer's balance again and again.
    private static func read(at url: String, _ folder: CompanionFolder, _ seen: Observations) async throws {
        while !seen.isOver {
            let start = ContinuousClock.now
            let answer = try await folder.ask(.GET, url + "/v1/customers/anna/balances/coins")
            if answer?.status == 200, let balance = answer?.document?.object?["balance"]?.int64 {
                seen.compare(balance, at: url, requestedAt: start)
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Grants single units at random nodes, and repeats each request until a node acknowledges it.
    private static func grant(
        at urls: [String], _ folder: CompanionFolder, _ seen: Observations, seed: UInt64
    ) async throws {
        var random = SplitMix64(seed: seed)
        var number = 0
        while !seen.isOver {
            let url = urls[random.number(in: 0...urls.count - 1)]
            if url == seen.frozen { continue }
            let answer = try await folder.ask(
                .POST, url + "/v1/customers/anna/balances/coins/grant", body: #"{"quantity":1,"reason":"a gift"}"#,
                idempotencyKey: "grant-\(number)")
            if answer?.status == 200 {
                seen.addGrant()
                number += 1
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Spends more than a customer has, with the same key each time.
    ///
    /// - Returns: The status; `nil` if the node did not answer.
    private static func spend(by customer: String, at url: String, _ folder: CompanionFolder) async throws -> Int? {
        try await folder.ask(
            .POST, url + "/v1/customers/\(customer)/balances/coins/spend", body: #"{"quantity":5}"#,
            idempotencyKey: "order")?.status
    }

    private static func ready(_ url: String, _ folder: CompanionFolder) async throws {
        let end = ContinuousClock.now + .seconds(120)
        while try await folder.ask(.GET, url + "/health/ready")?.status != 200 {
            try #require(ContinuousClock.now < end, "\(url) is not ready in time")
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
