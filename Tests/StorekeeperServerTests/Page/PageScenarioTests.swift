import HTTPTypes
import Storekeeper
import StorekeeperSimulator
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests of saving the actions on the page as a scenario, and of loading scenarios.
@Suite struct PageScenarioTests {
    private func load(_ text: String, into served: ServedStore, name: String = "s.yaml") async -> PageClient.Page {
        let boundary = "x1"
        var body = ""
        for (field, value) in [
            ("token", served.local.formToken), ("back", "view=scenario"), ("confirmed", "yes"),
        ] {
            body += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(field)\"\r\n\r\n\(value)\r\n"
        }
        body += "--\(boundary)\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\n"
        body += "Content-Type: application/yaml\r\n\r\n\(text)\r\n--\(boundary)--\r\n"
        let type = "multipart/form-data; boundary=\(boundary)"
        return PageClient.Page(
            await served.local.respond(.post, "/page/scenario", fields: [.contentType: type], body: Array(body.utf8)))
    }

    @Test("A saved scenario is the same after it is loaded and saved again")
    func roundTrip() async throws {
        let served = try await ServedStore()
        let client = PageClient(local: served.local)
        #expect(try await client.act("buy-buy", ["subject": "gold.monthly"], on: "/?person=anna").status == 303)
        #expect(
            try await client.act("buy-buy", ["subject": "coins.100", "key-quantity": "2"], on: "/?person=bert").status
                == 303)
        #expect(try await client.act("step-form", ["subject": "1 year"]).status == 303)
        let last = try #require(served.store.transactions.first)
        #expect(try await client.act("inspector-refund", on: "/?selected=\(last.id)").status == 303)
        let saved = await client.get("/page/scenario.yaml")
        #expect(saved.header("Content-Disposition") == "attachment; filename=\"scenario.yaml\"")
        let (transactions, now) = (served.store.transactions, served.store.now)
        #expect(transactions.count > 12)

        for step in ["buy coins.500 by anna", "advance 1 month"] { try await served.step(step) }
        let answer = await load(saved.text, into: served)
        #expect(answer.status == 303 && answer.location == "/", "\(answer.failure ?? "")")
        #expect(served.store.transactions == transactions)
        #expect(served.store.now == now)
        // When the loaded scenario is saved again, its text is the same.
        #expect(await client.get("/page/scenario.yaml").text == saved.text)
        let other = try await ServedStore()
        #expect(await load(saved.text, into: other).status == 303)
        #expect(other.store.transactions == transactions)
    }

    @Test("A pasted scenario replaces the store after confirmation, and gives the page a new version")
    func pasted() async throws {
        let served = try await ServedStore()
        let client = PageClient(local: served.local)
        let version = await client.get("/page/version").text
        let text =
            "story: Other\napp: com.example.game\ncatalog: [Products.json]\npeople: [zoe]\nsteps:\n  - buy: coins.100\n"
        let form = try #require(await client.get("/?view=scenario").form("load-form"))
        // Loading would replace the current store, so the form requires a confirmation.
        let unconfirmed = await client.send(form, ["text": text], to: "/page/scenario")
        #expect(unconfirmed.status == 422 && unconfirmed.failure?.contains("tick the box") == true)
        let confirmed = ["text": text, "confirmed": "yes"]
        #expect(await client.send(form, confirmed, to: "/page/scenario").status == 303)
        #expect(await client.get().text.contains("<h1>Other</h1>"))
        #expect(served.store.transactions.map(\.person) == ["zoe"])
        #expect(await client.get("/page/version").text != version)
    }

    @Test(
        "A scenario that cannot be served is refused, and the store remains",
        arguments: [
            ("", "choose a file"), ("steps: [", "s.yaml:2:1"), ("story: x\nsteps:\n  - fly: high\n", "fly"),
            ("story: x\ncatalog: [/etc/passwd]\nsteps: []\n", "passwd"),
            ("story: x\ncatalog: [../../secret.storekit]\nsteps: []\n", "secret"),
            (
                """
                story: x
                catalog: [Store.storekit, Products.json]
                people: [anna]
                steps:
                  - buy: coins.100
                  - expect: never pro
                  - expect: entitled pro

                """, "line 7"
            ),
        ])
    func refusals(_ text: String, _ words: String) async throws {
        let served = try await ServedStore()
        try await served.step("buy coins.100 by anna")
        let answer = await load(text, into: served)
        #expect(answer.status == 422)
        #expect(answer.failure?.contains(words) == true, "\(answer.failure ?? answer.text)")
        #expect(served.store.transactions.count == 1)
        try await served.step("buy coins.100 by bert")
        #expect(served.store.transactions.count == 2)
    }

    @Test("Files in a form are read, whatever bytes they contain")
    func parts() throws {
        let bytes =
            Array("--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a;b.yaml\"\r\n\r\n".utf8)
            + [0, 13, 10, 45, 45, 255]
            + Array("\r\n--b\r\nContent-Disposition: form-data; name=\"t\"\r\n\r\nü\r\n--b--\r\n".utf8)
        let form = try FormBody(bytes, contentType: "Multipart/Form-Data; boundary=\"b\"")
        #expect(form.files.first?.bytes == [0, 13, 10, 45, 45, 255])
        #expect(form.files.first?.name == "a;b.yaml" && form.value("t") == "ü")
        #expect(throws: APIError.self) {
            try FormBody(Array(bytes.dropLast(20)), contentType: "multipart/form-data; boundary=b")
        }
        #expect(throws: APIError.self) { try FormBody([0xff], contentType: "application/x-www-form-urlencoded") }
        #expect(
            try FormBody(Array("a=1+2&b=%26".utf8), contentType: "application/x-www-form-urlencoded").value("b") == "&")
    }
}
