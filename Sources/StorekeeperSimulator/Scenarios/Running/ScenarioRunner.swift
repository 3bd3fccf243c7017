public import Storekeeper
public import StorekeeperJWS

/// Plays a scenario with a simulated App Store and an engine for each person.
///
/// The engines trust only the signatures of this store.
///
/// The same scenario always has the same report.
public struct ScenarioRunner: Sendable {
    /// The scenario.
    public let scenario: Scenario
    /// The App Store of the scenario.
    public let store: SimulatedAppStore
    /// The result so far.
    public internal(set) var report: ScenarioReport
    let vault: any TransactionalVault
    /// The clock for `advance to: now`.
    private let wallClock: any StoreClock
    let verifiers: [JWSVerifier]
    private let backends: [SimulatedBackend]
    /// The engines, in order of creation.
    private var engines = Table<ScenarioEngine>()
    private var enginePlaces: [EngineKey: RowIndex<ScenarioEngine>] = [:]
    /// The schedule that determines which engines are read next.
    private var agenda = ScenarioAgenda<RowIndex<ScenarioEngine>>()
    /// The total number of times that engines were read.
    private(set) var readCount = 0
    /// The number of happenings passed to the engines.
    private var ingestedCount = 0
    /// The ids of transactions, by the names that steps have given to them.
    var names: [String: Transaction.ID] = [:]
    /// The number of items of each list that earlier expectations have checked.
    var checkedCounts: [CheckedList: Int] = [:]
    private var isStopped = false

    struct EngineKey: Hashable, Sendable {
        var app: Int
        var person: CustomerID
    }

    /// A list that expectations check incrementally: each check covers the items that were added since the previous
    /// check.
    enum CheckedList: Hashable, Sendable {
        case notifications(CustomerID?), happened(CustomerID?), events(EngineKey)
    }

    /// Creates a runner, with the App Store, people and families of the scenario.
    ///
    /// - Parameters:
    ///   - scenario: The scenario.
    ///   - vault: The vault of the engines, which must not contain any person of the scenario.
    ///   - seed: Overrides the scenario's seed.
    ///   - authority: The authority that signs the store's items; `nil` creates a new one.
    ///   - wallClock: The clock for `advance to: now`. Tests can replace the machine's clock.
    /// - Throws: ``SimulatorError`` if the people and families of the scenario cannot be created; `VaultError` if the
    ///   vault fails.
    public init(
        _ scenario: Scenario, vault: any Vault = InMemoryVault(), seed: UInt64? = nil,
        authority: LocalAuthority? = nil, wallClock: any StoreClock = WallClock()
    ) async throws {
        self.scenario = scenario
        self.vault = vault.implementation.vault
        self.wallClock = wallClock
        store = try SimulatedAppStore(
            apps: scenario.apps, environment: scenario.environment, seed: seed ?? scenario.seed, start: scenario.start,
            authority: authority)
        report = ScenarioReport(
            file: scenario.file, story: scenario.story, start: scenario.start, seed: seed ?? scenario.seed)
        verifiers = scenario.apps.map { [store] app in
            store.verifier(bundleID: app.bundleID, environments: Set(scenario.policy.environments.keys))
        }
        backends = try scenario.apps.map { [store] in try store.backend(for: $0.bundleID) }
        for command in scenario.opening { try store.perform(command) }
        try await ingestNewEvidence()
        // The opening commands are not part of the report.
        report.entries = []
        for person in [nil] + scenario.people.map(\.name) {
            checkedCounts[.notifications(person)] = ingestedCount
            checkedCounts[.happened(person)] = ingestedCount
        }
    }

    /// Plays all steps, up to the first step that fails.
    ///
    /// The method runs outside of the caller's actor, because it often waits for engines for a short time.
    ///
    /// - Throws: `VaultError`, or an error of the cryptographic library. An unmet expectation throws no error.
    @concurrent
    public mutating func run() async throws -> ScenarioReport {
        for step in scenario.steps {
            try await play(step)
            if isStopped { break }
        }
        return report
    }

    /// Plays one step, which need not be part of the scenario.
    package mutating func play(_ step: ScenarioStep) async throws {
        let begun = report.entries.count
        addEntry(.step(step.text), step: step)
        do {
            let outcome = try await carryOut(step)
            if let error = step.error {
                addEntry(.expectation(isMet: false, expected: "error \(error)", found: "no error"), step: step)
            }
            try await check(outcome, of: step)
        } catch let error as SimulatorError {
            addRefusal(error.code.rawValue, error.description, step: step)
        } catch let refusal as LedgerRefusal {
            let (word, text) = Self.words(of: refusal)
            addRefusal(word, text, step: step)
        } catch let error as VaultError
            where [.invalidRequest, .overflow, .consumable, .unknownProduct, .unknownFeature].contains(error.code)
        {
            // An error such as an empty ledger key or an overflowing balance is a mistake in the scenario, not in the
            // vault.
            addRefusal("invalidAction", "invalidAction: \(error.message)", step: step)
        }
        sort(from: begun)
    }

