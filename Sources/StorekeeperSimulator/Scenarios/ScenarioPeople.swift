package import Storekeeper

/// The people that steps may name, in order of appearance.
///
/// Lookup takes constant time.
package struct ScenarioPeople: Sendable {
    /// The store whose accounts come first in the list; `nil` if the list has only added names.
    private let store: SimulatedAppStore?
    private var added: [CustomerID] = []
    private var known: Set<CustomerID> = []

    /// Creates a list of people without duplicates.
    package init(_ names: some Sequence<CustomerID>) {
        store = nil
        add(names)
    }

    /// Creates a list that begins with the accounts of a store, without copying the accounts.
    package init(of store: SimulatedAppStore) { self.store = store }

    /// The number of people.
    var count: Int { (store?.accountCount ?? 0) + added.count }

    /// The person, if the list has exactly one; `nil` otherwise.
    var only: CustomerID? { count == 1 ? first(1).first : nil }

    /// Returns the names at the beginning of the list, at most `limit`.
    func first(_ limit: Int) -> [CustomerID] {
        let names = store?.accountSummaries(first: limit).map(\.name) ?? []
        return names + added.prefix(max(0, limit - names.count))
    }

    /// Returns whether a person is in the list.
    func contains(_ name: CustomerID) -> Bool {
        known.contains(name) || store?.read { $0.accountPlaces[name] != nil } ?? false
    }

    /// Adds the people who are not in the list yet.
    mutating func add(_ newcomers: some Sequence<CustomerID>) {
        for name in newcomers where !contains(name) {
            known.insert(name)
            added.append(name)
        }
    }
}
