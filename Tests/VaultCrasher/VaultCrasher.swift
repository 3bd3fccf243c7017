import Foundation
import Storekeeper
import StorekeeperJWS
import StorekeeperSQLite
import StorekeeperTesting

/// A program that tests kill while it commits evidence, spends and grants without end.
///
/// Before each action, and after each acknowledgement, it appends a line to the file JOURNAL, which the tests read
/// after they have killed the program.
///
/// The program ends by itself after a minute.
///
///     VaultCrasher VAULT EVIDENCE ROOT JOURNAL SEED
///
/// Each line of EVIDENCE is a customer, a space and a compact JWS.
@main
struct VaultCrasher {
    static func main() async throws {
        // The test that should kill this process may have ended before it did so.
        alarm(60)
        let words = CommandLine.arguments
        guard words.count == 6, let seed = UInt64(words[5]) else {
            throw CrasherError("usage: VaultCrasher VAULT EVIDENCE ROOT JOURNAL SEED")
        }
        let journal = try Journal(path: words[4])
        let evidence = try Evidence(path: words[2])
        let root = try TrustedRoot(derOrPEM: [UInt8](Data(contentsOf: URL(fileURLWithPath: words[3]))))
        let verifier = JWSVerifier(.init(roots: [root], bundleID: nil))
        let vault = try SQLiteVault(path: words[1])
        var configuration = StoreConfiguration()
        configuration.catalog = Catalog(
            products: [Product(id: "coins", type: .consumable, grants: ["coins": 100])], groups: [], features: [])

        try await withThrowingTaskGroup(of: Void.self) { group in
            for (lane, customer) in evidence.customers.enumerated() {
                let store = try await Store.open(
                    customer: customer, configuration: configuration, vault: vault, verifier: verifier)
                // Two tasks for each customer, so that one durable write contains steps of the same customer and of
                // several customers.
                for half in 0..<2 {
                    let player = Player(
                        store: store, items: evidence.items[customer] ?? [], journal: journal,
                        name: "\(seed)-\(lane)-\(half)")
                    let start = SplitMix64(seed: seed &* 31 &+ UInt64(lane * 2 + half))
                    group.addTask { try await player.play(start) }
                }
            }
            try await group.waitForAll()
        }
    }
}

/// The actions of one task until it is killed.
struct Player: Sendable {
    let store: Store
    let items: [(number: Int, jws: String)]
    let journal: Journal
    let name: String

    func play(_ start: SplitMix64) async throws {
        var random = start
        var count = 0
        while true {
            count += 1
            let key = "\(name)-\(count)"
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let first = Int.random(in: 0..<items.count, using: &random)
                let some = items[first...].prefix(Int.random(in: 1...4, using: &random)).shuffled(using: &random)
                let numbers = some.map { String($0.number) }.joined(separator: " ")
                try journal.line("begin facts \(numbers)")
                try await store.ingest(some.map(\.jws))
                try journal.line("ack facts \(numbers)")
            case 5..<9:
                try await move(Int64.random(in: 1...60, using: &random), key: key, isGrant: false)
            default:
                try await move(Int64.random(in: 1...60, using: &random), key: key, isGrant: true)
            }
        }
    }

    private func move(_ quantity: Int64, key: String, isGrant: Bool) async throws {
        let change = isGrant ? quantity : -quantity
        try journal.line("begin move \(key) \(change)")
        do {
            if isGrant {
                try await store.grant(quantity, of: "coins", because: "a gift", key: LedgerRequest.Key(key))
            } else {
                try await store.spend(quantity, of: "coins", key: LedgerRequest.Key(key))
            }
            try journal.line("ack move \(key) \(change)")
        } catch is LedgerRefusal {
            try journal.line("refused move \(key) \(change)")
        }
    }
}

/// The evidence and its customers.
struct Evidence {
    private(set) var items: [CustomerID: [(number: Int, jws: String)]] = [:]
    var customers: [CustomerID] { items.keys.sorted { $0.rawValue < $1.rawValue } }

    init(path: String) throws {
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        for (number, line) in lines.enumerated() {
            let words = line.split(separator: " ")
            guard words.count == 2 else { throw CrasherError("a line of the evidence does not have two words") }
            items[CustomerID(rawValue: String(words[0])), default: []].append((number, String(words[1])))
        }
    }
}

/// A file to which each line is written in one system call, so that it is complete when the program is killed.
final class Journal: Sendable {
    private let descriptor: Int32

    init(path: String) throws {
        descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT, 0o644)
        guard descriptor >= 0 else { throw CrasherError("the journal cannot be opened") }
    }

    func line(_ text: String) throws {
        let bytes = Array((text + "\n").utf8)
        guard write(descriptor, bytes, bytes.count) == bytes.count else {
            throw CrasherError("the journal cannot be written")
        }
    }
}

struct CrasherError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
