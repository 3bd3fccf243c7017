import Storekeeper

/// Which engines are to be read after a step: those to which something has happened, and those whose time has come.
///
/// Reading all of them after every step takes time that grows with the square of the people.
struct ScenarioAgenda<Engine: Hashable & Comparable & Sendable>: Sendable {
    /// The instant at which an engine foresees a change.
    private struct Alarm: Comparable, Sendable {
        let at: Instant
        let engine: Engine

        static func < (left: Alarm, right: Alarm) -> Bool { (left.at, left.engine) < (right.at, right.engine) }
    }

    private var changed: Set<Engine> = []
    /// Those whose answers cannot be foreseen: they are read every time.
    private var unpredictable: Set<Engine> = []
    /// Those that have recorded at this instant what time has changed, as every intake of evidence does.
    private var current: Set<Engine> = []
    private var alarms = EventQueue<Alarm>()
    /// When each engine's next change is due; an alarm of another instant is void.
    private var nextChanges: [Engine: Instant] = [:]

    /// Marks an engine to whose customer something has happened.
    mutating func markChanged(_ engine: Engine) { changed.insert(engine) }

    /// Marks an engine that has taken in evidence, and has recorded with it what time has changed.
    mutating func markIngested(_ engine: Engine) {
        changed.insert(engine)
        current.insert(engine)
    }

    /// Marks all engines after something that may concern each of them.
    mutating func markAllChanged(_ engines: some Sequence<Engine>) {
        changed.formUnion(engines)
        current = []
    }

    /// Marks an engine that has doubts, which its published answers show and its announcements do not: it is read from
    /// now on every time.
    mutating func markUnpredictable(_ engine: Engine) { unpredictable.insert(engine) }

    /// Sets the next change that an engine foresees.
    mutating func setNextChange(_ instant: Instant?, of engine: Engine) {
        guard nextChanges[engine] != instant else { return }
        nextChanges[engine] = instant
        guard let instant else { return }
        alarms.push(Alarm(at: instant, engine: engine))
    }

    /// Takes the engines away that are to be read now, in their order, each with whether it has still to record what
    /// time has changed.
    mutating func popDue(at now: Instant) -> [(engine: Engine, isBehind: Bool)] {
        while let alarm = alarms.peek, alarm.at <= now {
            alarms.popMin()
            if nextChanges[alarm.engine] == alarm.at { changed.insert(alarm.engine) }
        }
        defer {
            changed.removeAll(keepingCapacity: true)
            current.removeAll(keepingCapacity: true)
        }
        return changed.union(unpredictable).sorted().map { ($0, !current.contains($0)) }
    }
}
