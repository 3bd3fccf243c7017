package import FoundationEssentials

/// Returns the newest token of the facts of a chain.
package struct NewestToken: Hashable, Sendable {
    /// The token.
    package let token: UUID
    /// When the copy that carries it was signed, in UTC.
    package let signedAt: Instant

    /// Makes a token of a chain.
    package init(token: UUID, signedAt: Instant) {
        self.token = token
        self.signedAt = signedAt
    }
}

/// What a transaction was owed.
package struct DeliveryRow: Hashable, Sendable {
    /// The transaction.
    package let key: TransactionKey
    /// Whose it is.
    package let customer: CustomerID
    /// How far it has come; `nil` where it is done with.
    package var state: OutboxItem.State?

    /// Makes a row.
    package init(key: TransactionKey, customer: CustomerID, state: OutboxItem.State?) {
        self.key = key
        self.customer = customer
        self.state = state
    }
}

/// What an erasure has taken out, before the storage has made its proof.
package struct ErasureDraft: Hashable, Sendable {
    /// Where it stands; see ``MemoryTables/firstPlace``.
    package let place: Int64
    /// Who was erased.
    package let customer: CustomerID
    /// When, in UTC.
    package let at: Instant
    /// Why.
    package let reason: String
    /// The number of deleted facts.
    package let facts: Int
    /// How many entries are to be emptied.
    package let entries: Int
}
