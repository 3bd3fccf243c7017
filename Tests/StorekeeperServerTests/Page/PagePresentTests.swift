import Storekeeper
import StorekeeperSimulator
import Testing

@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests of the first lines of the page about a customer, and of its format of times.
@Suite struct PagePresentTests {
    private func words(_ steps: [String], _ address: String = "/?person=anna") async throws -> String? {
        let served = try await ServedStore()
        for step in steps { try await served.step(step) }
        let page = await PageClient(local: served.local).get(address)
        return page.text.firstMatch(of: #/(?s)<section class="present".*?</section>/#).map {
            PageClient.words(String($0.0))
        }
    }

    @Test(
        "The first lines about a customer say what they own now, why, and since or until when",
        arguments: [
            (
                ["buy silver.monthly by anna"],
                "✓ entitled Silver silver.monthly A period is running. Renews at 2026-02-01 00:00 (in 31 days) for "
            ),
            (
                ["buy silver.monthly by anna", "cancel silver.monthly by anna"],
                "A period is running. Ends at 2026-02-01 00:00 (in 31 days): auto-renewal is off. Why?"
            ),
            (["buy remove.ads by anna"], "The product is owned permanently. Why?"),
            (
                ["buy silver.monthly by anna", "advance 10 days", "refund silver.monthly by anna", "advance 2 days"],
                "✕ lapsed Silver silver.monthly The purchase was refunded. Since 2026-01-11 00:00 (2 days ago). Why?"
            ),
            (
                ["buy silver.monthly by anna", "advance 10 days", "refund silver.monthly by anna percent 50"],
                "✕ lapsed Silver silver.monthly 50 % of the price was refunded, and the access ended. Since 2026-01-11"
            ),
            (["buy coins.100 by anna"], "100 coins 100 bought. The App Store does not know how many were spent."),
            (
                ["buy coins.100 by anna quantity 2", "refund coins.100 by anna percent 50"],
                "100 coins 200 bought, 100 taken back by refunds."
            ),
            (
                ["buy silver.monthly by anna", "fail billing anna", "advance 50 days"],
                "✕ lapsed Silver silver.monthly The payment failed and is tried again, without service. Since"
            ),
            (
                ["buy silver.monthly by anna", "advance 10 days", "change plan gold.monthly by anna"],
                "✕ lapsed Silver silver.monthly The customer has moved to a higher product. Since 2026-01-11"
            ),
        ])
    func sentences(_ steps: [String], _ expected: String) async throws {
        let words = try #require(try await words(steps))
        #expect(words.contains("What anna owns now"))
        #expect(words.contains(expected), "\(words)")
    }

    @Test("Products that give access come first; at most five are listed")
    func order() async throws {
        let words = try #require(
            try await words([
                "buy bronze.monthly by anna", "change plan silver.monthly by anna", "change plan gold.monthly by anna",
                "buy news.monthly by anna", "buy remove.ads by anna", "buy season.pass by anna",
            ]))
        let marks = words.filter { "✓✕".contains($0) }
        #expect(marks == "✓✓✓✓✕", "\(words)")
        #expect(words.matches(of: #/Why\?/#).count == 5)
        #expect(words.contains("1 other product"))
    }

    @Test(
        "Nothing is said about customers without purchases, all customers, or another time",
        arguments: [
            ([String](), "/?person=anna"), (["buy remove.ads by anna"], "/"),
            (["buy remove.ads by anna"], "/?person=anna&at=2026-01-01"),
        ])
    func absence(_ steps: [String], _ address: String) async throws {
        #expect(try await words(steps, address) == nil)
    }

    @Test(
        "Times in sentences of the engine have the format of the page; fractions of seconds are kept",
        arguments: [
            ("entitled until 2026-02-01T00:00:00.000Z", "entitled until 2026-02-01 00:00"),
            (
                "from 2026-02-01T09:30:05.000Z to 2026-02-02T09:30:00.000Z.",
                "from 2026-02-01 09:30:05 to 2026-02-02 09:30."
            ),
            ("at 2026-02-01T00:00:00.001Z", "at 2026-02-01T00:00:00.001Z"),
            ("at 2026-99-01T00:00:00.000Z", "at 2026-99-01T00:00:00.000Z"), ("no time", "no time"), ("", ""),
        ])
    func times(_ sentence: String, _ expected: String) {
        #expect(PageTime.text(inside: sentence) == expected)
    }

    @Test("The title of the page names the customer")
    func title() async throws {
        let served = try await ServedStore()
        let client = PageClient(local: served.local)
        #expect(await client.get("/?person=anna").text.contains("<title>anna – Transactions – "))
        #expect(await client.get("/").text.contains("<title>Transactions – "))
    }

    @Test(
        "A field accepts a time as pages write it",
        arguments: [
            ("2026-02-01 09:00", "2026-02-01T09:00Z"), ("2026-02-01 09:00:30", "2026-02-01T09:00:30Z"),
            ("2026-02-01", "2026-02-01"), ("2026-02-01 09:00Z", "2026-02-01 09:00Z"), ("2026-02-30 09:00", nil),
            ("2026-02-01 9", nil), ("yesterday 09:00", nil), ("", nil),
        ] as [(String, String?)])
    func typedTimes(typed: String, written: String?) {
        #expect(PageTime.written(typed) == written ?? typed)
        #expect((PageTime.instant(typed) != nil) == (written != nil))
        if let instant = PageTime.instant(typed) { #expect(PageTime.instant(PageTime.text(instant)) == instant) }
    }
}
