import Storekeeper

/// The end of a chain of hashes.
struct ChainHead: Hashable, Sendable {
    /// The head of an empty chain.
    static let none = ChainHead(count: 0, hash: [UInt8](repeating: 0, count: 32))

    /// How many links there are.
    var count: Int64
    /// The hash of the last one.
    var hash: [UInt8]
}

/// The ends of the chains that a step extends: those of customers, and of purchases for their renewal infos.
struct ChainHeads {
    /// Customers who have a row.
    var customers: [CustomerID: CustomerChainHead] = [:]
    /// Purchases that have a row, by their keys.
    var purchases: [[UInt8]: ChainHead] = [:]
    /// The last place of all that these have.
    var lastPlace: Int64 = 0

    mutating func merge(_ other: ChainHeads) {
        customers.merge(other.customers) { _, new in new }
        purchases.merge(other.purchases) { _, new in new }
        lastPlace = max(lastPlace, other.lastPlace)
    }
}

/// What is noted of a customer for the sake of their chain.
struct CustomerChainHead {
    /// What keeps their rows from being guessed by their hashes; it goes with the customer.
    let salt: [UInt8]
    var chainHead: ChainHead
}

/// What is noted of a chain or token, as far as a step relies on it.
struct SubjectRow: Hashable, Sendable {
    /// Counts what happened to it; 0 where there is no row.
    var stamp: Int64 = 0
    /// Whose it is.
    var holder: CustomerID?
}
