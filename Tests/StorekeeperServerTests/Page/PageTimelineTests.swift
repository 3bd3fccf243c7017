import Storekeeper
import StorekeeperCharts
import StorekeeperTesting
import Testing

@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests of the timeline above the table, and of the answers at another instant.
@Suite struct PageTimelineTests {
    /// Returns the page of a store with gold from January on, refunded on the eleventh of February.
    private func shop() async throws -> PageClient {
        let served = try await ServedStore()
        for step in [
            "buy gold.monthly by anna", "advance 41 days", "refund gold.monthly by anna", "advance 3 days",
        ] { try await served.step(step) }
        return PageClient(local: served.local)
    }

    // MARK: Addresses

    @Test(
        "The instant and the part of the timeline are in the address, as they were typed",
        arguments: [
            "/?person=anna&at=2026-01-05T00%3A00%3A00Z", "/?person=anna&at=yesterday",
            "/?view=answers&person=anna&at=2026-01-05&span=2026-01-01..2026-02-01",
        ])
    func addresses(_ address: String) {
        let query = String(address.dropFirst(2))
        #expect(PageLocation(query.formFields).address == address)
    }

    @Test("The views with a timeline keep the instant and the part; the others are about the present")
    func views() {
        let location = PageLocation("person=anna&at=2026-01-05&span=2026-01-01..2026-02-01".formFields)
        for view in PageLocation.View.allCases {
            let isKept = [.transactions, .answers].contains(view)
            #expect((location.showing(view).at != nil) == isKept && (location.showing(view).span != nil) == isKept)
        }
    }

    @Test(
        "A part of the axis is two times in order",
        arguments: [
            ("2026-01-01..2026-02-01", "2026-01-01T00:00:00Z..2026-02-01T00:00:00Z"),
            ("2026-01-01T10:00:00.5Z..2026-01-02", "2026-01-01T10:00:00.500Z..2026-01-02T00:00:00Z"),
            ("2026-02-01..2026-01-01", nil), ("2026-01-01..2026-01-01", nil), ("2026-01-01", nil), ("..", nil),
            ("a..b", nil), ("", nil),
        ] as [(String, String?)])
    func spans(_ text: String, _ expected: String?) {
        #expect(TimelineSpan(text)?.text == expected)
    }

    // MARK: Pages

    @Test("The selected customer's timeline is above the table; without a customer there is none")
    func place() async throws {
        let client = try await shop()
        let page = await client.get("/?person=anna")
        let (timeline, table) = (
            page.text.firstRange(of: "id=\"timeline\""), page.text.firstRange(of: "id=\"listing\"")
        )
        #expect(try #require(timeline).lowerBound < #require(table).lowerBound)
        #expect(PageClient.words(page.text).contains("Timeline of anna"))
        for address in ["/", "/?person=bert", "/?person=nobody"] {
            #expect(!(await client.get(address).text.contains("id=\"timeline\"")), "\(address)")
        }
    }

    @Test("A bar leads to the answers at its beginning, as they were known then")
    func instant() async throws {
        let client = try await shop()
        let page = await client.get("/?person=anna")
        let bar = try #require(page.text.firstMatch(of: #/<a class="bar" href="([^"]*)"/#))
        #expect(bar.1 == "/?view=answers&amp;person=anna&amp;at=2026-01-01T00%3A00%3A00Z")

        let then = PageClient.words(await client.get("/?view=answers&person=anna&at=2026-02-10T12:00:00Z").text)
        #expect(then.contains("As of 2026-02-10 12:00 UTC (3 days ago): what was known then"))
        #expect(then.contains("gold.monthly ✓ entitled A period is running. active"))
        #expect(!then.contains("refunded Family"))
        let now = await client.get("/?view=answers&person=anna")
        #expect(PageClient.words(now.text).contains("gold.monthly ✕ lapsed The purchase was refunded. refunded"))
        #expect(!now.text.contains("id=\"moment\""))

        let future = PageClient.words(await client.get("/?view=answers&person=anna&at=2030-01-01").text)
        #expect(future.contains("what is expected for then"))
        // At this time no evidence had been signed yet.
        let before = PageClient.words(await client.get("/?view=answers&person=anna&at=2025-12-01").text)
        #expect(before.contains("Nothing was bought yet."))
    }

    @Test("The table's view lists the answers at the instant, and leads back to the present")
    func moment() async throws {
        let client = try await shop()
        let page = await client.get("/?person=anna&at=2026-01-05&span=2026-01-01..2026-02-01")
        #expect(PageClient.words(page.text).contains("gold.monthly ✓ entitled active"))
        let back = try #require(page.text.firstMatch(of: #/<a href="([^"]*)" id="to-present"/#))
        #expect(back.1 == "/?person=anna&amp;span=2026-01-01..2026-02-01")
        #expect(page.text.contains(">as of 2026-01-05 00:00</text>"))
        // After an action the page shows the current time, so that the effect of the action is visible.
        let form = try #require(page.form("step-form"))
        #expect(await client.send(form, ["subject": "1 day"]).location?.contains("at=") == false)
    }

    @Test("An instant that cannot be read is reported, and the answers are those of the present")
    func complaint() async throws {
        let client = try await shop()
        let page = await client.get("/?view=answers&person=anna&at=%3Cb%3E")
        #expect(page.status == 200)
        #expect(page.text.contains("&#39;&lt;b&gt;&#39; is not a valid time"))
        #expect(PageClient.words(page.text).contains("gold.monthly ✕ lapsed The purchase was refunded. refunded"))
    }

