package import FoundationEssentials

/// The newest account token of a chain's facts.
package struct NewestToken: Hashable, Sendable {
    /// The token.
    package let token: UUID
    /// The signing date of the transaction that contains the token, in UTC.
    package let signedAt: Instant

    /// Creates the newest token of a chain.
    package init(token: UUID, signedAt: Instant) {
        self.token = token
        self.signedAt = signedAt
    }

    /// Returns whether the token supersedes another token of its chain.
    package func supersedes(_ other: NewestToken) -> Bool {
        CopyOrder.supersedes((token, signedAt), (other.token, other.signedAt))
    }
}

/// The delivery state of a transaction.
package struct DeliveryRow: Hashable, Sendable {
    /// The transaction.
    package let key: TransactionKey
    /// The customer who owns the transaction.
    package let customer: CustomerID
    /// The state; `nil` once the transaction is finished.
    package var state: OutboxItem.State?

    /// Creates a row.
    package init(key: TransactionKey, customer: CustomerID, state: OutboxItem.State?) {
        self.key = key
        self.customer = customer
        self.state = state
    }
}

/// The record of an erasure without the proof, which the storage creates later.
package struct ErasureDraft: Hashable, Sendable {
    /// The provisional position of the erasure in the feed; see ``MemoryTables/firstPlace``.
    package let place: Int64
    /// The erased customer.
    package let customer: CustomerID
    /// The instant of the erasure, in UTC.
    package let at: Instant
    /// The reason of the erasure.
    package let reason: String
    /// The number of deleted facts.
    package let facts: Int
    /// The number of entries from which the content is removed.
    package let entries: Int
}
