import FoundationEssentials
import Synchronization

/// A backend that replays evidence from files or memory.
///
/// The history of a customer consists of the evidence that was added for the customer. The stream delivers the evidence
/// of all customers in order, and continues with evidence that is added later. A cursor is a position in this order.
/// The backend verifies and filters nothing. Texts that are not evidence are passed on, and the verifier refuses them.
public final class ReplayBackend: StoreBackend {
    private struct Item: Sendable {
        var customer: CustomerID
        var text: String
        /// The unverified transaction in the text; `nil` if the text does not contain a transaction.
        var transaction: Transaction?
        var renewalInfo: RenewalInfo?
    }

    private struct State {
        var items: [Item] = []
        var finished: Set<TransactionKey> = []
    }

    /// The name under which cursors are stored.
    public let name: String
    private let pageSize: Int
    private let state = Mutex(State())
    private let signal = ChangeSignal()

    /// Creates a backend.
    ///
    /// - Parameters:
    ///   - name: The name under which cursors are stored.
    ///   - evidence: Compact JWS by customer, each customer's texts in the order in which the purchases and changes
    ///     happened.
    ///   - pageSize: The maximum number of items in a page of a history.
    public init(name: String = "replay", evidence: [CustomerID: [String]] = [:], pageSize: Int = 100) {
        self.name = name
        self.pageSize = max(pageSize, 1)
        for customer in evidence.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            add(evidence[customer] ?? [], for: customer)
        }
    }

    /// Appends evidence, which open streams deliver at once.
    ///
    /// - Parameters:
    ///   - evidence: Compact JWS.
    ///   - customer: The customer whose evidence it is.
    public func add(_ evidence: [String], for customer: CustomerID) {
        let items = evidence.map { Self.item($0, of: customer) }
        state.withLock { $0.items += items }
        signal.send()
    }

    /// Adds the evidence in a file, which may contain JWS on lines, responses of the App Store Server API, and
    /// notifications.
    ///
    /// - Parameters:
    ///   - file: The bytes of the file.
    ///   - customer: The customer whose evidence it is.
    /// - Returns: The items that were left out because they are unsigned or not evidence; see
    ///   ``/StorekeeperEngine/EvidenceFile/rejected``.
    @discardableResult
    public func add(file: [UInt8], for customer: CustomerID) -> [String] {
        let file = EvidenceFile(file)
        add(file.signed, for: customer)
        return file.rejected
    }

    /// The keys of the finished transactions.
    package var finished: Set<TransactionKey> { state.withLock { $0.finished } }

    /// Returns one page of a customer's evidence.
    ///
    /// - Throws: ``PurchaseError`` with `systemError` for a cursor that does not come from this backend.
    public func history(for customer: CustomerID, after cursor: HistoryCursor?) async throws -> EvidencePage {
        let start = try cursor.map { try Self.position($0.rawValue) } ?? 0
        let (texts, end) = state.withLock { state in
            var texts: [String] = []
            var position = start
            while position < state.items.count, texts.count < pageSize {
                if state.items[position].customer == customer { texts.append(state.items[position].text) }
                position += 1
            }
            let hasMore = state.items.dropFirst(position).contains { $0.customer == customer }
            return (texts, hasMore ? position : nil)
        }
        return EvidencePage(items: texts, next: end.map { HistoryCursor(rawValue: String($0)) })
    }

    /// Returns the newest transaction and renewal info of each subscription of a customer, judged by their unverified
    /// contents.
    public func subscriptionStatuses(for customer: CustomerID) async throws -> [SignedStatus] {
        let items = state.withLock { state in state.items.filter { $0.customer == customer } }
        var order: [ChainID] = []
        var transactions: [ChainID: (text: String, fact: TransactionFact)] = [:]
        var infos: [String: (text: String, info: RenewalInfo)] = [:]
        for item in items {
            if let transaction = item.transaction, transaction.productType == .autoRenewable {
                let (id, fact) = (ChainID(transaction), TransactionFact(transaction))
                if transactions[id] == nil { order.append(id) }
                if let known = transactions[id], PurchaseChain.precedes(fact, known.fact) { continue }
                transactions[id] = (item.text, fact)
            } else if let info = item.renewalInfo {
                let id = "\(info.environment.rawValue) \(info.originalTransactionID)"
                if let known = infos[id], info.signedAt < known.info.signedAt { continue }
                infos[id] = (item.text, info)
            }
        }
        return order.compactMap { id in
            transactions[id].map {
                SignedStatus(
                    transaction: $0.text,
                    renewalInfo: infos["\(id.environment.rawValue) \(id.originalID)"]?.text)
            }
        }
    }

    /// Returns a stream of the evidence after a cursor.
    ///
    /// The stream continues with evidence that is added later, and never ends by itself.
    ///
    /// - Parameter cursor: The position after which to begin; `nil` begins with the transactions that are not finished.
    public func updates(after cursor: UpdateCursor?) -> any AsyncSequence<TransactionUpdate, Never> & Sendable {
        Updates(backend: self, start: cursor)
    }

    /// Records that a transaction is finished.
    public func finish(_ grant: DurableGrant) async throws {
        _ = state.withLock { $0.finished.insert(grant.key) }
    }

    private static func position(_ cursor: String) throws -> Int {
        guard let position = Int(cursor), position >= 0 else {
            throw PurchaseError(.systemError, "the cursor does not belong to this backend; start without a cursor")
        }
        return position
    }

    private static func item(_ text: String, of customer: CustomerID) -> Item {
        var item = Item(customer: customer, text: text)
        guard let jws = CompactJWS(text), let payload = Base64URL.decode(jws.payload),
            let document = try? JSONReader().read(payload)
        else { return item }
        switch EvidenceKind(payload: document.root) {
        case .transaction: item.transaction = try? Transaction(payload: document.root, source: .signed(jws))
        case .renewalInfo: item.renewalInfo = try? RenewalInfo(payload: document.root, source: .signed(jws))
        case .appTransaction, .notification, nil: break
        }
        return item
    }
}

