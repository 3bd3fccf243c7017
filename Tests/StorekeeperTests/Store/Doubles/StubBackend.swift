import Storekeeper
import Synchronization

/// A backend that plays the script of a test.
final class StubBackend: PurchasingBackend {
    struct ConnectionLost: Error {}

    struct Script {
        var pages: [[String]] = [[]]
        var statuses: [SignedStatus] = []
        /// The number of further histories that fail at their last page.
        var failures = 0
        var hangs = false
        var finishFailures = 0
        /// Whether the backend refuses to finish transactions, because it does not know them.
        var refusesToFinish = false
        var purchases: [@Sendable () async throws -> SignedPurchaseResult] = []
        var options: [Set<PurchaseOption>] = []
        var log: [String] = []
        var finished: [Transaction.ID] = []
        var streams: [AsyncStream<TransactionUpdate>.Continuation] = []
        var cursors: [UpdateCursor?] = []
        /// The updates with which a stream begins.
        var backlog: [TransactionUpdate] = []
    }

    let name = "played"
    let script = Mutex(Script())

    subscript<Value>(_ path: any WritableKeyPath<Script, Value> & Sendable) -> Value where Value: Sendable {
        get { script.withLock { $0[keyPath: path] } }
        set { script.withLock { $0[keyPath: path] = newValue } }
    }

    func history(for customer: CustomerID, after cursor: HistoryCursor?) async throws -> EvidencePage {
        let index = cursor.flatMap { Int($0.rawValue) } ?? 0
        let (page, hangs) = try script.withLock { script in
            script.log.append("history")
            let isLast = index + 1 >= script.pages.count
            if script.failures > 0, isLast {
                script.failures -= 1
                throw ConnectionLost()
            }
            return (
                EvidencePage(
                    items: script.pages[index], next: isLast ? nil : HistoryCursor(rawValue: "\(index + 1)")),
                script.hangs
            )
        }
        // The loop ends only when the task is cancelled.
        if hangs { for await _ in AsyncStream<Never>.makeStream().stream {} }
        try Task.checkCancellation()
        return page
    }

    func subscriptionStatuses(for customer: CustomerID) async throws -> [SignedStatus] { self[\.statuses] }

    func updates(after cursor: UpdateCursor?) -> any AsyncSequence<TransactionUpdate, Never> & Sendable {
        let (stream, continuation) = AsyncStream<TransactionUpdate>.makeStream()
        script.withLock { script in
            script.log.append("updates")
            script.cursors.append(cursor)
            script.streams.append(continuation)
            for update in script.backlog { continuation.yield(update) }
        }
        return stream
    }

    func finish(_ grant: DurableGrant) async throws {
        try script.withLock { script in
            script.log.append("finish \(grant.transactionID)")
            if script.finishFailures > 0 {
                script.finishFailures -= 1
                throw ConnectionLost()
            }
            if script.refusesToFinish { throw FinishRefusal(ConnectionLost()) }
            script.finished.append(grant.transactionID)
        }
    }

    func purchase(
        _ product: Product, options: Set<PurchaseOption>, for customer: CustomerID
    ) async throws -> SignedPurchaseResult {
        let play = script.withLock { script in
            script.log.append("purchase \(product.id)")
            script.options.append(options)
            return script.purchases.isEmpty ? nil : script.purchases.removeFirst()
        }
        guard let play else { return .userCancelled }
        return try await play()
    }

    func send(_ update: TransactionUpdate) {
        for stream in self[\.streams] { stream.yield(update) }
    }

    func send(_ texts: [String], to customer: CustomerID? = nil, cursor: String? = nil) {
        send(
            TransactionUpdate(
                .evidence(texts), customer: customer, cursor: cursor.map(UpdateCursor.init(rawValue:))))
    }

    func endStreams() {
        for stream in self[\.streams] { stream.finish() }
    }

    func willPurchase(_ play: @escaping @Sendable () async throws -> SignedPurchaseResult) {
        script.withLock { $0.purchases.append(play) }
    }
}
