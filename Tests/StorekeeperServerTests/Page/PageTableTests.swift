import Storekeeper
import StorekeeperSimulator
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests of the contents and the order of the table of transactions.
@Suite struct PageTableTests {
    private func shop() async throws -> (ServedStore, PageClient) {
        let served = try await ServedStore()
        for step in [
            "buy gold.monthly by anna", "advance 30 hours", "buy coins.100 by bert", "advance 1 day",
            "buy coins.500 by anna", "refund coins.500 by anna", "set ask to buy yes", "buy remove.ads by bert",
        ] { try await served.step(step) }
        return (served, PageClient(local: served.local))
    }

    @Test(
        "Each filter shows the matching transactions",
        arguments: [
            ("/", "4321"), ("/?product=coins", "32"), ("/?product=coins.1", "2"), ("/?state=refunded", "3"),
            ("/?state=pending", "4"), ("/?person=bert", "42"), ("/?person=bert&product=coins", "2"),
            ("/?from=2026-01-02", "32"), ("/?from=2026-01-02&until=2026-01-02", "2"), ("/?until=2026-01-02", "21"),
            ("/?from=2026-01-02T06:00:01Z", "3"), ("/?until=2026-01-02T06:00:00Z", "21"), ("/?product=nothing", ""),
            ("/?order=product&ascending=yes", "2314"), ("/?order=product", "4132"),
            ("/?order=id&ascending=yes", "1234"),
            ("/?order=person&ascending=yes", "3142"), ("/?order=state&ascending=yes", "4213"),
            ("/?order=expires&ascending=yes", "1432"), ("/?ascending=yes", "1234"),
            ("/?state=nonsense&order=nonsense", "4321"),
        ])
    func filters(_ address: String, _ expected: String) async throws {
        let (_, client) = try await shop()
        let page = await client.get(address)
        #expect(page.rows.compactMap(\.last).map(String.init).joined() == expected)
        #expect(page.status == 200)
    }

    @Test("A filter that cannot be read is reported, and the other filters apply")
    func complaint() async throws {
        let (_, client) = try await shop()
        let page = await client.get("/?from=yesterday&product=coins")
        #expect(page.text.contains("&#39;yesterday&#39; is not a valid time"))
        #expect(page.text.contains("value=\"yesterday\""))
        #expect(page.rows.count == 2)
    }

    @Test("The column heads show the sort order, and reverse it")
    func heads() async throws {
        let (_, client) = try await shop()
        let page = await client.get("/?order=product&ascending=yes&product=coins")
        let head = try #require(
            page.text.firstMatch(of: #/<th scope="col" class="column-product" aria-sort="ascending"><a href="([^"]*)"/#)
        )
        #expect(head.1 == "/?product=coins&amp;order=product")
        #expect(page.text.matches(of: #/aria-sort/#).count == 1)
    }

    @Test("Long tables are split into pages of 150 rows")
    func many() async throws {
        let served = try await ServedStore()
        let client = PageClient(local: served.local)
        for _ in 1...405 { try await served.step("buy coins.100 by anna") }
        let page = await client.get()
        #expect(page.rows.count == 150)
        #expect(PageClient.words(page.text).contains("405 transactions, 1 to 150 shown next last"))
        #expect(page.text.contains("href=\"/?page=2\"") && page.text.contains("href=\"/?page=3\""))
        let last = await client.get("/?page=3")
        #expect(last.rows.count == 105 && PageClient.words(last.text).contains("301 to 405 shown first previous"))
        #expect(Set(page.rows).isDisjoint(with: last.rows))
        #expect(await client.get("/?page=99").rows == last.rows)
        // The link to another order leads to its first page.
        #expect(last.text.contains("href=\"/?order=product&amp;ascending=yes\""))
        for (view, shown) in [("notifications", "151 to 300 shown"), ("story", "101 to 200 shown")] {
            let list = await client.get("/?view=\(view)&page=2")
            #expect(PageClient.words(list.text).contains(shown), "\(view)")
        }
    }

    @Test(
        "For an unknown customer the page shows nothing, in particular nothing of another customer",
        arguments: PageLocation.View.allCases)
    func stranger(_ view: PageLocation.View) async throws {
        let (_, client) = try await shop()
        let page = await client.get("/?view=\(view.rawValue)&person=nobody")
        #expect(page.status == 404 && page.failure?.contains("There is no customer 'nobody'") == true)
        #expect(page.rows.isEmpty)
        #expect(!page.text.contains("What anna owns") && page.form("buy-buy") == nil)
    }

