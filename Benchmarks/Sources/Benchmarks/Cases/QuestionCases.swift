import Foundation
import Storekeeper
import StorekeeperTesting

/// Questions to a customer's store, as a game asks them: the same few, a little later each time.
///
/// A server without Storekeeper would keep the date on which each product ends.
func questionCases() async throws -> BenchmarkGroup {
    let operations = 1_000
    let customer = try SampleCustomer(count: 1_000)
    let store = try await Store.sample(customer)
    try await store.grant(1_000_000_000, of: "coins", because: "a benchmark", key: "supply")
    let start = customer.newest.purchasedAt
    func instant(_ number: Int) -> Instant { start.adding(milliseconds: Int64(number)) }

    // Written out as in an app, whose ids are constants.
    let products: [Product.ID] = [
        "com.example.game.plus.1", "com.example.game.plus.2", "com.example.game.plus.3", "com.example.game.plus.4",
        "com.example.game.extra.1", "com.example.game.extra.2", "com.example.game.extra.3", "com.example.game.season",
    ]
    let features: [Feature.ID] = ["ad-free", "pro"]
    let ids = products.map(\.rawValue)
    let ends = Dictionary(uniqueKeysWithValues: ids.map { ($0, start.adding(days: 30)) })

    func question(
        _ name: String, _ comparisons: BenchmarkCase.Comparison..., ask: @escaping (Int) -> Bool
    ) -> BenchmarkCase {
        BenchmarkCase(name, operations: operations, comparisons) { calls in
            let start = Stopwatch.threadTime.seconds
            var yes = 0
            for number in 0..<operations * calls where ask(number) { yes += 1 }
            let seconds = Stopwatch.threadTime.seconds - start
            guard yes > 0 else { throw BenchmarkError("\(name): every answer is no") }
            return seconds
        }
    }
    let tableName = "a dictionary of dates by product"
    let entitled = question("isEntitled(_:at:)", .time(of: tableName, atMost: 3)) {
        store.snapshot.isEntitled(products[$0 & 7], at: instant($0))
    }
    let subscriber = try SampleCustomer(renewals: 1_000)
    guard let timeline = SampleShop.resolver.resolve(subscriber.history).product(products[0])?.timeline else {
        throw BenchmarkError("the product has no timeline")
    }
    var random = SplitMix64(seed: 2)
    let instants = subscriber.transactions.map { $0.purchasedAt.adding(days: 3) }.shuffled(using: &random)
    return BenchmarkGroup(
        title: "Asking a store of 1,000 facts (per question)",
        cases: [
            question(tableName) { number in ends[ids[number & 7]].map { instant(number) < $0 } ?? false },
            entitled,
            question("entitlement(for:at:)", .time(of: tableName, atMost: 5)) {
                store.snapshot.entitlement(for: products[$0 & 7], at: instant($0)).isEntitled
            },
            question("hasFeature(_:at:)", .time(of: tableName, atMost: 3)) {
                store.snapshot.hasFeature(features[$0 & 1], at: instant($0))
            },
            question("balance(of:)", .time(of: tableName, atMost: 3)) { _ in
                store.snapshot.balance(of: "coins").amount > 0
            },
            // Questions do not wait for updates.
            BenchmarkCase(
                "isEntitled(_:at:), during updates", operations: operations, [.time(of: entitled.name, atMost: 1.5)]
            ) { calls in
                try await store.spend(1, of: "coins", key: .init(rawValue: UUID().uuidString))
                let updates = Task.detached {
                    while !Task.isCancelled {
                        try await store.spend(1, of: "coins", key: .init(rawValue: UUID().uuidString))
                    }
                }
                let seconds = try await entitled.measure(calls)
                updates.cancel()
                _ = await updates.result
                return seconds
            },
            question("value(at:) of a timeline, 1,000 changes") {
                timeline.value(at: instants[$0 % instants.count]).isEntitled
            },
        ])
}
