import Storekeeper
import StorekeeperSimulator
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests of the texts in the rows of the table, and of the links from the rows to the catalog.
@Suite struct PageRowsTests {
    private func page(_ steps: [String], _ address: String = "/") async throws -> (ServedStore, PageClient.Page) {
        let served = try await ServedStore()
        for step in steps { try await served.step(step) }
        return (served, await PageClient(local: served.local).get(address))
    }

    /// Returns the text of each row.
    private func rows(_ page: PageClient.Page) -> [String] {
        page.text.matches(of: #/(?s)<tr id="line-.*?<\/tr>/#).map { PageClient.words(String($0.0)) }
    }

    @Test(
        "A row has the name and price of its product, and says in words what is special",
        arguments: [
            (
                ["buy coins.100 by anna quantity 3"],
                "100 Coins coins.100 $2.97 × 3 anna ● purchased 2026-01-01 00:00 now"
            ),
            (["buy silver.monthly by anna"], "1 period, next on 2026-02-01 00:00"),
            (["buy silver.monthly by anna", "advance 13 months"], "14 periods, next on 2027-03-01"),
            (["buy silver.monthly by anna", "advance 10 days"], "in 21 days"),
            (["buy gold.monthly by anna"], "Free trial"),
            (
                ["buy silver.monthly by anna", "cancel silver.monthly by anna"],
                "ends on 2026-02-01 00:00 Will not renew"
            ),
            (
                ["buy silver.monthly by anna", "change plan bronze.monthly by anna"],
                "Changes to Bronze on 2026-02-01 00:00"
            ),
            (["buy silver.monthly by anna", "fail billing anna", "advance 32 days"], "Grace period until"),
            (
                ["buy silver.monthly by anna", "fail billing anna", "advance 50 days"],
                "Payment is retried until"
            ),
            (
                ["set grant refund requests no", "buy coins.100 by anna", "request refund coins.100 by anna"],
                "Refund requested"
            ),
            (
                ["new family anna", "join family bert of anna", "buy gold.yearly by anna"], "Family-shared"
            ),
            (
                ["buy silver.monthly by anna", "price silver.monthly to 29.99 consent required"],
                "Asked to agree to $29.99 from 2026-02-01 00:00 on: Agree Decline"
            ),
            (
                ["buy silver.monthly by anna", "advance 2 months", "refund silver.monthly by anna"],
                "3 periods since 2026-01-01 00:00 1 period refunded"
            ),
            (["set ask to buy yes", "buy coins.100 by anna"], "… pending requested 2026-01-01 00:00 now"),
        ])
    func words(_ steps: [String], _ expected: String) async throws {
        let (_, page) = try await page(steps)
        let rows = rows(page)
        #expect(rows.contains { $0.contains(expected) }, "\(rows)")
    }

    @Test("A row of several periods is opened and closed by a link, and no page has more than 300 rows")
    func opening() async throws {
        let (served, closed) = try await page([
            "buy silver.monthly by anna", "advance 30 years", "buy coins.100 by bert",
        ])
        let client = PageClient(local: served.local)
        #expect(closed.rows.count == 2)
        #expect(PageClient.words(closed.text).contains("362 transactions, in 2 rows"))
        func link(_ page: PageClient.Page) throws -> String {
            let match = try #require(
                page.text.firstMatch(of: #/class="fold" id="fold-[0-9]+" href="([^"]*)" aria-expanded/#))
            return String(match.1).replacing("&amp;", with: "&")
        }
        let opened = await client.get(try link(closed))
        #expect(opened.rows.count == 267 && Set(opened.rows).count == 267)
        #expect(opened.text.contains("aria-expanded=\"true\""))
        #expect(await client.get(try link(opened)).rows == closed.rows)
        let rest = try #require(opened.text.firstMatch(of: #/<a href="([^"]*)"[^>]*>95 earlier periods more/#))
        let unfolded = await client.get(String(rest.1).replacing("&amp;", with: "&"))
        #expect(unfolded.rows.count == 150 && PageClient.words(unfolded.text).contains("1 to 150 shown"))
        // With `fold=no`, each period has its own row.
        let all = await client.get("/?fold=no")
        #expect(PageClient.words(all.text).contains("362 transactions, 1 to 150 shown"))
    }

    @Test(
        "An address with nonsense shows the page",
        arguments: [
            "/?open=x+1+-5", "/?before=abc", "/?find=%00", "/?item=none&view=store",
            "/?open=99999999999999999999&page=-1",
        ])
    func nonsense(_ address: String) async throws {
        let (_, page) = try await page(["buy silver.monthly by anna", "advance 3 months"], address)
        #expect(page.status == 200)
    }

    @Test("A date that cannot be read is marked at its field")
    func dates() async throws {
        let (_, page) = try await page(["buy coins.100 by anna"], "/?until=soon")
        #expect(page.text.contains("aria-invalid=\"true\" aria-describedby=\"filter-until-error\""))
        #expect(page.text.contains("id=\"filter-until-error\"") && !page.text.contains("id=\"filter-from-error\""))
        #expect(page.text.contains("<details class=\"more\" id=\"exact-filters\" open>"))
    }

    @Test("A refused value is marked at its field")
    func fields() async throws {
        let served = try await ServedStore()
        let client = PageClient(local: served.local)
        let answer = try await client.act(
            "buy-buy", ["subject": "coins.100", "key-quantity": "two"], on: "/?person=anna")
        #expect(answer.status == 422)
        #expect(answer.text.contains("aria-invalid=\"true\" aria-describedby=\"buy-buy-key-quantity-error\""))
        let jump = try await client.act("jump-form", ["subject": "soon"])
        #expect(jump.text.contains("aria-invalid=\"true\" aria-describedby=\"jump-error\""))
        #expect(PageClient.words(jump.text).contains("'soon' is not"))
    }

    @Test("A transaction leads to its product, group and offer in the catalog, and the product back to it")
    func places() async throws {
        let (served, _) = try await page(["buy gold.monthly by anna"])
        let client = PageClient(local: served.local)
        let id = try #require(served.store.transactions.first).id
        let inspector = await client.get("/?selected=\(id)")
        let part = try #require(inspector.text.firstMatch(of: #/(?s)<p id="places">.*?<\/p>/#))
        #expect(
            PageClient.words(String(part.0)) == "In the catalog: product Gold , group Membership , offer introductory")
        let links = part.0.matches(of: #/href="([^"]*)#([^"]*)"/#)
        #expect(links.count == 3)
        for link in links {
            let store = await client.get(String(link.1).replacing("&amp;", with: "&"))
            #expect(store.text.contains("id=\"\(link.2)\" tabindex=\"-1\""))
            #expect(store.text.contains("class=\"chosen\" aria-current=\"true\""))
            let back = try #require(
                store.text.firstMatch(
                    of: #/<a href="([^"]*)" data-key="sales product-[0-9]+">transactions<span class="unseen"> of Gold</#
                ))
            #expect(await client.get(String(back.1).replacing("&amp;", with: "&")).rows == [id.rawValue])
        }
    }
}
