import Storekeeper
import StorekeeperTesting
import Synchronization

/// Plain work for comparison, which reflects the current speed of the machine.
enum BaselineWork {
    /// A walk over an array of transactions, per transaction: it reads each product and period.
    ///
    /// It takes a third less time since ids are compared as bytes, so a target that is a multiple of it was raised from
    /// 10 to 15: the one for an update while others read.
    static func walk(over transactions: [Transaction]) -> BenchmarkCase {
        .serial(walkName(transactions.count), operations: transactions.count) { look(through: transactions) }
    }

    /// The name of such a walk.
    static func walkName(_ count: Int) -> String {
        "a walk over an array of \(FigureFormat.count(Double(count))) facts"
    }

    /// Such a walk as one operation.
    static func wholeWalk(over transactions: [Transaction]) -> BenchmarkCase {
        .serial(wholeWalkName(transactions.count), operations: 1) { look(through: transactions) }
    }

    /// The name of such a walk as one operation.
    static func wholeWalkName(_ count: Int) -> String { walkName(count) + ", whole" }

    @inline(never)
    private static func look(through transactions: [Transaction]) {
        let id = SampleShop.subscriptions[0].id
        var days: Int64 = 0
        for transaction in transactions where transaction.productID == id {
            let end = transaction.expiresAt ?? transaction.purchasedAt
            days &+= (end.millisecondsSince1970 - transaction.purchasedAt.millisecondsSince1970) / 86_400_000
        }
        blackHole(days)
    }

    /// Sequential lookups of ids in a dictionary.
    static func lookups(of ids: [String], operations: Int) -> BenchmarkCase {
        let table = Dictionary(ids.map { ($0, $0.utf8.count) }, uniquingKeysWith: { first, _ in first })
        return .serial(lookupName, operations: operations) {
            var sum = 0
            for number in 0..<operations { sum &+= table[ids[number % ids.count]] ?? 0 }
            blackHole(sum)
        }
    }

    static let lookupName = "a lookup in a dictionary of ids"

    /// Such lookups by two threads that take the dictionary from a lock each time, as shared state requires.
    static func sharedLookups(of ids: [String], operations: Int) -> BenchmarkCase {
        let shared = SharedTable(ids)
        return BenchmarkCase(name: sharedLookupName, operations: operations, targets: []) { calls in
            let seconds = await Threads.run(2) {
                let begun = Stopwatch.threadTime.seconds
                var sum = 0
                for number in 0..<operations * calls { sum &+= shared.table[ids[number % ids.count]] ?? 0 }
                blackHole(sum)
                return Stopwatch.threadTime.seconds - begun
            }
            return seconds.reduce(0, +) / 2
        }
    }

    static let sharedLookupName = "a lookup in a locked dictionary, two readers"

    private final class SharedTable: Sendable {
        private let locked: Mutex<[String: Int]>
        var table: [String: Int] { locked.withLock { $0 } }

        init(_ ids: [String]) {
            locked = Mutex(Dictionary(ids.map { ($0, $0.utf8.count) }, uniquingKeysWith: { first, _ in first }))
        }
    }

    /// Binary searches in a sorted array.
    static func searches(for instants: [Instant], in sorted: [Instant]) -> BenchmarkCase {
        .serial(searchName(sorted.count), operations: instants.count) {
            for instant in instants {
                var (low, high) = (0, sorted.count)
                while low < high {
                    let middle = (low + high) / 2
                    if sorted[middle] <= instant { low = middle + 1 } else { high = middle }
                }
                blackHole(low)
            }
        }
    }

    /// The name of such searches.
    static func searchName(_ count: Int) -> String {
        "a search in an array of \(FigureFormat.count(Double(count))) instants"
    }
}
