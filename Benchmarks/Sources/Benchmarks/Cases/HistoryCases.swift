import Storekeeper
import StorekeeperTesting

/// Customers of three sizes: the usual and the huge one have equally many lines of service, the huge one for longer.
struct SampleCustomers {
    let small: SampleCustomer
    let usual: SampleCustomer
    let huge: SampleCustomer

    init() throws {
        small = try SampleCustomer(count: 10, chains: 1)
        usual = try SampleCustomer(count: 1_000, chains: 4)
        huge = try SampleCustomer(count: 100_000, chains: 4)
    }
}

/// Merging transactions into a history.
///
/// The usual history is compared with a walk over an array of its facts, and the huge one with the usual one: it does
/// not fit into the processor's caches. It was compared with a walk over its own facts, but such a walk only waits for
/// memory. It took between 24 and 114 ns for each fact, and the ratio changed threefold while the merge did not.
func mergeCases(_ customers: SampleCustomers) -> BenchmarkGroup {
    func merge(_ results: [VerificationResult<Transaction>]) throws {
        var history = PurchaseHistory()
        guard history.merge(results) else { throw BenchmarkError("nothing was merged") }
        blackHole(history)
    }
    func shuffled(_ customer: SampleCustomer) -> [VerificationResult<Transaction>] {
        var random = SplitMix64(seed: 1)
        return customer.results.shuffled(using: &random)
    }
    let (small, usual, huge) = (customers.small.results, customers.usual.results, customers.huge.results)
    let (mixedUsual, mixedHuge) = (shuffled(customers.usual), shuffled(customers.huge))
    let usualName = "1,000 in order"
    let mixedName = "1,000 shuffled"
    let walk = BaselineWork.walk(over: customers.usual.transactions)
    return BenchmarkGroup(
        title: "Merging transactions into a history (per transaction)",
        cases: [
            walk,
            .serial("10 in order", operations: small.count) { try merge(small) },
            .serial(usualName, operations: usual.count, targets: [.time(of: walk.name, atMost: 45)]) {
                try merge(usual)
            },
            .serial("100,000 in order", operations: huge.count, targets: [.time(of: usualName, atMost: 4)]) {
                try merge(huge)
            },
            .serial(mixedName, operations: usual.count, targets: [.comparedTime(of: usualName)]) {
                try merge(mixedUsual)
            },
            .serial("100,000 shuffled", operations: huge.count, targets: [.comparedTime(of: mixedName)]) {
                try merge(mixedHuge)
            },
            .serial("1,000 in order, one by one", operations: usual.count, targets: [.comparedTime(of: usualName)]) {
                var history = PurchaseHistory()
                for result in usual { history.merge(CollectionOfOne(result)) }
                blackHole(history)
            },
        ], rounds: 9)
}

/// Resolving a history into answers; for the targets, see ``mergeCases(_:)``.
func resolutionCases(_ customers: SampleCustomers) throws -> BenchmarkGroup {
    let usualName = "1,000"
    let usual = customers.usual.transactions
    func resolve(
        _ name: String, _ customer: SampleCustomer, targets: [BenchmarkCase.Target]
    ) throws -> BenchmarkCase {
        let history = customer.history
        let lastPurchase = customer.transactions.last?.purchasedAt ?? .testEpoch
        return .serial(name, operations: customer.transactions.count, targets: targets) {
            let resolution = SampleShop.resolver.resolve(history)
            guard resolution.highestIsKnown(at: lastPurchase) else { throw BenchmarkError("no subscription was found") }
            blackHole(resolution)
        }
    }
    return BenchmarkGroup(
        title: "Resolving a history (per transaction)",
        cases: [
            BaselineWork.walk(over: usual),
            try resolve("10", customers.small, targets: []),
            try resolve(
                usualName, customers.usual,
                targets: [.time(of: BaselineWork.walkName(usual.count), atMost: 190)]),
            try resolve("100,000", customers.huge, targets: [.time(of: usualName, atMost: 2.5)]),
            try resolve(
                "1,000, one chain of renewals", try SampleCustomer(renewals: 1_000),
                targets: [.comparedTime(of: usualName)]),
            try resolve(
                "100,000 in 40 chains", try SampleCustomer(count: 100_000, chains: 40),
                targets: [.comparedTime(of: usualName)]),
            try resolve(
                "20,000 in 500 chains", try SampleCustomer(count: 20_000, chains: 500),
                targets: [.comparedTime(of: usualName)]),
        ], rounds: 9)
}

extension Resolution {
    fileprivate func highestIsKnown(at instant: Instant) -> Bool {
        groups.contains { $0.highest(at: instant) != nil }
    }
}
