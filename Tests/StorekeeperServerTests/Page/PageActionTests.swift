import Storekeeper
import StorekeeperSimulator
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests that all actions of scenarios are available on the page.
@Suite struct PageActionTests {
    /// An action: the steps before it, its form, the values of the fields, and the expected happening.
    struct Case: Sendable, CustomTestStringConvertible {
        var before: [String] = []
        /// The page with the form: the page of `anna`, of the last transaction, or of the store.
        let place: StepForm.Place
        let word: String
        var fields: [String: String] = [:]
        let kind: HappeningKind?

        var testDescription: String { word }

        init(
            _ place: StepForm.Place, _ word: String, _ fields: [String: String] = [:], after before: [String] = [],
            leadsTo kind: HappeningKind? = nil
        ) {
            (self.place, self.word, self.fields, self.before, self.kind) = (place, word, fields, before, kind)
        }
    }

    private static let gold = ["buy gold.monthly by anna"]
    private static let family = ["new family anna", "join family bert of anna"]

    static let cases: [Case] = [
        Case(.clock, "advance to", ["subject": "2027-03-01"]),
        // The format in which the page writes times.
        Case(.clock, "advance to", ["subject": "2027-03-01 09:30"]),
        Case(.customer, "buy", ["subject": "coins.100", "key-quantity": "3"], leadsTo: .oneTimePurchased),
        Case(.customer, "buy outside app", ["subject": "gold.monthly"], leadsTo: .subscribed),
        Case(.customer, "intend", ["subject": "coins.100"], leadsTo: .purchaseIntended),
        Case(.customer, "change plan", ["subject": "gold.yearly"], after: gold),
        Case(.customer, "force renewal", ["subject": "gold.monthly"], after: gold, leadsTo: .renewed),
        Case(.customer, "expire", ["subject": "gold.monthly"], after: gold, leadsTo: .expiredVoluntarily),
        Case(.customer, "fail billing"), Case(.customer, "fix billing", after: ["fail billing anna"]),
        Case(.customer, "new family"), Case(.customer, "leave family", after: family),
        Case(.customer, "join family", ["key-of": "bert"], after: ["new family bert"]),
        Case(.customer, "make organizer", after: ["new family bert", "join family anna of bert"]),
        Case(.customer, "stop sharing purchases", after: family),
        Case(.customer, "share purchases", after: family + ["stop sharing purchases anna"]),
        Case(.customer, "stop sharing", ["subject": "gold.monthly"], after: family + gold),
        Case(
            .customer, "share", ["subject": "gold.monthly"],
            after: family + gold + ["stop sharing gold.monthly by anna"]),
        Case(.customer, "storefront", ["key-to": "DEU"]), Case(.customer, "clear", ["confirmed": "yes"], after: gold),
        Case(.purchase, "approve", after: ["set ask to buy yes", "buy coins.100 by anna"], leadsTo: .oneTimePurchased),
        Case(.purchase, "decline", after: ["set ask to buy yes", "buy coins.100 by anna"], leadsTo: .askToBuyDeclined),
        Case(.purchase, "resolve issue", after: ["set interrupted purchases yes", "buy coins.100 by anna"]),
        Case(.purchase, "finish", after: ["buy coins.100 by anna"], leadsTo: .finished),
        Case(.purchase, "request refund", after: ["buy coins.100 by anna"], leadsTo: .refundRequested),
        Case(.purchase, "refund", ["key-percent": "50"], after: ["buy coins.100 by anna"], leadsTo: .refunded),
        Case(
            .purchase, "reverse refund", after: ["buy coins.100 by anna", "refund coins.100 by anna"],
            leadsTo: .refundReversed),
        Case(
            .purchase, "decline refund",
            after: ["set grant refund requests no", "buy coins.100 by anna", "request refund coins.100 by anna"],
            leadsTo: .refundDeclined),
        Case(.purchase, "cancel", after: gold, leadsTo: .autoRenewDisabled),
        Case(.purchase, "resume", after: gold + ["cancel gold.monthly by anna"], leadsTo: .autoRenewEnabled),
        Case(.purchase, "extend", ["key-days": "7"], after: gold + ["advance 1 month"], leadsTo: .renewalExtended),
        Case(.purchase, "token", ["key-to": "7f1a1f8e-58a2-4a0f-9c5e-0a3f5ad0e2b1"], after: gold),
        Case(.purchase, "delete", ["confirmed": "yes"], after: gold),
        Case(
            .purchase, "seats", ["key-number": "5", "key-invitations": "DEVELOPER"], after: gold, leadsTo: .seatsAdded),
        Case(
            .purchase, "retry billing",
            after: ["buy gold.monthly by anna", "fail billing anna", "advance 1 month", "fix billing anna"],
            leadsTo: .recovered),
        Case(.store, "test notification"), Case(.store, "price", ["subject": "coins.100", "key-to": "1.99"]),
        Case(.store, "remove from sale", ["subject": "coins.100"]),
        Case(.store, "put on sale", ["subject": "coins.100"], after: ["remove from sale coins.100"]),
        Case(
            .store, "extend all", ["subject": "gold.monthly", "key-days": "7", "key-request": "outage"], after: gold),
        Case(.store, "reset settings"),
        Case(.store, "fault", ["subject": "history", "key-how": "500", "key-times": "2"]),
    ]

