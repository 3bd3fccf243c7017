import Storekeeper

/// The object of an `sk_customer`: a customer whose store stays in memory.
final class CustomerObject: HandleObject {
    static let kind = HandleKind.customer

    let pool: PoolObject
    let store: Store
    private let lease: StorePool.Lease

    init(_ lease: consuming StorePool.Lease, in pool: PoolObject) {
        self.pool = pool
        store = lease.store
        self.lease = lease
    }
}

/// The object of an `sk_snapshot`.
final class SnapshotObject: HandleObject {
    static let kind = HandleKind.snapshot

    let snapshot: StoreSnapshot
    let names: CatalogNames
    let clock: any StoreClock

    init(_ snapshot: StoreSnapshot, names: CatalogNames, clock: any StoreClock) {
        (self.snapshot, self.names, self.clock) = (snapshot, names, clock)
    }
}
