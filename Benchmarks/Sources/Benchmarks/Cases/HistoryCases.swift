import Storekeeper
import StorekeeperTesting

/// Merging transactions into a history, and computing its answers for all time.
///
/// The huge history is compared with the usual one: it does not fit into the processor's caches.
func historyCases() throws -> BenchmarkGroup {
    let usual = try SampleCustomer(count: 1_000)
    let huge = try SampleCustomer(count: 100_000)
    let tableName = "a dictionary of 1,000 by id, the newest of each"
    let (mergeName, resolveName) = ("merge, 1,000 in order", "resolve, 1,000")
    func merge(_ name: String, _ customer: SampleCustomer, _ comparison: BenchmarkCase.Comparison) -> BenchmarkCase {
        let results = customer.results
        return BenchmarkCase(name, operations: results.count, comparison) {
            var history = PurchaseHistory()
            guard history.merge(results) else { throw BenchmarkError("nothing was merged") }
            blackHole(history)
        }
    }
    let (usualHistory, hugeHistory) = (usual.history, huge.history)
    return BenchmarkGroup(
        title: "A history (per transaction)", rounds: 9,
        cases: [
            BenchmarkCase(tableName, operations: usual.transactions.count) {
                var table: [Transaction.ID: Transaction] = [:]
                for transaction in usual.transactions {
                    if let known = table[transaction.id], known.signedAt >= transaction.signedAt { continue }
                    table[transaction.id] = transaction
                }
                blackHole(table)
            },
            merge(mergeName, usual, .time(of: tableName, atMost: 4)),
            merge("merge, 100,000 in order", huge, .time(of: mergeName, atMost: 4)),
            BenchmarkCase(resolveName, operations: 1_000) { blackHole(SampleShop.resolver.resolve(usualHistory)) },
            BenchmarkCase("resolve, 100,000", operations: 100_000, .time(of: resolveName, atMost: 2.5)) {
                blackHole(SampleShop.resolver.resolve(hugeHistory))
            },
        ])
}
