/// Reads a customer's whole history and all subscription statuses from a backend, in parts.
struct HistoryReading: Sendable {
    /// The evidence that was read since the last call of ``removePresented()``.
    private(set) var presented = VerificationBatch()
    /// Whether the whole history and all statuses were read.
    private(set) var isDone = false

    private let customer: CustomerID
    private let backend: any StoreBackend
    private let parts: StoreDependencies
    private var cursor: HistoryCursor?
    private var pages = 0

    init(of customer: CustomerID, from backend: any StoreBackend, with parts: StoreDependencies) {
        self.customer = customer
        self.backend = backend
        self.parts = parts
    }

    /// Removes and returns the evidence in ``presented``.
    mutating func removePresented() -> VerificationBatch {
        defer { presented = VerificationBatch() }
        return presented
    }

    /// Reads the rest of the history and the statuses, but stops when the evidence suffices for one write.
    ///
    /// A long history is therefore never in memory as a whole.
    ///
    /// - Throws: The backend's error; ``StoreError`` with `endlessHistory` or `deadlineExceeded`.
    mutating func readToEnd() async throws {
        let (configuration, customer, backend) = (parts.configuration, customer, backend)
        repeat {
            let after = cursor
            let page = try await parts.clock.within(configuration.callDeadline) {
                try await backend.history(for: customer, after: after)
            }
            presented.add(await VerificationBatch.verifying(page.items, by: parts.verifier))
            pages += 1
            guard page.next == nil || page.next != after && pages < configuration.maximumPages else {
                throw StoreError(.endlessHistory, "the history has not ended after \(pages) pages")
            }
            cursor = page.next
            if presented.facts.count >= configuration.batchSize, cursor != nil { return }
        } while cursor != nil
        let statuses = try await parts.clock.within(configuration.callDeadline) {
            try await backend.subscriptionStatuses(for: customer)
        }
        let texts = statuses.flatMap { [$0.transaction] + [$0.renewalInfo].compactMap { $0 } }
        presented.add(await VerificationBatch.verifying(texts, by: parts.verifier))
        isDone = true
    }
}
