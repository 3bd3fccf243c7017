import Storekeeper
import StorekeeperTesting

/// Purchases of coins that credit an account, and spends, of a thousand customers in turn.
struct SampleSales: Sendable {
    static let count = 16_000
    static let customers = 1_000
    /// The initial balance of each customer.
    let grants: [LedgerRequest]
    /// The purchases: fact, chain, entry, balance, delivery.
    private(set) var credits: [CommitBatch] = []
    /// The spends: entry and balance.
    private(set) var spends: [LedgerRequest] = []
    /// The same as rows.
    private(set) var rows: [RawVault.Sale] = []

    init() throws {
        let coins = Product(id: "coins.500", type: .consumable, grants: ["coins": 500])
        let rule = LedgerRule(catalog: Catalog(products: [coins], groups: [], features: []))
        grants = (0..<Self.customers).map {
            .grant(100_000, of: "coins", to: Self.customer($0), because: "start", key: "start", at: .day(1))
        }
        for number in 0..<Self.count {
            let customer = Self.customer(number % Self.customers)
            let id = Transaction.ID(rawValue: "\(2_000_000_000_000 + number)")
            let fact = try TransactionDraft.purchase(of: coins, at: .day(1), id: id).verifiedFact()
            credits.append(
                CommitBatch(customer: customer, at: .day(2), facts: [fact], rule: rule, owesDelivery: true))
            spends.append(.spend(1, of: "coins", by: customer, key: "order-\(number)", at: .day(3)))
            rows.append(RawVault.Sale(number: number, customer: number % Self.customers, fact: fact))
        }
    }

    private static func customer(_ number: Int) -> CustomerID { CustomerID(rawValue: "customer-\(number)") }

    /// Writes some of the purchases, 64 at a time, and returns the seconds that it took.
    func credit(_ range: Range<Int>, in vault: some TransactionalVault) async throws -> Double {
        try await concurrently(range.count) { number in
            guard case .committed = try await vault.commit(credits[range.lowerBound + number]) else {
                throw BenchmarkError("a credit was not written")
            }
        }
    }

    /// Writes some of the spends, 64 at a time, and returns the seconds that it took.
    func spend(_ range: Range<Int>, in vault: some TransactionalVault) async throws -> Double {
        try await concurrently(range.count) { number in
            guard case .success? = try await vault.move([spends[range.lowerBound + number]], policy: .debt).first else {
                throw BenchmarkError("a spend was not written")
            }
        }
    }
}