    @Test("Links zoom and move without a script, and the file shows the same part")
    func parts() async throws {
        let client = try await shop()
        let page = await client.get("/?person=anna&span=2026-01-01..2026-01-31")
        func address(_ label: String) throws -> String {
            let links = page.text.matches(of: #/<a class="button" href="([^"]*)" data-key="part ([^"]*)"/#)
            let link = try #require(links.first { $0.2 == label })
            return String(link.1).replacing("&amp;", with: "&").replacing("%3A", with: ":")
        }
        #expect(try address("+") == "/?person=anna&span=2026-01-08T12:00:00Z..2026-01-23T12:00:00Z")
        #expect(try address("→") == "/?person=anna&span=2026-01-16T00:00:00Z..2026-02-15T00:00:00Z")
        #expect(try address("1 month") == "/?person=anna&span=2026-01-25T00:00:00Z..2026-02-24T00:00:00Z")
        #expect(try address("All") == "/?person=anna")
        let file = try #require(page.text.firstMatch(of: #/<a href="([^"]*)" data-key="timeline file"/#))
        let svg = await client.get(String(file.1).replacing("&amp;", with: "&"))
        #expect(svg.status == 200 && svg.text.contains("<svg") && !svg.text.contains(">2026-03"))
    }

    @Test("The timeline as a table has the answer, the reason, the beginning and the end of each run")
    func table() async throws {
        let client = try await shop()
        let words = PageClient.words(await client.get("/?person=anna").text)
        // Gold begins with a free trial of a week.
        for subject in ["gold.monthly", "pro"] {
            for run in [
                "entitled (active) A free trial is running. 2026-01-01 00:00 2026-01-08 00:00",
                "entitled (active) A period is running. 2026-01-08 00:00 2026-02-11 00:00",
                "lapsed (refunded) The purchase was refunded. 2026-02-11 00:00 no end known",
            ] { #expect(words.contains("\(subject) \(run)"), "\(subject) \(run)") }
        }
    }

    @Test("The table continues with the renewal that is due, as the picture does, unless auto-renewal is off")
    func renewal() async throws {
        let served = try await ServedStore()
        try await served.step("buy silver.monthly by anna")
        func runs() async throws -> String {
            let text = await PageClient(local: served.local).get("/?person=anna").text
            // The picture is made from the same runs, and continues with nothing where the forecast ends.
            let isEnding = text.contains(#"<rect class="lapsed expected""#)
            #expect(isEnding == text.contains("lapsed (expired)"))
            let table = try #require(text.firstMatch(of: #/(?s)<details id="runs">.*?<\/details>/#))
            return PageClient.words(String(table.0))
        }
        let renewing = try await runs()
        #expect(renewing.contains("silver.monthly entitled (active) renews at 2026-02-01 00:00"))
        #expect(renewing.contains("2026-02-01 00:00 2026-03-01 00:00") && !renewing.contains("lapsed (expired)"))
        try await served.step("cancel silver.monthly by anna")
        let ending = try await runs()
        #expect(ending.contains("silver.monthly lapsed (expired)") && !ending.contains("renews at"))
    }

    @Test("What was signed before a simulated failure of verification stays valid; what follows is unknown, not absent")
    func forged() async throws {
        let served = try await ServedStore()
        for step in [
            "buy remove.ads by anna", "set errors Verification invalidSignature", "buy silver.monthly by anna",
        ] { try await served.step(step) }
        let client = PageClient(local: served.local)
        // The second request finds the earlier purchase in the cache of verified evidence.
        for _ in 1...2 {
            let words = PageClient.words(await client.get("/?view=answers&person=anna").text)
            #expect(words.contains("remove.ads ✓ entitled The product is owned permanently. owned"))
            #expect(words.contains("silver.monthly ? unknown The evidence could not be verified. unverified"))
            #expect(!words.contains("No purchase is known: remove.ads") && words.contains("Not verified: "))
        }
        try await served.step("set errors Verification no")
        let words = PageClient.words(await client.get("/?view=answers&person=anna").text)
        #expect(words.contains("silver.monthly ✓ entitled A period is running. active"))
        #expect(words.contains("renews 2026-02-01 00:00 (in 31 days)"))
    }

    @Test("A refund of a part of the price has a mark, a row and a sentence of its own")
    func partialRefund() async throws {
        let served = try await ServedStore()
        for step in ["buy silver.monthly by anna", "advance 10 days", "refund silver.monthly by anna percent 50"] {
            try await served.step(step)
        }
        let page = await PageClient(local: served.local).get("/?person=anna")
        #expect(page.text.contains("silver.monthly: refund of a part of the price"))
        let words = PageClient.words(page.text)
        #expect(words.contains("50 % of the price refunded"))
        #expect(words.contains("lapsed (refunded) 50 % of the price was refunded, and the access ended."))
        #expect(!words.contains("The purchase was refunded."))
    }

    @Test("The page names the facts about an instant that became known later")
    func news() throws {
        let gold = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
        func resolution(_ draft: TransactionDraft) throws -> Resolution {
            var history = PurchaseHistory()
            history.merge(.verified(try draft.transaction()))
            return EntitlementResolver(catalog: TestShop.catalog).resolve(history)
        }
        let today = try resolution(gold.revoked(at: .day(2)))
        let content = TimelineContent(
            "anna", TimelineChart(ofAll: today, marking: .day(9)), at: "2026-01-06", known: try resolution(gold),
            today: today)
        #expect(
            content?.moment?.news == [
                "gold.monthly was entitled (active) as far as was known then; "
                    + "today it is known that it was lapsed (refunded)."
            ])
    }
}
