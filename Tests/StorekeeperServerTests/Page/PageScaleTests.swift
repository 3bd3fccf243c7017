import Foundation
import Storekeeper
import StorekeeperJWS
import StorekeeperSimulator
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests that the cost and the length of the page's views do not grow with the size of the store.
///
/// `STOREKEEPER_PAGE_CUSTOMERS=100000` makes a store with ten transactions of each customer, and a second store with a
/// hundredth of the customers, and prints the time of each view in both stores. To run the tests in release mode:
/// `swift test -c release -Xswiftc -enable-testing --filter PageScaleTests`.
@Suite("The page of a large store", .serialized) struct PageScaleTests {
    private static let periods = 10
    private static let views = [
        "/", "/?before={old}", "/?fold=no", "/?fold=no&before={old}", "/?state=refunded", "/?person={customer}",
        "/?selected={transaction}", "/?person={customer}&selected={transaction}&open={transaction}",
        "/?find={customer}", "/?find={transaction}", "/?find=12345", "/?find=silver", "/?find=nobody", "/?find=2026-03",
        "/?view=answers&person={customer}", "/?view=answers&person={customer}&at=2026-03-01&why=silver.monthly",
        "/?view=notifications", "/?view=notifications&person={customer}", "/?view=story",
        "/?view=story&person={customer}", "/?view=store", "/?view=store&item=silver.monthly", "/?view=scenario",
        "/?view=scenario&person={customer}", "/page/timeline.svg?person={customer}", "/page/version",
    ]

    /// A store with customers who subscribed one after another, and have renewed nine times.
    private struct Shop {
        let local: LocalAppStore
        let count: Int

        init(customers count: Int) async throws {
            self.count = count
            let scenario = try await ServedStore(people: []).scenario
            let store = try await ScenarioRunner(scenario).store
            for number in 0..<count {
                try store.createAccount(Self.customer(number))
                try store.buy("silver.monthly", by: Self.customer(number))
                if number.isMultiple(of: 10) { try store.advance(by: .seconds(5)) }
            }
            for _ in 1..<PageScaleTests.periods { try store.advance(byDays: 31) }
            local = await LocalAppStore(store: store, scenario: scenario)
        }

        static func customer(_ number: Int) -> CustomerID {
            CustomerID(rawValue: "customer-" + String(String(1_000_000 + number).dropFirst()))
        }

        func path(_ view: String, customer number: Int) -> String {
            let first: Int64 = 2_000_000_000_000_001
            return view.replacing("{customer}", with: Self.customer(number).rawValue)
                .replacing("{transaction}", with: String(first + Int64(number)))
                .replacing("{old}", with: String(first + Int64(count * Self.middle + number)))
        }

        private static let middle = PageScaleTests.periods / 2

        /// Returns the times of a view for several customers, in order.
        func times(of view: String, _ times: Int = 9) async -> [Duration] {
            var taken: [Duration] = []
            for step in 1...times {
                let path = path(view, customer: count / (times + 1) * step)
                let start = ContinuousClock.now
                let page = await PageClient(local: local).get(path)
                taken.append(ContinuousClock.now - start)
                #expect(page.status == 200, "\(path)")
                #expect(PageScaleTests.rowCount(page.text) <= 300, "\(path)")
            }
            return taken.sorted()
        }

        /// Returns the times of actions with the page that follows each.
        func timesOfActions() async throws -> [Duration] {
            var taken: [Duration] = []
            for step in 1...9 {
                let person = Self.customer(count / 10 * step)
                let action = try local.scenario.step(typed: "buy coins.100 by \(person)", people: [person])
                let start = ContinuousClock.now
                _ = try await local.carryOut(action)
                _ = await PageClient(local: local).get("/")
                taken.append(ContinuousClock.now - start)
            }
            return taken.sorted()
        }
    }

