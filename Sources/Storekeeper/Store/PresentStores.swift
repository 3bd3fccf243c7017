import Synchronization

/// The stores of a pool that are in memory, for who only reads an answer: they wait for nobody who works.
final class PresentStores: Sendable {
    private struct Place {
        let store: Store
        /// Whether it was read since it was last passed over.
        var wasRead = false
    }

    private let places = Mutex<[CustomerID: Place]>([:])

    /// The store of a customer, if it is in memory.
    func read(_ customer: CustomerID) -> Store? {
        places.withLock { places in
            guard let index = places.index(forKey: customer) else { return nil }
            places.values[index].wasRead = true
            return places.values[index].store
        }
    }

    /// A store has come into memory.
    func add(_ store: Store, of customer: CustomerID) { places.withLock { $0[customer] = Place(store: store) } }

    /// Lets go of a store, unless it was read since it was last asked to go.
    func remove(_ customer: CustomerID) -> Bool {
        places.withLock { places in
            if places[customer]?.wasRead == true {
                places[customer]?.wasRead = false
                return false
            }
            places[customer] = nil
            return true
        }
    }
}