    // MARK: Steps

    private mutating func carryOut(_ step: ScenarioStep) async throws -> PurchaseOutcome? {
        var outcome: PurchaseOutcome?
        switch step.action {
        case .perform(let commands):
            for command in commands {
                if case .advance(let instant) = command {
                    try await advance(to: instant)
                } else {
                    outcome = try await perform(command.replacingReference { resolved($0) }, app: step.app)
                }
            }
        case .answerGuardian(let isYes, let reference):
            let id = try id(of: resolved(reference), app: step.app)
            outcome = try await perform(isYes ? .approveAskToBuy(id) : .declineAskToBuy(id), app: step.app)
        case .advance(let span): try await advance(to: span.after(store.now))
        case .advanceToNextEvent:
            guard let next = store.nextEvent else {
                throw SimulatorError(.invalidAction, "no further event is scheduled")
            }
            try await advance(to: next)
        case .advanceToNow: try await advance(to: store.present(of: wallClock))
        case .spend(let number, let balance, let person, let key):
            let place = try await engine(of: person, app: step.app)
            let receipt = try await engines[place].purchasing.store.spend(
                number, of: balance, key: key ?? "step-\(report.entries.count)")
            addEntry(.outcome("\(receipt.balance) \(balance) left"), step: step, person: person)
            agenda.markChanged(place)
            try await readEngines()
        case .grant(let number, let balance, let person, let key):
            let place = try await engine(of: person, app: step.app)
            let receipt = try await engines[place].purchasing.store.grant(
                number, of: balance, because: "the scenario", key: key ?? "step-\(report.entries.count)")
            addEntry(.outcome("\(receipt.balance) \(balance) now"), step: step, person: person)
            agenda.markChanged(place)
            try await readEngines()
        case .grantAccess(let subject, let person, let end, let key):
            let place = try await engine(of: person, app: step.app)
            let receipt = try await engines[place].purchasing.store.grantAccess(
                to: subject, until: end, because: "the scenario", key: key ?? "step-\(report.entries.count)")
            addEntry(.outcome("\(subject) granted until \(receipt.grant.until)"), step: step, person: person)
            agenda.markChanged(place)
            try await readEngines()
        case .revokeAccess(let key, let person):
            let place = try await engine(of: person, app: step.app)
            let receipt = try await engines[place].purchasing.store.revokeAccess(
                grantedBy: key, because: "the scenario")
            addEntry(.outcome("\(receipt.grant.subject) revoked"), step: step, person: person)
            agenda.markChanged(place)
            try await readEngines()
        case .expect(let expectations):
            for expectation in expectations { try await check(expectation, step: step) }
        }
        return outcome
    }

    private mutating func perform(_ command: SimulatorCommand, app: String?) async throws -> PurchaseOutcome? {
        let outcome = try store.perform(command, app: app)
        if case .pending(let reason, _) = outcome, let (product, person) = command.purchase {
            let place = try await engine(of: person, app: app)
            engines[place].backend.reason = reason
            _ = try await engines[place].purchasing.purchase(productID: product)
            agenda.markChanged(place)
        }
        try await ingestNewEvidence()
        return outcome
    }

    /// The maximum number of instants with a happening within one step.
    package static let maximumEvents = 50_000

    /// Advances from event to event, so that the engines receive the evidence of each event at its own instant.
    private mutating func advance(to instant: Instant) async throws {
        try ScenarioSpan.checkStep(from: store.now, to: instant)
        var events = 0
        while let next = store.nextEvent, next < instant {
            events += 1
            guard events <= Self.maximumEvents else {
                throw SimulatorError(
                    .tooManyEvents,
                    "more than \(Self.maximumEvents) events occur in this time; advance in smaller steps")
            }
            try store.perform(.advance(to: next))
            try await ingestNewEvidence()
        }
        try store.perform(.advance(to: instant))
        try await ingestNewEvidence()
    }

    // MARK: Engines

    /// Passes newly signed evidence to the engines.
    private mutating func ingestNewEvidence() async throws {
        let news = store.happenings(after: ingestedCount)
        ingestedCount += news.count
        for happening in news {
            report.entries.append(
                ScenarioReport.Entry(
                    at: happening.at, line: nil, person: happening.customer, content: .happening(happening)))
            guard let person = happening.customer else { continue }
            let place = try await engine(of: person, app: happening.app)
            let engine = engines[place].purchasing.store
            agenda.markChanged(place)
            guard let app = scenario.apps.firstIndex(where: { $0.bundleID == happening.app }),
                let content = backends[app].update(happening.id)
            else { continue }
            switch content {
            case .evidence(let items):
                let intake = try await engine.ingest(items)
                agenda.markIngested(place)
                if !intake.failures.isEmpty { agenda.markUnpredictable(place) }
                // Parked evidence may belong to another customer, whose engine must read it.
                if intake.parked > 0 { agenda.markAllChanged(engines.indices) }
            case .declined, .failure:
                _ = try await engine.receive(TransactionUpdate(content, customer: engine.customer))
            }
        }
        try await readEngines()
    }

