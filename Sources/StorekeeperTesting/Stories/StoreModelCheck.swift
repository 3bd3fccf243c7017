package import Storekeeper
import Synchronization

/// A store and a simple model of the store, which execute the same commands and are then compared.
package final class StoreModelCheck<Inner: TransactionalVault> {
    /// The vaults of two processes with shared storage.
    ///
    /// `own` is the vault of the tested store, and `other` is the vault of another process.
    package typealias Vaults = (own: Inner, other: Inner)

    private struct ModelMismatch: Error, CustomStringConvertible {
        let description: String
    }

    /// The app's handler, with the transactions that it was asked to deliver, and the number of next deliveries that it
    /// refuses.
    private final class Handler: Sendable {
        private let state = Mutex((delivered: [Transaction.ID](), refusals: 0))

        var delivered: [Transaction.ID] { state.withLock { $0.delivered } }
        var refusals: Int {
            get { state.withLock { $0.refusals } }
            set { state.withLock { $0.refusals = newValue } }
        }

        func grantItems(_ delivery: Delivery) throws {
            let isRefused = state.withLock { state in
                state.delivered.append(delivery.transaction.id)
                defer { state.refusals = max(0, state.refusals - 1) }
                return state.refusals > 0
            }
            if isRefused { throw ModelMismatch(description: "not now") }
        }
    }

    private let customer: CustomerID = "anna"
    private let clock = VirtualClock(.day(1))
    private let backend: ScriptedBackend
    private let faults = VaultFaults()
    private let vault, elsewhere: FaultyVault<Inner>
    private let handler = Handler()
    private var store: Store
    private let other: Store
    private var acknowledged: Set<Int> = []
    private var uncertain: Set<Int> = []
    private var spent: [Int: Int64] = [:]
    private var uncertainSpendings: [Int: Int64] = [:]

    private init(_ vaults: Vaults) async throws {
        backend = ScriptedBackend(clock: clock)
        vault = FaultyVault(vaults.own, faults: faults)
        elsewhere = FaultyVault(vaults.other, faults: faults)
        store = try await Self.open(customer, vault, backend, clock, handler)
        other = try await Self.open(customer, elsewhere, backend, clock, handler)
    }

    private static func open(
        _ customer: CustomerID, _ vault: FaultyVault<Inner>, _ backend: ScriptedBackend, _ clock: VirtualClock,
        _ handler: Handler
    ) async throws -> Store {
        var configuration = StoreConfiguration(catalog: TestShop.catalog)
        configuration.backoff = Backoff(first: .milliseconds(1_000), longest: .milliseconds(60_000), jitter: 0, seed: 1)
        return try await Store.open(
            customer: customer, configuration: configuration, vault: vault, verifier: TestVerifier(), backend: backend,
            clock: clock, deliver: { try handler.grantItems($0) })
    }

    /// Runs random commands, and compares the store with the model after each command.
    ///
    /// - Parameter makeVaults: Creates empty vaults. The closure is called once for every attempt.
    /// - Returns: The shortest sequence of commands found that violates a law, and the law; `nil` if no violation was
    ///   found.
    package static func violation(
        _ settings: PropertySettings, cases: Int, makeVaults: () async throws -> Vaults
    ) async -> String? {
        for position in 0..<settings.count(of: cases) {
            let seed = (settings.seed ?? PropertySettings.defaultSeed) &+ UInt64(position)
            var random = SplitMix64(seed: seed)
            var commands = (0..<random.number(in: 5...40)).map { _ in StoreCommand.make(with: &random) }
            guard var reason = await violation(of: commands, makeVaults) else { continue }
            var index = 0
            while index < commands.count {
                var simpler = commands
                simpler.remove(at: index)
                if let next = await violation(of: simpler, makeVaults) {
                    (commands, reason) = (simpler, next)
                } else {
                    index += 1
                }
            }
            return "\(reason)\n\(commands)\nTo reproduce: STOREKEEPER_SEED=\(seed) STOREKEEPER_CASES=1"
        }
        return nil
    }

    private static func violation(
        of commands: [StoreCommand], _ makeVaults: () async throws -> Vaults
    ) async -> String? {
        do {
            let trial = try await StoreModelCheck(try await makeVaults())
            for command in commands {
                try await trial.carryOut(command)
                try await trial.check()
            }
            try await trial.end()
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func reopened() async throws -> Store {
        try await Self.open(customer, vault, backend, clock, handler)
    }

    private func carryOut(_ command: StoreCommand) async throws {
        switch command {
        case .ingest(let numbers): try await ingest(numbers, by: store)
        case .ingestElsewhere(let numbers): try await ingest(numbers, by: other)
        case .sync(let count):
            let numbers = Array(0..<min(count, StoreCommand.evidence.count))
            backend.setHistory(numbers.map { StoreCommand.texts[$0] }, of: customer)
            let store = store
            try await ingestEvidence(numbers) { try await store.sync() }
        case .spend(let quantity, let key): try await spend(quantity, key: key, by: store)
        case .spendElsewhere(let quantity, let key): try await spend(quantity, key: key, by: other)
        case .restart:
            clearFaults()
            store = try await reopened()
        case .deliver: await store.deliverUnfinished()
        case .failWrite: vault.failWrites()
        case .failAcknowledgement: vault.failAcknowledgements()
        case .failRead: vault.failReads()
        case .refuseDelivery: handler.refusals = 1
        case .moveClock(let days): clock.set(clock.now.adding(days: days))
        case .refresh: _ = try? await store.refresh()
        }
    }

    private func ingest(_ numbers: [Int], by store: Store) async throws {
        try await ingestEvidence(numbers) { try await store.ingest(numbers.map { StoreCommand.texts[$0] }) }
    }

    private func ingestEvidence(_ numbers: [Int], _ call: () async throws -> IngestReport) async throws {
        do {
            let report = try await call()
            guard report.failures.isEmpty, report.conflicts.isEmpty else {
                throw ModelMismatch(description: "\(report)")
            }
            acknowledged.formUnion(numbers)
        } catch is VaultError {
            uncertain.formUnion(numbers)
        }
    }

    private func spend(_ quantity: Int64, key: Int, by store: Store) async throws {
        do {
            let receipt = try await store.spend(quantity, of: "coins", key: "\(key)")
            guard -receipt.entry.change == quantity else {
                throw ModelMismatch(description: "the receipt belongs to another request")
            }
            spent[key] = quantity
        } catch is VaultError {
            if spent[key] == nil { uncertainSpendings[key, default: quantity] = quantity }
        } catch LedgerRefusal.keyReused {
            guard spent[key] ?? uncertainSpendings[key] != quantity else {
                throw ModelMismatch(description: "the key was refused for the same request")
            }
        } catch LedgerRefusal.insufficient {
            guard spent[key] == nil else { throw ModelMismatch(description: "a replay was refused") }
        }
    }

    private func clearFaults() {
        faults.counts = VaultFaults.Counts()
        handler.refusals = 0
    }

    // MARK: Invariants

    private func check() async throws {
        let (planned, refusals) = (faults.counts, handler.refusals)
        clearFaults()
        try await store.refresh()
        let facts = try await vault.facts(after: .start, of: customer, limit: .max).map(\.fact)
        let written = try numbers(of: facts)
        guard acknowledged.isSubset(of: written), written.isSubset(of: acknowledged.union(uncertain)) else {
            throw ModelMismatch(description: "the vault has \(written.sorted()) of \(acknowledged.sorted())")
        }
        acknowledged = written
        uncertain = []
        try checkAnswers(written)
        try await checkAccount(written)
        try await checkEvents()
        try checkFinished(written)
        faults.counts = planned
        handler.refusals = refusals
    }

    private func numbers(of facts: [VerifiedFact]) throws -> Set<Int> {
        let texts = facts.map(\.jws.compact)
        guard Set(texts).count == texts.count else { throw ModelMismatch(description: "a fact is stored twice") }
        return Set(texts.compactMap { StoreCommand.numberByText[$0] })
    }

    private func checkAnswers(_ numbers: Set<Int>) throws {
        var history = PurchaseHistory()
        _ = history.merge(numbers.map { StoreCommand.verified[$0] })
        let expected = EntitlementResolver(catalog: TestShop.catalog).resolve(history)
        guard store.snapshot.resolution == expected else {
            throw ModelMismatch(description: "the answers are not those of the facts \(numbers.sorted())")
        }
    }

    private func checkAccount(_ numbers: Set<Int>) async throws {
        let entries = try await vault.entries(after: .start, of: customer, limit: .max)
        var keys: [Int: Int64] = [:]
        for entry in entries where entry.kind == .spend {
            guard case .request(let key, _) = entry.cause, let number = Int(key.rawValue), keys[number] == nil else {
                throw ModelMismatch(description: "a key was executed twice")
            }
            keys[number] = -entry.change
        }
        for (key, quantity) in spent where keys[key] != quantity {
            throw ModelMismatch(description: "an acknowledged spend is lost")
        }
        for (key, quantity) in keys where spent[key] == nil {
            guard uncertainSpendings[key] == quantity else {
                throw ModelMismatch(description: "a spend of \(quantity) was never requested")
            }
        }
        spent = keys
        let coins = Dictionary(
            grouping: numbers.map { StoreCommand.evidence[$0] }.filter { $0.type == .consumable }, by: \.id)
        let credited = coins.values.reduce(Int64(0)) { sum, copies in
            guard let newest = copies.max(by: { $0.signedAt < $1.signedAt }) else { return sum }
            return sum + 500 - (newest.revokedAt == nil ? 0 : 5 * (newest.revocationPercentage ?? 100_000) / 1_000)
        }
        let expected = credited - keys.values.reduce(0, +)
        let sum = entries.reduce(Int64(0)) { $0 + $1.change }
        guard sum == expected, store.balance(of: "coins").amount == expected else {
            throw ModelMismatch(
                description: "\(expected) coins, entries of \(sum), shown \(store.balance(of: "coins").amount)")
        }
    }

    private func checkEvents() async throws {
        var last: [StoreEvent.Subject: StoreEvent.Answer] = [:]
        for event in try await vault.events(after: .start, of: customer, limit: .max) {
            if let before = last[event.change.subject] {
                guard Self.words(before) == Self.words(event.change.before) else {
                    throw ModelMismatch(
                        description: "an event of \(event.change.subject) does not follow the previous one")
                }
            }
            last[event.change.subject] = event.change.after
        }
        guard let through = try await vault.load(customer).evaluatedThrough else { return }
        for product in store.snapshot.resolution.products {
            let answer = product.timeline.value(at: through)
            let told = last[.product(product.id)].map(Self.words) ?? ["never", "noPurchase"]
            guard told == [answer.word, answer.reasonWord] else {
                throw ModelMismatch(
                    description: "the last event of \(product.id) says \(told[0]), it is \(answer.word)")
            }
        }
    }

    /// The words of an answer; the first reading of the whole history turns `unknown` into `never` without an event.
    private static func words(_ answer: StoreEvent.Answer) -> [String] {
        answer.reasonWord == "neverSynced" ? ["never", "noPurchase"] : [answer.word, answer.reasonWord]
    }

    private func checkFinished(_ numbers: Set<Int>) throws {
        let refunded = Set(numbers.map { StoreCommand.evidence[$0] }.filter { $0.revokedAt != nil }.map(\.id))
        let handedOut = Set(handler.delivered).union(refunded)
        let written = Set(numbers.map { StoreCommand.evidence[$0].id })
        guard Set(finished).isSubset(of: handedOut), Set(finished).isSubset(of: written) else {
            throw ModelMismatch(description: "a transaction was finished before it was delivered")
        }
    }

    private var finished: [Transaction.ID] { backend.finished.map(\.transactionID) }

    private func end() async throws {
        clearFaults()
        try await store.refresh()
        await store.deliverUnfinished()
        guard try await store.unfinished.isEmpty,
            Set(finished) == Set(acknowledged.map { StoreCommand.evidence[$0].id })
        else { throw ModelMismatch(description: "a transaction was never finished") }
        let restarted = try await reopened()
        guard restarted.snapshot.resolution == store.snapshot.resolution,
            restarted.snapshot.balances == store.snapshot.balances
        else { throw ModelMismatch(description: "a restart changes the store's contents") }
    }
}
