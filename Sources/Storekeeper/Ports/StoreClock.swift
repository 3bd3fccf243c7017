import FoundationEssentials

/// Time, as far as a store needs it.
///
/// ``WallClock`` is the machine's; ``VirtualClock`` stands still until a test or a simulation moves it.
public protocol StoreClock: Sendable {
    /// The instant it is now.
    var now: Instant { get }

    /// Waits until an instant.
    ///
    /// Returns at once where it has passed. May return early; whoever waits looks at ``now`` again.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func sleep(until instant: Instant) async throws
}

/// The clock of the machine.
///
/// Servers should keep it right by NTP: a clock that is fast takes access away early. One that is slow by up to 60 seconds
/// is corrected by the newest signature of a customer's evidence; see ``StoreSnapshot/now(byClock:)``.
public struct WallClock: StoreClock {
    /// How long it sleeps at most before it looks at the time again, in milliseconds, because the machine's clock may
    /// be set while somebody sleeps.
    static let longestNap: Int64 = 30_000

    /// Makes a clock.
    public init() {}

    /// The instant it is now.
    public var now: Instant { Instant(Date()) }

    /// Waits until an instant, or half a minute.
    public func sleep(until instant: Instant) async throws {
        let wait = instant.milliseconds(since: now)
        guard wait > 0 else { return }
        try await Task.sleep(for: .milliseconds(min(wait, Self.longestNap)))
    }
}
