import Storekeeper
import Synchronization
import Testing

@testable import StorekeeperAppStore

@Suite("Shared work") struct SingleFlightTests {
    struct Failed: Error {}

    /// Counts its own runs, and blocks each run until the gate opens.
    final class Work: Sendable {
        let count = Mutex(0)
        let gate = ChangeSignal()

        func run() async throws -> Int {
            let number = count.withLock { count in
                count += 1
                return count
            }
            await gate.wait(after: 0)
            try Task.checkCancellation()
            return number
        }
    }

    @Test("Concurrent callers receive the result of the first") func sharing() async throws {
        let (flight, work) = (SingleFlight<String, Int>(), Work())
        let values = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await flight.run("key") { try await work.run() } } }
            await Fixture.wait { work.gate.waiterCount > 0 }
            work.gate.send()
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        // A caller that calls after a run has ended starts another run.
        #expect(values.contains(1))
        #expect(values.count == work.count.withLock { $0 })
    }

    @Test("Concurrent callers receive the same failure") func failures() async {
        let (flight, gate) = (SingleFlight<String, Int>(), ChangeSignal())
        let failures = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    do {
                        _ = try await flight.run("key") {
                            await gate.wait(after: 0)
                            throw Failed()
                        }
                        return false
                    } catch {
                        return error is Failed
                    }
                }
            }
            gate.send()
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(failures == 10)
    }

    @Test("If the first caller is cancelled, another runs the work") func takeover() async throws {
        let (flight, work) = (SingleFlight<String, Int>(), Work())
        let first = Task { try await flight.run("key") { try await work.run() } }
        await Fixture.wait { work.gate.waiterCount == 1 }
        let second = Task { try await flight.run("key") { try await work.run() } }
        first.cancel()
        await Fixture.wait { work.count.withLock { $0 } == 2 }
        work.gate.send()
        #expect(try await second.value == 2)
        await #expect(throws: CancellationError.self) { try await first.value }
    }
}
