public import Storekeeper
import Synchronization

/// A backend for tests that follows a script.
///
/// The backend can answer, delay, repeat or reorder answers, fail, hang, or return wrong evidence.
///
/// The script and the seed determine the backend's behavior. Delays are waits on the backend's clock.
public final class ScriptedBackend: PurchasingBackend {
    /// A call that the backend received.
    public enum Call: Hashable, Sendable {
        case history(CustomerID, after: HistoryCursor?)
        case statuses(CustomerID)
        case updates(after: UpdateCursor?)
        case finish(TransactionKey, CustomerID)
        case purchase(Product.ID, Set<PurchaseOption>, CustomerID)
    }

    /// A kind of call that can be scripted.
    public enum Method: Hashable, Sendable, CaseIterable { case history, statuses, finish, purchase }

    /// The simulated behavior of a call, instead of a correct answer.
    public enum Behaviour: Sendable {
        /// Throws the error.
        case fail(any Error)
        /// Waits until the task is cancelled, and then throws an error.
        case hang
        /// Waits this number of milliseconds on the clock, and then answers correctly.
        case delay(Int64)
        /// Answers without any evidence.
        case empty
        /// Answers with the evidence of another customer.
        case evidence(of: CustomerID)
        /// Answers with texts that are not evidence.
        case garbage
        /// Answers with all items in another order, and some of them twice.
        case shuffled
    }

    private struct State {
        var random: SplitMix64
        var histories: [CustomerID: [String]] = [:]
        var statuses: [CustomerID: [SignedStatus]] = [:]
        var purchases: [Result<SignedPurchaseResult, any Error>] = []
        var behaviours: [Method: [Behaviour]] = [:]
        var usual: [Method: Behaviour] = [:]
        var calls: [Call] = []
        var sent: [(update: TransactionUpdate, delay: Int64)] = []
        var streamEnds = 0
    }

    /// The name under which cursors are stored.
    public let name: String
    private let clock: any StoreClock
    private let pageSize: Int
    private let state: Mutex<State>
    /// Wakes the streams when new items are sent, or when the streams must end.
    private let signal = ChangeSignal()

    /// Creates a backend without evidence.
    ///
    /// - Parameters:
    ///   - name: The name under which cursors are stored.
    ///   - clock: The clock on which the backend waits for delays.
    ///   - pageSize: The maximum number of items in a page of a history.
    ///   - seed: The seed for the order of shuffled items.
    public init(
        name: String = "scripted", clock: any StoreClock, pageSize: Int = 100,
        seed: UInt64 = PropertySettings.defaultSeed
    ) {
        self.name = name
        self.clock = clock
        self.pageSize = max(pageSize, 1)
        state = Mutex(State(random: SplitMix64(seed: seed)))
    }

    // MARK: Writing the script

    /// Sets the complete history of a customer, as compact JWS.
    public func setHistory(_ items: [String], of customer: CustomerID) {
        state.withLock { $0.histories[customer] = items }
    }

    /// Sets the statuses of a customer's subscriptions.
    public func setStatuses(_ statuses: [SignedStatus], of customer: CustomerID) {
        state.withLock { $0.statuses[customer] = statuses }
    }

    /// Appends the results of the next purchases to the script.
    public func willPurchase(_ results: Result<SignedPurchaseResult, any Error>...) {
        state.withLock { $0.purchases += results }
    }

    /// Sets the behavior of each of the next calls of a method, in order.
    ///
    /// After these calls, the method has the behavior of ``always(_:_:)`` again.
    public func next(_ method: Method, _ behaviours: Behaviour...) {
        state.withLock { $0.behaviours[method, default: []] += behaviours }
    }

    /// Sets the behavior of all calls of a method for which ``next(_:_:)`` sets no behavior; `nil` means a correct
    /// answer.
    public func always(_ method: Method, _ behaviour: Behaviour?) { state.withLock { $0.usual[method] = behaviour } }

    /// Sends items to all current and future streams.
    ///
    /// An item without a cursor receives its position among all sent items as its cursor.
    ///
    /// - Parameters:
    ///   - updates: The items, in order.
    ///   - milliseconds: The time that a stream waits on the clock before it delivers each item.
    public func send(_ updates: [TransactionUpdate], delayedBy milliseconds: Int64 = 0) {
        state.withLock { state in
            for var update in updates {
                update.cursor = update.cursor ?? UpdateCursor(rawValue: String(state.sent.count + 1))
                state.sent.append((update, milliseconds))
            }
        }
        signal.send()
    }

    /// Sends compact JWS, each as a separate item.
    public func send(_ evidence: [String], of customer: CustomerID? = nil, delayedBy milliseconds: Int64 = 0) {
        send(evidence.map { TransactionUpdate(.evidence([$0]), customer: customer) }, delayedBy: milliseconds)
    }

    /// Sends compact JWS in a random order, some of them twice, mixed with failures.
    public func sendShuffled(_ evidence: [String], of customer: CustomerID? = nil, failures: [any Error] = []) {
        let updates = state.withLock { state in
            var items = evidence.map { TransactionUpdate(.evidence([$0]), customer: customer) }
            items += items.filter { _ in state.random.chance(30) }
            items += failures.map { TransactionUpdate(.failure($0), customer: customer) }
            return items.shuffled(using: &state.random)
        }
        send(updates)
    }

    /// Ends the open streams after they have delivered the items that were sent so far.
    ///
    /// Streams that are opened later stay open.
    public func endStreams() {
        state.withLock { $0.streamEnds += 1 }
        signal.send()
    }

    // MARK: Inspecting calls

    /// The calls that the backend has received so far, in order.
    public var calls: [Call] { state.withLock { $0.calls } }

