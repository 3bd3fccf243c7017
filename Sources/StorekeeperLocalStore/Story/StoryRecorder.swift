import Storekeeper
import StorekeeperSimulator
import Synchronization

/// Records the changes of the served store as steps of a story, in memory and in the journal.
///
/// Each step is written to the journal before the request that caused it is answered.
final class StoryRecorder: Sendable {
    /// The error thrown if another store has replaced the served store since a request began.
    ///
    /// The changes that the request made are lost.
    struct StoreReplaced: Error, CustomStringConvertible {
        var description: String { "another store was loaded, or the story went to another step, during the request" }
    }

    private struct State {
        var story: Story
        /// The number of the served state; changes that requests make in an earlier served state are not recorded.
        var number: Int
        var store: SimulatedAppStore
        /// The number of calls of the store that belong to steps of the story.
        var recorded: Int
        /// The number of calls of the store that are in the journal.
        var written: Int
        /// The attempts to send notifications that the step in progress caused.
        var attempts: [AttemptRecord] = []
        /// The text of the step in progress.
        var running: String?
        /// The requests of the App Store Server API since the step in progress began.
        var requests: [String] = []
        /// Whether the journal contains the whole story, so that further lines can be appended.
        var isInJournal: Bool
        var revision = 0
        /// The changes of retention messages since each step that created a store, by the number of the step.
        var messaging: [Int: [MessagingRecord]]
    }

    private let journal: (any LocalJournal)?
    private let state: Mutex<State>
    /// The retention messages of each step that created a store, by the number of the step; undo and redo do not change
    /// these messages.
    private let messages = Mutex<[Int: RetentionMessages]>([:])

    /// Creates a recorder for the served store.
    ///
    /// - Parameters:
    ///   - beginning: The start of the served store, which the journal already contains.
    ///   - archive: The story of the journal; `nil` begins a new story.
    init(
        _ beginning: Story.Beginning, store: SimulatedAppStore, archive: StoryArchive?, attempts: [AttemptRecord],
        messaging: [MessagingRecord], journal: (any LocalJournal)?
    ) {
        self.journal = journal
        let story = archive.map(Story.init) ?? Story(beginning, store: store, attempts: attempts)
        let count = store.callCount
        state = Mutex(
            State(
                story: story, number: 0, store: store, recorded: count, written: count,
                isInJournal: archive?.isInterrupted == false, messaging: archive?.messaging ?? [0: messaging]))
    }

    /// The story.
    var story: Story { state.withLock { $0.story } }

    /// A number that increases with each change of the story.
    var revision: Int { state.withLock { $0.revision } }

    /// A scenario that reproduces the served store, with steps as people or tests wrote them.
    var saved: Scenario? {
        state.withLock { state in
            var scenario = state.story.scenario(to: state.story.tree.current)
            scenario?.steps += Scenario.steps(of: state.store.calls(after: state.recorded))
            return scenario
        }
    }

    /// Returns the retention messages of a step that created a store, with their changes until now.
    func messages(since beginning: Int) -> RetentionMessages {
        let (scenario, records) = state.withLock { state in
            (state.story.beginnings[beginning]?.scenario, state.messaging[beginning] ?? [])
        }
        return messages.withLock { messages in
            if let known = messages[beginning] { return known }
            var journal: RetentionMessages.Journal?
            if self.journal != nil {
                journal = { [weak self] records in
                    guard let self else { return }
                    try self.write(records, since: beginning)
                }
            }
            let made = RetentionMessages(
                environment: scenario?.environment ?? .sandbox, records: records, journal: journal)
            messages[beginning] = made
            return made
        }
    }

    // MARK: Steps

    /// Begins a step; all changes until the call of `end` belong to the step.
    func begin(_ text: String) throws {
        try state.withLock { state in
            try recordRequest("a request of the App Store Server API", in: &state)
            (state.running, state.requests) = (text, [])
        }
    }

    /// Ends the step in progress, even if it was only partly carried out.
    ///
    /// - Parameter action: Returns scenario steps that reproduce the given calls.
    func end(_ action: ([SimulatorCall]) -> [ScenarioStep]) throws {
        try state.withLock { state in
            guard let text = state.running else { return }
            state.running = nil
            try record(.step, text, requests: state.requests, in: &state, action)
        }
    }

    /// Records the changes that a request of the App Store Server API made, as a step or as a part of the step in
    /// progress.
    func recordRequest(_ text: String, of number: Int) throws {
        try state.withLock { state in
            guard number == state.number else { throw StoreReplaced() }
            if state.running == nil { return try recordRequest(text, in: &state) }
            guard state.store.callCount > state.recorded else { return }
            if state.requests.count < 20 { state.requests.append(text) }
            try writeCalls(&state)
        }
    }

