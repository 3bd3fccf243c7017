import StorekeeperEngine
import StorekeeperTesting
import Testing

@Suite struct OneShotLatchTests {
    @Test("Tasks wait until the latch opens; a cancelled task returns", .timeLimit(.minutes(1)))
    func opening() async throws {
        let latch = OneShotLatch()
        let tasks = (0..<3).map { _ in Task { await latch.wait() } }
        try await eventually("all tasks wait") { latch.waiterCount == 3 }
        tasks[0].cancel()
        await tasks[0].value
        #expect(latch.waiterCount == 2)
        latch.open()
        for task in tasks { await task.value }
        // The latch stays open.
        await latch.wait()
        #expect(latch.waiterCount == 0)
    }

    @Test("A task that was cancelled before it waits returns", .timeLimit(.minutes(1)))
    func cancelled() async {
        let latch = OneShotLatch()
        await withTaskGroup(of: Void.self) { group in
            group.cancelAll()
            group.addTask { await latch.wait() }
        }
        #expect(latch.waiterCount == 0)
    }
}
