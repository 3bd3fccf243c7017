import Storekeeper

/// How far a chain of hashes has come.
struct LinkCourse: Hashable, Sendable {
    /// The course of nothing.
    static let none = LinkCourse(count: 0, head: [UInt8](repeating: 0, count: 32))

    /// How many links there are.
    var count: Int64
    /// The hash of the last one.
    var head: [UInt8]
}

/// What has a chain of its own: customers, and purchases for their renewal infos.
struct Homes {
    /// Customers who have a row.
    var customers: [CustomerID: CustomerHome] = [:]
    /// Purchases that have a row, by their keys.
    var purchases: [[UInt8]: LinkCourse] = [:]
    /// The last place of all that these have.
    var lastPlace: Int64 = 0

    mutating func merge(_ other: Homes) {
        customers.merge(other.customers) { _, new in new }
        purchases.merge(other.purchases) { _, new in new }
        lastPlace = max(lastPlace, other.lastPlace)
    }
}

/// What is noted of a customer for the sake of their chain.
struct CustomerHome {
    /// What keeps their rows from being guessed by their hashes; it goes with the customer.
    let salt: [UInt8]
    var course: LinkCourse
}

/// What is noted of a chain or token, as far as a step relies on it.
struct SubjectRow: Hashable, Sendable {
    /// Counts what happened to it; 0 where there is no row.
    var stamp: Int64 = 0
    /// Whose it is.
    var holder: CustomerID?
}
