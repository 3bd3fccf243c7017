/// The rows that a step asks for, as far as it is known.
package struct Footprint: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// The questions, in no order.
    package private(set) var keys: Set<RowKey>
    /// A list that is read as well, outside of any step.
    package private(set) var list: VaultList?

    /// Makes a footprint of questions.
    package init(_ keys: some Sequence<RowKey> = []) { self.keys = Set(keys) }

    /// Makes a footprint of questions.
    package init(arrayLiteral elements: RowKey...) { keys = Set(elements) }

    /// Makes a footprint of a list.
    package init(list: VaultList) { (keys, self.list) = ([], list) }

    /// Whether nothing is asked for.
    package var isEmpty: Bool { keys.isEmpty && list == nil }

    /// The customers about whom something may be written, in order of id: whom a storage locks, always in this order.
    package var customers: [CustomerID] {
        keys.compactMap { key in if case .customer(let customer) = key { customer } else { nil } }
            .sorted()
    }

    /// The first of ``customers``; mostly the only one.
    package var anyCustomer: CustomerID? {
        var first: CustomerID?
        for case .customer(let customer) in keys {
            if let known = first, known < customer { continue }
            first = customer
        }
        return first
    }

    /// Whether a question is among them.
    package func contains(_ key: RowKey) -> Bool { keys.contains(key) }

    /// Adds a question.
    package mutating func insert(_ key: RowKey) { keys.insert(key) }

    /// Adds questions.
    package mutating func formUnion(_ other: Footprint) {
        keys.formUnion(other.keys)
    }

    /// Makes room for so many questions.
    package mutating func reserveCapacity(_ count: Int) { keys.reserveCapacity(count) }
}
