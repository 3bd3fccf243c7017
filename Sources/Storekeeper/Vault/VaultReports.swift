/// The proof that a customer was forgotten.
public struct Erasure: Hashable, Sendable {
    /// Where it stands in the vault's feed.
    package let place: FeedPlace
    /// When it was done, in UTC.
    public let at: Instant
    /// Why.
    public let reason: String
    /// How many facts were taken out.
    public let facts: Int
    /// How many entries were emptied.
    public let entries: Int
    /// A text that names what was erased without telling it, to be kept by whoever asked for the erasure.
    public let proof: String

    /// Makes an erasure.
    package init(place: FeedPlace, at: Instant, reason: String, facts: Int, entries: Int, proof: String) {
        self.place = place
        self.at = at
        self.reason = reason
        self.facts = facts
        self.entries = entries
        self.proof = proof
    }
}

/// What a vault found when it checked itself.
public struct IntegrityReport: Hashable, Sendable {
    /// How many links of the vault's chain were checked; 0 for a vault that keeps none.
    public var links: Int
    /// What names the newest link; `nil` for a vault that keeps no chain.
    ///
    /// Kept elsewhere it proves later, by ``Vault/checkIntegrity(containing:)``, that nothing was cut off.
    public var head: String?
    /// What is not as it was written.
    public var faults: [VaultFault]

    /// Makes a report.
    package init(links: Int, head: String? = nil, faults: [VaultFault] = []) {
        self.links = links
        self.head = head
        self.faults = faults
    }
}

/// Something in a vault that is not as it was written.
public struct VaultFault: Hashable, Sendable {
    /// What sort of fault it is.
    public enum Kind: String, Hashable, Sendable {
        /// A signature does not belong to its content, or its certificates are not trusted.
        case signature
        /// A balance is not the sum of its entries.
        case sum
        /// An entry does not follow from the facts.
        case entry
        /// A fact, a binding, an entry or an erasure was changed, removed or put in.
        case link
        /// A chain or token is not where it should be.
        case binding
        /// The storage itself is damaged.
        case storage
    }

    /// What sort of fault it is.
    public let kind: Kind
    /// What it is about: a transaction, a balance, the place of an entry.
    public let subject: String
    /// What is wrong.
    public let message: String

    /// Makes a fault.
    package init(_ kind: Kind, _ subject: String, _ message: String) {
        self.kind = kind
        self.subject = subject
        self.message = message
    }
}
