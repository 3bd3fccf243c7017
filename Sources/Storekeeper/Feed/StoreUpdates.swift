/// A transaction or renewal info that a store has learned.
public struct StoreUpdate: Sendable {
    /// Where it stands in the vault's feed.
    ///
    /// To be kept by whoever reads on.
    public let place: FeedPlace
    /// Whose it is; `nil` while its chain is nobody's.
    public let customer: CustomerID?
    /// When the store learned it, in UTC.
    public let learnedAt: Instant
    /// What was learned; verified, or the vault would not have it.
    package let content: VerifiedFact.Content

    init(_ stored: StoredFact) {
        place = stored.place
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
    package var verificationResult: VerificationResult<Transaction>? { transaction.map(VerificationResult.verified) }
}

/// The transactions and renewal infos that a store learns, as they are written to the vault, from a place on.
///
/// What StoreKit 2 has as `Transaction.updates` and `Status.updates`, in one sequence and with a place to go on from:
/// a subscriber notes the ``StoreUpdate/place`` of the last update it has dealt with, and begins after it the next
/// time. A newer copy of a transaction is an update of its own.
public typealias StoreUpdates = VaultFeed<StoreUpdate>

extension VaultFeed<StoreUpdate> {
    /// Listens to a vault.
    ///
    /// - Parameters:
    ///   - vault: Where facts are written.
    ///   - customer: Whose; `nil` for those of all customers.
    ///   - place: After which to begin; ``FeedPlace/start`` for the first fact there is.
    ///   - signal: Tells that something was written.
    ///   - pageSize: How many facts are read at a time; each has its signed text.
    init(
        _ vault: any Vault, of customer: CustomerID?, after place: FeedPlace, signal: ChangeSignal, pageSize: Int = 64
    ) {
        self.init(signal: signal, start: place, pageSize: pageSize, place: { $0.place }) {
            try await vault.facts(after: $0, of: customer, limit: $1).map(StoreUpdate.init)
        }
    }
}
