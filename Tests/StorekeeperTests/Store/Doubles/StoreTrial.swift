import StorekeeperTesting
import Synchronization

@testable import Storekeeper

/// One thing that happens to a store.
enum StoreCommand: Hashable, Sendable {
    /// Evidence arrives, by its numbers in the trial.
    case ingest([Int])
    /// Another process takes in evidence.
    case ingestElsewhere([Int])
    /// The whole history is read; it has the first so many pieces of evidence.
    case sync(Int)
    case spend(Int64, key: Int)
    case spendElsewhere(Int64, key: Int)
    /// The process dies and starts again.
    case restart
    case deliver
    /// The next step of the vault fails: not written, written and not acknowledged, or not read.
    case failWrite, failAcknowledgement, failRead
    case refuseDelivery
    case moveClock(days: Int)
    case refresh
}

/// A store and a simple model of it, to which the same things happen.
final class StoreTrial {
    /// The evidence that may arrive: purchases, renewals, refunds, reversals.
    static let evidence: [TransactionDraft] = {
        var evidence: [TransactionDraft] = []
        for number in 0..<3 {
            let id = Transaction.ID(rawValue: "\(2000 + number)")
            let coins = TransactionDraft.purchase(of: TestShop.coins, at: .day(number), id: id)
            let refund = coins.revoked(at: .day(10 + number), percentage: number == 1 ? 40_000 : nil)
            evidence += [coins, refund, refund.reversed(signedAt: .day(20 + number))]
        }
        var gold = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
        gold.expiresAt = .day(10)
        let second = TransactionDraft.renewal(of: gold)
        let third = TransactionDraft.renewal(of: second)
        evidence += [gold, second, third, third.revoked(at: .day(25))]
        let ads = TransactionDraft.purchase(of: TestShop.removeAds, at: .day(5), id: "3000")
        evidence += [ads, ads.revoked(at: .day(15)), ads.reversed(signedAt: .day(16))]
        evidence.append(TransactionDraft.purchase(of: TestShop.seasonPass, at: .day(3), id: "4000"))
        return evidence
    }()