    private func recordRequest(_ text: String, in state: inout State) throws {
        try record(.request, text, requests: [], in: &state) { Scenario.steps(of: $0) }
    }

    /// Adds a step for the calls of the store that do not belong to a step yet, if such calls exist.
    private func record(
        _ kind: StoryTree.Step.Kind, _ text: String, requests: [String], in state: inout State,
        _ action: ([SimulatorCall]) -> [ScenarioStep]
    ) throws {
        let calls = state.store.calls(after: state.recorded)
        guard !calls.isEmpty else { return }
        let steps = action(calls)
        let written = state.written - state.recorded
        let branches = state.story.tree.branches.count
        let step = state.story.append(
            kind, text, in: state.store, action: steps, attempts: state.attempts, requests: requests)
        state.attempts = []
        state.recorded += calls.count
        state.written = state.recorded
        state.revision += 1
        let tree = state.story.tree
        let form = Scenario.text(of: steps)
        try append(&state) {
            let lines = written == 0 ? form : Scenario.text(of: Array(calls.dropFirst(written)))
            return lines + StoryText.line(step, form: written == 0 ? nil : form, branch: tree.currentBranch)
                + (tree.branches.count > branches ? StoryText.line(tree.branch) : "")
        }
    }

    // MARK: The journal

    /// Writes the result of an attempt to send a notification, after the calls of the store that caused the attempt.
    func write(_ attempt: AttemptRecord, of number: Int) throws {
        try state.withLock { state in
            guard number == state.number else { return }
            try writeCalls(&state)
            if state.written > state.recorded { state.attempts.append(attempt) } else { state.story.add(attempt) }
            try append(&state) { attempt.line + "\n" }
        }
    }

    private func write(_ records: [MessagingRecord], since beginning: Int) throws {
        try state.withLock { state in
            state.messaging[beginning, default: []] += records
            let isCurrent = state.story.beginning(of: state.story.tree.current) == beginning
            // Records that belong to a store other than the current store cannot be appended, so the whole journal is
            // written again.
            if !isCurrent { state.isInJournal = false }
            do { try append(&state) { records.map { $0.line + "\n" }.joined() } } catch {
                state.messaging[beginning]?.removeLast(records.count)
                throw error
            }
        }
    }

    /// Writes the calls of the store that the step in progress has made and that are not in the journal yet.
    private func writeCalls(_ state: inout State) throws {
        let news = state.store.calls(after: state.written)
        guard !news.isEmpty else { return }
        state.written += news.count
        try append(&state) { Scenario.text(of: news) }
    }

    /// Appends lines to the journal; if the journal does not contain the whole story, writes the journal from the
    /// start.
    private func append(_ state: inout State, _ lines: () -> String) throws {
        guard let journal else { return }
        do {
            guard state.isInJournal else { return try writeAll(&state) }
            try journal.append(lines())
        } catch {
            state.isInJournal = false
            throw error
        }
    }

    private func writeAll(_ state: inout State) throws {
        guard let journal else { return }
        let open = state.store.calls(after: state.recorded)
        state.written = state.recorded + open.count
        let rest = Scenario.text(of: open) + StoryText.lines(of: state.attempts)
        try journal.replace(
            with: try StoryText.whole(state.story, messaging: state.messaging, rest: rest) { try journal.store($0) })
        state.isInJournal = true
    }

    // MARK: Moves

    /// Stores in memory the state of the store at a beginning, so that the next replay is faster.
    func keep(_ store: SimulatedAppStore, ofBeginning id: Int) {
        state.withLock { $0.story.keep(store, of: id) }
    }

    /// Changes the current step or the branches, and writes them to the journal.
    func change(_ change: (inout StoryTree) throws(StoryTree.Refusal) -> Void) throws {
        try state.withLock { state in
            let before = state.story.tree
            try state.story.change(change)
            guard state.story.tree != before else { return }
            state.revision += 1
            let tree = state.story.tree
            try append(&state) { tree.branches.map { StoryText.line($0) }.joined() + StoryText.place(in: tree) }
        }
    }

    /// Replaces the recorded store; from now on, the changes of the new store are recorded.
    ///
    /// - Parameters:
    ///   - store: The store as it is after the new current step.
    ///   - number: The number of the served state with the store.
    ///   - change: Changes the story.
    /// - Throws: An error of the journal; in this case nothing has changed.
    func replace(
        with store: SimulatedAppStore, number: Int, _ change: (inout Story) throws -> Void
    ) throws {
        try state.withLock { state in
            try recordRequest("a request of the App Store Server API", in: &state)
            let before = state
            do {
                try change(&state.story)
                (state.store, state.number) = (store, number)
                (state.recorded, state.written) = (store.callCount, store.callCount)
                state.attempts = []
                state.revision += 1
                try writeAll(&state)
            } catch {
                state = before
                state.isInJournal = false
                throw error
            }
        }
    }
}
