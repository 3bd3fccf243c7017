import Storekeeper
import StorekeeperSimulator
import StorekeeperTesting
import Testing

@testable import StorekeeperLocalStore

/// Tests of undo, redo and branches in a browser.
@Suite(.system, .inBrowser, .serialized, .timeLimit(.minutes(5)))
struct StoryInBrowserTests {
    @Test("The keys undo and redo, but not while a person types")
    func keys() async throws {
        let served = try await ServedStore()
        for step in ["buy gold.monthly by anna", "advance 1 month", "buy coins.100 by bert"] {
            try await served.step(step)
        }
        try await served.local.serving { url in
            try await Browser.with(url) { browser in
                try await browser.open("/?fold=no")
                let rows = "document.querySelectorAll('.row-link').length"
                try await browser.wait(until: "\(rows) === 3")
                try await browser.press("z", holding: [.control])
                try await browser.wait(until: "\(rows) === 2")
                #expect(try await browser.text(".notice.success").contains("Undone: buy coins.100 by bert"))
                // If the keys are pressed twice in quick succession, both presses have an effect.
                try await browser.press("z", holding: [.control])
                try await browser.press("z", holding: [.control])
                try await browser.wait(until: "\(rows) === 0")
                #expect(try await browser.text("#clock-face").contains("2026-01-01 00:00:00"))
                try await browser.press("Z", holding: [.control, .shift])
                try await browser.wait(until: "\(rows) === 1")
                try await browser.press("y", holding: [.control])
                try await browser.wait(until: "\(rows) === 2")

                try await browser.type("gold", into: "#find")
                try await browser.press("z", holding: [.control])
                try await browser.script("document.activeElement.blur()")
                #expect(served.local.recorder.story.tree.current == 2)

                // An action at this step begins a branch, and the side bar leads back to the other branch.
                try await browser.click("#step-hour")
                try await browser.wait(for: "Branch 2", in: "#story-side-heading")
                try await browser.open("/?view=story")
                try await browser.click("#branch-1-go")
                try await browser.wait(for: "Main", in: "#book-heading")
                #expect(served.store.transactions.count == 3)
                try await browser.click("#compare-button")
                try await browser.wait(for: "100 of 100 bought", in: "#comparison")
                try await browser.click("#step-1-button")
                try await browser.wait(for: "Back at: buy gold.monthly by anna", in: ".notice.success")
            }
        }
    }

    @Test("The story fits each width, in light and dark", arguments: [400, 1280, 2560])
    func widths(_ width: Int) async throws {
        let served = try await ServedStore()
        for step in ["buy gold.monthly by anna", "advance 1 month", "buy coins.100 by bert"] {
            try await served.step(step)
        }
        try await served.local.undo()
        try await served.step("refund gold.monthly by anna")
        try await served.local.serving { url in
            try await Browser.with(url, width: width, isDark: width == 1280) { browser in
                for path in ["/", "/?view=story", "/?view=story&first=1&second=2"] {
                    try await browser.open(path)
                    let overflow = try await browser.script(
                        "return document.documentElement.scrollWidth - document.documentElement.clientWidth")
                    #expect(overflow.int64 == 0, "\(path) is wider than the window")
                }
            }
        }
    }
}
