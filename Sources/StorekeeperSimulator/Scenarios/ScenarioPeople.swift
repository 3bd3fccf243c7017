package import Storekeeper

/// The people that steps may name, in order of appearance.
///
/// Lookup takes constant time.
package struct ScenarioPeople: Sendable {
    /// Their names.
    package private(set) var names: [CustomerID] = []
    private var known: Set<CustomerID> = []

    /// Creates a list of people without duplicates.
    package init(_ names: some Sequence<CustomerID>) { add(names) }

    /// The number of people.
    package var count: Int { names.count }

    /// The only person; `nil` if there are none, or several.
    var only: CustomerID? { names.count == 1 ? names.first : nil }

    /// Returns whether a person is in the list.
    func contains(_ name: CustomerID) -> Bool { known.contains(name) }

    /// Adds the people that are not in the list.
    package mutating func add(_ newcomers: some Sequence<CustomerID>) {
        for name in newcomers where known.insert(name).inserted { names.append(name) }
    }
}
