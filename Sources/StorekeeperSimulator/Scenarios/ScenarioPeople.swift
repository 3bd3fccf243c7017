package import Storekeeper

/// The people whom steps may name, in the order in which they came.
///
/// Finding one takes the same time however many there are.
package struct ScenarioPeople: Sendable {
    /// Their names.
    package private(set) var names: [CustomerID] = []
    private var known: Set<CustomerID> = []

    /// Makes a list of people; whoever stands in it twice counts once.
    package init(_ names: some Sequence<CustomerID>) { add(names) }

    /// How many there are.
    package var count: Int { names.count }

    /// The only one; `nil` if there are none, or several.
    var only: CustomerID? { names.count == 1 ? names.first : nil }

    /// Whether somebody is among them.
    func contains(_ name: CustomerID) -> Bool { known.contains(name) }

    /// Adds whoever is not among them.
    package mutating func add(_ newcomers: some Sequence<CustomerID>) {
        for name in newcomers where known.insert(name).inserted { names.append(name) }
    }
}
