import Storekeeper
import StorekeeperSimulator
import Testing

@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests of the button that names the next event and advances to it.
@Suite struct PageClockTests {
    @Test(
        "The button names the next event",
        arguments: [
            (["buy silver.monthly by anna"], "Renewal of Silver for anna 2026-02-01 00:00"),
            (
                ["buy silver.monthly by anna", "change plan bronze.monthly by anna"],
                "Change to Bronze for anna 2026-02-01 00:00"
            ),
            (
                ["buy silver.monthly by anna", "cancel silver.monthly by anna"],
                "End of Silver for anna 2026-02-01 00:00"
            ),
            (
                ["buy silver.monthly by anna", "fail billing anna"],
                "Failed payment of Silver for anna 2026-02-01 00:00"
            ),
            (
                ["buy silver.monthly by anna", "fail billing anna", "advance 32 days"],
                "End of the grace period of Silver for anna 2026-"
            ),
            (
                ["buy silver.monthly by anna", "fail billing anna", "advance 50 days"],
                "End of billing retry of Silver for anna 2026-"
            ),
            (
                ["set ask to buy yes", "buy remove.ads by anna"],
                "End of the request of "
            ),
        ])
    func next(_ steps: [String], _ expected: String) async throws {
        let served = try await ServedStore()
        for step in steps { try await served.step(step) }
        let text = await PageClient(local: served.local).get().text
        let button = try #require(text.firstMatch(of: #/(?s)<button id="step-event".*?<\/button>/#))
        #expect(PageClient.words(String(button.0)).hasPrefix(expected), "\(button.0)")
        #expect(!button.0.contains("disabled"))
        let due = try #require(served.store.scheduledEvent)
        #expect(due.at == served.store.nextEvent)
        try await served.step("advance next event")
        #expect(served.store.now == due.at)
    }

    @Test("Where nothing is due, the button is disabled")
    func nothing() async throws {
        let served = try await ServedStore()
        try await served.step("buy coins.100 by anna")
        let text = await PageClient(local: served.local).get().text
        let button = try #require(text.firstMatch(of: #/(?s)<button id="step-event".*?<\/button>/#))
        #expect(button.0.contains(" disabled") && PageClient.words(String(button.0)) == "Nothing is due")
        #expect(served.store.scheduledEvent == nil)
    }

    @Test("The button to the machine's time is disabled while the store's clock is later")
    func ahead() async throws {
        let served = try await ServedStore()
        func button() async throws -> Substring {
            let text = await PageClient(local: served.local).get().text
            return try #require(text.firstMatch(of: #/<button id="now-button"[^>]*>/#)).0
        }
        #expect(try await !button().contains("disabled"))
        try await served.step("advance to now")
        #expect(try await !button().contains("disabled"))
        try await served.step("advance 1 hour")
        let ahead = try await button()
        #expect(ahead.contains(" disabled") && ahead.contains("does not go back"), "\(ahead)")
    }
}
