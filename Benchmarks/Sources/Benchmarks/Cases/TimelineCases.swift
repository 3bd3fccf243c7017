import Storekeeper
import StorekeeperTesting

/// Reading answers from a resolution.
func timelineCases(_ customers: SampleCustomers) throws -> BenchmarkGroup {
    let lookups = 1_000
    let productID = SampleShop.subscriptions[0].id
    var cases: [BenchmarkCase] = []
    for (name, count) in [("10", 10), ("1,000", 1_000), ("100,000", 100_000)] {
        let customer = try SampleCustomer(renewals: count)
        let resolution = SampleShop.resolver.resolve(customer.history)
        guard let timeline = resolution.product(productID)?.timeline else {
            throw BenchmarkError("the product has no timeline")
        }
        let instants = randomInstants(lookups, in: customer)
        var targets: [BenchmarkCase.Target] = []
        if count == 1_000 {
            let search = BaselineWork.searches(for: instants, in: customer.transactions.map(\.purchasedAt))
            cases.append(search)
            targets = [.time(of: search.name, atMost: 4)]
        }
        cases.append(
            .serial("value(at:), \(name) changes", operations: lookups, targets: targets) {
                for instant in instants { blackHole(timeline.value(at: instant)) }
            })
        if count == 1_000 {
            cases.append(
                .serial("nextChange(after:), \(name) changes", operations: lookups) {
                    for instant in instants { blackHole(timeline.nextChange(after: instant)) }
                })
        }
    }
    let resolution = SampleShop.resolver.resolve(customers.usual.history)
    let instants = randomInstants(lookups, in: customers.usual)
    cases.append(
        .serial("product(_:), then value(at:), 1,000 transactions", operations: lookups) {
            for instant in instants { blackHole(resolution.product(productID)?.timeline.value(at: instant)) }
        })
    cases.append(
        .serial("nextChange(after:) of all, 1,000 transactions", operations: lookups) {
            for instant in instants { blackHole(resolution.nextChange(after: instant)) }
        })
    return BenchmarkGroup(title: "Reading an answer", cases: cases)
}

/// Instants during a customer's purchases.
private func randomInstants(_ count: Int, in customer: SampleCustomer) -> [Instant] {
    let first = customer.transactions.first?.purchasedAt ?? .testEpoch
    let last = customer.transactions.last?.purchasedAt ?? .testEpoch
    var random = SplitMix64(seed: 2)
    return (0..<count).map { _ in
        first.adding(
            milliseconds: Int64.random(
                in: 0...max(last.millisecondsSince1970 - first.millisecondsSince1970, 0), using: &random))
    }
}
