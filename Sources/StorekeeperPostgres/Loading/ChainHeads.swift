import Storekeeper

/// The end of a chain of hashes.
struct ChainHead: Hashable, Sendable {
    /// The head of an empty chain.
    static let none = ChainHead(count: 0, hash: [UInt8](repeating: 0, count: 32))

    /// The number of links.
    var count: Int64
    /// The hash of the last link.
    var hash: [UInt8]
}

/// The ends of the chains that a step extends: those of customers, and of purchases for their renewal infos.
struct ChainHeads {
    /// The customers with a row.
    var customers: [CustomerID: CustomerChainHead] = [:]
    /// The purchases with a row, by key.
    var purchases: [[UInt8]: ChainHead] = [:]
    /// The last place of their rows.
    var lastPlace: Int64 = 0

    mutating func merge(_ other: ChainHeads) {
        customers.merge(other.customers) { _, new in new }
        purchases.merge(other.purchases) { _, new in new }
        lastPlace = max(lastPlace, other.lastPlace)
    }
}

/// The salt and chain of a customer.
struct CustomerChainHead {
    /// The salt that prevents guessing rows from their hashes; it is deleted with the customer.
    let salt: [UInt8]
    var chainHead: ChainHead
}

/// The row of a chain or token, as far as a step relies on it.
struct SubjectRow: Hashable, Sendable {
    /// The number of changes of the row; 0 if there is no row.
    var stamp: Int64 = 0
    /// Whose it is.
    var holder: CustomerID?
}
