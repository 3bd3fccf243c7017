import Storekeeper
import StorekeeperSimulator
import StorekeeperTesting
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests that a cursor of the event stream is valid only in the vault that contains its event.
@Suite struct FeedCursorTests {
    private static func shop(_ steps: [String]) async throws -> CompanionShop {
        let shop = try await CompanionShop()
        for step in steps { try await shop.step(step) }
        try await shop.ingest("anna")
        return shop
    }

    private static func events(_ shop: CompanionShop) async throws -> [StoreEvent] {
        try await shop.vault.events(after: .start, of: nil, limit: 1_000)
    }

    @Test("A cursor is parsed as it is written, and other texts are refused")
    func text() async throws {
        for text in ["0", "1", "17-0123456789abcdef", "17-0123456789abcdef-0000000a", "9223372036854775807"] {
            #expect(FeedCursor(text)?.description == text)
        }
        for text in [
            "", "-", "-1", "01", "+1", "1-", "1-abc", "1-0123456789ABCDEF", "1-0123456789abcdeg", "1 ",
            "9223372036854775808", "1-0123456789abcdef-", "1-0123456789abcdef-1", "1-0000000a",
            "1-0123456789abcdef-0000000a-",
        ] {
            #expect(FeedCursor(text) == nil, "\(text)")
        }
    }

    @Test("A vault accepts the cursors of its own events, and numbers up to its last event")
    func own() async throws {
        let shop = try await Self.shop(["buy gold.monthly by anna", "buy season.pass by anna"])
        let events = try await Self.events(shop)
        try #require(events.count > 2)
        for event in events {
            let cursor = FeedCursor(after: event)
            #expect(try await cursor.exists(in: shop.vault))
            #expect(try await FeedCursor("\(event.place.number)")?.exists(in: shop.vault) == true)
            let other = "\(event.place.number)-0123456789abcdef"
            #expect(try await FeedCursor(other)?.exists(in: shop.vault) == false)
            // The vault has no epoch.
            #expect(try await FeedCursor("\(cursor)-00000001")?.exists(in: shop.vault) == false)
        }
        let last = try #require(events.last)
        #expect(try await FeedCursor("\(last.place.number + 1)")?.exists(in: shop.vault) == false)
        #expect(try await FeedCursor.start.exists(in: shop.vault))
        #expect(try await FeedCursor.newest(in: shop.vault) == FeedCursor(after: last))
        #expect(try await FeedCursor.newest(in: InMemoryVault()) == .start)
    }

    @Test("The newest event is found for any number of events and any gaps between them")
    func newest() async throws {
        let vault = InMemoryVault()
        let answer = StoreEvent.Answer(word: "never", reason: "noPurchase")
        for number in 1...70 {
            let change = StoreEvent.Change(
                at: .day(0), subject: .feature("f\(number)"), before: answer, after: answer)
            _ = try await vault.commit(
                CommitBatch(
                    customer: "anna", at: .day(0), expectedVersion: Int64(number - 1),
                    events: Array(repeating: change, count: number % 3)))
            let last = try await vault.events(after: .start, of: nil, limit: 1_000).last
            #expect(try await FeedCursor.newest(in: vault) == last.map(FeedCursor.init(after:)) ?? .start)
        }
    }

    @Test("A cursor of another vault, or beyond the last event, is gone, and the answer names the newest one")
    func gone() async throws {
        let shop = try await Self.shop(["buy gold.monthly by anna"])
        let other = try await Self.shop(["buy silver.monthly by anna", "buy season.pass by anna"])
        let newest = try await FeedCursor.newest(in: shop.vault).description
        let foreign = try await Self.events(other).map { FeedCursor(after: $0).description }
        #expect(!foreign.isEmpty)
        for cursor in foreign + ["1000000", "9223372036854775807"] {
            for (path, fields) in [
                ("/v1/events?after=\(cursor)", [:]), ("/v1/events", ["Last-Event-ID": cursor]),
            ] as [(String, [String: String])] {
                let answer = try await shop.ask("GET", path, fields: fields)
                #expect(answer.status == 410 && answer.problem == "cursorGone", "\(cursor): \(answer.text)")
                #expect(answer.document?["newest"]?.string == newest)
            }
        }
        // The stream continues after the cursor that the answer named.
        let head = try await shop.ask("HEAD", "/v1/events?after=\(newest)")
        #expect(head.status == 200 && head.text.isEmpty, "\(head.text)")
    }
}
