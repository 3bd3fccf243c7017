import Foundation
import NIOHTTP1
import Storekeeper
import StorekeeperTesting
import Testing

/// Tests of the answers of three nodes on one database, after the database was away or a node was frozen.
@Suite(
    "Faults of a fleet", .proof, .serialized, .timeLimit(.minutes(60)),
    .enabled(if: ServerDatabase.server != nil, "STOREKEEPER_POSTGRES is not set"))
struct FleetFaultTests {
    private static let faults = ProcessInfo.processInfo.environment["STOREKEEPER_FAULTS"].flatMap(Int.init) ?? 2

    @Test("No answer is older than the documented bound, and no refused spend is charged")
    func faults() async throws {
        let seed = PropertySettings.environment.seed ?? .random(in: .min ... .max)
        var random = SplitMix64(seed: seed)
        let database = try ServerDatabase()
        let fleet = try await Fleet(on: database.address)
        try await fleet.observe(seed: random.next()) {
            for number in 0..<Self.faults {
                let comment: Comment = "seed \(seed), fault \(number)"
                let length = Duration.milliseconds(random.number(in: 500...9_000))
                if random.chance(50) {
                    try await Self.outage(of: database, for: length)
                } else {
                    let node = random.number(in: 0...2)
                    try await Self.freeze(node, of: fleet, for: length, customer: "poor-\(number)", comment)
                }
                try await fleet.ready()
                // Each node answers from its memory again.
                try await Task.sleep(for: .milliseconds(random.number(in: 0...2_000)))
            }
        }
        try fleet.end("seed \(seed)")
        #expect(fleet.observations.answers > 0)
        #expect(fleet.observations.wrong == [], "seed \(seed)")
    }

    /// Nodes try again at growing intervals, which must not make answers old after a long outage.
    @Test("Nor is one after an outage of minutes", arguments: [10, 60, 330])
    func longOutage(seconds: Int) async throws {
        let database = try ServerDatabase()
        let fleet = try await Fleet(on: database.address)
        try await fleet.observe(seed: UInt64(seconds)) {
            try await Self.outage(of: database, for: .seconds(seconds))
            // From here on, an answer from memory may be as old as the bound, and no older.
            try await fleet.ready()
            try await Task.sleep(for: .seconds(5))
        }
        try fleet.end("\(seconds) s")
        #expect(fleet.observations.answers > 0)
        #expect(fleet.observations.wrong == [])
    }

    private static func outage(of database: ServerDatabase, for length: Duration) async throws {
        try database.refuseConnections()
        try await Task.sleep(for: length)
        try database.acceptConnections()
    }

    /// Freezes a node that has a spend to refuse, and repeats the spend at another one.
    private static func freeze(
        _ node: Int, of fleet: Fleet, for length: Duration, customer: String, _ comment: Comment
    ) async throws {
        let (folder, urls) = (fleet.folder, fleet.urls)
        fleet.observations.frozen = urls[node]
        kill(fleet.nodes[node].process.processIdentifier, SIGSTOP)
        async let late = Fleet.spend(by: customer, at: urls[node], folder)
        try await Task.sleep(for: length)
        let (other, path) = (urls[(node + 1) % 3], "/v1/customers/\(customer)/balances/coins")
        #expect(try await Fleet.spend(by: customer, at: other, folder) == 409, comment)
        let gift = try await folder.ask(
            .POST, other + path + "/grant", body: #"{"quantity":5,"reason":"a gift"}"#, idempotencyKey: "g")
        #expect(gift?.status == 200, comment)
        kill(fleet.nodes[node].process.processIdentifier, SIGCONT)
        fleet.observations.frozen = nil
        #expect(try await late != 200, comment)
        try await fleet.ready()
        for url in urls {
            let balance = try await folder.ask(.GET, url + path)?.document?.object?["balance"]?.int64
            #expect(balance == 5, comment)
        }
    }
}
