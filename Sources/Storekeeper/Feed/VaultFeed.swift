/// Reads on in a vault from one subscriber's own place, a page at a time and only when asked: see ``StoreEvents`` and
/// ``StoreUpdates``.
///
/// Several subscribers may listen, each at its own speed from its own place. What was written before the first of
/// them came is there too. What a subscriber has not asked for stays in the vault: a slow one holds one page and keeps
/// nobody waiting. Whoever notes the place of the last element it has dealt with, and begins after it the next time,
/// misses nothing and sees nothing twice.
///
/// Ends when the task is cancelled. Throws where the vault cannot be read.
public struct VaultFeed<Element: Sendable>: AsyncSequence, Sendable {
    /// What the vault throws.
    public typealias Failure = any Error
    /// Reads a page: what stands after a place, at most so many.
    typealias Read = @Sendable (_ after: FeedPlace, _ limit: Int) async throws -> [Element]

    /// Tells that something was written.
    let signal: ChangeSignal
    /// The place after which to begin.
    let start: FeedPlace
    /// How many elements a page has at most.
    let pageSize: Int
    /// Where an element stands.
    let place: @Sendable (Element) -> FeedPlace
    let read: Read

    /// Begins to listen, after the place where the sequence begins.
    public func makeAsyncIterator() -> Iterator { Iterator(feed: self, cursor: start) }

    /// One subscriber's place.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate let feed: VaultFeed
        /// The place of the last element that was read from the vault.
        fileprivate var cursor: FeedPlace
        /// The rest of the page, the next element last.
        fileprivate var page: [Element] = []

        /// The next element; waits where there is none yet.
        ///
        /// - Returns: `nil` when the task is cancelled.
        /// - Throws: ``VaultError`` where the vault cannot be read. Asking again tries again from the
        ///   same place.
        public mutating func next() async throws -> Element? {
            while page.isEmpty {
                if Task.isCancelled { return nil }
                // Counted before reading, so that what comes while the vault is read is not slept over.
                let seen = feed.signal.count
                page = try await feed.read(cursor, Swift.max(feed.pageSize, 1)).reversed()
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
