import Synchronization

/// A clock that stands still until it is moved, forward or back.
public final class VirtualClock: StoreClock {
    private struct State {
        var now: Instant
        var sleepers: [Int: (until: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var cancelled: Set<Int> = []
        var lastSleeper = 0
    }

    private let state: Mutex<State>

    /// Creates a clock that shows an instant.
    public init(_ now: Instant) { state = Mutex(State(now: now)) }

    /// The instant that the clock shows.
    public var now: Instant { state.withLock { $0.now } }

    /// The number of tasks that wait for the clock.
    package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// The number of sleeping tasks for which the clock still stores state.
    var rememberedCount: Int { state.withLock { $0.sleepers.count + $0.cancelled.count } }

    /// The earliest instant that a task waits for; `nil` if no task waits.
    package var earliestWake: Instant? { state.withLock { $0.sleepers.values.map(\.until).min() } }

    /// Moves the clock to an instant, and wakes the tasks that wait for this or an earlier instant.
    public func set(_ instant: Instant) {
        let woken = state.withLock { state in
            state.now = instant
            let due = state.sleepers.filter { $0.value.until <= instant }
            for id in due.keys { state.sleepers[id] = nil }
            return due.sorted { ($0.value.until, $0.key) < ($1.value.until, $1.key) }.map(\.value.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Moves the clock forward by a duration.
    public func advance(by duration: Duration) { set(now.advanced(by: duration)) }

    /// Moves the clock by a number of milliseconds.
    package func advance(byMilliseconds milliseconds: Int64) { set(now.adding(milliseconds: milliseconds)) }

    /// Waits until the clock is moved to an instant or beyond.
    public func sleep(until instant: Instant) async throws {
        let id = state.withLock { state in
            state.lastSleeper += 1
            return state.lastSleeper
        }
        // A woken task may be cancelled before it continues, which adds its id to the set of cancelled sleepers.
        defer { _ = state.withLock { $0.cancelled.remove(id) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    if state.cancelled.contains(id) { return .failure(CancellationError()) }
                    if state.now >= instant { return .success(()) }
                    state.sleepers[id] = (instant, continuation)
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                let sleeper = state.sleepers.removeValue(forKey: id)
                if sleeper == nil { state.cancelled.insert(id) }
                return sleeper?.continuation
            }
            continuation?.resume(throwing: CancellationError())
        }
    }
}
