/// A transaction or renewal info that a store has learned.
public struct StoreUpdate: Sendable {
    /// Where it stands in the vault, counting upwards from 1; gaps say nothing.
    ///
    /// A cursor for whoever reads on.
    public let sequence: Int64
    /// Whose it is; `nil` while its chain is nobody's.
    public let customer: CustomerID?
    /// When the store learned it, in UTC.
    public let learnedAt: Instant
    /// What was learned; verified, or the vault would not have it.
    public let content: VerifiedFact.Content

    init(_ stored: StoredFact) {
        sequence = stored.sequence
        customer = stored.customer
        learnedAt = stored.learnedAt
        content = stored.fact.content
    }

    /// The transaction; `nil` for a renewal info.
    public var transaction: Transaction? {
        if case .transaction(let transaction) = content { transaction } else { nil }
    }

    /// The renewal info; `nil` for a transaction.
    public var renewalInfo: RenewalInfo? {
        if case .renewalInfo(let info) = content { info } else { nil }
    }

    /// The transaction as StoreKit's `Transaction.updates` hands it over; `nil` for a renewal info.
    public var verificationResult: VerificationResult<Transaction>? { transaction.map(VerificationResult.verified) }
}

/// The transactions and renewal infos that a store learns, as they are written to the vault, from a place on.
///
/// What StoreKit 2 has as `Transaction.updates` and `Status.updates`, in one sequence and with a place to go on from:
/// see ``StoreEvents``. A newer copy of a transaction is an update of its own.
///
/// Ends when the task is cancelled. Throws where the vault cannot be read.
public struct StoreUpdates: AsyncSequence, Sendable {
    /// Something that was learned.
    public typealias Element = StoreUpdate
    /// What the vault throws.
    public typealias Failure = any Error

    private let feed: VaultFeed<StoreUpdate>

    /// How many facts are read at a time; each has its signed text.
    static let pageSize = 64

    /// Listens to a vault.
    ///
    /// - Parameters:
    ///   - vault: Where facts are written.
    ///   - customer: Whose; `nil` for those of all customers.
    ///   - sequence: The place after which to begin; 0 for the first fact there is.
    ///   - signal: Tells that something was written.
    init(
        _ vault: any Vault, of customer: CustomerID?, after sequence: Int64, signal: ChangeSignal,
        pageSize: Int = Self.pageSize
    ) {
        feed = VaultFeed(signal: signal, start: sequence, pageSize: pageSize, sequence: { $0.sequence }) {
            try await vault.facts(after: $0, of: customer, limit: $1).map(StoreUpdate.init)
        }
    }

    /// Begins to listen, after the place where the sequence begins.
    public func makeAsyncIterator() -> Iterator { Iterator(reading: feed.makeReading()) }

    /// One subscriber's place.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate var reading: VaultFeed<StoreUpdate>.Reading

        /// The next update; waits where there is none yet.
        ///
        /// - Returns: `nil` when the task is cancelled.
        /// - Throws: ``VaultError`` where the vault cannot be read. Asking again tries again from the same place.
        public mutating func next() async throws -> StoreUpdate? { try await reading.next() }
    }
}
