import FoundationEssentials

/// The source of time for a store.
///
/// ``WallClock`` is the machine's clock; a ``VirtualClock`` stands still until a test or a simulation moves it.
public protocol StoreClock: Sendable {
    /// The current instant.
    var now: Instant { get }

    /// Waits until an instant.
    ///
    /// The method returns at once if the instant has passed. It may return early, so the caller must check ``now``
    /// again.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func sleep(until instant: Instant) async throws
}

/// The clock of the machine.
///
/// Servers should synchronize this clock by NTP, because a fast clock ends access too early. A clock that is up to 60
/// seconds slow is corrected with the newest signed date of a customer's evidence; see ``StoreSnapshot/now(byClock:)``.
public struct WallClock: StoreClock {
    /// The longest uninterrupted sleep, in milliseconds.
    ///
    /// The machine's clock may be set during a sleep, so the time is read again after each sleep.
    static let longestSleep: Int64 = 30_000

    /// Creates a clock.
    public init() {}

    /// The current instant.
    public var now: Instant { Instant(Date()) }

    /// Waits until an instant, at most half a minute.
    public func sleep(until instant: Instant) async throws {
        let wait = instant.milliseconds(since: now)
        guard wait > 0 else { return }
        try await Task.sleep(for: .milliseconds(min(wait, Self.longestSleep)))
    }
}
