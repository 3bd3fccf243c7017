/// The proof that a customer was erased.
public struct Erasure: Hashable, Sendable {
    /// The position of the erasure in the vault's feed.
    package let place: FeedPlace
    /// When the customer was erased, in UTC.
    public let at: Instant
    /// The reason of the erasure.
    public let reason: String
    /// The number of deleted facts.
    public let facts: Int
    /// The number of entries from which the content was removed.
    public let entries: Int
    /// A text that identifies the erased data without revealing the data; the caller should store this text.
    public let proof: String

    /// Creates an erasure.
    package init(place: FeedPlace, at: Instant, reason: String, facts: Int, entries: Int, proof: String) {
        self.place = place
        self.at = at
        self.reason = reason
        self.facts = facts
        self.entries = entries
        self.proof = proof
    }
}

/// The result of a vault's integrity check.
public struct IntegrityReport: Hashable, Sendable {
    /// The number of checked links of the vault's hash chain; 0 for a vault without a hash chain.
    public var links: Int
    /// The hash of the newest link of the vault's hash chain; `nil` for a vault without a hash chain.
    ///
    /// If the head is stored elsewhere, ``Vault/checkIntegrity(containing:)`` can later check with the head that no
    /// links were removed.
    public var head: String?
    /// The differences between the stored rows and the rows that the vault wrote.
    public var faults: [VaultFault]

    /// Creates a report.
    package init(links: Int, head: String? = nil, faults: [VaultFault] = []) {
        self.links = links
        self.head = head
        self.faults = faults
    }
}

/// A difference between a vault's stored rows and the rows that the vault wrote.
public struct VaultFault: Hashable, Sendable {
    /// The kind of the fault.
    public enum Kind: String, Hashable, Sendable {
        /// A signature does not belong to its content, or its certificates are not trusted.
        case signature
        /// A balance is not the sum of its entries.
        case sum
        /// An entry of an account is wrong, for example because no stored fact explains the entry.
        case entry
        /// A fact, a binding, an entry or an erasure was changed, removed or inserted.
        case link
        /// A chain or token has the wrong owner, or its stored data differs from its facts.
        case binding
        /// The storage itself is damaged.
        case storage
    }

    /// The kind of the fault.
    public let kind: Kind
    /// The subject of the fault, for example a transaction, a balance or the place of an entry.
    public let subject: String
    /// A description of the fault.
    public let message: String

    /// Creates a fault.
    package init(_ kind: Kind, _ subject: String, _ message: String) {
        self.kind = kind
        self.subject = subject
        self.message = message
    }
}
