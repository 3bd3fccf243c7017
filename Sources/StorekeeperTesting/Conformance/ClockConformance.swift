public import Storekeeper
public import Testing

/// Checks that an implementation obeys the laws of ``/Storekeeper/StoreClock``.
///
/// ```swift
/// await ClockConformance { MyClock() }.run()
/// ```
public struct ClockConformance<Clock: StoreClock>: Sendable {
    private let make: @Sendable () async throws -> Clock
    private let report: ConformanceReport

    /// Creates the suite.
    ///
    /// - Parameters:
    ///   - sourceLocation: The source location for recorded issues.
    ///   - make: Creates the clock.
    public init(
        sourceLocation: SourceLocation = #_sourceLocation, make: @escaping @Sendable () async throws -> Clock
    ) {
        self.make = make
        report = ConformanceReport(port: "StoreClock", location: sourceLocation)
    }

    /// Checks all laws, and records an issue for each violation.
    ///
    /// A clock that violates a law may block the test.
    public func run() async {
        do {
            let clock = try await make()
            // A wait for an instant in the past must return immediately.
            try await clock.sleep(until: .distantPast)
            try await clock.sleep(until: clock.now)

            await checkCancellation("cancellation wakes a waiting task", of: clock) {
                for _ in 0..<100 { await Task.yield() }
            }
            await checkCancellation("a task that was cancelled before does not wait", of: clock) {}
        } catch {
            report.fail("sleeping until a past instant returns at once", "threw \(error)")
        }
    }

    private func checkCancellation(_ law: String, of clock: Clock, before: () async -> Void) async {
        let sleeper = Task {
            // A clock may return before the requested instant, so the task waits again.
            while true { try await clock.sleep(until: .distantFuture) }
        }
        await before()
        sleeper.cancel()
        let result = await sleeper.result
        if case .failure(let error) = result {
            report.check(error is CancellationError, law, "threw \(error) instead of CancellationError")
        }
    }
}
