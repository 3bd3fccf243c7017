public import Storekeeper
public import Testing

/// The laws of a ``/Storekeeper/StoreClock``, to be run on any implementation.
///
/// ```swift
/// await ClockConformance { MyClock() }.run()
/// ```
public struct ClockConformance<Clock: StoreClock>: Sendable {
    private let make: @Sendable () async throws -> Clock
    private let report: ConformanceReport

    /// Makes the suite.
    ///
    /// - Parameters:
    ///   - sourceLocation: Where to record what is broken.
    ///   - make: Makes the clock.
    public init(
        sourceLocation: SourceLocation = #_sourceLocation, make: @escaping @Sendable () async throws -> Clock
    ) {
        self.make = make
        report = ConformanceReport(port: "StoreClock", location: sourceLocation)
    }

    /// Checks all laws and records an issue for each that is broken.
    ///
    /// A clock that breaks one may keep the test waiting.
    public func run() async {
        do {
            let clock = try await make()
            // An instant that has passed is not waited for.
            try await clock.sleep(until: .distantPast)
            try await clock.sleep(until: clock.now)

            await checkCancellation("who waits is woken by being cancelled", of: clock) {
                for _ in 0..<100 { await Task.yield() }
            }
            await checkCancellation("who was cancelled before does not wait", of: clock) {}
        } catch {
            report.fail("an instant that has passed is not waited for", "threw \(error)")
        }
    }

    private func checkCancellation(_ law: String, of clock: Clock, before: () async -> Void) async {
        let sleeper = Task {
            // A clock may return early: whoever waits looks again.
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
