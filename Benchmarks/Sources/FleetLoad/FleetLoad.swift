import FoundationEssentials
import Storekeeper
import StorekeeperPostgres
import StorekeeperTesting
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The work of a vault in a measurement with very many customers: it writes two of them, and renews subscriptions.
///
/// Scripts/fleet-size.sh copies the two to the requested number, and reports the work of the server.
@main
struct FleetLoad {
    private static let usage = """
        usage: FleetLoad sample DATABASE
                 makes the schema, and writes a customer without and one with a subscription
               FleetLoad renew DATABASE CUSTOMERS CALLERS SECONDS FIRST
                 renews subscriptions in no order of the keys, from the FIRSTth on; prints how many, and how fast
        """

    static func main() async {
        do {
            let words = Array(CommandLine.arguments.dropFirst())
            guard words.count > 1 else { throw BadUse(description: usage) }
            let numbers = words.dropFirst(2).compactMap { Int($0) }
            let vault = try await PostgresVault(words[1])
            defer { vault.close() }
            switch (words[0], numbers.count) {
            case ("sample", 0): try await writeSample(in: vault)
            case ("renew", 4):
                try await renew(
                    customers: numbers[0], in: vault, callers: numbers[1], seconds: numbers[2], first: numbers[3])
            default: throw BadUse(description: usage)
            }
        } catch {
            print("FleetLoad: \(error)")
            exit(1)
        }
    }

    /// Writes the purchases of both customers, each at its date.
    private static func writeSample(in vault: PostgresVault) async throws {
        let clock = VirtualClock(.day(0))
        var configuration = StorePool.Configuration()
        configuration.store.catalog = FleetCustomer.catalog
        let pool = StorePool(configuration: configuration, vault: vault, verifier: DraftVerifier(), clock: clock)
        func receive(_ evidence: [String], of customer: FleetCustomer) async throws {
            try await pool.receive(TransactionUpdate(.evidence(evidence), customer: customer.id))
        }
        let buyer = FleetCustomer(number: FleetCustomer.buyer)
        let subscriber = FleetCustomer(number: FleetCustomer.subscriber)
        let (transaction, info) = subscriber.period(0)
        try await receive([transaction.fakeJWS, info.fakeJWS], of: subscriber)
        clock.set(.day(1))
        for customer in [buyer, subscriber] { try await receive([customer.credit().fakeJWS], of: customer) }
        for position in 1..<FleetCustomer.periods { try await commit(try subscriber.renewal(position), to: vault) }
    }

    private static func commit(_ batch: CommitBatch, to vault: PostgresVault) async throws {
        guard case .committed = try await vault.commit(batch) else {
            throw BadUse(description: "a step was not written")
        }
    }

    /// Renews subscriptions in turn, in an order without locality, until the time is over.
    private static func renew(
        customers: Int, in vault: PostgresVault, callers: Int, seconds: Int, first: Int
    ) async throws {
        let subscribers = customers * FleetCustomer.subscribersOfTen / 10
        @Sendable func subscriber(_ number: Int) -> FleetCustomer {
            FleetCustomer(number: customers - subscribers + number &* 2_654_435_761 % subscribers)
        }
        for number in 0..<100 where try await vault.balances(of: subscriber(number).id).isEmpty {
            throw BadUse(description: "the vault does not find \(subscriber(number).id)")
        }
        let turn = NumberSequence(first)
        let start = Date()
        let samples = try await withThrowingTaskGroup(of: [Double].self) { group in
            for _ in 0..<callers {
                group.addTask {
                    var samples: [Double] = []
                    while Date().timeIntervalSince(start) < Double(seconds) {
                        let number = turn.next()
                        let batch = try subscriber(number).renewal(FleetCustomer.periods + number / subscribers)
                        let start = Date()
                        try await commit(batch, to: vault)
                        samples.append(Date().timeIntervalSince(start))
                    }
                    return samples
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }.sorted()
        }
        let seconds = Date().timeIntervalSince(start)
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        let processor = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        guard let last = samples.last else { throw BadUse(description: "nothing was renewed") }
        print("renewals", samples.count)
        print("rate", Int(Double(samples.count) / seconds))
        print("median_ms", tenths(samples[samples.count / 2] * 1e3))
        print("p99_ms", tenths(samples[samples.count * 99 / 100] * 1e3))
        print("longest_ms", tenths(last * 1e3))
        print("program_us", Int(processor / Double(samples.count) * 1e6))
        print("next", turn.next())
    }

    private static func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}

/// Consecutive numbers, each used once.
private final class NumberSequence: Sendable {
    private let value: Atomic<Int>
    init(_ first: Int) { value = Atomic(first) }
    func next() -> Int { value.add(1, ordering: .relaxed).oldValue }
}

struct BadUse: Error, CustomStringConvertible {
    let description: String
}
