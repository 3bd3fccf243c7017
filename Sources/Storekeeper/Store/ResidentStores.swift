import Synchronization

/// The stores of a pool that are in memory.
///
/// No method waits for the pool or for work on a store, so that the deinitializer of a lease can call ``release(_:)``.
final class ResidentStores: Sendable {
    fileprivate struct Entry {
        let store: Store
        var leases = 0
        /// Whether the store was used since it was last considered for removal.
        var wasUsed = false
        /// Whether the store's customer is in the queue.
        var isQueued = false
    }

    fileprivate struct Entries {
        var byCustomer: [CustomerID: Entry] = [:]
        /// The customers in the order in which their stores are considered for removal, from the index ``next`` on.
        ///
        /// The queue contains every customer whose store has no lease, and some customers whose store has a lease.
        var queue: [CustomerID] = []
        var next = 0
        /// The number of stores without a lease.
        var idle = 0
    }

    private let entries = Mutex(Entries())
    private let capacity: Int

    /// - Parameter capacity: The maximum number of stores without a lease.
    init(capacity: Int) { self.capacity = capacity }

    /// The stores, in no particular order.
    var all: [Store] { entries.withLock { $0.byCustomer.values.map(\.store) } }

    var count: Int { entries.withLock { $0.byCustomer.count } }

    /// Returns the store of a customer, if it is in memory.
    func read(_ customer: CustomerID) -> Store? { entries.withLock { $0.use(customer, isLease: false) } }

    /// Leases the store of a customer, if it is in memory.
    func lease(_ customer: CustomerID) -> StorePool.Lease? {
        guard let store = entries.withLock({ $0.use(customer, isLease: true) }) else { return nil }
        return StorePool.Lease(of: store, among: self)
    }

    /// Adds and leases a store, whose customer must not have a store in memory yet.
    func add(_ store: Store) -> StorePool.Lease {
        entries.withLock { $0.byCustomer[store.customer] = Entry(store: store, leases: 1) }
        return StorePool.Lease(of: store, among: self)
    }

    /// Ends a lease; called only by the lease's deinitializer.
    func release(_ customer: CustomerID) {
        // The removed stores are deallocated outside of the lock.
        _ = entries.withLock { $0.release(customer, capacity: capacity) }
    }
}

extension ResidentStores.Entries {
    mutating func use(_ customer: CustomerID, isLease: Bool) -> Store? {
        guard let index = byCustomer.index(forKey: customer) else { return nil }
        byCustomer.values[index].wasUsed = true
        if isLease {
            if byCustomer.values[index].leases == 0 { idle -= 1 }
            byCustomer.values[index].leases += 1
        }
        return byCustomer.values[index].store
    }

    /// Ends a lease, and removes stores without a lease as long as their number exceeds the capacity.
    ///
    /// - Returns: The removed stores.
    mutating func release(_ customer: CustomerID, capacity: Int) -> [Store] {
        guard let index = byCustomer.index(forKey: customer) else { return [] }
        byCustomer.values[index].leases -= 1
        if byCustomer.values[index].leases == 0 {
            idle += 1
            if !byCustomer.values[index].isQueued { queue.append(customer) }
            byCustomer.values[index].isQueued = true
        }
        var removed: [Store] = []
        while idle > capacity, next < queue.count {
            let customer = queue[next]
            next += 1
            guard let index = byCustomer.index(forKey: customer) else { continue }
            if byCustomer.values[index].leases > 0 {
                // The customer is queued again when the store's last lease ends.
                byCustomer.values[index].isQueued = false
            } else if byCustomer.values[index].wasUsed {
                byCustomer.values[index].wasUsed = false
                queue.append(customer)
            } else {
                removed.append(byCustomer.remove(at: index).value.store)
                idle -= 1
            }
        }
        if next >= 64, next * 2 >= queue.count {
            queue.removeFirst(next)
            next = 0
        }
        return removed
    }
}
