import Storekeeper
import StorekeeperTesting

/// Evidence ingested by a store about a customer with many facts: each piece is merged, written to an in-memory vault
/// and published.
///
/// While a step is written, the store still answers from the previous state, so that two states exist. The cost of this
/// must not depend on the number of facts.
func storeUpdateCases(_ customers: SampleCustomers) async throws -> BenchmarkGroup {
    let usual = try await ActiveCustomer(customers.usual)
    let huge = try await ActiveCustomer(customers.huge)
    var cases: [BenchmarkCase] = []
    for news in ActiveCustomer.UpdateKind.allCases {
        let usualName = "\(news.rawValue), 1,000 facts"
        cases.append(
            .parallel(usualName, operations: ActiveCustomer.updates, clock: .processTime) {
                try await usual.receive(news)
            })
        cases.append(
            .parallel(
                "\(news.rawValue), 100,000 facts", operations: ActiveCustomer.updates,
                targets: [.time(of: usualName, atMost: 3)], clock: .processTime
            ) { try await huge.receive(news) })
    }
    return BenchmarkGroup(
        title: "Updating a store, vault in memory (per update, of all threads)", cases: cases, rounds: 9)
}

/// A customer whose store is open and receives updates.
private final class ActiveCustomer {
    /// The kind of update.
    enum UpdateKind: String, CaseIterable {
        case renewal = "a renewal"
        case renewalInfo = "a renewal info"
        case purchase = "a purchase of coins"
    }

    /// The number of updates in a call.
    static let updates = 50

    private let store: Store
    private var newest: TransactionDraft
    private var count = 0

    init(_ customer: SampleCustomer) async throws {
        store = try await Store.open(
            customer: "player", configuration: StoreConfiguration(catalog: SampleShop.catalog), vault: InMemoryVault(),
            verifier: DraftVerifier())
        newest = customer.newest
        let report = try await store.ingest(customer.facts.map(\.jwsRepresentation), isComplete: true)
        guard report.new == customer.facts.count else { throw BenchmarkError("the customer's facts were not taken in") }
    }

    func receive(_ news: UpdateKind) async throws {
        for _ in 0..<Self.updates {
            guard try await store.ingest([next(news)]).new == 1 else { throw BenchmarkError("an update was not new") }
        }
    }

    private func next(_ news: UpdateKind) -> String {
        count += 1
        switch news {
        case .renewal:
            newest = .renewal(of: newest)
            return newest.fakeJWS
        case .renewalInfo:
            let end = newest.expiresAt ?? newest.purchasedAt
            var info = RenewalInfoDraft(for: newest).grace(until: end.adding(days: 1 + count % 16))
            info.signedAt = end.adding(milliseconds: Int64(count))
            return info.fakeJWS
        case .purchase:
            let id = Transaction.ID(rawValue: "8\(String(1_000_000_000 + count).dropFirst())")
            return TransactionDraft.purchase(of: SampleShop.coins[0], at: .day(100_000 + count), id: id).fakeJWS
        }
    }
}
