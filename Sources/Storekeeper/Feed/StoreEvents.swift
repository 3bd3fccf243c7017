/// The answers that change, as they are written to the vault, from a place on.
///
/// Several subscribers may listen, each at its own speed from its own place. What was written before the first of
/// them came is there too. Whoever notes the ``StoreEvent/sequence`` of the last event it has dealt with, and begins
/// after it the next time, misses nothing and sees nothing twice.
///
/// Ends when the task is cancelled. Throws where the vault cannot be read.
public struct StoreEvents: AsyncSequence, Sendable {
    /// An answer that changed.
    public typealias Element = StoreEvent
    /// What the vault throws.
    public typealias Failure = any Error

    private let feed: VaultFeed<StoreEvent>

    /// How many events are read at a time.
    static let pageSize = 128

    /// Listens to a vault.
    ///
    /// - Parameters:
    ///   - vault: Where events are written.
    ///   - customer: Whose; `nil` for those of all customers.
    ///   - sequence: The place after which to begin; 0 for the first event there is.
    ///   - signal: Tells that something was written.
    init(
        _ vault: any Vault, of customer: CustomerID?, after sequence: Int64, signal: ChangeSignal,
        pageSize: Int = Self.pageSize
    ) {
        feed = VaultFeed(signal: signal, start: sequence, pageSize: pageSize, sequence: { $0.sequence }) {
            try await vault.events(after: $0, of: customer, limit: $1)
        }
    }

    /// Begins to listen, after the place where the sequence begins.
    public func makeAsyncIterator() -> Iterator { Iterator(reading: feed.makeReading()) }

    /// One subscriber's place.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate var reading: VaultFeed<StoreEvent>.Reading

        /// The next event; waits where there is none yet.
        ///
        /// - Returns: `nil` when the task is cancelled.
        /// - Throws: ``VaultError`` where the vault cannot be read. Asking again tries again from the same place.
        public mutating func next() async throws -> StoreEvent? { try await reading.next() }
    }
}
