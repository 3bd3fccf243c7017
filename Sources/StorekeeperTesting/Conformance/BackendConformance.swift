public import Storekeeper
public import Testing

/// Checks that an implementation obeys the laws of ``/Storekeeper/StoreBackend``.
///
/// ```swift
/// @Test func conforms() async {
///     await BackendConformance(customer: "ada") { MyBackend() }.run()
/// }
/// ```
///
/// The backend must have some evidence of the customer. The suite does not test failures, so each call must succeed.
public struct BackendConformance<Backend: StoreBackend>: Sendable {
    /// The number of pages after which a history counts as endless.
    static var maximumPages: Int { 10_000 }

    private let customer: CustomerID
    private let stranger: CustomerID
    private let updateCount: Int
    private let make: @Sendable () async throws -> Backend
    private let report: ConformanceReport

    /// Creates the suite.
    ///
    /// - Parameters:
    ///   - customer: A customer for whom the backend has evidence.
    ///   - stranger: A customer for whom the backend has no evidence.
    ///   - updateCount: The number of items that a stream without a cursor delivers immediately. With 0, the contents
    ///     of the stream are not checked.
    ///   - sourceLocation: The source location for recorded issues.
    ///   - make: Creates a backend, which must have the same evidence each time. The closure is called for each law.
    public init(
        customer: CustomerID, stranger: CustomerID = "nobody-knows-this-customer", updateCount: Int = 0,
        sourceLocation: SourceLocation = #_sourceLocation, make: @escaping @Sendable () async throws -> Backend
    ) {
        self.customer = customer
        self.stranger = stranger
        self.updateCount = updateCount
        self.make = make
        report = ConformanceReport(port: "StoreBackend", location: sourceLocation)
    }

    /// Checks all laws, and records an issue for each violation.
    public func run() async {
        await law("the name stays the same") { backend in
            let name = try await make().name
            report.check(!name.isEmpty && name == backend.name, "the name stays the same")
        }
        await law("a history ends and is the same when it is read again", historyRepeats)
        await law("a history continues after each cursor", historyResumes)
        await law("a customer without evidence has an empty history", strangerHasNothing)
        await law("statuses are signed texts", statusesAreSigned)
        await law("a stream ends when its task is cancelled", streamCancels)
        await law("a stream continues after each cursor", streamResumes)
        await law("each of two streams receives all items", streamsAreApart)
        await law("finishing twice does no harm", finishTwice)
    }

    private func law(_ name: String, _ check: (Backend) async throws -> Void) async {
        do {
            try await check(try await make())
        } catch {
            report.fail(name, "threw \(error)")
        }
    }

    // MARK: Histories

    private func pages(_ backend: Backend, of customer: CustomerID) async throws -> [EvidencePage]? {
        var pages: [EvidencePage] = []
        var cursor: HistoryCursor?
        repeat {
            guard pages.count < Self.maximumPages else { return nil }
            pages.append(try await backend.history(for: customer, after: cursor))
            cursor = pages.last?.next
        } while cursor != nil
        return pages
    }

    private func historyRepeats(_ backend: Backend) async throws {
        let law = "a history ends and is the same when it is read again"
        guard let first = try await pages(backend, of: customer), let second = try await pages(backend, of: customer)
        else { return report.fail(law, "there are more than \(Self.maximumPages) pages") }
        let (items, again) = (first.flatMap(\.items), second.flatMap(\.items))
        report.check(!items.isEmpty, law, "the check needs evidence of the customer")
        report.check(Set(items) == Set(again), law, "the second reading has other items")
    }

    private func historyResumes(_ backend: Backend) async throws {
        guard let pages = try await pages(backend, of: customer) else { return }
        for (index, page) in pages.enumerated() {
            guard let cursor = page.next, index + 1 < pages.count else { continue }
            let next = try await backend.history(for: customer, after: cursor)
            report.check(
                next.items == pages[index + 1].items, "a history continues after each cursor",
                "page \(index + 1) is different when requested again")
        }
    }

    private func strangerHasNothing(_ backend: Backend) async throws {
        let law = "a customer without evidence has an empty history"
        // A backend may throw an error for an unknown customer instead of returning an empty history.
        guard let pages = try? await pages(backend, of: stranger) else { return }
        report.check(pages.allSatisfy(\.items.isEmpty), law, "it has items of another customer")
    }

    private func statusesAreSigned(_ backend: Backend) async throws {
        let statuses = try await backend.subscriptionStatuses(for: customer)
        let texts = statuses.flatMap { [$0.transaction] + ($0.renewalInfo.map { [$0] } ?? []) }
        report.check(
            texts.allSatisfy { CompactJWS($0) != nil }, "statuses are signed texts", "one is not a compact JWS")
    }

    // MARK: Streams

    private func streamCancels(_ backend: Backend) async throws {
        let listener = Task {
            var count = 0
            for await _ in backend.updates(after: nil) { count += 1 }
            return count
        }
        for _ in 0..<100 { await Task.yield() }
        listener.cancel()
        // A stream that does not end blocks the test, so the violation is noticed.
        _ = await listener.value
    }

    private func collect(_ count: Int, of backend: Backend, after cursor: UpdateCursor?) async -> [TransactionUpdate] {
        var taken: [TransactionUpdate] = []
        guard count > 0 else { return [] }
        for await update in backend.updates(after: cursor) {
            taken.append(update)
            if taken.count == count { break }
        }
        return taken
    }

    private func evidence(_ updates: [TransactionUpdate]) -> [String] {
        updates.flatMap { update -> [String] in
            guard case .evidence(let texts) = update.content else { return [] }
            return texts
        }
    }

    private func streamResumes(_ backend: Backend) async throws {
        let all = await collect(updateCount, of: backend, after: nil)
        report.check(all.count == updateCount, "a stream continues after each cursor", "it ended early")
        for (index, update) in all.enumerated() {
            guard let cursor = update.cursor, index + 1 < all.count else { continue }
            let rest = await collect(all.count - index - 1, of: backend, after: cursor)
            report.check(
                Set(evidence(rest)).isSuperset(of: evidence(Array(all[(index + 1)...]))),
                "a stream continues after each cursor", "items after item \(index) are missing")
        }
    }

    private func streamsAreApart(_ backend: Backend) async throws {
        async let first = collect(updateCount, of: backend, after: nil)
        async let second = collect(updateCount, of: backend, after: nil)
        let (left, right) = await (evidence(first), evidence(second))
        report.check(Set(left) == Set(right), "each of two streams receives all items", "they received different items")
    }

    // MARK: Finishing

    private func finishTwice(_ backend: Backend) async throws {
        let texts = try await pages(backend, of: customer)?.flatMap(\.items) ?? []
        guard let transaction = texts.lazy.compactMap(Self.transaction).first else { return }
        let grant = DurableGrant(
            OutboxItem(key: TransactionKey(transaction), customer: customer, state: .delivered))
        try await backend.finish(grant)
        try await backend.finish(grant)
    }

    private static func transaction(_ text: String) -> Transaction? {
        guard let jws = CompactJWS(text), let bytes = Base64URL.decode(jws.payload),
            let document = try? JSONReader().read(bytes), EvidenceKind(payload: document.root) == .transaction
        else { return nil }
        return try? Transaction(payload: document.root, source: .signed(jws))
    }
}
