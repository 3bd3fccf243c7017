import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

@Suite struct PageTokenTests {
    @Test("A page token is parsed to the value that was written, whatever it contains", arguments: 0..<100)
    func roundTrip(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        func text() -> String {
            let count = random.number(in: 0...12)
            return String(
                (0..<count).map { _ in random.pick("a", "&", "=", "\"", "é", " ", "0", "\u{0}") as Character })
        }
        let query = (0..<random.number(in: 0...4)).map { _ in (name: text(), value: text()) }
        var token = PageToken(subject: text(), query: query, place: random.chance(50) ? nil : random.number(in: 0...99))
        if random.chance(50) { token.issuedAt = Instant(clamped: Int64(random.number(in: 0...99))) }
        let read = try #require(PageToken(token.text), "seed \(seed)")
        #expect(read == token, "seed \(seed)")
        let shuffled = PageToken(subject: token.subject, query: query.reversed(), place: nil)
        #expect(read.isOfSameRequest(as: shuffled), "seed \(seed)")
        let other = PageToken(subject: token.subject, query: query + [("more", "1")], place: nil)
        #expect(!read.isOfSameRequest(as: other), "seed \(seed)")
    }

    @Test(
        "A text that is not a page token is refused",
        arguments: [
            "", "x", "e30", "AAAA", "eyJzIjoxfQ", "eyJzIjoiIiwicSI6IiIsInAiOjFlOTl9",
            String(repeating: "A", count: 40_000),
        ])
    func nonsense(_ text: String) { #expect(PageToken(text) == nil) }

    @Test(
        "A place outside of every list is refused",
        arguments: [
            (0, true), (Int(Int32.max), true), (Int(Int32.max) + 1, false), (Int.max, false), (-1, false),
            (Int.min, false),
        ])
    func places(_ place: Int, _ isValid: Bool) {
        let text = PageToken(subject: "", query: [], place: place).text
        #expect((PageToken(text) != nil) == isValid)
    }

    @Test("A list refuses a token with such a place", arguments: [-1, Int.max])
    func lists(_ place: Int) async throws {
        let served = try await ServedStore()
        let gold = try #require(try await served.step("buy gold.monthly by anna")).rawValue
        try await served.step("seats gold.monthly by anna number 3 invitations DEVELOPER")
        let group = PageToken(subject: "groups/group-\(gold)", query: [], place: place).text
        #expect(
            await served.ask("GET", "/groups/v1/group/group-\(gold)", query: [("paginationToken", group)]).code
                == 4_000_014)
        let (start, end) = ("1767225600000", "1767225600001")
        let history = PageToken(
            subject: ServedStore.bundleID, query: [("startDate", start), ("endDate", end)], place: place
        ).text
        #expect(
            await served.ask(
                "POST", "/inApps/v1/notifications/history", query: [("paginationToken", history)],
                body: #"{"startDate":\#(start),"endDate":\#(end)}"#
            ).code == 4_000_014)
    }
}
