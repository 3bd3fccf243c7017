import HTTPTypes
import Storekeeper
import StorekeeperSimulator
import Testing

@testable import StorekeeperLocalStore

/// Tests of the story over HTTP: of the control interface, and of the page without scripts.
@Suite struct StoryRoutesTests {
    private func served(_ steps: String...) async throws -> ServedStore {
        let served = try await ServedStore()
        for step in steps { try await served.step(step) }
        return served
    }

    private func post(_ served: ServedStore, _ path: String, _ json: String = "{}") async -> LocalResponse {
        await served.local.respond(.post, "/local/v1/story/\(path)", json: json)
    }

    @Test("The control interface shows the story, undoes and redoes")
    func control() async throws {
        let served = try await served("buy gold.monthly by anna", "advance 1 year", "refund gold.monthly by anna")
        let story = try #require(await served.local.respond(.get, "/local/v1/story").document)
        let texts = story["steps"]?.array.map { $0.compactMap { $0["text"]?.string } }
        #expect(
            texts == ["A shop for tests", "buy gold.monthly by anna", "advance 1 year", "refund gold.monthly by anna"])
        #expect(story["step"]?.int64 == 3 && story["undo"]?.int64 == 2 && story["redo"] == nil)
        let later = await served.local.respond(.get, "/local/v1/story?after=3").document
        #expect(later?["steps"]?.array.map { $0.compactMap { $0["id"]?.int64 } } == [3])