    @Test("Each form carries out its action and leads back to its page", arguments: cases)
    func act(_ act: Case) async throws {
        let served = try await ServedStore()
        let client = PageClient(local: served.local)
        for step in act.before { try await served.step(step) }
        let (address, place) =
            switch act.place {
            case .clock: ("/", "")
            case .customer: ("/?person=anna", act.word == "buy" ? "buy" : "customer")
            case .purchase: ("/?selected=\(try #require(served.store.transactions.last).id)", "inspector")
            case .store: ("/?view=store", "act")
            }
        let calls = served.store.calls.count
        let happenings = served.store.happeningCount
        let id = act.place == .clock ? "jump-form" : "\(place)-\(act.word.replacing(" ", with: "-"))"
        let answer = try await client.act(id, act.fields, on: address)
        #expect(answer.status == 303, "\(answer.failure ?? "")")
        #expect(served.store.calls.count > calls)
        if let kind = act.kind { #expect(served.store.happenings(after: happenings).contains { $0.kind == kind }) }
        let back = try #require(answer.location)
        let bought = act.word == "buy" ? "bought=coins.100&" : ""
        #expect(back == address + (address.contains("?") ? "&" : "?") + bought + "done=\(happenings)")
        let page = await client.get(back)
        // The menu of products keeps the choice.
        if act.word == "buy" { #expect(page.form("buy-buy")?.contains { $0 == ("subject", "coins.100") } == true) }
        #expect(page.status == 200 && page.text.contains("class=\"notice success\"") && page.failure == nil)
    }

    /// Returns the buttons next to the last transaction.
    private func near(_ served: ServedStore) async throws -> [String] {
        let id = try #require(served.store.transactions.last).id
        return await PageClient(local: served.local).get("/?selected=\(id)").text
            .matches(of: #/id="near-([a-z-]+)(-[0-9]+)?-button"/#).map { String($0.1) }
    }

    @Test("The buttons of a purchase are the actions that its state allows")
    func nearest() async throws {
        let served = try await ServedStore()
        func near() async throws -> [String] { try await self.near(served) }
        try await served.step("set ask to buy yes")
        try await served.step("buy coins.100 by anna")
        #expect(try await near() == ["approve", "decline"])
        try await served.step("set ask to buy no")
        try await served.step("buy gold.monthly by anna")
        #expect(try await near() == ["finish", "request-refund", "refund", "cancel", "force-renewal", "expire"])
        try await served.step("refund gold.monthly by anna")
        #expect(try await near() == ["finish", "reverse-refund"])
        try await served.step("buy coins.500 by anna")
        try await served.step("refund coins.500 by anna percent 50")
        #expect(try await near() == ["finish", "request-refund", "refund", "reverse-refund"])
    }

    @Test("The App Store accepts every button of a purchase, in each state")
    func accepted() async throws {
        let served = try await ServedStore()
        let client = PageClient(local: served.local)
        for step in [
            "buy gold.monthly by anna", "cancel gold.monthly by anna", "resume gold.monthly by anna",
            "fail billing anna", "advance 10 days", "advance 30 days", "fix billing anna",
            "retry billing gold.monthly by anna", "refund gold.monthly by anna percent 50",
        ] {
            try await served.step(step)
            let id = try #require(served.store.transactions.last).id
            for name in try await near(served) {
                let answer = try await client.act("near-\(name)", on: "/?selected=\(id)")
                #expect(answer.status == 303, "\(name) after \(step): \(answer.failure ?? "")")
                try await served.local.undo()
            }
        }
    }

    @Test("A switch lets payments succeed and fail, and the customer's buttons are the possible actions")
    func head() async throws {
        let served = try await ServedStore()
        let client = PageClient(local: served.local)
        func buttons() async throws -> [String] {
            let text = await client.get("/?person=anna").text
            let head = try #require(text.firstMatch(of: #/(?s)<div class="head".*?<h2/#))
            return head.0.matches(of: #/id="customer-([a-z-]+)-button"[^>]*?( disabled)?( aria-pressed="true")?>/#).map
            {
                "\($0.1)\($0.2 == nil ? "" : " pressed")"
            }
        }
        #expect(try await buttons() == ["fix-billing pressed", "fail-billing", "new-family"])
        #expect(try await client.act("customer-fail-billing", on: "/?person=anna").status == 303)
        #expect(served.store.accountSummary(named: "anna")?.paymentsFail == true)
        #expect(try await buttons() == ["fix-billing", "fail-billing pressed", "new-family"])
        #expect(try await client.act("customer-new-family", on: "/?person=anna").status == 303)
        try await served.step("join family bert of anna")
        #expect(
            try await buttons() == ["fix-billing", "fail-billing pressed", "leave-family", "stop-sharing-purchases"])
    }

    @Test("A form changes a setting")
    func setting() async throws {
        let served = try await ServedStore()
        let client = PageClient(local: served.local)
        let page = await client.get("/?view=store")
        let form = page.text.matches(of: #/(?s)<form class="act setting".*?</form>/#).first {
            $0.0.contains("aria-label=\"ask to buy\"")
        }
        #expect(form != nil)
        let token = served.local.formToken
        let answer = await client.send([
            ("token", token), ("back", "view=store"), ("word", "set"), ("setting", "ask to buy"), ("value", "yes"),
        ])
        #expect(answer.status == 303)
        #expect(try served.store.settings(of: ServedStore.bundleID).isAskToBuyEnabled)
    }
}