extension ReplayBackend {
    private struct Updates: AsyncSequence, Sendable {
        let backend: ReplayBackend
        let start: UpdateCursor?

        func makeAsyncIterator() -> Iterator {
            let position = start.flatMap { Int($0.rawValue) }.map { Swift.max($0, 0) } ?? 0
            // Without a cursor, only the unfinished transactions of the evidence added before this moment are
            // delivered. Evidence added later is always delivered.
            let first = start == nil ? backend.state.withLock { $0.items.count } : 0
            return Iterator(backend: backend, position: position, unfinishedBefore: first)
        }

        struct Iterator: AsyncIteratorProtocol {
            let backend: ReplayBackend
            var position: Int
            let unfinishedBefore: Int

            mutating func next() async -> TransactionUpdate? { await next(isolation: nil) }

            mutating func next(isolation actor: isolated (any Actor)?) async -> TransactionUpdate? {
                while !Task.isCancelled {
                    let seen = backend.signal.count
                    let (start, limit) = (position, unfinishedBefore)
                    let found = backend.state.withLock { state -> (index: Int, item: Item)? in
                        for index in state.items.indices.dropFirst(start) {
                            let item = state.items[index]
                            guard index < limit else { return (index, item) }
                            if let transaction = item.transaction,
                                !state.finished.contains(TransactionKey(transaction))
                            {
                                return (index, item)
                            }
                        }
                        return nil
                    }
                    if let found {
                        position = found.index + 1
                        return TransactionUpdate(
                            .evidence([found.item.text]), customer: found.item.customer,
                            cursor: UpdateCursor(rawValue: String(position)))
                    }
                    await backend.signal.wait(after: seen)
                }
                return nil
            }
        }
    }
}
