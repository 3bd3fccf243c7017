import Foundation
import NIOHTTP1
import Storekeeper
import StorekeeperTesting
import Synchronization
import Testing

/// Three nodes of the companion service on one database.
struct Fleet {
    let folder: CompanionFolder
    let nodes: [ServedProcess]
    let observations = Observations()
    private let options: [String]

    var urls: [String] { nodes.map(\.url) }

    /// Makes a vault in the database, and starts the nodes.
    init(on address: String, customers: Int = 1) async throws {
        options = ["--vault", address]
        folder = try await CompanionFolder(customers: customers)
        try folder.makeVault(options)
        nodes = try (0..<3).map { [options, folder] _ in
            try ServedProcess(serving: ["--port", "0"] + options, in: folder.folder)
        }
    }

    /// Grants coins at random nodes and reads the balance at each node, while the body runs.
    func observe(seed: UInt64, _ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            let (urls, folder, observations) = (urls, folder, observations)
            for url in urls { group.addTask { try await Self.read(at: url, folder, observations) } }
            group.addTask { try await Self.grant(at: urls, folder, observations, seed: seed) }
            try await body()
            observations.end()
            try await group.waitForAll()
        }
    }

    /// Waits until all nodes are ready.
    func ready() async throws {
        for url in urls {
            try await eventually("\(url) is ready") {
                try await folder.ask(.GET, url + "/health/ready")?.status == 200
            }
        }
    }

    /// Ends the nodes, and audits the vault.
    func end(_ comment: Comment) throws {
        for node in nodes { #expect(node.end(SIGTERM) == 0, comment) }
        let verified = try Program.run(["vault", "verify"] + options, in: folder.folder)
        #expect(verified.status == 0, "\(comment): \(verified.output)\(verified.errors)")
    }

    // MARK: Work of callers

    /// Reads a customer's balance again and again.
    private static func read(
        at url: String, _ folder: CompanionFolder, _ observations: Observations
    ) async throws {
        while !observations.isOver {
            let start = ContinuousClock.now
            let answer = try await folder.ask(.GET, url + "/v1/customers/anna/balances/coins")
            if answer?.status == 200, let balance = answer?.document?.object?["balance"]?.int64 {
                observations.compare(balance, at: url, requestedAt: start)
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Grants single units at random nodes, and repeats each request until a node acknowledges it.
    private static func grant(
        at urls: [String], _ folder: CompanionFolder, _ observations: Observations, seed: UInt64
    ) async throws {
        var random = SplitMix64(seed: seed)
        var number = 0
        while !observations.isOver {
            let url = urls[random.number(in: 0...urls.count - 1)]
            if url == observations.frozen { continue }
            let answer = try await folder.ask(
                .POST, url + "/v1/customers/anna/balances/coins/grant", body: #"{"quantity":1,"reason":"a gift"}"#,
                idempotencyKey: "grant-\(number)")
            if answer?.status == 200 {
                observations.addGrant()
                number += 1
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Spends more than a customer has, with the same key each time.
    ///
    /// - Returns: The status; `nil` if the node did not answer.
    static func spend(by customer: String, at url: String, _ folder: CompanionFolder) async throws -> Int? {
        try await folder.ask(
            .POST, url + "/v1/customers/\(customer)/balances/coins/spend", body: #"{"quantity":5}"#,
            idempotencyKey: "order")?.status
    }

    /// The acknowledged grants to a customer, and the answers that lack some of them.
    final class Observations: Sendable {
        private struct State {
            var grants: [ContinuousClock.Instant] = []
            var answers = 0
            var wrong: [String] = []
            var frozen: String?
            var isOver = false
        }

        /// The age of an answer that "A fleet on PostgreSQL" permits.
        private static let bound = Duration.seconds(3)
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
                let least = state.grants.count { $0 < start - Self.bound }
                if balance < least { state.wrong.append("\(url) answered \(balance) instead of at least \(least)") }
            }
        }
    }
}
