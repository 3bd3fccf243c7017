import FoundationEssentials
import Storekeeper
import Testing

@testable import StorekeeperAppStore

@Suite("The feed of updates") struct UpdateFeedTests {
    func take(_ count: Int, of feed: UpdateFeed, after cursor: UpdateCursor? = nil) async -> [TransactionUpdate] {
        var taken: [TransactionUpdate] = []
        for await update in feed.updates(after: cursor) {
            taken.append(update)
            if taken.count == count { break }
        }
        return taken
    }

    func texts(_ updates: [TransactionUpdate]) -> [String] {
        updates.map { update in
            switch update.content {
            case .evidence(let texts): texts.joined()
            case .failure(let error): (error as? AppStoreServerError)?.code.rawValue ?? "another"
            case .declined(let id): id.rawValue
            }
        }
    }

    @Test("The feed continues after each cursor") func resumes() async {
        let feed = UpdateFeed()
        let cursors = (0..<5).map { feed.publish(.evidence(["\($0)"])) }
        for (index, cursor) in cursors.enumerated().dropLast() {
            let rest = await take(4 - index, of: feed, after: cursor)
            #expect(texts(rest) == (index + 1..<5).map(String.init))
        }
        #expect(texts(await take(5, of: feed)) == ["0", "1", "2", "3", "4"])
    }

    @Test("The feed delivers later updates, and ends with its task") func waits() async {
        let feed = UpdateFeed()
        async let later = take(1, of: feed)
        await Fixture.wait { feed.listenerCount == 1 }
        feed.publish(.evidence(["later"]))
        #expect(texts(await later) == ["later"])
        let listener = Task { await take(2, of: feed) }
        await Fixture.wait { feed.listenerCount == 1 }
        listener.cancel()
        #expect(await listener.value.count == 1)
    }

    @Test("The feed is bounded, and reports lost updates") func bounded() async {
        let feed = UpdateFeed(capacity: 3)
        let first = feed.publish(.evidence(["0"]))
        for number in 1..<10 { feed.publish(.evidence(["\(number)"])) }
        let updates = await take(4, of: feed, after: first)
        #expect(updates.count == 4)
        #expect(texts(updates).first == "updatesLost")
        // After the notice `updatesLost`, the updates that the feed has kept follow without a gap. A reader that
        // continues at the cursor of the notice receives the same updates.
        let again = await take(3, of: feed, after: updates.first?.cursor)
        #expect(texts(again) == Array(texts(updates).dropFirst()))
        let kept = await take(3, of: feed)
        #expect(texts(kept) == texts(again))
    }

    @Test("A cursor of another process gives a notice and all kept updates") func foreign() async {
        let cursor = UpdateFeed().publish(.evidence(["old"]))
        let feed = UpdateFeed()
        feed.publish(.evidence(["new"]))
        for foreign in [cursor, UpdateCursor(rawValue: ""), UpdateCursor(rawValue: "x:-1")] {
            #expect(texts(await take(2, of: feed, after: foreign)) == ["updatesLost", "new"])
        }
    }
}