    /// Adds the changed answers and balances to the report.
    private mutating func readEngines() async throws {
        for (place, isBehind) in agenda.popDue(at: store.now) {
            let (key, engine) = (engines[place].key, engines[place].purchasing.store)
            readCount += 1
            // Ingesting an empty list records the changes up to now.
            if isBehind { try await engine.ingest([]) }
            let events = try await vault.events(
                after: engines[place].lastEvent, of: engine.customer, limit: 10_000)
            if let last = events.last { engines[place].lastEvent = last.place }
            let changes = ScenarioChange.net(events, catalog: scenario.apps[key.app].catalog)
            engines[place].changes += changes
            for change in changes {
                report.entries.append(
                    ScenarioReport.Entry(at: change.at, line: nil, person: key.person, content: .answer(change)))
            }
            let snapshot = engine.snapshot
            agenda.setNextChange(snapshot.resolution.nextChange(after: store.now), of: place)
            for balance in snapshot.balances {
                let before = engines[place].balances[balance.id] ?? 0
                guard balance.amount != before else { continue }
                report.entries.append(
                    ScenarioReport.Entry(
                        at: store.now, line: nil, person: key.person,
                        content: .balance(balance.id, before: before, after: balance.amount)))
                engines[place].balances[balance.id] = balance.amount
            }
        }
    }

    /// Returns the index of an app in the scenario; without an id, the index of the first app.
    func index(ofApp id: String?) -> Int { id.flatMap { id in scenario.apps.firstIndex { $0.bundleID == id } } ?? 0 }

    /// Returns the engine of a person in an app, created on first use.
    private mutating func engine(of person: CustomerID, app: String?) async throws -> RowIndex<ScenarioEngine> {
        let index = index(ofApp: app)
        let key = EngineKey(app: index, person: person)
        if let place = enginePlaces[key] { return place }
        let app = scenario.apps[index]
        let backend = PendingPurchaseBackend()
        // All apps share one vault, so a person needs a different customer id in each app.
        let customer = index == 0 ? person : CustomerID(rawValue: "\(person)@\(app.bundleID)")
        let purchasing = try await PurchasingStore.open(
            customer: customer, configuration: StoreConfiguration(catalog: app.catalog, policy: scenario.policy),
            vault: vault, verifier: verifiers[index], backend: backend, clock: store.clock)
        // The history of a new customer is complete, because the customer has not bought anything yet.
        try await purchasing.store.ingest([], isComplete: true)
        let place = engines.append(ScenarioEngine(key: key, purchasing: purchasing, backend: backend))
        enginePlaces[key] = place
        agenda.markChanged(place)
        return place
    }

    /// Returns the store of a person in an app.
    mutating func store(of person: CustomerID, app: String?) async throws -> Store {
        engines[try await engine(of: person, app: app)].purchasing.store
    }

    /// Returns the changed answers about a person in an app, so far.
    mutating func changes(
        of person: CustomerID, app: String?
    ) async throws -> (key: EngineKey, changes: [ScenarioChange]) {
        let place = try await engine(of: person, app: app)
        return (engines[place].key, engines[place].changes)
    }

    /// The snapshots of the engines, in order of creation.
    var snapshots: [(key: EngineKey, snapshot: StoreSnapshot)] {
        engines.map { ($0.key, $0.purchasing.store.snapshot) }
    }

    // MARK: The report

    mutating func addEntry(_ content: ScenarioReport.Content, step: ScenarioStep, person: CustomerID? = nil) {
        report.entries.append(
            ScenarioReport.Entry(at: store.now, line: step.line, person: person, content: content))
    }

    /// Reports that a step was refused.
    ///
    /// The scenario stops unless the step expects an error.
    private mutating func addRefusal(_ word: String, _ text: String, step: ScenarioStep) {
        guard let expected = step.error else {
            isStopped = true
            addEntry(.failure(text), step: step)
            return
        }
        addEntry(
            .expectation(isMet: expected == word, expected: "error \(expected)", found: "error \(word)"), step: step)
    }

    private static func words(of refusal: LedgerRefusal) -> (word: String, text: String) {
        switch refusal {
        case .insufficient(let balance): ("insufficient", "insufficient: only \(balance) available")
        case .frozen(let balance): ("frozen", "frozen: the balance '\(balance)' is below zero")
        case .keyReused: ("keyReused", "keyReused: the key was used for another request")
        case .unknownGrant: ("unknownGrant", "unknownGrant: no access was granted with this key")
        }
    }

    /// Sorts the entries of a step by time.
    ///
    /// The step itself precedes its consequences.
    private mutating func sort(from begun: Int) {
        let entries = report.entries[begun...].enumerated().sorted {
            ($0.element.at, $0.offset) < ($1.element.at, $1.offset)
        }
        report.entries.replaceSubrange(begun..., with: entries.map(\.element))
    }
}