    private static let texts = evidence.map(\.jws)
    private static let verified = texts.map(TestVerifier().verify)
    private static let numberByText = Dictionary(
        texts.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })

    struct Broken: Error, CustomStringConvertible {
        let description: String
    }

    private let bench = StoreBench(.day(1))
    private var store: Store
    private let other: Store
    private var acknowledged: Set<Int> = []
    private var uncertain: Set<Int> = []
    private var spent: [Int: Int64] = [:]
    private var uncertainSpendings: [Int: Int64] = [:]

    init() async throws {
        store = try await bench.open()
        other = try await bench.open()
    }

    /// Lets things happen and looks after each whether the store is as the model says.
    static func run(_ commands: [StoreCommand]) async throws {
        let trial = try await StoreTrial()
        for command in commands {
            try await trial.carryOut(command)
            try await trial.check()
        }
        try await trial.end()
    }

    private func carryOut(_ command: StoreCommand) async throws {
        switch command {
        case .ingest(let numbers): try await ingest(numbers, by: store)
        case .ingestElsewhere(let numbers): try await ingest(numbers, by: other)
        case .sync(let count):
            let numbers = Array(0..<min(count, Self.evidence.count))
            bench.backend[\.pages] = [numbers.map { Self.texts[$0] }]
            let store = store
            try await take(numbers) { try await store.sync() }
        case .spend(let quantity, let key): try await spend(quantity, key: key, by: store)
        case .spendElsewhere(let quantity, let key): try await spend(quantity, key: key, by: other)
        case .restart:
            clearFaults()
            store = try await bench.open()
        case .deliver: await store.deliverUnfinished()
        case .failWrite: bench.vault.failWrites()
        case .failAcknowledgement: bench.vault.failAcknowledgements()
        case .failRead: bench.vault.failReads()
        case .refuseDelivery: bench.refuseDeliveries(1)
        case .moveClock(let days): bench.clock.set(bench.clock.now.adding(days: days))
        case .refresh: _ = try? await store.refresh()
        }
    }

    private func ingest(_ numbers: [Int], by store: Store) async throws {
        try await take(numbers) { try await store.ingest(numbers.map { Self.texts[$0] }) }
    }

    private func take(_ numbers: [Int], _ call: () async throws -> IntakeReport) async throws {
        do {
            let report = try await call()
            guard report.failures.isEmpty, report.conflicts.isEmpty else { throw Broken(description: "\(report)") }
            acknowledged.formUnion(numbers)
        } catch is VaultError {
            uncertain.formUnion(numbers)
        }
    }

    private func spend(_ quantity: Int64, key: Int, by store: Store) async throws {
        do {
            let receipt = try await store.spend(quantity, of: "coins", key: "\(key)")
            guard -receipt.entry.change == quantity else { throw Broken(description: "the receipt is another's") }
            spent[key] = quantity
        } catch is VaultError {
            if spent[key] == nil { uncertainSpendings[key, default: quantity] = quantity }
        } catch LedgerRefusal.keyReused {
            guard spent[key] ?? uncertainSpendings[key] != quantity else {
                throw Broken(description: "the key was refused for the same request")
            }
        } catch LedgerRefusal.insufficient {
            guard spent[key] == nil else { throw Broken(description: "a replay was refused") }
        }
    }

    private func clearFaults() {
        bench.vault.failWrites(0)
        bench.vault.failAcknowledgements(0)
        bench.vault.failReads(0)
        bench.refuseDeliveries(0)
    }

    // MARK: What must hold

    private func check() async throws {
        let faults = bench.vault.faults.withLock { $0 }
        clearFaults()
        try await store.refresh()
        let facts = try await bench.vault.facts(after: .start, of: "anna", limit: .max).map(\.fact)
        let written = try numbers(of: facts)
        guard acknowledged.isSubset(of: written), written.isSubset(of: acknowledged.union(uncertain)) else {
            throw Broken(description: "the vault has \(written.sorted()) of \(acknowledged.sorted())")
        }
        acknowledged = written
        uncertain = []
        try checkAnswers(written)
        try await checkAccount(written)
        try await checkEvents()
        try checkFinished(written)
        bench.vault.faults.withLock { $0 = faults }
    }

    private func numbers(of facts: [VerifiedFact]) throws -> Set<Int> {
        let texts = facts.map(\.jws.compact)
        guard Set(texts).count == texts.count else { throw Broken(description: "a fact stands twice") }
        return Set(texts.compactMap { Self.numberByText[$0] })
    }

    private func checkAnswers(_ numbers: Set<Int>) throws {
        var history = PurchaseHistory()
        _ = history.merge(numbers.map { Self.verified[$0] })
        let expected = EntitlementResolver(catalog: TestShop.catalog).resolve(history)
        guard store.snapshot.resolution == expected else {
            throw Broken(description: "the answers are not those of the facts \(numbers.sorted())")
        }
    }

    private func checkAccount(_ numbers: Set<Int>) async throws {
        let entries = try await bench.vault.entries(after: .start, of: "anna", limit: .max)
        var keys: [Int: Int64] = [:]
        for entry in entries where entry.kind == .spend {
            guard case .request(let key, _) = entry.cause, let number = Int(key), keys[number] == nil else {
                throw Broken(description: "a key was carried out twice")
            }
            keys[number] = -entry.change
        }
        for (key, quantity) in spent where keys[key] != quantity {
            throw Broken(description: "an acknowledged spending is lost")
        }
        for (key, quantity) in keys where spent[key] == nil {
            guard uncertainSpendings[key] == quantity else { throw Broken(description: "nobody spent \(quantity)") }
        }
        spent = keys
        let coins = Dictionary(
            grouping: numbers.map { Self.evidence[$0] }.filter { $0.type == .consumable }, by: \.id)
        let credited = coins.values.reduce(Int64(0)) { sum, copies in
            guard let newest = copies.max(by: { $0.signedAt < $1.signedAt }) else { return sum }
            return sum + 500 - (newest.revokedAt == nil ? 0 : 5 * (newest.revocationPercentage ?? 100_000) / 1_000)
        }
        let expected = credited - keys.values.reduce(0, +)
        let sum = entries.reduce(Int64(0)) { $0 + $1.change }
        guard sum == expected, store.balance(of: "coins").amount == expected else {
            throw Broken(
                description: "\(expected) coins, entries of \(sum), shown \(store.balance(of: "coins").amount)")
        }
    }

    private func checkEvents() async throws {
        var last: [StoreEvent.Subject: StoreEvent.Answer] = [:]
        for event in try await bench.vault.events(after: .start, of: "anna", limit: .max) {
            if let before = last[event.change.subject] {
                guard before.word == event.change.before.word, before.reasonWord == event.change.before.reasonWord
                else {
                    throw Broken(description: "an event of \(event.change.subject) does not follow the one before")
                }
            }
            last[event.change.subject] = event.change.after
        }
        guard let through = try await bench.vault.load("anna").evaluatedThrough else { return }
        for product in store.snapshot.resolution.products {
            let answer = product.timeline.value(at: through)
            let told = last[.product(product.id)]
            guard told?.word ?? "never" == answer.word, told?.reasonWord ?? "noPurchase" == answer.reasonWord else {
                throw Broken(
                    description: "of \(product.id) \(told?.word ?? "nothing") was told, it is \(answer.word)")
            }
        }
    }

    private func checkFinished(_ numbers: Set<Int>) throws {
        let refunded = Set(numbers.map { Self.evidence[$0] }.filter { $0.revokedAt != nil }.map(\.id))
        let handedOut = Set(bench.deliveries).union(refunded)
        let finished = bench.backend[\.finished]
        let written = Set(numbers.map { Self.evidence[$0].id })
        guard Set(finished).isSubset(of: handedOut), Set(finished).isSubset(of: written) else {
            throw Broken(description: "finished before it was handed out")
        }
    }

    private func end() async throws {
        clearFaults()
        try await store.refresh()
        await store.deliverUnfinished()
        guard try await store.unfinished.isEmpty,
            Set(bench.backend[\.finished]) == Set(acknowledged.map { Self.evidence[$0].id })
        else { throw Broken(description: "something was never finished") }
        let restarted = try await bench.open()
        guard restarted.snapshot.resolution == store.snapshot.resolution,
            restarted.snapshot.balances == store.snapshot.balances
        else { throw Broken(description: "a restart changes what is known") }
    }
}

extension StoreCommand {
    static func make(with random: inout SplitMix64) -> StoreCommand {
        func numbers() -> [Int] {
            (0..<random.number(in: 1...4)).map { _ in random.number(in: 0...(StoreTrial.evidence.count - 1)) }
        }
        switch random.number(in: 0...19) {
        case 0...4: return .ingest(numbers())
        case 5...6: return .ingestElsewhere(numbers())
        case 7: return .sync(random.number(in: 0...StoreTrial.evidence.count))
        case 8...9: return .spend(Int64(random.number(in: 1...4)) * 100, key: random.number(in: 0...5))
        case 10: return .spendElsewhere(Int64(random.number(in: 1...4)) * 100, key: random.number(in: 0...5))
        case 11: return .restart
        case 12: return .deliver
        case 13: return .failWrite
        case 14: return .failAcknowledgement
        case 15: return .failRead
        case 16: return .refuseDelivery
        case 17...18: return .moveClock(days: random.number(in: -5...12))
        default: return .refresh
        }
    }
}
