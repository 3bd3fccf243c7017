import StorekeeperTesting
import Synchronization
import Testing

@testable import Storekeeper

/// Tests of subscribers that read a vault's feed, each from its own place.
@Suite(.timeLimit(.minutes(20))) struct VaultFeedTests {
    /// A growing list that is read like a vault.
    private final class GrowingList: Sendable {
        private struct State {
            var items: [Int64] = []
            var late: [Int64] = []
            var reads = 0
            var faults = 0
        }

        struct Fault: Error {}

        let signal = ChangeSignal()
        private let state = Mutex(State())

        var reads: Int { state.withLock { $0.reads } }

        func add(_ items: some Sequence<Int64>) {
            state.withLock { $0.items += items }
            signal.send()
        }

        /// Adds items during the next read, after the read has fetched its rows and before it returns.
        func addLate(_ items: some Sequence<Int64>) { state.withLock { $0.late += items } }

        func fail(times: Int) { state.withLock { $0.faults = times } }

        func feed(after start: Int64 = 0, pageSize: Int = 3) -> VaultFeed<Int64> {
            VaultFeed(signal: signal, start: FeedPlace(start), pageSize: pageSize, place: { FeedPlace($0) }) {
                [self] after, limit in
                let (page, late) = try state.withLock { state in
                    state.reads += 1
                    if state.faults > 0 {
                        state.faults -= 1
                        throw Fault()
                    }
                    defer { state.late = [] }
                    return (Array(state.items.filter { $0 > after.number }.prefix(limit)), state.late)
                }
                if !late.isEmpty { add(late) }
                return page
            }
        }
    }

    private func take(_ count: Int, from reading: inout VaultFeed<Int64>.Iterator) async throws -> [Int64] {
        var taken: [Int64] = []
        while taken.count < count, let next = try await reading.next() { taken.append(next) }
        return taken
    }

    @Test("Items from before the first subscriber are delivered, and gaps are skipped")
    func earlier() async throws {
        let list = GrowingList()
        list.add([2, 3, 5, 8, 13])
        var reading = list.feed().makeAsyncIterator()
        #expect(try await take(5, from: &reading) == [2, 3, 5, 8, 13])
    }

    @Test("Each subscriber reads at its own speed from its own place")
    func several() async throws {
        let list = GrowingList()
        list.add(1...4)
        var slow = list.feed().makeAsyncIterator()
        var quick = list.feed().makeAsyncIterator()
        var late = list.feed(after: 3).makeAsyncIterator()
        #expect(try await take(1, from: &slow) == [1])
        #expect(try await take(4, from: &quick) == [1, 2, 3, 4])
        list.add(5...9)
        #expect(try await take(5, from: &quick) == [5, 6, 7, 8, 9])
        #expect(try await take(6, from: &late) == [4, 5, 6, 7, 8, 9])
        #expect(try await take(8, from: &slow) == [2, 3, 4, 5, 6, 7, 8, 9])
    }

    @Test("Nothing is read before it is requested, and at most one page at a time")
    func pull() async throws {
        let list = GrowingList()
        list.add(1...1000)
        var reading = list.feed(pageSize: 10).makeAsyncIterator()
        #expect(list.reads == 0)
        #expect(try await take(10, from: &reading).count == 10)
        #expect(list.reads == 1)
    }

    @Test("A waiting subscriber receives new items whenever they come", arguments: 0..<20)
    func waiting(round: Int) async throws {
        let list = GrowingList()
        async let taken = {
            var reading = list.feed().makeAsyncIterator()
            return try await self.take(50, from: &reading)
        }()
        for number in 1...50 {
            list.add(CollectionOfOne(Int64(number)))
            if number.isMultiple(of: 1 + round) { await Task.yield() }
        }
        #expect(try await taken == Array(1...50))
    }

    @Test("A sleeping subscriber is woken by a new item")
    func sleeping() async throws {
        let list = GrowingList()
        let waiting = Task {
            var reading = list.feed().makeAsyncIterator()
            return try await reading.next()
        }
        defer { waiting.cancel() }
        try await eventually("the subscriber waits") { list.signal.waiterCount > 0 }
        list.add([1])
        #expect(try await waiting.valueInTime() == 1)
    }

    @Test("An item that arrives while a feed reads is not missed")
    func whileReading() async throws {
        let list = GrowingList()
        list.addLate([1])
        let waiting = Task {
            var reading = list.feed().makeAsyncIterator()
            return try await reading.next()
        }
        defer { waiting.cancel() }
        #expect(try await waiting.valueInTime() == 1)
    }

    @Test("A failed read is thrown, and the next read continues from the same place")
    func failure() async throws {
        let list = GrowingList()
        list.add(1...4)
        var reading = list.feed().makeAsyncIterator()
        #expect(try await take(3, from: &reading) == [1, 2, 3])
        list.fail(times: 1)
        await #expect(throws: GrowingList.Fault.self) { try await reading.next() }
        #expect(try await reading.next() == 4)
    }

    @Test("A subscriber ends with an error if the places of the feed are assigned again, and receives no later item")
    func replaced() async throws {
        let list = GrowingList()
        let epoch = Mutex("00000001")
        list.add(1...4)
        let feed = VaultFeed<Int64>(
            signal: list.signal, start: .start, pageSize: 3, currentEpoch: { epoch.withLock { $0 } },
            place: { FeedPlace($0) }, read: list.feed().read)
        #expect(feed.epoch == "00000001")
        var reading = feed.makeAsyncIterator()
        #expect(try await reading.next() == 1)
        epoch.withLock { $0 = "00000002" }
        #expect(try await take(2, from: &reading) == [2, 3])
        for _ in 0..<2 {
            let error = await #expect(throws: VaultError.self) { try await reading.next() }
            #expect(error?.code == .feedReplaced)
        }
    }

    @Test("A cancelled subscriber ends, waiting or not, and leaves no waiter behind")
    func cancellation() async throws {
        let list = GrowingList()
        let waiting = Task {
            var reading = list.feed().makeAsyncIterator()
            return try await reading.next()
        }
        try await eventually("the subscriber waits") { list.signal.waiterCount > 0 }
        waiting.cancel()
        #expect(try await waiting.valueInTime() == nil)
        #expect(list.signal.waiterCount == 0)

        list.add(1...3)
        let early = Task {
            while !Task.isCancelled { await Task.yield() }
            var reading = list.feed().makeAsyncIterator()
            return try await reading.next()
        }
        early.cancel()
        #expect(try await early.valueInTime() == nil)
    }
}
