import FoundationEssentials
import Synchronization

/// A backend that plays back evidence from files or memory.
///
/// Histories are what was given for a customer, page by page; the stream is all of it in order, with the position as
/// cursor, and goes on with what is added later. It believes nothing and hides nothing: what is no evidence at all is
/// handed on for the verifier to refuse.
public final class ReplayBackend: StoreBackend {
    private struct Item: Sendable {
        var customer: CustomerID
        var text: String
        /// What the text seems to say, not verified; `nil` where it says nothing.
        var transaction: Transaction?
        var renewalInfo: RenewalInfo?
    }

    private struct State {
        var items: [Item] = []
        var finished: Set<TransactionKey> = []
    }

    /// The name that cursors are kept under.
    public let name: String
    private let pageSize: Int
    private let state = Mutex(State())
    private let signal = ChangeSignal()

    /// Makes a backend.
    ///
    /// - Parameters:
    ///   - name: The name that cursors are kept under.
    ///   - evidence: Compact JWS by customer; of one customer in the order in which they happened.
    ///   - pageSize: How many items a page of a history has at most.
    public init(name: String = "replay", evidence: [CustomerID: [String]] = [:], pageSize: Int = 100) {
        self.name = name
        self.pageSize = max(pageSize, 1)
        for customer in evidence.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            add(evidence[customer] ?? [], for: customer)
        }
    }

    /// Adds evidence behind what there is; streams that are open hand it on.
    ///
    /// - Parameters:
    ///   - evidence: Compact JWS.
    ///   - customer: Whose.
    public func add(_ evidence: [String], for customer: CustomerID) {
        let items = evidence.map { Self.item($0, of: customer) }
        state.withLock { $0.items += items }
        signal.send()
    }

    /// Adds the evidence of a file: JWS on lines, answers of the App Store Server API, notifications.
    ///
    /// - Parameters:
    ///   - file: The bytes of the file.
    ///   - customer: Whose evidence it is.
    /// - Returns: What bears no signature or is no evidence and is left out; see ``/StorekeeperEngine/EvidenceFile/rejected``.
    @discardableResult
    public func add(file: [UInt8], for customer: CustomerID) -> [String] {
        let file = EvidenceFile(file)
        add(file.signed, for: customer)
        return file.rejected
    }

    /// The transactions that were finished.
    package var finished: Set<TransactionKey> { state.withLock { $0.finished } }

    /// One page of what was given for a customer.
    ///
    /// - Throws: ``PurchaseError`` with `systemError` for a cursor that is none of this backend's.
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

    /// The newest transaction and renewal info of each subscription of a customer, by what they say of themselves.
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

    /// What stands after a cursor, then what is added; never ends by itself.
    ///
    /// - Parameter cursor: The position after which to begin; `nil` begins with the transactions that are not finished.
    public func updates(after cursor: UpdateCursor?) -> any AsyncSequence<TransactionUpdate, Never> & Sendable {
        Updates(backend: self, start: cursor)
    }

    /// Notes that a transaction is finished.
    public func finish(_ grant: DurableGrant) async throws {
        _ = state.withLock { $0.finished.insert(grant.key) }
    }

    private static func position(_ cursor: String) throws -> Int {
        guard let position = Int(cursor), position >= 0 else {
            throw PurchaseError(.systemError, "the cursor is none of this backend's; begin without one")
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
            // Without a cursor what was finished before now is left out; what comes from now on is not.
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
