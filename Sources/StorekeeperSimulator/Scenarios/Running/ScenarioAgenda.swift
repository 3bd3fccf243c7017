import Storekeeper

/// Selects the engines whose answers must be read after a step.
///
/// An engine is read if a happening (an event in the store) concerns its customer, or if the engine's next predicted
/// change is due.
///
/// Reading all engines after every step would take time quadratic in the number of people.
struct ScenarioAgenda<Engine: Hashable & Comparable & Sendable>: Sendable {
    /// The instant at which an engine has predicted a change of its answers.
    private struct Alarm: Comparable, Sendable {
        let at: Instant
        let engine: Engine

        static func < (left: Alarm, right: Alarm) -> Bool { (left.at, left.engine) < (right.at, right.engine) }
    }

    private var changed: Set<Engine> = []
    /// The engines whose answers cannot be predicted; these engines are read after every step.
    private var unpredictable: Set<Engine> = []
    /// The engines that have ingested evidence at the current instant, and have thereby recorded all changes up to this
    /// instant.
    private var current: Set<Engine> = []
    private var alarms = EventQueue<Alarm>()
    /// The instant of each engine's next predicted change.
    ///
    /// An alarm of an engine at any other instant is outdated, and is ignored.
    private var nextChanges: [Engine: Instant] = [:]

    /// Marks an engine as changed, because its customer has a new happening.
    mutating func markChanged(_ engine: Engine) { changed.insert(engine) }

    /// Marks an engine that has ingested evidence, and has thereby recorded all changes up to the current instant.
    mutating func markIngested(_ engine: Engine) {
        changed.insert(engine)
        current.insert(engine)
    }

    /// Marks all engines as changed, because a happening may affect any of them.
    mutating func markAllChanged(_ engines: some Sequence<Engine>) {
        changed.formUnion(engines)
        current = []
    }

    /// Marks an engine in which a product is in doubt because only unverified evidence names the product.
    ///
    /// The answer about such a product changes without an event. Therefore the engine is read after every step from now
    /// on.
    mutating func markUnpredictable(_ engine: Engine) { unpredictable.insert(engine) }

    /// Sets the instant of the next change that an engine predicts.
    mutating func setNextChange(_ instant: Instant?, of engine: Engine) {
        guard nextChanges[engine] != instant else { return }
        nextChanges[engine] = instant
        guard let instant else { return }
        alarms.push(Alarm(at: instant, engine: engine))
    }

    /// Removes and returns the engines to read now, in order.
    ///
    /// `isBehind` is true for an engine that has not recorded its changes up to `now` yet.
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