        let undone = await post(served, "undo")
        #expect(undone.status == 200 && undone.document?["step"]?.int64 == 2 && undone.document?["redo"]?.int64 == 3)
        #expect(await post(served, "place", #"{"step": 0}"#).document?["now"]?.string == "2026-01-01T00:00:00.000Z")
        let refused = await post(served, "undo")
        #expect(refused.status == 422 && refused.document?["title"]?.string == "nothingToUndo")
        #expect(await post(served, "redo").status == 200)
        #expect(await post(served, "place", #"{"branch": 1}"#).document?["step"]?.int64 == 3)
        #expect(served.store.transactions.count == 13)
    }

    @Test("Branches are named, deleted, restored and compared")
    func branches() async throws {
        let served = try await served(
            "buy gold.monthly by anna", "buy coins.100 by bert", "refund gold.monthly by anna")
        #expect(await post(served, "undo").status == 200)
        try await served.step("advance 3 days")
        #expect(await post(served, "branches", #"{"branch": 2, "name": "Kept"}"#).status == 200)
        let answer = await served.local.respond(.get, "/local/v1/story/comparison?first=1&second=2")
        let found = try #require(answer.document)
        #expect(found["common"]?["text"]?.string == "buy coins.100 by bert" && found["customers"]?.int64 == 1)
        let rows = found["rows"]?.array.map(Array.init) ?? []
        #expect(rows.map { $0["person"]?.string } == ["anna"], "bert has not changed since the common step")
        #expect(rows.first?["subject"]?.string == "gold.monthly" && rows.first?["differs"]?.bool == true)
        #expect(rows.first?["first"]?.string?.contains("lapsed") == true)
        #expect(rows.first?["second"]?.string?.contains("entitled") == true)
        // Branches can also be compared while the store is at another step than their ends.
        #expect(await post(served, "place", #"{"step": 0}"#).status == 200)
        let elsewhere = await served.local.respond(.get, "/local/v1/story/comparison?first=1&second=2")
        #expect(elsewhere.document?["rows"]?.array.map { Array($0).count } == 1)

        #expect(await post(served, "branches", #"{"branch": 1, "isDeleted": true}"#).status == 200)
        let gone = await post(served, "place", #"{"branch": 1}"#)
        #expect(gone.status == 422 && gone.document?["title"]?.string == "unknownBranch")
        #expect(await post(served, "branches", #"{"branch": 2, "isDeleted": true}"#).status == 422)
        let restored = await post(served, "branches", #"{"branch": 1, "isDeleted": false}"#)
        let names = restored.document?["branches"]?.array.map { $0.compactMap { $0["name"]?.string } }
        #expect(names == ["Main", "Kept"])
        #expect(await post(served, "place", #"{"branch": 1}"#).status == 200)
        #expect(served.store.transactions.first?.state == .refunded)
    }

    @Test(
        "Malformed requests are refused",
        arguments: [
            ("place", "{}"), ("place", #"{"step": 1, "branch": 1}"#), ("place", #"{"step": "one"}"#),
            ("place", #"{"stop": 1}"#), ("undo", #"{"step": 1}"#), ("redo", "[]"), ("branches", "{}"),
            ("branches", #"{"branch": 1}"#), ("branches", #"{"branch": 1, "name": 3}"#),
            ("branches", #"{"branch": 1, "isDeleted": "no"}"#),
            ("branches", #"{"branch": 1, "name": "x", "isDeleted": false}"#),
        ])
    func malformed(_ path: String, _ json: String) async throws {
        let served = try await served("buy gold.monthly by anna")
        let answer = await post(served, path, json)
        #expect(answer.status == 400, "\(String(decoding: answer.body, as: UTF8.self))")
        #expect(served.store.transactions.count == 1)
    }

    // MARK: The page

    @Test("The page undoes, redoes and goes to steps with forms")
    func page() async throws {
        let served = try await served("buy gold.monthly by anna", "advance 1 year")
        let client = PageClient(local: served.local)
        let page = await client.get()
        let side = try #require(page.text.firstMatch(of: #/(?s)<section class="story-side".*?</section>/#)).0
        let words = PageClient.words(String(side))
        #expect(words.contains("buy gold.monthly by anna 2026-01-01") && words.contains("advance 1 year 2027-01-01"))
        let form = try #require(page.form("story-form"))
        let undone = await client.send(form, ["act": "undo"], to: "/page/story")
        #expect(undone.status == 303)
        let next = await client.get(try #require(undone.location))
        #expect(PageClient.words(next.text).contains("Undone: advance 1 year. it is 2026-01-01 00:00 again"))
        #expect(served.store.transactions.count == 1)
        // If a form of an older page is sent a second time, it does not undo a second step.
        #expect(await client.send(form, ["act": "undo"], to: "/page/story").location?.contains("twice=yes") == true)
        #expect(served.store.transactions.count == 1)

        let again = try #require(await client.get().form("story-form"))
        #expect(await client.send(again, ["act": "redo"], to: "/page/story").status == 303)
        let third = try #require(await client.get("/?view=story").form("story-form"))
        #expect(await client.send(third, ["step": "0"], to: "/page/story").status == 303)
        #expect(served.store.transactions.isEmpty)
        let fourth = try #require(await client.get().form("story-form"))
        let refused = await client.send(fourth, ["act": "undo"], to: "/page/story")
        #expect(refused.status == 422 && refused.failure?.contains("nothing to undo") == true)
    }

    @Test("The view of the story lists steps and branches, and compares two")
    func book() async throws {
        let served = try await served("buy gold.monthly by anna", "refund gold.monthly by anna")
        let client = PageClient(local: served.local)
        try await served.local.undo()
        try await served.step("cancel gold.monthly by anna")
        var page = await client.get("/?view=story")
        let name = try #require(page.form("branch-1"))
        #expect(await client.send(name, ["act": "name", "name": "<Refunded>"], to: "/page/story").status == 303)
        page = await client.get("/?view=story&first=1&second=2")
        #expect(page.text.contains("&lt;Refunded&gt;") && !page.text.contains("<Refunded>"))
        let found = try #require(page.text.firstMatch(of: #/(?s)<section class="panel comparison".*?</section>/#)).0
        let words = PageClient.words(String(found))
        #expect(
            words.contains(
                "The last common step is 'buy gold.monthly by anna', 2026-01-01 00:00. "
                    + "Customers that changed since then: 1"
            ))
        #expect(words.contains("anna gold.monthly lapsed") && words.contains("differs"))
        // A branch that does not exist is not compared.
        #expect(!(await client.get("/?view=story&first=1&second=7").text.contains("panel comparison")))

        let delete = try #require(await client.get("/?view=story").form("branch-1"))
        #expect(await client.send(delete, ["act": "delete"], to: "/page/story").status == 303)
        let restore = try #require(await client.get("/?view=story").form("deleted-1"))
        #expect(await client.send(restore, ["act": "restore"], to: "/page/story").status == 303)
        let go = try #require(await client.get("/?view=story").form("branch-1"))
        #expect(await client.send(go, ["act": "go"], to: "/page/story").status == 303)
        #expect(served.store.transactions.first?.state == .refunded)
        let unknown = await client.send(go, ["act": "fly"], to: "/page/story")
        #expect(unknown.status == 422)
    }

    @Test("A long story is paged")
    func long() async throws {
        let served = try await ServedStore()
        for _ in 1...130 { try await served.step("advance 1 hour") }
        let client = PageClient(local: served.local)
        let page = await client.get("/?view=story&steps=2")
        #expect(
            PageClient.words(page.text).contains("131 steps, newest first, 41 to 80 shown first previous next last"))
        #expect(page.text.matches(of: #/<li[ >]/#).count + page.text.matches(of: #/<tr/#).count < 300)
        let side = await client.get()
        #expect(PageClient.words(side.text).contains("123 earlier"))
    }

    @Test("The version of the page changes with the story")
    func version() async throws {
        let served = try await served("buy gold.monthly by anna")
        let client = PageClient(local: served.local)
        var versions: Set<String> = [await client.get("/page/version").text]
        try served.local.rename(branch: 1, to: "Other")
        versions.insert(await client.get("/page/version").text)
        try await served.local.undo()
        versions.insert(await client.get("/page/version").text)
        try await served.local.redo()
        versions.insert(await client.get("/page/version").text)
        #expect(versions.count == 4)
    }
}