    /// The finished transactions in order, one element for each call.
    public var finished: [TransactionKey] {
        calls.compactMap { if case .finish(let key, _) = $0 { key } else { nil } }
    }

    /// The number of streams that wait for items.
    public var openStreams: Int { signal.waiterCount }

    // MARK: The backend

    /// Returns a page of the history set by `setHistory`.
    public func history(for customer: CustomerID, after cursor: HistoryCursor?) async throws -> EvidencePage {
        let behaviour = try await begin(.history, .history(customer, after: cursor))
        let start = max(cursor.flatMap { Int($0.rawValue) } ?? 0, 0)
        return state.withLock { state in
            var items: [String]
            switch behaviour {
            case .empty: return EvidencePage(items: [])
            case .garbage: return EvidencePage(items: Self.garbage)
            case .evidence(let other): items = state.histories[other] ?? []
            case .shuffled:
                items = state.histories[customer] ?? []
                return EvidencePage(items: (items + items.prefix(3)).shuffled(using: &state.random))
            default: items = state.histories[customer] ?? []
            }
            let page = Array(items.dropFirst(start).prefix(pageSize))
            let end = start + page.count
            return EvidencePage(
                items: page, next: end < items.count ? HistoryCursor(rawValue: String(end)) : nil)
        }
    }

    /// Returns the statuses set by `setStatuses`.
    public func subscriptionStatuses(for customer: CustomerID) async throws -> [SignedStatus] {
        let behaviour = try await begin(.statuses, .statuses(customer))
        return state.withLock { state in
            switch behaviour {
            case .empty: return []
            case .garbage: return Self.garbage.map { SignedStatus(transaction: $0, renewalInfo: $0) }
            case .evidence(let other): return state.statuses[other] ?? []
            case .shuffled:
                let statuses = state.statuses[customer] ?? []
                return (statuses + statuses).shuffled(using: &state.random)
            default: return state.statuses[customer] ?? []
            }
        }
    }

    /// Returns a stream of the items that were sent after a cursor, followed by future items.
    ///
    /// If the cursor is `nil`, the stream contains only future items.
    public func updates(after cursor: UpdateCursor?) -> any AsyncSequence<TransactionUpdate, Never> & Sendable {
        state.withLock { state in
            state.calls.append(.updates(after: cursor))
            let position =
                cursor.flatMap { cursor in state.sent.lastIndex { $0.update.cursor == cursor }.map { $0 + 1 } }
                ?? (cursor == nil ? state.sent.count : 0)
            return Stream(backend: self, position: position, end: state.streamEnds)
        }
    }

    /// Records that a transaction is finished.
    public func finish(_ grant: DurableGrant) async throws {
        _ = try await begin(.finish, .finish(grant.key, grant.customer))
    }

    /// Returns the result of the next scripted purchase.
    ///
    /// If the script has no further result, returns that the customer cancelled the purchase.
    public func purchase(
        _ product: Product, options: Set<PurchaseOption>, for customer: CustomerID
    ) async throws -> SignedPurchaseResult {
        let behaviour = try await begin(.purchase, .purchase(product.id, options, customer))
        if case .garbage = behaviour { return .success("garbage") }
        let result = state.withLock { $0.purchases.isEmpty ? nil : $0.purchases.removeFirst() }
        return try result?.get() ?? .userCancelled
    }

    private static let garbage = ["", "garbage", "a.b.c", "{}"]

    /// Records a call, waits for the scripted delay, and returns the scripted behavior.
    ///
    /// - Throws: The error of a scripted `fail`; `CancellationError` after a scripted `hang`.
    private func begin(_ method: Method, _ call: Call) async throws -> Behaviour? {
        let behaviour = state.withLock { state -> Behaviour? in
            state.calls.append(call)
            guard let scripted = state.behaviours[method], let first = scripted.first else {
                return state.usual[method]
            }
            state.behaviours[method] = Array(scripted.dropFirst())
            return first
        }
        switch behaviour {
        case .fail(let error): throw error
        case .hang:
            while true {
                try Task.checkCancellation()
                try await clock.sleep(until: .distantFuture)
            }
        case .delay(let milliseconds): try await wait(milliseconds)
        default: break
        }
        return behaviour
    }

    private func wait(_ milliseconds: Int64) async throws {
        let end = clock.now.adding(milliseconds: milliseconds)
        while clock.now < end { try await clock.sleep(until: end) }
    }
}

// MARK: - Streams

extension ScriptedBackend {
    private struct Stream: AsyncSequence, Sendable {
        let backend: ScriptedBackend
        let position: Int
        /// The number of calls of `endStreams` before this stream was opened.
        let end: Int

        func makeAsyncIterator() -> Iterator { Iterator(backend: backend, position: position, end: end) }

        struct Iterator: AsyncIteratorProtocol {
            let backend: ScriptedBackend
            var position: Int
            let end: Int

            mutating func next() async -> TransactionUpdate? { await next(isolation: nil) }

            mutating func next(isolation actor: isolated (any Actor)?) async -> TransactionUpdate? {
                while !Task.isCancelled {
                    let seen = backend.signal.count
                    let (step, isEnded) = backend.step(from: position, openedAt: end)
                    if let step {
                        position += 1
                        if step.delay > 0, (try? await backend.wait(step.delay)) == nil { return nil }
                        return step.update
                    }
                    if isEnded { return nil }
                    await backend.signal.wait(after: seen)
                }
                return nil
            }
        }
    }

    private func step(
        from position: Int, openedAt end: Int
    ) -> (step: (update: TransactionUpdate, delay: Int64)?, isEnded: Bool) {
        state.withLock { state in
            (position < state.sent.count ? state.sent[position] : nil, state.streamEnds > end)
        }
    }
}
