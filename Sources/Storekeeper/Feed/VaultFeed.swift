/// The elements that follow a subscriber's place in a vault's feed, read on demand and page by page; see
/// ``StoreEvents`` and ``StoreUpdates``.
///
/// Each subscriber reads at its own speed and from its own place, including elements that were written before it
/// subscribed. Each subscriber has only one page in memory. A slow subscriber does not delay the others. A subscriber
/// that stores the place of the last processed element, and begins after this place the next time, misses no element
/// and reads no element twice.
///
/// The sequence ends when the task is cancelled. It throws if the vault cannot be read, and with the code `feedReplaced`
/// if the vault's places are assigned again; see ``VaultErrorCode/feedReplaced``.
public struct VaultFeed<Element: Sendable>: AsyncSequence, Sendable {
    /// The error type of the sequence.
    public typealias Failure = any Error
    /// A function that returns a page: at most `limit` elements after a place.
    typealias Read = @Sendable (_ after: FeedPlace, _ limit: Int) async throws -> [Element]

    /// The signal that is sent when the vault changes.
    let signal: ChangeSignal
    /// The place after which to begin.
    let start: FeedPlace
    /// The maximum number of elements in a page.
    let pageSize: Int
    /// Returns the position of an element in the feed.
    let place: @Sendable (Element) -> FeedPlace
    /// The epoch of the feed when the sequence was created.
    package let epoch: String?
    /// Returns the epoch of the pages that were read until now; see ``TransactionalVault/feedEpoch``.
    let currentEpoch: @Sendable () -> String?
    let read: Read

    /// Creates the elements after a place.
    ///
    /// - Parameter currentEpoch: Returns the epoch of the pages that were read until now.
    init(
        signal: ChangeSignal, start: FeedPlace, pageSize: Int,
        currentEpoch: @escaping @Sendable () -> String? = { nil },
        place: @escaping @Sendable (Element) -> FeedPlace, read: @escaping Read
    ) {
        (self.signal, self.start, self.pageSize) = (signal, start, pageSize)
        (self.place, self.currentEpoch, self.read) = (place, currentEpoch, read)
        epoch = currentEpoch()
    }

    /// Returns an iterator that begins after the place with which the sequence was created.
    public func makeAsyncIterator() -> Iterator { Iterator(feed: self, cursor: start) }

    /// The position of one subscriber.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate let feed: VaultFeed
        /// The place of the last element that was read from the vault.
        fileprivate var cursor: FeedPlace
        /// The elements of the page that the iterator has not returned yet, in reverse order.
        fileprivate var page: [Element] = []

        /// Returns the next element; waits if no further element has been written yet.
        ///
        /// - Returns: The element; `nil` if the task is cancelled.
        /// - Throws: ``VaultError`` if the vault cannot be read. The next call tries again from the same place.
        public mutating func next() async throws -> Element? {
            while page.isEmpty {
                if Task.isCancelled { return nil }
                // The signal's count is read before the page, so that a change during the reading of the page is not
                // missed.
                let seen = feed.signal.count
                let found = try await feed.read(cursor, Swift.max(feed.pageSize, 1))
                guard feed.currentEpoch() == feed.epoch else {
                    throw VaultError(
                        .feedReplaced,
                        "another database server has replaced the server, and may lack its last events; read the "
                            + "current answers again")
                }
                page = found.reversed()
                if let last = page.first {
                    cursor = feed.place(last)
                } else {
                    await feed.signal.wait(after: seen)
                }
            }
            return Task.isCancelled ? nil : page.popLast()
        }
    }
}
