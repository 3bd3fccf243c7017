import Storekeeper

/// Which engines are to be asked what has changed: those whom something happened to, and those whose time has come.
///
/// Asking all of them after every step takes time that grows with the square of the people.
struct ScenarioAgenda: Sendable {
    /// The engines by the order in which they were made.
    private var touched: Set<Int32> = []
    /// Those whose answers cannot be foreseen: they are asked every time.
    private var restless: Set<Int32> = []
    /// Those who have written down at this instant what time has changed, as every intake of evidence does.
    private var current: Set<Int32> = []
    private var alarms = EventQueue()
    /// When each engine's next change is due; an alarm of another instant is void.
    private var dueAt: [Int32: Instant] = [:]

    /// Something happened to the customer of an engine.
    mutating func touch(_ engine: Int32) { touched.insert(engine) }

    /// An engine has taken in evidence, and has written down with it what time has changed.
    mutating func noteIntake(_ engine: Int32) {
        touched.insert(engine)
        current.insert(engine)
    }

    /// Something happened that may concern every engine, of so many.
    mutating func touchAll(_ count: Int) {
        touched.formUnion(0..<Int32(count))
        current = []
    }

    /// An engine has doubts, which its published answers show and its announcements do not: asked from now on every
    /// time.
    mutating func distrust(_ engine: Int32) { restless.insert(engine) }

    /// The next change that an engine foresees.
    mutating func expect(_ instant: Instant?, of engine: Int32) {
        guard dueAt[engine] != instant else { return }
        dueAt[engine] = instant
        guard let instant else { return }
        alarms.push(DueEvent(at: instant, account: engine, line: 0, kind: 0, stamp: 0, subject: 0))
    }

    /// The engines to be asked now, in the order in which they were made, and whether each has still to write down what
    /// time has changed; they are noted as asked.
    mutating func take(at now: Instant) -> [(engine: Int32, isBehind: Bool)] {
        while let alarm = alarms.peek, alarm.at <= now {
            alarms.popMin()
            if dueAt[alarm.account] == alarm.at { touched.insert(alarm.account) }
        }
        defer {
            touched.removeAll(keepingCapacity: true)
            current.removeAll(keepingCapacity: true)
        }
        return touched.union(restless).sorted().map { ($0, !current.contains($0)) }
    }
}
