import Storekeeper
import StorekeeperTesting

/// Questions to a customer's store, idle and during many updates.
func readerCases() async throws -> BenchmarkGroup {
    let customer = try SampleCustomer(count: 1_000, chains: 4)
    let store = try await Store.open(
        customer: "player", configuration: StoreConfiguration(catalog: SampleShop.catalog), vault: InMemoryVault(),
        verifier: DraftVerifier())
    try await store.ingest(customer.facts.map(\.jwsRepresentation), isComplete: true)
    try await store.grant(1_000_000_000, of: "coins", because: "a benchmark", key: "supply")
    let game = Game(store: store, start: customer.newest.purchasedAt)
    guard game.isWorthAsking else { throw BenchmarkError("the customer has nothing to ask about") }
    let updates = UpdateLoad(into: store, of: customer)

    let ids = Game.products.map(\.rawValue)
    var cases = [
        BaselineWork.lookups(of: ids, operations: Game.operations),
        BaselineWork.sharedLookups(of: ids, operations: Game.operations),
    ]
    for question in Game.Question.allCases {
        let fast: [BenchmarkCase.Target] = [.time(of: BaselineWork.lookupName, atMost: 3)]
        let name = question.rawValue
        cases.append(
            readingCase("\(name), alone", targets: fast) { calls in
                await Threads.run(1) { game.ask(question, Game.operations * calls) }[0]
            })
        cases.append(
            readingCase(
                "\(name), two readers", targets: [.time(of: BaselineWork.sharedLookupName, atMost: 2)]
            ) { calls in
                await Threads.run(2) { game.ask(question, Game.operations * calls) }.reduce(0, +) / 2
            })
        cases.append(
            readingCase(
                "\(name), during updates",
                targets: [.time(of: "\(name), alone", atMost: 1.5)]
            ) { calls in try await updates.beside { game.ask(question, Game.operations * calls) } })
    }
    // The actual rate of updates, which is lower on a busy machine.
    cases.append(
        BenchmarkCase(name: "the concurrent updates (wall)", operations: 1, targets: []) { calls in
            try await updates.beside {
                let first = updates.total
                let start = Stopwatch.wallTime.seconds
                while updates.total < first + calls { _ = game.ask(.isEntitled, Game.operations) }
                // The last questions may have ended after the last update.
                return (Stopwatch.wallTime.seconds - start) * Double(calls) / Double(updates.total - first)
            }
        })
    let walk = BaselineWork.wholeWalk(over: customer.transactions)
    cases.append(walk)
    // The walk became a third faster when ids were compared by their bytes, an update did not: 10 walks are 15 now.
    cases.append(
        .parallel(
            "such an update, of all threads", operations: 100, targets: [.time(of: walk.name, atMost: 15)],
            clock: .processTime
        ) { try await updates.run(100) })
    return BenchmarkGroup(title: "Asking a store of 1,000 facts (per question)", cases: cases)
}

private func readingCase(
    _ name: String, targets: [BenchmarkCase.Target], _ seconds: @escaping (_ calls: Int) async throws -> Double
) -> BenchmarkCase {
    BenchmarkCase(name: name, operations: Game.operations, targets: targets, measure: seconds)
}

/// Asks questions like a game: the same few, a little later each time.
private struct Game: Sendable {
    enum Question: String, CaseIterable {
        case isEntitled = "isEntitled(_:at:)"
        case hasFeature = "hasFeature(_:at:)"
        case balance = "balance(of:)"
    }

    /// The number of questions in a call.
    static let operations = 1_000

    // Written out as in an app, whose ids are constants.
    static let products: [Product.ID] = [
        "com.example.game.plus.1", "com.example.game.plus.2", "com.example.game.plus.3", "com.example.game.plus.4",
        "com.example.game.extra.1", "com.example.game.extra.2", "com.example.game.extra.3", "com.example.game.season",
    ]
    private static let features: [Feature.ID] = ["ad-free", "pro"]

    let store: Store
    let start: Instant

    /// Whether the answer is positive.
    var isWorthAsking: Bool {
        let snapshot = store.snapshot
        return Self.products.contains { snapshot.isEntitled($0, at: start) }
            && Self.features.contains { snapshot.hasFeature($0, at: start) } && snapshot.balance(of: "coins").amount > 0
    }

    /// Repeats a question a number of times.
    ///
    /// - Returns: Seconds of the thread's processor time.
    @inline(never)
    func ask(_ question: Question, _ count: Int) -> Double {
        let (products, features) = (Self.products, Self.features)
        let begun = Stopwatch.threadTime.seconds
        var yes: Int64 = 0
        switch question {
        case .isEntitled:
            for number in 0..<count where store.snapshot.isEntitled(products[number & 7], at: instant(number)) {
                yes += 1
            }
        case .hasFeature:
            for number in 0..<count where store.snapshot.hasFeature(features[number & 1], at: instant(number)) {
                yes += 1
            }
        case .balance:
            for _ in 0..<count { yes &+= store.snapshot.balance(of: "coins").amount }
        }
        let seconds = Stopwatch.threadTime.seconds - begun
        blackHole(yes)
        return seconds
    }

    private func instant(_ number: Int) -> Instant { start.adding(milliseconds: Int64(number)) }
}
