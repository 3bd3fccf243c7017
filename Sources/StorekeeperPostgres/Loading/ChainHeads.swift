import Storekeeper

/// The end of a hash chain: the number of its links and the hash of its last link.
struct ChainHead: Hashable, Sendable {
    /// The end of an empty hash chain.
    static let none = ChainHead(count: 0, hash: [UInt8](repeating: 0, count: 32))

    /// The number of links in the hash chain.
    var count: Int64
    /// The hash of the last link.
    var hash: [UInt8]
}

/// The ends of the hash chains that a step extends.
///
/// Each customer has a hash chain, and each purchase has a hash chain of its facts other than transactions.
struct ChainHeads {
    /// The salts and the ends of the hash chains, by customer; a customer without a row is omitted.
    var customers: [CustomerID: CustomerChainHead] = [:]
    /// The ends of the hash chains, by the key of the purchase's row; a purchase without a row is omitted.
    var purchases: [[UInt8]: ChainHead] = [:]
    /// The greatest place in the feed of any row about these customers and purchases.
    var lastPlace: Int64 = 0

    mutating func merge(_ other: ChainHeads) {
        customers.merge(other.customers) { _, new in new }
        purchases.merge(other.purchases) { _, new in new }
        lastPlace = max(lastPlace, other.lastPlace)
    }
}

/// The salt and the end of the hash chain of a customer.
struct CustomerChainHead {
    /// The salt, without which the content of a row could be guessed from its hash.
    ///
    /// The salt is deleted with the customer.
    let salt: [UInt8]
    var chainHead: ChainHead
}

/// Values in the row of a chain or token; if any of these values changes after a step has read it, the step cannot be
/// written.
struct SubjectRow: Hashable, Sendable {
    /// A number that each change of the row increments; 0 if no row exists.
    var stamp: Int64 = 0
    /// The owner of the chain or token; `nil` if it has no owner.
    var holder: CustomerID?
}
