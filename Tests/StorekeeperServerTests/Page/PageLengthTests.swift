import Storekeeper
import StorekeeperSimulator
import Testing

@testable import StorekeeperLocalStore

/// Tests that the page's views stay short in a large store.
struct PageLengthTests {
    /// Returns the number of rows of tables and lists, and of tick boxes of expectations.
    private static func rowCount(_ page: String) -> Int {
        page.matches(of: #/<(?:tr|li)[ >]|name="expect"|class="offer about/#).count
    }

    @Test("No view of a crowded store has more than 300 rows", arguments: [(2, 16), (140, 2)])
    func rows(_ customers: Int, _ years: Int) async throws {
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
        try await crowd.step("advance \(years) years")
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
}
