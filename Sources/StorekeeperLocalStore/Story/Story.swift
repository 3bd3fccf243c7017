import Storekeeper
import StorekeeperJWS
import StorekeeperSimulator

/// The recorded history of a store, which is a tree of steps with the changes that each step made to the store.
///
/// By replaying these changes, the store can be put into its state after any step.
struct Story: Sendable {
    /// The start of a new store, either the first store or the store of a loaded scenario.
    struct Beginning: Sendable {
        /// The served scenario, with its people, and with its steps as people or tests wrote them.
        let scenario: Scenario
        /// Whether the steps of the scenario reproduce the store.
        let isAsWritten: Bool
        /// Whether the scenario is from a journal, and therefore has only low-level steps, one for each call of the
        /// store.
        let isFromJournal: Bool
        /// The store at this beginning, which is copied before it is served; for a beginning from a journal, `nil`
        /// until the store is needed.
        var store: SimulatedAppStore?

        /// A scenario that reproduces the store with low-level steps, one for each call of the store.
        var recorded: Scenario {
            guard !isFromJournal, let store else { return scenario }
            var recorded = Scenario(
                calls: store.calls, story: scenario.story, apps: scenario.apps, catalogs: scenario.catalogs,
                environment: scenario.environment, start: scenario.start, seed: scenario.seed)
            recorded.about = scenario.about
            recorded.policy = scenario.policy
            recorded.catalogFiles = scenario.catalogFiles
            return recorded
        }
    }

    private(set) var tree: StoryTree
    /// The scenario steps that reproduce each step of the story, by the number of the step.
    private(set) var actions: [Int: [ScenarioStep]] = [:]
    /// The attempts to send notifications between each step and the next step, by the number of the earlier step.
    private(set) var attempts: [Int: [AttemptRecord]] = [:]
    private(set) var beginnings: [Int: Beginning]

    init(_ beginning: Beginning, store: SimulatedAppStore, attempts: [AttemptRecord]) {
        tree = StoryTree(beginning.scenario.story, at: store.now, happenings: store.happeningCount)
        beginnings = [0: beginning]
        self.attempts[0] = attempts
    }

    /// Restores the recorded steps from a journal, so that more steps can be added.
    init(_ archive: StoryArchive) {
        tree = archive.tree
        actions = archive.actions
        attempts = archive.attempts
        beginnings = archive.beginnings.mapValues { scenario in
            Beginning(scenario: scenario, isAsWritten: false, isFromJournal: true, store: nil)
        }
    }

    // MARK: Reading

    /// Returns the number of the step that created the store in which a given step ran, which is the last beginning at
    /// or before the step.
    func beginning(of id: Int) -> Int { tree.path(to: id).last(where: \.isBeginning)?.id ?? 0 }

    /// Returns the steps that follow a beginning, up to and including a step, in order.
    func path(from beginning: Int, to id: Int) -> [StoryTree.Step] {
        Array(tree.path(to: id).drop { $0.id != beginning }.dropFirst())
    }

    /// Returns all attempts to send notifications that were made up to a step, for the store in which the step ran.
    func allAttempts(to id: Int) -> [AttemptRecord] {
        let beginning = beginning(of: id)
        return (attempts[beginning] ?? []) + path(from: beginning, to: id).flatMap { attempts[$0.id] ?? [] }
    }

    /// Returns the store in its state at a beginning; the caller must copy the store before changing it.
    ///
    /// - Throws: ``SimulatorError`` or an error of the cryptographic library if a journal was changed by hand.
    func store(ofBeginning id: Int, authority: LocalAuthority) throws -> SimulatedAppStore {
        guard let start = beginnings[id] else { throw StoryTree.Refusal.unknownStep(id) }
        return try start.store ?? start.scenario.makeStore(authority: authority)
    }

    /// Returns the store as it was after a step, by replaying the steps since the store's beginning.
    ///
    /// - Throws: ``SimulatorError`` or an error of the cryptographic library if a journal was changed by hand.
    func store(at id: Int, authority: LocalAuthority) throws -> SimulatedAppStore {
        let beginning = beginning(of: id)
        let store = try store(ofBeginning: beginning, authority: authority).copy()
        for step in path(from: beginning, to: id) {
            for action in actions[step.id] ?? [] { try store.perform(action) }
        }
        return store
    }

    /// Returns a scenario that reproduces the store after a step, with steps as people or tests wrote them.
    func scenario(to id: Int) -> Scenario? {
        let beginning = beginning(of: id)
        guard let start = beginnings[beginning] else { return nil }
        var scenario = start.isAsWritten ? start.scenario : start.recorded
        // All settings are written into the scenario, because the settings in a catalog file may change later.
        scenario.settings = Scenario(calls: [], story: "", apps: scenario.apps, catalogs: []).settings
        scenario.steps += scenarioSteps(of: path(from: beginning, to: id), after: tree.steps[beginning])
        return scenario
    }

