import Storekeeper
import StorekeeperSimulator
import StorekeeperTesting
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests that examine the page of the local App Store and the desk, in all of their states, with axe-core.
@Suite(
    .system, .inBrowser,
    .enabled(if: Axe.isWanted, "run Scripts/axe.sh to examine the pages with axe-core"), .serialized,
    .timeLimit(.minutes(10)))
struct AccessibilityTests {
    /// A state of a page: an address, and the actions of a person on this page.
    private struct State: Sendable {
        let name: String
        let path: String
        let act: (@Sendable (Browser) async throws -> Void)?

        init(_ name: String, _ path: String, act: (@Sendable (Browser) async throws -> Void)? = nil) {
            (self.name, self.path, self.act) = (name, path, act)
        }
    }

    private typealias Look = (name: String, width: Int, isDark: Bool, isForced: Bool, rules: Axe.Rules)

    /// Two windows in which a state is examined with all rules; the states take turns in them.
    private static let looks: [Look] = [
        ("wide", 1280, false, false, .all), ("narrow, dark", 400, true, false, .all),
    ]
    /// Windows with other colours, in which the states take turns.
    private static let colours: [Look] = [
        ("wide, dark", 1280, true, false, .colours), ("narrow", 400, false, false, .colours),
        ("wide, forced colours", 1280, false, true, .colours),
    ]

    private static func examine(_ states: [State], in browser: Browser) async throws {
        try await browser.addAxe()
        var found: [Axe.Violation: [String]] = [:]
        for (number, state) in states.enumerated() {
            try await browser.resize(width: 1280)
            try await browser.open(state.path)
            try await state.act?(browser)
            try await browser.openDetails()
            for look in [looks[number % looks.count], colours[number % colours.count]] {
                try await browser.resize(width: look.width, isDark: look.isDark, isForced: look.isForced)
                for one in try await browser.violations(of: look.rules) {
                    found[one, default: []].append("\(state.name) (\(look.name))")
                }
            }
            let foreign = try await browser.script(
                """
                return performance.getEntriesByType('resource').map((one) => one.name)
                    .filter((name) => new URL(name).origin !== location.origin).join();
                """)
            #expect(foreign.string == "", "\(state.name)")
        }
        for (violation, places) in found.sorted(by: { $0.key.description < $1.key.description }) {
            Issue.record("\(violation)\n    in \(places.joined(separator: "; "))")
        }
    }

    // MARK: The local App Store

    @Test("axe finds nothing in the page of a local App Store with many customers and no purchases")
    func empty() async throws {
        let served = try await ServedStore(people: ["anna"] + (1...120).map { CustomerID(rawValue: "customer-\($0)") })
        let views = PageLocation.View.allCases.map { State("empty, \($0)", "/?view=\($0)") }
        try await served.local.serving { url in
            try await Browser.with(url) { browser in
                try await Self.examine(views + [State("empty, of anna", "/?person=anna")], in: browser)
            }
        }
    }

    /// Returns a store with an example of everything that the page can show, and with a story of two branches.
    private static func busyShop() async throws -> ServedStore {
        let served = try await ServedStore()
        for step in [
            "new person a-customer-with-a-very-long-name-that-is-one-word", "new family anna",
            "join family bert of anna", "buy gold.monthly by anna", "buy silver.monthly by bert", "advance 20 days",
            "buy remove.ads by anna", "advance 25 days", "refund remove.ads by anna", "fail billing anna",
            "advance 2 months", "buy coins.500 by bert quantity 3", "refund coins.500 by bert",
            "set ask to buy yes", "buy season.pass by bert", "set ask to buy no",
            "price silver.monthly to 29.99 consent required",
        ] { try await served.step(step) }
        try await served.local.undo()
        for step in ["price silver.monthly to 19.99 consent required", "buy coins.100 by anna"] {
            try await served.step(step)
        }
        return served
    }

