import HTTPTypes
import Storekeeper
import StorekeeperSimulator
import Testing

@testable import StorekeeperLocalStore

/// Tests with invalid numbers of branches in requests, and with evidence from branches that share transaction ids.
@Suite struct StoryHostileTests {
    @Test("A number that no branch has is refused", arguments: [Int.min, -1, 0, 2, Int.max])
    func numbers(_ number: Int) async throws {
        let served = try await ServedStore()
        try await served.step("buy gold.monthly by anna")
        let place = await served.local.respond(.post, "/local/v1/story/place", json: #"{"branch": \#(number)}"#)
        #expect(place.status == 422 && place.document?["title"]?.string == "unknownBranch")
        let page = await served.local.respond(.get, "/?view=story&first=\(number)&second=1")
        #expect(page.status == 200)
        #expect(
            StoryTree(steps: served.local.current.recorder.story.tree.steps, branches: [], current: 0, branch: number)
                == nil)
    }

    @Test(
        "A member that is null, unknown or missing is refused",
        arguments: [
            ("place", #"{"step":null,"branch":1}"#), ("place", #"{"branch":1,"x":1}"#), ("place", "{}"), ("place", ""),
            ("branches", #"{"branch":1,"name":"a","isDeleted":null}"#), ("branches", #"{"branch":1,"name":null}"#),
            ("undo", #"{"step":null}"#), ("redo", #"{"step":1}"#),
        ])
    func members(_ path: String, _ body: String) async throws {
        let served = try await ServedStore()
        try await served.step("buy gold.monthly by anna")
        let answer = await served.local.respond(.post, "/local/v1/story/\(path)", json: body)
        #expect(answer.status == 400, "\(String(decoding: answer.body, as: UTF8.self))")
        #expect(served.local.recorder.story.tree.current == 1)
    }

    @Test("Comparing with another branch does not change the answers of the current one")
    func evidence() async throws {
        let served = try await ServedStore()
        for step in ["buy gold.monthly by anna", "refund gold.monthly by anna"] { try await served.step(step) }
        _ = await served.local.respond(.post, "/local/v1/story/undo", json: "{}")
        try await served.step("advance 3 days")
        for _ in 1...2 {
            let comparison = await served.local.respond(.get, "/local/v1/story/comparison?first=1&second=2")
            let row = comparison.document?["rows"]?.array.flatMap { $0.first { _ in true } }
            #expect(
                row?["first"]?.string?.contains("lapsed") == true, "\(String(decoding: comparison.body, as: UTF8.self))"
            )
            #expect(
                row?["second"]?.string?.contains("entitled") == true,
                "\(String(decoding: comparison.body, as: UTF8.self))")
            let answers = await served.local.respond(.get, "/?view=answers&person=anna&why=gold.monthly")
            let text = String(decoding: answers.body, as: UTF8.self)
            #expect(text.contains("entitled") && !text.contains("refunded"))
        }
    }

    @Test("Tests of different subjects have different names")
    func names() {
        let names = StoryName.unique(["anna", "anna!", "anna no2", "anna_no2"]) { $0.snake }
        #expect(Set(names).count == names.count, "\(names)")
    }
}