    @Test("A refused purchase is dated, and sorted by its date")
    func refused() async throws {
        let served = try await ServedStore()
        let client = PageClient(local: served.local)
        for step in [
            "fail billing anna", "buy coins.100 by anna", "fix billing anna", "advance 1 day", "buy coins.500 by anna",
        ] { try await served.step(step) }
        let page = await client.get()
        #expect(page.rows.compactMap(\.last).map(String.init) == ["2", "1"])
        #expect(served.store.transactions.map(\.state) == [.failed, .purchased])
        #expect(PageClient.words(page.text).contains("requested 2026-01-01"))
    }

    @Test("The first hundred of many customers are listed, and every customer is found by name")
    func crowd() async throws {
        let served = try await ServedStore(people: (1...150).map { CustomerID(rawValue: "p\($0)") })
        let client = PageClient(local: served.local)
        let page = await client.get("/?view=store")
        #expect(page.text.matches(of: #/data-key="customer /#).count == 100)
        #expect(page.form("search-form")?.contains { $0 == ("view", "store") } == true)
        let found = await client.get("/?person=p150")
        #expect(found.text.contains("data-key=\"customer p150\" aria-current=\"true\""))
        #expect(try await client.act("buy-buy", ["subject": "coins.100", "by": "p149"]).status == 303)
        #expect(try await client.act("buy-buy", ["subject": "coins.100", "by": "p151"]).status == 422)
        #expect(served.store.transactions.map(\.person) == ["p149"])
    }

    @Test("The inspector shows the signed text and its decoded payload")
    func inspector() async throws {
        let (served, client) = try await shop()
        let id = try #require(served.store.transactions.first).id
        let page = await client.get("/?selected=\(id)")
        let signed = try #require(try served.store.lastSigned(id))
        // Each view of the transaction signs it again, so that the signature differs, but the header and the payload
        // are the same.
        for text in [signed.transaction, try #require(signed.renewalInfo)] {
            #expect(page.text.contains(text[...(try #require(text.lastIndex(of: ".")))]))
        }
        let words = PageClient.words(page.text)
        #expect(words.contains("productId gold.monthly") && words.contains("autoRenewStatus 1"))
    }

    @Test("For an unknown transaction the page says so, and no link leads to it again")
    func unknownTransaction() async throws {
        let (_, client) = try await shop()
        let page = await client.get("/?selected=1")
        #expect(page.status == 404 && page.failure?.contains("There is no transaction '1'") == true)
        #expect(!page.rows.isEmpty && !page.text.contains("selected=1"))
        // After an action that may have removed the selected transaction, the page reports the result of the action,
        // and no error.
        let next = await client.get("/?selected=1&told=undo")
        #expect(next.status == 200 && next.failure == nil)
        for text in [page.text, next.text] { #expect(!text.contains("id=\"inspector\"")) }
    }

    @Test("Every view is shown, with and without content", arguments: PageLocation.View.allCases)
    func views(_ view: PageLocation.View) async throws {
        let empty = try await ServedStore(people: [])
        #expect(await PageClient(local: empty.local).get("/?view=\(view.rawValue)").status == 200)
        let (served, client) = try await shop()
        let id = try #require(served.store.transactions.first).id
        let page = await client.get("/?view=\(view.rawValue)&person=anna&why=gold.monthly&selected=\(id)")
        #expect(page.status == 200)
        #expect(page.text.contains("data-key=\"view \(view.title)\" aria-current=\"page\""))
        if view == .answers { #expect(page.text.contains("Why gold.monthly is")) }
    }

    @Test("The answers are the engine's, with reason and timeline")
    func answers() async throws {
        let (_, client) = try await shop()
        let page = await client.get("/?view=answers&person=anna&why=gold.monthly")
        let words = PageClient.words(page.text)
        #expect(words.contains("Why gold.monthly is ✓ entitled (active)"))
        #expect(words.contains("A period gives access from its purchase to its expiry"))
        let picture = try #require(page.text.firstMatch(of: #/<a href="([^"]*)" data-key="timeline file"/#))
        let svg = await client.get(String(picture.1).replacing("&amp;", with: "&"))
        #expect(svg.status == 200 && svg.text.contains("<svg"))
    }
}
