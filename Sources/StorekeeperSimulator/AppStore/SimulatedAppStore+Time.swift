public import Storekeeper

extension SimulatedAppStore {
    /// Advances time to an instant.
    ///
    /// Each event up to this instant happens at its own instant, in order.
    ///
    /// Advancing in two steps has the same effect as advancing once to the later instant.
    ///
    /// - Throws: ``SimulatorError`` if the instant is in the past, or if a subscription would renew more than 10,000
    ///   times.
    public func advance(to instant: Instant) throws(SimulatorError) { try perform(.advance(to: instant)) }

    /// Advances time by a duration.
    ///
    /// - Parameter duration: The duration; fractions of a millisecond are dropped.
    /// - Throws: ``SimulatorError`` if the duration is negative, or if a subscription would renew more than 10,000
    ///   times.
    public func advance(by duration: Duration) throws(SimulatorError) {
        guard let milliseconds = duration.wholeMilliseconds else {
            throw SimulatorError(.invalidValue, "the span of time is too long")
        }
        try advance(to: now.adding(milliseconds: milliseconds))
    }

    /// Advances time by a number of days of 24 hours.
    ///
    /// - Throws: ``SimulatorError`` if the number is negative, or a subscription would renew more than 10,000 times.
    public func advance(byDays days: Int) throws(SimulatorError) { try advance(to: now.adding(days: days)) }

    /// Returns the current time of a clock, for advancing the store's time to it.
    ///
    /// - Throws: ``SimulatorError`` if the store's time is already later, because time does not go back.
    package func present(of clock: some StoreClock) throws(SimulatorError) -> Instant {
        let (present, now) = (clock.now, now)
        guard present >= now else {
            throw SimulatorError(
                .invalidAction, "the store's time \(now) is later than this machine's clock, \(present)")
        }
        return present
    }

    /// The next instant at which the passage of time alone causes an event; `nil` if no such event is scheduled.
    public var nextEvent: Instant? { read { world in world.nextEvent } }

    /// Advances time from event to event until an expected happening occurs.
    ///
    /// - Parameters:
    ///   - isExpected: Returns whether a happening is expected.
    ///   - limit: The latest instant. Time stops at this instant if no expected event has happened.
    /// - Returns: The expected happening; `nil` if it did not happen.
    /// - Throws: ``SimulatorError`` if the limit is in the past.
    @discardableResult
    public func run(
        until isExpected: (Happening) -> Bool, limit: Instant
    ) throws(SimulatorError) -> Happening? {
        var seen = happeningCount
        while let next = nextEvent, next <= limit {
            try advance(to: next)
            let news = happenings(after: seen)
            seen += news.count
            if let found = news.first(where: isExpected) { return found }
        }
        try advance(to: limit)
        return nil
    }

    /// Advances time at a constant rate relative to real time, until an instant or until the task is cancelled.
    ///
    /// - Parameters:
    ///   - instant: The instant at which time stops.
    ///   - rate: The number of seconds of store time per second of real time; 1 is real time.
    ///   - wall: The clock for real time.
    /// - Throws: ``SimulatorError`` if the rate is not positive and finite; `CancellationError` if the task is
    ///   cancelled.
    public func run(until instant: Instant, rate: Double, on wall: some StoreClock = WallClock()) async throws {
        guard rate > 0, rate.isFinite else {
            throw SimulatorError(.invalidValue, "the rate of time must be above zero, not \(rate)")
        }
        let (begun, start) = (wall.now, now)
        while now < instant {
            let due = min(nextEvent ?? instant, instant)
            let wait = (Double(due.milliseconds(since: start)) / rate).rounded(.up)
            // The limit of 1e15 milliseconds prevents an overflow, and is far longer than any real sleep.
            try await wall.sleep(until: begun.adding(milliseconds: Int64(min(max(wait, 0), 1e15))))
            let passed = Double(wall.now.milliseconds(since: begun)) * rate
            let reached = start.adding(milliseconds: Int64(min(max(passed, 0), 1e15)))
            try advance(to: max(now, min(reached, instant)))
        }
    }
}
