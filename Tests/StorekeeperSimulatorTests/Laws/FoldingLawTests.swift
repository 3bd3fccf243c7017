import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperSimulator

/// Tests that compare the rows of a transaction manager with the definition of a row.
struct FoldingLawTests {
    /// A row: the newest period, the number of periods, and the number of refunded periods.
    private typealias Row = [Int]

    @Test("The rows of every story are its purchases, each with its renewals")
    func rows() {
        checkProperty(
            "rows are purchases with their renewals", cases: 60,
            generate: { (random: inout SplitMix64) -> GeneratedStory in
                var story = GeneratedStory.make(&random)
                // The wait causes renewals, without which there would be nothing to fold.
                story.steps.append(.wait(Int64(random.number(in: 0...120)) * 86_400_000))
                return story
            }, shrink: \.smaller, describe: \.description
        ) { story in
            var (world, model) = (story.makeWorld(), FoldingModel())
            for step in story.steps {
                world.play(step)
                model.read(world)
            }
            for query in Self.queries(about: world) {
                var query = query
                query.order = .id
                (query.pageSize, query.rowLimit) = (.max / 2, .max / 2)
                let expected = model.rows(query, in: world)
                let found = Self.rows(query, in: world)
                guard found == expected else {
                    throw StoryFailure("\(query.words) \(query.state?.rawValue ?? ""): \(found), not \(expected)")
                }
            }
            return true
        }
    }

    private static func queries(about world: World) -> [TransactionQuery] {
        var changes: [(inout TransactionQuery) -> Void] = [
            { _ in }, { $0.customer = "anna" }, { $0.state = .expired }, { $0.state = .refunded },
            { $0.words = ["2026"] }, { $0.words = ["anna"] },
        ]
        if let product = world.apps.first?.catalog.products.first?.id {
            changes.append { $0.product = product.rawValue }
        }
        return changes.map { change in
            var query = TransactionQuery()
            change(&query)
            return query
        }
    }

    private static func rows(_ query: TransactionQuery, in world: World) -> [Row] {
        TransactionLister(world: world, query: query).listing().rows.map { row in
            [world.existingTransaction(row.newest.transaction.id)?.index ?? -1, row.periods, row.refunded]
        }
    }

    @Test("However many other purchases are made between two renewals, they are one row")
    func apart() throws {
        let store = try SampleStore.make()
        try store.createAccount("anna")
        let product = try #require(try store.catalog().products.first { $0.type == .autoRenewable })
        let coins = try #require(try store.catalog().products.first { $0.type == .consumable })
        try store.buy(product.id, by: "anna")
        for _ in 0..<20 { try store.buy(coins.id, by: "anna") }
        let end = try #require(store.nextEvent)
        try store.advance(to: end)
        var query = TransactionQuery()
        query.product = product.id.rawValue
        #expect(store.listing(query).rows.map(\.periods) == [2])
    }
}

/// The definition of a row: a purchase, and its automatic renewals without a change of the product or the plan.
///
/// The model reads only the signed copies after each step, and not the links between transactions in the world.
private struct FoldingModel {
    private typealias Place = RowIndex<TransactionState>

    private var seen: Set<Place> = []
    private var readCount = 0
    /// The transactions of each subscription, in the order in which they were bought.
    private var subscriptions: [RowIndex<Subscription>: [Place]] = [:]
    /// The newest transaction of each subscription that was not deleted.
    private var newest: [RowIndex<Subscription>: Place] = [:]
    /// The plan of the latest period of each subscription, even if this period was deleted.
    private var plans: [RowIndex<Subscription>: Plan] = [:]
    /// The rows, each with its periods in order.
    private var chains: [[Place]] = []
    private var chainOf: [Place: Int] = [:]

    /// Reads the signed copies that a step has added.
    mutating func read(_ world: World) {
        for place in world.records.indices(after: readCount) {
            let record = world.records[place]
            guard seen.insert(record.transaction).inserted else { continue }
            var chain: Int?
            if let subscription = record.subscription {
                if let last = newest[subscription], record.flags.contains(.isRenewal),
                    let before = world.transactions[last].latest.map({ world.records[$0] }),
                    before.product == record.product,
                    plans[subscription] == record.plan || record.flags.contains(.isFamilyShared)
                {
                    chain = chainOf[last]
                }
                subscriptions[subscription, default: []].append(record.transaction)
                newest[subscription] = record.transaction
                plans[subscription] = record.plan
            }
            let row = chain ?? chains.count
            if chain == nil { chains.append([]) }
            chains[row].append(record.transaction)
            chainOf[record.transaction] = row
        }
        readCount = world.records.count
        for (subscription, last) in newest where world.transactions[last].isDeleted {
            newest[subscription] = subscriptions[subscription]?.filter { !world.transactions[$0].isDeleted }.max()
        }
    }

    func rows(_ query: TransactionQuery, in world: World) -> [[Int]] {
        // Purchases that were never completed have no signed copy.
        let others = world.transactions.indices.filter { !seen.contains($0) }.map { [$0] }
        return (chains + others).compactMap { chain -> [Place]? in
            func isShown(_ place: Place) -> Bool {
                let owner = world.accounts[world.downloads[world.transactions[place].download].account].name
                return !world.transactions[place].isDeleted && (query.customer == nil || query.customer == owner)
                    && world.matches(place, query)
            }
            let shown = chain.filter(isShown)
            return shown.isEmpty ? nil : shown
        }.sorted { ($0.last ?? $0[0]) > ($1.last ?? $1[0]) }.map { shown in
            [shown[shown.count - 1].index, shown.count, shown.count { world.listedState(of: $0) == .refunded }]
        }
    }
}
