public import Storekeeper

extension SimulatedAppStore {
    /// Lets time pass up to an instant; everything that falls due in between happens at its own instant, in order.
    ///
    /// Advancing by one span and then by another is the same as advancing by both at once.
    ///
    /// - Throws: ``SimulatorError`` where the instant is past, or a subscription would renew more than 10,000 times.
    public func advance(to instant: Instant) throws(SimulatorError) { try perform(.advance(to: instant)) }

    /// Lets a time pass.
    ///
    /// - Parameter duration: How long; what is less than a millisecond is cut off.
    /// - Throws: ``SimulatorError`` where it is negative, or a subscription would renew more than 10,000 times.
    public func advance(by duration: Duration) throws(SimulatorError) {
        guard let milliseconds = duration.wholeMilliseconds else {
            throw SimulatorError(.invalidValue, "so long a time cannot pass")
        }
        try advance(to: now.adding(milliseconds: milliseconds))
    }

    /// Lets a number of days of 24 hours pass.
    ///
    /// - Throws: ``SimulatorError`` where the number is negative, or a subscription would renew more than 10,000 times.
    public func advance(byDays days: Int) throws(SimulatorError) { try advance(to: now.adding(days: days)) }

    /// The instant that a clock of the real world shows, to which time can be let pass.
    ///
    /// - Throws: ``SimulatorError`` where it is past here: time does not go back.
    package func present(of clock: some StoreClock) throws(SimulatorError) -> Instant {
        let (present, now) = (clock.now, now)
        guard present >= now else {
            throw SimulatorError(
                .invalidAction, "it is \(now) here already, later than the \(present) of this machine's clock")
        }
        return present
    }

    /// The next instant at which something happens by time alone; `nil` where nothing will.
    public var nextEvent: Instant? { read { world in world.nextEvent } }

    /// Lets time pass from event to event until something has happened.
    ///
    /// - Parameters:
    ///   - isExpected: Tells what is waited for.
    ///   - limit: How far time may pass; there it stays where nothing of the kind has happened.
    /// - Returns: What has happened; `nil` where it has not.
    /// - Throws: ``SimulatorError`` where the limit is past.
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

    /// Lets time pass as on a clock that runs at a rate, until an instant or until the task is cancelled.
    ///
    /// - Parameters:
    ///   - instant: Until when.
    ///   - rate: How many seconds of the store pass in one second; 1 is real time.
    ///   - wall: What real time is taken from.
    /// - Throws: ``SimulatorError`` where the rate is not above zero; `CancellationError` when the task is cancelled.
    public func run(until instant: Instant, rate: Double, on wall: some StoreClock = WallClock()) async throws {
        guard rate > 0, rate.isFinite else {
            throw SimulatorError(.invalidValue, "time passes at a rate above zero, not at \(rate)")
        }
        let (begun, start) = (wall.now, now)
        while now < instant {
            let due = min(nextEvent ?? instant, instant)
            let wait = (Double(due.milliseconds(since: start)) / rate).rounded(.up)
            // Far beyond any sleep, and within bounds.
            try await wall.sleep(until: begun.adding(milliseconds: Int64(min(max(wait, 0), 1e15))))
            let passed = Double(wall.now.milliseconds(since: begun)) * rate
            let reached = start.adding(milliseconds: Int64(min(max(passed, 0), 1e15)))
            try advance(to: max(now, min(reached, instant)))
        }
    }
}
