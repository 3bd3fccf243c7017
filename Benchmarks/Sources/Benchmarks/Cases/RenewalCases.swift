import Storekeeper
import StorekeeperTesting

/// A renewal of a customer with many facts: merged into kept answers, and through a store that also writes it to a
/// vault in memory and publishes it.
///
/// Both may take time in proportion to the chain of the renewal, and at most 300 µs at 1,000 facts and 3 ms at 10,000; a
/// chain that leaves the processor's caches takes up to twice as much a fact. Without kept answers all would be computed
/// again.
func renewalCases() async throws -> BenchmarkGroup {
    let sizes = [("1,000", 1_000), ("10,000", 10_000), ("100,000", 100_000)]
    let customers = try sizes.map { ($0.0, try SampleCustomer(count: $0.1)) }
    let history = customers[0].1.history
    let wholeName = "resolving 1,000 facts again"
    func merged(_ size: String) -> String { "merged, \(size) facts" }
    func stored(_ size: String) -> String { "through a store, \(size) facts (all threads)" }
    var cases = [BenchmarkCase(wholeName) { blackHole(SampleShop.resolver.resolve(history)) }]
    for (index, (size, customer)) in customers.enumerated() {
        let comparison: BenchmarkCase.Comparison =
            index == 0
            ? .time(of: wholeName, atMost: 0.1) : .time(of: merged(customers[index - 1].0), atMost: 20)
        cases.append(try keptAnswers(merged(size), customer, comparison))
    }
    for (index, (size, customer)) in customers.enumerated() {
        let store = try await ActiveCustomer(customer)
        cases.append(
            BenchmarkCase(
                stored(size), operations: ActiveCustomer.renewals,
                index == 0 ? .time(of: merged(size)) : .time(of: stored(customers[index - 1].0), atMost: 20),
                clock: .processTime
            ) { try await store.renew() })
    }
    return BenchmarkGroup(title: "A renewal", rounds: 9, cases: cases)
}

/// Renewals one after another, each of which changes an answer.
private func keptAnswers(
    _ name: String, _ customer: SampleCustomer, _ comparison: BenchmarkCase.Comparison
) throws -> BenchmarkCase {
    var draft = customer.newest
    let evidence = try (0...200).map { _ in
        draft = .renewal(of: draft)
        return CheckedEvidence.transaction(.verified(try draft.transaction()))
    }
    let warm = LiveResolution(history: customer.history, resolver: SampleShop.resolver)
    return .timed(name, operations: evidence.count - 1, comparison) {
        var live = warm
        // The first update after a copy copies the history; a customer in use is not copied.
        live.merge(evidence.prefix(1))
        var published = live.resolution
        let start = Stopwatch.threadTime.seconds
        for item in evidence.dropFirst() {
            guard live.merge([item]) else { throw BenchmarkError("an update changed nothing") }
            published = live.resolution
        }
        let seconds = Stopwatch.threadTime.seconds - start
        blackHole(published)
        return seconds
    }
}

/// A customer whose store is open.
private final class ActiveCustomer {
    /// The number of renewals in a call.
    static let renewals = 50

    private let store: Store
    private var newest: TransactionDraft

    init(_ customer: SampleCustomer) async throws {
        store = try await .sample(customer)
        newest = customer.newest
    }

    func renew() async throws {
        for _ in 0..<Self.renewals {
            newest = .renewal(of: newest)
            guard try await store.ingest([newest.fakeJWS]).new == 1 else {
                throw BenchmarkError("a renewal was not new")
            }
        }
    }
}

extension Store {
    /// Opens the store of a customer, whose vault is in memory.
    static func sample(_ customer: SampleCustomer) async throws -> Store {
        let store = try await Store.open(
            customer: "player", configuration: StoreConfiguration(catalog: SampleShop.catalog), vault: InMemoryVault(),
            verifier: DraftVerifier())
        let report = try await store.ingest(customer.facts.map(\.jwsRepresentation), isComplete: true)
        guard report.new == customer.facts.count else { throw BenchmarkError("the customer's facts were not taken in") }
        return store
    }
}
