import Synchronization

/// The stores of a pool in memory, for readers of answers: reading never waits for work on a store.
final class ResidentStores: Sendable {
    private struct Place {
        let store: Store
        /// Whether it was read since it was last considered for removal.
        var wasRead = false
    }

    private let places = Mutex<[CustomerID: Place]>([:])

    /// Returns the store of a customer, if it is in memory.
    func read(_ customer: CustomerID) -> Store? {
        places.withLock { places in
            guard let index = places.index(forKey: customer) else { return nil }
            places.values[index].wasRead = true
            return places.values[index].store
        }
    }

    /// Adds a store.
    func add(_ store: Store, of customer: CustomerID) { places.withLock { $0[customer] = Place(store: store) } }

    /// Removes a store, unless it was read since the last call.
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
