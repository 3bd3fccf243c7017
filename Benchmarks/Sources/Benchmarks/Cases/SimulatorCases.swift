import FoundationEssentials
import Storekeeper
import StorekeeperJWS
import StorekeeperSimulator

/// Years of monthly renewals at a simulated App Store.
struct SimulatedYears {
    private static let catalog = Catalog(
        products: [
            Product(
                id: "pro.monthly", type: .autoRenewable, price: 10,
                subscription: Product.SubscriptionInfo(
                    subscriptionGroupID: "1", groupLevel: 1, subscriptionPeriod: SubscriptionPeriod("P1M")))
        ],
        groups: [SubscriptionGroup(id: "1", productIDs: ["pro.monthly"])], features: [])
    private let authority: LocalAuthority

    init() throws { authority = try LocalAuthority(name: "Benchmarks") }

    /// A store whose customers have subscribed one after another, at intervals of half a minute.
    private func store(customers: Int) throws -> SimulatedAppStore {
        let store = try SimulatedAppStore(apps: [SimulatedApp(catalog: Self.catalog)], authority: authority)
        for number in 0..<customers {
            let customer = CustomerID(rawValue: "customer-\(number)")
            try store.perform(.createAccount(customer, storefront: nil))
            try store.perform(.buy("pro.monthly", by: customer, options: PurchaseRequest()))
            if number.isMultiple(of: 10) { try store.advance(by: .seconds(5)) }
        }
        return store
    }

    /// Renewals by the number of customers, nothing signed.
    func growth() throws -> BenchmarkGroup {
        func name(_ customers: Int) -> String { "\(FigureFormat.count(Double(customers))) customers" }
        let walk = BaselineWork.walk(over: try SampleCustomer(renewals: 1_000).transactions)
        var cases = [walk]
        cases += [10, 1_000, 10_000, 100_000].map { customers in
            renewals(
                name(customers), customers: customers, years: max(1, min(10, 100_000 / customers)),
                targets: customers == 1_000
                    ? [.time(of: walk.name, atMost: 180)]
                    : customers == 100_000 ? [.time(of: name(1_000), atMost: 2)] : [])
        }
        for customers in [1_000, 100_000] {
            let before = try ResidentMemory.bytes()
            let store = try store(customers: customers)
            let born = try ResidentMemory.bytes()
            try store.advance(byDays: 366)
            let after = try ResidentMemory.bytes()
            cases.append(
                .memory("memory of a customer, \(name(customers))", bytes: (born - before) / Double(customers)))
            cases.append(
                .memory("memory of a renewal, \(name(customers))", bytes: (after - born) / Double(customers * 12)))
        }
        return BenchmarkGroup(title: "Monthly renewals, nothing signed", cases: cases, rounds: 5)
    }

    private func renewals(
        _ name: String, customers: Int, years: Int, targets: [BenchmarkCase.Target]
    ) -> BenchmarkCase {
        .timed(name, operations: customers * 12 * years, targets: targets) {
            let store = try store(customers: customers)
            let (before, end) = (store.happeningCount, store.now.adding(days: 366 * years - years + years / 4))
            let start = Stopwatch.threadTime.seconds
            try store.advance(to: end)
            let seconds = Stopwatch.threadTime.seconds - start
            guard store.happeningCount - before >= customers * 12 * years * 9 / 10 else {
                throw BenchmarkError("too little has happened: \(store.happeningCount - before)")
            }
            return seconds
        }
    }

    /// Renewals with signed and verified notifications: a transaction and a renewal info each.
    func signed() -> BenchmarkGroup {
        BenchmarkGroup(
            title: "Simulated years",
            cases: [
                .timed("1,000 customers × 10 years, nothing signed", operations: 1) {
                    let store = try store(customers: 1_000)
                    let end = store.now.adding(days: 3_652)
                    let start = Stopwatch.threadTime.seconds
                    try store.advance(to: end)
                    return Stopwatch.threadTime.seconds - start
                },
                .timed("a renewal, its notification signed and read", operations: 1_200) {
                    let store = try store(customers: 100)
                    let before = store.happeningCount
                    let end = store.now.adding(days: 366)
                    let start = Stopwatch.threadTime.seconds
                    try store.advance(to: end)
                    for id in before..<store.happeningCount { blackHole(try store.notification(of: id)) }
                    return Stopwatch.threadTime.seconds - start
                },
            ], rounds: 7)
    }
}
