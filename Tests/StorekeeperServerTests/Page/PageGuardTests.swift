import Storekeeper
import StorekeeperSimulator
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests of double submissions, confirmations and notices of the page.
@Suite struct PageGuardTests {
    @Test("A form that is sent twice is carried out once")
    func twice() async throws {
        let served = try await ServedStore()
        let client = PageClient(local: served.local)
        let form = try #require(await client.get("/?person=anna").form("buy-buy"))
        let first = await client.send(form, ["subject": "coins.100"])
        let second = await client.send(form, ["subject": "coins.100"])
        #expect(first.status == 303 && second.status == 303)
        #expect(served.store.transactions.count == 1)
        let page = await client.get(try #require(second.location))
        #expect(PageClient.words(page.text).contains("the form was sent twice but carried out only once"))
        // The same page allows another purchase, and a newly loaded page allows the same purchase again.
        #expect(await client.send(form, ["subject": "coins.500"]).status == 303)
        let again = try #require(await client.get("/?person=anna").form("buy-buy"))
        #expect(await client.send(again, ["subject": "coins.100"]).status == 303)
        #expect(served.store.transactions.map(\.productID) == ["coins.100", "coins.500", "coins.100"])
    }

    @Test("Sixteen concurrent submissions of a form count as one")
    func atOnce() async throws {
        let served = try await ServedStore()
        let client = PageClient(local: served.local)
        let form = try #require(await client.get("/?person=anna").form("buy-buy"))
        let statuses = await withTaskGroup(of: Int.self) { group in
            for _ in 1...16 { group.addTask { await client.send(form, ["subject": "coins.100"]).status } }
            return await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(Set(statuses) == [303])
        #expect(served.store.transactions.count == 1)
    }

    @Test("A refused form may be sent again")
    func refusedForm() async throws {
        let served = try await ServedStore()
        let client = PageClient(local: served.local)
        try await served.step("new family bert")
        try await served.step("join family anna of bert")
        let form = try #require(await client.get("/?person=anna").form("customer-leave-family"))
        try await served.step("leave family anna")
        #expect(await client.send(form).status == 422)
        try await served.step("join family anna of bert")
        #expect(await client.send(form).status == 303)
    }

    @Test(
        "An action that deletes purchases requires a ticked box, without a script too",
        arguments: [
            ("inspector-delete", "/?selected="), ("customer-clear", "/?person=anna"), ("everyone", "/?view=store"),
        ])
    func confirmation(_ id: String, _ address: String) async throws {
        let served = try await ServedStore()
        let client = PageClient(local: served.local)
        try await served.step("buy coins.100 by anna")
        let transaction = try #require(served.store.transactions.first).id
        let place = address.hasSuffix("selected=") ? address + transaction.rawValue : address
        let answer = try await client.act(id, on: place)
        #expect(answer.status == 422 && answer.failure?.contains("tick the box") == true)
        #expect(served.store.transactions.count == 1)
        #expect(try await client.act(id, ["confirmed": "yes"], on: place).status == 303)
        #expect(served.store.transactions.isEmpty)
    }

    @Test("A refusal of the App Store is shown as a failure")
    func refusal() async throws {
        let served = try await ServedStore()
        let client = PageClient(local: served.local)
        try await served.step("fail billing anna")
        let answer = try await client.act("buy-buy", ["subject": "coins.100"], on: "/?person=anna")
        let page = await client.get(try #require(answer.location))
        #expect(page.failure?.contains("The App Store has refused it") == true)
        #expect(!page.text.contains("notice success"))
    }

    @Test(
        "A customer with a price increase can agree or decline in the row and next to it",
        arguments: [true, false])
    func consent(_ agrees: Bool) async throws {
        let served = try await ServedStore()
        let client = PageClient(local: served.local)
        for step in ["buy gold.monthly by anna", "price gold.monthly to 29.99 consent required"] {
            try await served.step(step)
        }
        let id = try #require(served.store.transactions.first).id
        #expect(served.store.transactions.first?.awaitsPriceConsent == true)
        let page = await client.get()
        #expect(PageClient.words(page.text).contains("anna is asked to agree to a higher price of Gold"))
        let answer = agrees ? "yes" : "no"
        #expect(page.form("near-consent-\(answer)-\(id)") == nil)
        #expect(await client.get("/?selected=\(id)").form("near-consent-\(answer)-\(id)") != nil)
        #expect(try await client.act("row-consent-\(answer)-\(id)").status == 303)
        let kinds = served.store.happenings().map(\.kind)
        #expect(kinds.contains(agrees ? .priceIncreaseAccepted : .priceIncreaseDeclined))
        #expect(await client.get().form("row-consent-\(answer)-\(id)") == nil)
    }

    @Test("The inspector of a notification lists its attempts")
    func attempts() async throws {
        let webhook = ScriptedWebhook(Array(repeating: .unsuccessfulStatus, count: 10))
        let served = try await ServedStore(webhook: webhook) { $0.retriesNotifications = true }
        try await served.step("buy coins.100 by anna")
        try await served.step("advance 30 days")
        let id = try #require(served.store.happenings().last { $0.notification != nil }?.id)
        let page = await PageClient(local: served.local).get("/?view=notifications&selected=\(id)")
        let list = try #require(page.text.firstMatch(of: #/(?s)<dl class="facts" data-live id="attempts">.*?<\/dl>/#))
        #expect(list.0.matches(of: #/UNSUCCESSFUL_HTTP_RESPONSE_CODE/#).count == 6)
    }

    @Test("A jump is saved as one step, and replaying the story gives the same result")
    func jump() async throws {
        let served = try await ServedStore()
        let client = PageClient(local: served.local)
        for step in ["buy gold.monthly by anna", "buy silver.monthly by bert", "advance 5 years"] {
            try await served.step(step)
        }
        let saved = served.local.current.saved
        #expect(saved.steps.count < 10 && served.store.calls.count > 100)
        let text = await client.get("/page/scenario.yaml").text
        let scenario = try Scenario(reading: text, file: "saved.yaml") { name in
            try #require(served.scenario.catalogFiles[name])
        }
        var runner = try await ScenarioRunner(scenario)
        #expect(try await runner.run().isMet)
        #expect(runner.store.transactions == served.store.transactions && runner.store.now == served.store.now)
    }

    @Test("The clock can advance to the time of the machine, and never goes back")
    func now() async throws {
        let served = try await ServedStore()
        let client = PageClient(local: served.local)
        #expect(try await client.act("now-form", ["subject": "now"]).status == 303)
        #expect(served.store.now == served.wall.now)
        // The jump to the current time is saved with its instant, so that a replay has the same result.
        #expect(served.local.current.saved.text.contains("advance to: \(served.wall.now)") == true)
        try await served.step("advance 1 day")
        let late = try await client.act("now-form", ["subject": "now"])
        #expect(late.status == 422 && late.failure?.contains("this machine's clock") == true)
    }
}