    /// Returns the number of rows of tables and lists, and of tick boxes of expectations.
    private static func rowCount(_ page: String) -> Int {
        page.matches(of: #/<(?:tr|li)[ >]|name="expect"|class="offer about/#).count
    }

    @Test("Every view can be shown, with at most 300 rows") func views() async throws {
        let shop = try await Shop(customers: 400)
        for view in Self.views { _ = await shop.times(of: view, 1) }
        _ = try await shop.timesOfActions()
    }

    @Test("No view of a crowded store has more than 300 rows", arguments: [2, 99, 140])
    func rows(_ customers: Int) async throws {
        let people = (1...customers).map { CustomerID(rawValue: "customer-\($0)") }
        let crowd = try await ServedStore(people: people)
        for person in people { try await crowd.step("buy silver.monthly by \(person)") }
        for person in people.prefix(25) { try await crowd.step("buy silver.yearly by \(person)") }
        try await crowd.step("price silver.monthly to 29.99 consent required")
        for number in 1...25 {
            try await crowd.step("buy coins.100 by customer-1")
            if number < 25 { _ = try await crowd.local.undo() }
        }
        try await crowd.step("buy gold.monthly by customer-2")
        try await crowd.step("advance 16 years")
        let client = PageClient(local: crowd.local)
        let newest = await client.get().rows.prefix(20).joined(separator: "+")
        for view in PageLocation.View.allCases {
            for rest in [
                "", "&person=customer-1", "&person=customer-2&done=0", "&done=0&fold=no", "&open=\(newest)",
                "&first=1&second=2",
            ] {
                let page = await client.get("/?view=\(view)\(rest)")
                #expect(page.status == 200)
                #expect(Self.rowCount(page.text) <= 300, "\(view) \(rest): \(Self.rowCount(page.text))")
            }
        }
    }

    @Test("A long catalog has pages, and a product's link leads to its page") func catalog() async throws {
        let products = (0..<400).map { #"{"id": "item.\#($0)", "type": "consumable"}"# }.joined(separator: ", ")
        let scenario = try Scenario(
            reading: "story: A catalog\napp: com.example.game\ncatalog: all.json\npeople: [anna]\nsteps: []\n",
            file: "catalog.yaml"
        ) { name in CatalogFile(name: name, bytes: Array("{\"products\": [\(products)]}".utf8)) }
        let client = PageClient(
            local: await LocalAppStore(store: try await ScenarioRunner(scenario).store, scenario: scenario))
        var address: String? = "/?view=store"
        var found: [String] = []
        for _ in 0..<5 {
            guard let next = address else { break }
            let page = await client.get(next)
            #expect(Self.rowCount(page.text) <= 300)
            found += page.text.matches(of: #/<li id="product-([0-9]+)"/#).map { String($0.1) }
            address = page.text.firstMatch(of: #/<a href="([^"]*)" data-key="page next"/#).map {
                String($0.1).replacing("&amp;", with: "&")
            }
        }
        #expect(found == (1...400).map(String.init) && address == nil)
        let page = await client.get("/?view=store&item=item.333")
        #expect(page.text.contains("<li id=\"product-334\" tabindex=\"-1\" class=\"chosen\""))
        #expect(PageClient.words(page.text).contains("Products, page 3 of 3 first previous"))
        #expect(await client.get("/?view=store&page=99").text.contains("page 3 of 3"))
    }

    @Test(
        "Each view of a store with a million transactions takes less than 100 ms",
        .enabled(if: ProcessInfo.processInfo.environment["STOREKEEPER_PAGE_CUSTOMERS"] != nil))
    func figures() async throws {
        let count = try #require(ProcessInfo.processInfo.environment["STOREKEEPER_PAGE_CUSTOMERS"].flatMap { Int($0) })
        #if DEBUG
            let limit = Duration.seconds(2)
        #else
            let limit = Duration.milliseconds(100)
        #endif
        let (large, small) = (try await Shop(customers: count), try await Shop(customers: max(10, count / 100)))
        print("a store of \(large.local.store.listing(TransactionQuery()).total) transactions, and one of a hundredth")
        func show(_ name: String, _ times: [Duration], _ few: [Duration]) {
            let text = [times[4], times[8], few[4]].map {
                $0.formatted(.units(allowed: [.milliseconds], fractionalPart: .show(length: 1)))
            }
            let ratio = (times[4] / few[4]).formatted(.number.precision(.fractionLength(1)))
            print("\(name): median \(text[0]), worst \(text[1]); \(ratio) × of the small store's \(text[2])")
            #expect(times[4] < limit, "\(name)")
        }
        for view in Self.views { show(view, await large.times(of: view), await small.times(of: view)) }
        show("an action and its page", try await large.timesOfActions(), try await small.timesOfActions())
    }
}
