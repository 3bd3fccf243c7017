import Foundation
import Storekeeper
import StorekeeperJWS
import StorekeeperSQLite
import StorekeeperTesting
import Synchronization
import Testing

/// Tests with a process that writes to a file and is killed at random instants.
///
/// `STOREKEEPER_KILLS` is the number of kills, 20 by default.
@Suite(.system, .serialized)
struct CrashTests {
    @Test("A process killed at any instant loses no acknowledged write and counts nothing twice")
    func kills() async throws {
        let kills = ProcessInfo.processInfo.environment["STOREKEEPER_KILLS"].flatMap(Int.init) ?? 20
        let seed = PropertySettings.environment.seed ?? .random(in: .min ... .max)
        var random = SplitMix64(seed: seed)
        let world = try CrashWorld()
        defer { world.remove() }
        var acknowledged = 0
        for kill in 0..<kills {
            // After every twenty kills there is a new file, so that short histories are also tested.
            if kill % 20 == 0 { try world.startNewVault() }
            try await world.runAndKill(
                seed: random.next(), afterMilliseconds: Int.random(in: 1...70, using: &random))
            acknowledged += try await world.check("seed \(seed), kill \(kill)")
        }
        // The process must have written between the kills. If it had not, the test would prove nothing.
        #expect(acknowledged > kills * 2, "only \(acknowledged) acknowledgements in \(kills) runs, seed \(seed)")
    }
}

/// The files that outlive the processes, and their expected contents.
final class CrashWorld {
    private let folder: URL
    private let crasher: URL
    private let verifier: RememberingVerifier
    private var vaultPath = ""
    private var journalPath = ""
    private var round = 0
    /// The payload segments of the evidence, in order.
    private var payloads: [String] = []

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("crash-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        crasher = try Self.executable()
        let authority = try LocalAuthority()
        let signer = authority.makeSigner()
        var lines: [String] = []
        for customer in ["anna", "bert", "carl"] {
            for draft in Self.story(of: customer) {
                let text = try signer.sign(payload: draft.payload)
                payloads.append(String(text.split(separator: ".")[1]))
                lines.append("\(customer) \(text)")
            }
        }
        try Data(lines.joined(separator: "\n").utf8).write(to: folder.appendingPathComponent("evidence"))
        try Data(authority.root.der).write(to: folder.appendingPathComponent("root.der"))
        verifier = RememberingVerifier(JWSVerifier(.init(roots: [authority.root], bundleID: nil)))
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    /// Returns purchases of coins.
    ///
    /// Some of the purchases are refunded, and some of the refunds are reversed.
    private static func story(of customer: String) -> [TransactionDraft] {
        var drafts: [TransactionDraft] = []
        for number in 0..<30 {
            let coins = TransactionDraft.purchase(
                of: "coins", type: .consumable, at: .day(number),
                id: Transaction.ID(rawValue: "\(customer.hashByte)\(1_000 + number)"))
            drafts.append(coins)
            if number % 3 == 0 {
                let refund = coins.revoked(at: .day(number + 40), percentage: number % 2 == 0 ? nil : 33_333)
                drafts.append(refund)
                if number % 6 == 0 { drafts.append(refund.reversed(signedAt: .day(number + 60))) }
            }
        }
        return drafts
    }

    /// Finds the program in the folder of the built tests, with every test runner.
    private static func executable() throws -> URL {
        let starts =
            CommandLine.arguments.map { URL(fileURLWithPath: $0) } + Bundle.allBundles.map(\.bundleURL)
            + [Bundle.main.bundleURL]
        let folders = starts.flatMap { start in
            sequence(first: start) { $0.deletingLastPathComponent() }.prefix(4)
        }
        let found = folders.lazy.map { $0.appendingPathComponent("VaultCrasher") }.first { url in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) && !isFolder.boolValue
                && FileManager.default.isExecutableFile(atPath: url.path)
        }
        guard let found else {
            throw CrashTestError("VaultCrasher is not next to the tests; build them with swift build")
        }
        return found
    }

    func startNewVault() throws {
        round += 1
        vaultPath = folder.appendingPathComponent("vault-\(round).sqlite").path
        journalPath = folder.appendingPathComponent("journal-\(round)").path
        try Data().write(to: URL(fileURLWithPath: journalPath))
    }

