/// The rows that a step is expected to read.
package struct Footprint: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// The keys of the rows, in no particular order.
    package private(set) var keys: Set<RowKey>
    /// A list, such as a page of events, that is read in addition to the rows, outside of any step.
    package private(set) var list: VaultList?

    /// Creates a footprint from row keys.
    package init(_ keys: some Sequence<RowKey> = []) { self.keys = Set(keys) }

    /// Creates a footprint from row keys.
    package init(arrayLiteral elements: RowKey...) { keys = Set(elements) }

    /// Creates a footprint with a list.
    package init(list: VaultList) { (keys, self.list) = ([], list) }

    /// Whether the footprint contains neither keys nor a list.
    package var isEmpty: Bool { keys.isEmpty && list == nil }

    /// The customers that the step may write about, sorted by id, which is the order in which a storage locks
    /// customers.
    package var customers: [CustomerID] {
        keys.compactMap { key in if case .customer(let customer) = key { customer } else { nil } }
            .sorted()
    }

    /// The first of ``customers``; usually there is only one customer.
    package var anyCustomer: CustomerID? {
        var first: CustomerID?
        for case .customer(let customer) in keys {
            if let known = first, known < customer { continue }
            first = customer
        }
        return first
    }

    /// Whether the step is about so many customers that they should not wait if one of them is locked.
    var isAboutMany: Bool {
        var count = 0
        for case .customer in keys { count += 1 }
        return count > 16
    }

    /// Returns whether the footprint contains a key.
    package func contains(_ key: RowKey) -> Bool { keys.contains(key) }

    /// Whether the footprint contains the copies of a transaction.
    var hasCopies: Bool { keys.contains { if case .copies = $0 { true } else { false } } }

    /// Adds a key.
    package mutating func insert(_ key: RowKey) { keys.insert(key) }

    /// Adds the keys of another footprint.
    package mutating func formUnion(_ other: Footprint) {
        keys.formUnion(other.keys)
    }

    /// Reserves capacity for a number of keys.
    package mutating func reserveCapacity(_ count: Int) { keys.reserveCapacity(count) }
}
