import StorekeeperTesting
import Testing

@testable import Storekeeper

struct VirtualClockTests {
    @Test("A sleeper that is cancelled after its wake-up leaves nothing behind") @MainActor
    func wokenAndCancelled() async throws {
        let clock = VirtualClock(.day(0))
        let task = Task { try? await clock.sleep(until: .day(1)) }
        try await eventually("it sleeps") { clock.sleeperCount > 0 }
        // The sleeper cannot continue before this task yields.
        clock.set(.day(1))
        task.cancel()
        try await task.valueInTime()
        #expect(clock.rememberedCount == 0)
    }
}
