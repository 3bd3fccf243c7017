import Storekeeper
import StorekeeperTesting
import Synchronization

/// Updates of one customer through the store: each is written to the vault and published.
///
/// Alternately a coin is spent and a subscription's renewal info is signed again, so that balances and answers change
/// while the history keeps its size.
final class UpdateLoad: Sendable {
    /// The number of updates per second, if the store is fast enough.
    static let perSecond = 10_000

    private let store: Store
    private let subscription: TransactionDraft
    private let count = Atomic<Int>(0)

    /// The number of updates so far.
    var total: Int { count.load(ordering: .relaxed) }

    init(into store: Store, of customer: SampleCustomer) {
        self.store = store
        subscription = customer.newest
    }

    /// Runs work on a separate thread during the updates.
    func beside<Outcome: Sendable>(_ work: @escaping @Sendable () -> Outcome) async throws -> Outcome {
        let end = End()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { end.hasCome.store(true, ordering: .relaxed) }
                try await self.pour(until: end)
            }
            let first = total
            while total < first + 10, !end.hasCome.load(ordering: .relaxed) {
                try await Task.sleep(for: .milliseconds(1))
            }
            let outcomes = await Threads.run(1, work)
            end.hasCome.store(true, ordering: .relaxed)
            try await group.waitForAll()
            guard let outcome = outcomes.first else { throw BenchmarkError("a thread returned no result") }
            return outcome
        }
    }

    /// Performs a number of updates without pauses.
    func run(_ number: Int) async throws {
        for _ in 0..<number {
            try await update(total)
            count.add(1, ordering: .relaxed)
        }
    }

    private final class End: Sendable {
        let hasCome = Atomic<Bool>(false)
    }

    /// Keeps the pace on average: late updates are followed immediately.
    private func pour(until end: End) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        var due = 0
        while !end.hasCome.load(ordering: .relaxed) {
            try await run(1)
            due += 1
            let instant = start + .seconds(due) / Self.perSecond
            if clock.now < instant { try await clock.sleep(until: instant) }
        }
    }

    private func update(_ number: Int) async throws {
        if number.isMultiple(of: 2) {
            try await store.spend(1, of: "coins", key: "update-\(number)")
        } else {
            let end = subscription.expiresAt ?? subscription.purchasedAt
            var info = RenewalInfoDraft(for: subscription).grace(until: end.adding(days: 1 + number % 16))
            info.signedAt = end.adding(milliseconds: Int64(number))
            let report = try await store.ingest([info.fakeJWS])
            guard report.new == 1 else { throw BenchmarkError("an update was not new") }
        }
    }
}