    /// Returns the scenario steps of a path, with successive advances by the same span joined into one step.
    ///
    /// While the page plays time, each tick is such an advance.
    private func scenarioSteps(of path: [StoryTree.Step], after beginning: StoryTree.Step) -> [ScenarioStep] {
        var steps: [ScenarioStep] = []
        var run: (span: ScenarioSpan, count: Int, start: StoryTree.Step)?
        var previous = beginning
        for step in path {
            let actions = actions[step.id] ?? []
            if actions.count == 1, case .advance(let span)? = actions.first?.action {
                if let known = run, known.span == span,
                    let joined = Self.joined(span, known.count + 1, from: known.start, to: step)
                {
                    steps[steps.count - 1] = joined
                    run = (span, known.count + 1, known.start)
                } else {
                    steps += actions
                    run = (span, 1, previous)
                }
            } else {
                steps += actions
                run = nil
            }
            previous = step
        }
        return steps
    }

    /// Returns one step with the effect of several advances by the same span; `nil` if it would be too long for a step.
    private static func joined(
        _ span: ScenarioSpan, _ count: Int, from start: StoryTree.Step, to end: StoryTree.Step
    ) -> ScenarioStep? {
        guard end.happenings - start.happenings <= ScenarioRunner.maximumEvents,
            (try? ScenarioSpan.checkStep(from: start.at, to: end.at)) != nil
        else { return nil }
        let whole = ScenarioSpan(months: span.months * count, milliseconds: span.milliseconds * Int64(count))
        // Several months in succession may end on another day than as many months at once.
        return whole.after(start.at) == end.at
            ? ScenarioStep(.advance(whole), text: "advance \(whole.text)")
            : ScenarioStep(.perform([.advance(to: end.at)]), text: "advance to \(end.at)")
    }

    // MARK: Changing

    /// Adds a step that the store has performed.
    mutating func append(
        _ kind: StoryTree.Step.Kind, _ text: String, in store: SimulatedAppStore, action: [ScenarioStep],
        attempts: [AttemptRecord], requests: [String]
    ) -> StoryTree.Step {
        let step = tree.append(
            kind, text, at: store.now, happenings: store.happeningCount, requests: requests)
        actions[step.id] = action
        if !attempts.isEmpty { self.attempts[step.id] = attempts }
        return step
    }

    /// Adds a step that replaced the store.
    mutating func append(_ beginning: Beginning, in store: SimulatedAppStore) -> StoryTree.Step {
        let step = tree.append(
            .load, "load \(beginning.scenario.story)", at: store.now, happenings: store.happeningCount)
        beginnings[step.id] = beginning
        return step
    }

    /// Adds an attempt that was made after the current step.
    mutating func add(_ attempt: AttemptRecord) { attempts[tree.current, default: []].append(attempt) }

    /// Changes the current step or the branches.
    mutating func change(
        _ change: (inout StoryTree) throws(StoryTree.Refusal) -> Void
    ) throws(StoryTree.Refusal) { try change(&tree) }

    /// Stores in memory the state of the store at a beginning, so that the next replay is faster.
    mutating func keep(_ store: SimulatedAppStore, of beginning: Int) { beginnings[beginning]?.store = store }
}

extension ScenarioStep {
    /// Returns steps that reproduce the effect of this step.
    ///
    /// If possible, returns this step itself. If not, returns low-level steps that make the same calls of the store.
    ///
    /// - Parameters:
    ///   - calls: All calls of the store during the step.
    ///   - isNextEvent: Whether `advance: next event` advanced to an event of the store instead of a retry of a
    ///     notification.
    func repeated(_ calls: [SimulatorCall], outcome: PurchaseOutcome?, isNextEvent: Bool) -> [ScenarioStep] {
        var step = self
        (step.line, step.error, step.outcome) = (0, nil, nil)
        if case .failed = outcome { step.outcome = "failed" }
        if outcome?.transactionID == nil { step.name = nil }
        let jumps = calls.count { if case .advance = $0.command { true } else { false } }
        let commands: Int
        var isJump = false
        switch action {
        case .advance: (commands, isJump) = (0, true)
        case .advanceToNextEvent: (commands, isJump) = (0, isNextEvent)
        case .answerGuardian: commands = 1
        case .perform(let all):
            commands = all.count
            if case .advance? = all.first { isJump = all.count == 1 }
        default: commands = 0
        }
        if isJump {
            let isWhole = jumps == calls.count && jumps <= ScenarioRunner.maximumEvents
            return isWhole ? [step] : Scenario.steps(of: calls)
        }
        guard commands > 0 else { return Scenario.steps(of: calls) }
        guard calls.count - jumps == commands, jumps <= 1 else { return Scenario.steps(of: calls) }
        guard jumps == 1 else { return [step] }
        // If a server has already seen the present instant, the store advances by a millisecond before a change. A
        // replay of the step must also first advance by a millisecond.
        guard case .advance? = calls.first?.command else { return Scenario.steps(of: calls) }
        return [ScenarioStep(.advance(ScenarioSpan(milliseconds: 1)), text: "advance 1 millisecond"), step]
    }
}

extension Story.Beginning {
    /// Creates a beginning of the story from a store.
    ///
    /// - Parameters:
    ///   - store: The store at the beginning.
    ///   - isAsWritten: Whether the store was made by playing the steps of the scenario.
    init(_ store: SimulatedAppStore, _ scenario: Scenario, isAsWritten: Bool) {
        // A step that advances to the machine's present time would have another effect at the next replay.
        let isRepeatable = scenario.steps.allSatisfy { $0.action != .advanceToNow }
        self.init(
            scenario: scenario, isAsWritten: isAsWritten && isRepeatable, isFromJournal: false, store: store.copy())
    }
}