    @Test("axe finds nothing in the page of a local App Store with a long story")
    func manager() async throws {
        let served = try await Self.busyShop()
        let items = served.store.transactions
        let refunded = try #require(items.first { $0.state == .refunded }).id
        let renewal = try #require(items.last { $0.productID == "silver.monthly" }).id
        let states =
            PageLocation.View.allCases.map { State("\($0) of all", "/?view=\($0)") }
            + [
                State("transactions of anna", "/?person=anna"),
                State("inspector", "/?person=bert&selected=\(renewal)"),
                State("inspector of a refund", "/?selected=\(refunded)"),
                State("opened renewals", "/?open=\(renewal)"), State("a row for each period", "/?fold=no"),
                State("filtered, sorted", "/?find=silver&order=product&ascending=yes"),
                State("nothing found", "/?find=nothing"), State("wrong day", "/?from=yesterday"),
                State("timeline zoomed", "/?person=anna&span=2026-02-14..2026-02-16"),
                State("another instant", "/?person=anna&at=2026-02-10"),
                State("wrong instant", "/?person=anna&at=soon"),
                State("future instant", "/?person=anna&at=2027-01-10"),
                State("why", "/?view=answers&person=anna&why=gold.monthly"),
                State("answers at another instant", "/?view=answers&person=bert&at=2026-01-02"),
                State("notification", "/?view=notifications&selected=\(served.store.happeningCount)"),
                State("branches compared", "/?view=story&first=1&second=2"),
                State("product of the catalog", "/?view=store&item=silver.monthly"),
                State("expectations", "/?view=scenario&person=anna"),
                State("refused by the App Store", "/?done=0&refused=purchaseFailed"),
                State("carried out", "/?done=0&twice=yes"),
                State("wrong time", "/") {
                    try await $0.type("soon", into: "#jump")
                    try await $0.click("#jump-button")
                    try await $0.wait(for: "is not a valid time", in: ".notice.failure")
                },
                State("wrong price", "/?view=store") {
                    try await $0.openDetails()
                    try await $0.type("platinum", into: "#add-product-id")
                    try await $0.type("much", into: "#add-product-price")
                    try await $0.script("document.querySelector('#add-product-button').click()")
                    try await $0.wait(until: "document.querySelector('#add-product-price-error')")
                },
                State("keys", "/") {
                    try await $0.press("?")
                    try await $0.wait(until: "document.querySelector('#keys').open")
                },
                State("words of a bar", "/?person=anna") {
                    try await $0.script("document.querySelector('#timeline-frame .bar').focus()")
                    try await $0.wait(until: "!document.querySelector('#timeline-tip').hidden")
                },
                State("no answer of the server", "/") {
                    try await $0.script("document.querySelector('#offline').hidden = false")
                },
            ]
        try await served.local.serving { url in
            try await Browser.with(url) { browser in try await Self.examine(states, in: browser) }
        }
    }

    // MARK: The desk

    @Test("axe finds nothing in the desk")
    func desk() async throws {
        let shop = try await CompanionShop(hasDesk: true)
        for step in [
            "buy gold.monthly by anna", "buy coins.500 by anna", "buy remove.ads by anna", "refund remove.ads by anna",
            "fail billing anna", "advance 5 weeks", "new person annabel", "buy coins.100 by annabel",
        ] { try await shop.step(step) }
        for customer in ["anna", "annabel"] as [CustomerID] { try await shop.ingest(customer) }
        try await shop.parkWebhook("billing")
        try await shop.vault.changeWebhook("billing", of: [], isWhole: true) { step in
            step.pause(because: "the receiver answered with status 410", at: .day(400))
        }
        let purchase = try #require(shop.served.store.transactions.first?.originalID)
        let states = [
            State("nothing asked", "/desk"), State("found", "/desk?search=ann"),
            State("not found", "/desk?search=nobody"), State("customer", "/desk?customer=anna"),
            State("unknown customer", "/desk?customer=nobody"),
            State("why", "/desk?customer=anna&why=gold.monthly"),
            State("another instant", "/desk?customer=anna&at=2026-01-10"),
            State("grant to confirm", "/desk?customer=anna&subject=feature:pro&until=2099-01-01&reason=sorry"),
            State("grant refused", "/desk?customer=anna&subject=feature:pro&until=soon&reason=sorry"),
            State("claim refused", "/desk?customer=anna&claim=\(purchase)"),
            State("claim of nothing", "/desk?customer=anna&claim=7"),
            State("German", "/desk?customer=anna&lang=de&why=gold.monthly"),
            State("German, another instant", "/desk?customer=anna&lang=de&at=2026-01-10"),
            State("webhooks", "/desk/webhooks"), State("webhooks in German", "/desk/webhooks?lang=de"),
            State("erasure refused", "/desk?customer=anna") {
                try await $0.openDetails()
                try await $0.type("bert", into: "#erase-typed")
                try await $0.type("asked", into: "#erase-reason")
                try await $0.click("#erase .danger")
                try await $0.wait(for: "Nothing was erased", in: "main")
            },
            State("erased", "/desk?customer=anna") {
                try await $0.openDetails()
                try await $0.type("anna", into: "#erase-typed")
                try await $0.type("asked", into: "#erase-reason")
                try await $0.click("#erase .danger")
                try await $0.wait(for: "Erased:", in: "main")
            },
        ]
        let (admin, reader) = (try #require(shop.bearers[.admin]), try #require(shop.bearers[.desk]))
        try await shop.serving { port in
            try await Browser.with("http://somebody:\(reader)@127.0.0.1:\(port)") { browser in
                try await Self.examine([State("read only", "/desk?customer=anna")], in: browser)
            }
            try await Browser.with("http://somebody:\(admin)@127.0.0.1:\(port)") { browser in
                try await Self.examine(states, in: browser)
            }
        }
    }

    @Test("axe finds faults that are put into a page")
    func faulty() async throws {
        let served = try await ServedStore()
        try await served.local.serving { url in
            try await Browser.with(url) { browser in
                try await browser.addAxe()
                try await browser.open()
                try await browser.script(
                    """
                    document.querySelector('label[for=buy-buy-subject]').remove();
                    document.querySelector('h1').classList.add('pale');
                    const sheet = new CSSStyleSheet();
                    sheet.replaceSync('.pale { color: rgb(200, 200, 200) }');
                    document.adoptedStyleSheets = [sheet];
                    """)
                let rules = try await browser.violations().map(\.rule)
                #expect(rules.contains { $0.hasPrefix("select-name") })
                #expect(try await browser.violations(of: .colours).contains { $0.rule.hasPrefix("color-contrast") })
            }
        }
    }
}