    func runAndKill(seed: UInt64, afterMilliseconds milliseconds: Int) async throws {
        let process = Process()
        process.executableURL = crasher
        process.arguments = [
            vaultPath, folder.appendingPathComponent("evidence").path, folder.appendingPathComponent("root.der").path,
            journalPath, String(seed),
        ]
        let before = try journalSize()
        try process.run()
        // Kills the program when this function returns or throws.
        defer {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        // Waits for the first action before the delay begins, because the start of the program takes longer than most
        // delays.
        while process.isRunning, try journalSize() == before { try await Task.sleep(for: .milliseconds(1)) }
        try await Task.sleep(for: .milliseconds(milliseconds))
        // On a busy machine the program may reach its own time limit before the kill. The test counts this as a kill.
        let isTimedOut = process.isRunning ? false : process.terminationReason == .uncaughtSignal
        guard process.isRunning || (isTimedOut && process.terminationStatus == SIGALRM) else {
            throw CrashTestError("the program ended by itself, with status \(process.terminationStatus)")
        }
    }

    private func journalSize() throws -> Int {
        try FileManager.default.attributesOfItem(atPath: journalPath)[.size] as? Int ?? 0
    }

    /// Opens the remaining files and compares them with the journal.
    ///
    /// - Returns: The number of acknowledgements since the last check.
    func check(_ place: String) async throws -> Int {
        let vault = try SQLiteVault(path: vaultPath)
        defer { try? vault.close() }
        let report = try await VaultAudit(vault: vault, verifier: verifier).run()
        #expect(report.faults.isEmpty, "\(place): \(report.faults)")

        let facts = try await vault.facts(after: .start, of: nil, limit: .max)
        let stored = Dictionary(grouping: facts, by: { String(decoding: $0.fact.jws.payload, as: UTF8.self) })
        #expect(stored.values.allSatisfy { $0.count == 1 }, "\(place): a fact is there twice")
        var moves: [String: [LedgerEntry]] = [:]
        var credits: [TransactionKey: Int] = [:]
        for entry in try await vault.entries(after: .start, of: nil, limit: .max) {
            switch entry.cause {
            case .request(let key, _): moves[key.rawValue, default: []].append(entry)
            case .transaction(let key, _, _): if entry.kind == .credit { credits[key, default: 0] += 1 }
            case .access, .revocation, .transfer: break
            }
        }
        #expect(credits.values.allSatisfy { $0 == 1 }, "\(place): a purchase was credited twice")

        let journal = try String(contentsOfFile: journalPath, encoding: .utf8).split(separator: "\n").map { line in
            line.split(separator: " ").map(String.init)
        }
        var begun: [String: Int64] = [:]
        var acknowledged = 0
        for words in journal {
            switch (words[0], words[1]) {
            case ("begin", "move"): begun[words[2]] = Int64(words[3])
            case ("ack", "move"):
                acknowledged += 1
                let changes = moves[words[2]]?.map(\.change)
                #expect(changes == [Int64(words[3]) ?? 0], "\(place): \(words) is lost or duplicated")
            case ("refused", "move"):
                #expect(moves[words[2]] == nil, "\(place): \(words) moved the balance")
            case ("ack", "facts"):
                acknowledged += 1
                for number in words.dropFirst(2).compactMap({ Int($0) }) {
                    #expect(stored[payloads[number]] != nil, "\(place): fact \(number) is lost")
                }
            default: break
            }
        }
        for (key, entries) in moves {
            #expect(entries.map(\.change) == [begun[key] ?? 0], "\(place): \(key) is not there exactly once and whole")
        }
        defer { counted = acknowledged }
        return acknowledged - (counted > acknowledged ? 0 : counted)
    }

    private var counted = 0
}

/// Verifies each text once and remembers the result.
private final class RememberingVerifier: TransactionVerifier {
    private let inner: JWSVerifier
    private let known = Mutex<[String: CheckedEvidence]>([:])

    init(_ inner: JWSVerifier) { self.inner = inner }

    var environments: Set<AppStore.Environment> { inner.environments }

    func verify(_ jws: String) -> CheckedEvidence {
        if let evidence = known.withLock({ $0[jws] }) { return evidence }
        let evidence = inner.verify(jws)
        known.withLock { $0[jws] = evidence }
        return evidence
    }
}

private struct CrashTestError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

extension String {
    /// A digit that differs between the names of the tests, so that customers do not share transactions.
    fileprivate var hashByte: Int { Int(utf8.first ?? 0) % 10 }
}
