import FoundationEssentials

/// The rows of ``MemoryTables``, with their indexes.
///
/// The rows of long lists are stored by their place in the vault's feed; indexes refer to a row by its place.
struct MemoryRows: Sendable {
    /// A customer with the customer's next wake-up time.
    struct Wake: Comparable, Sendable {
        let at: Instant
        let customer: CustomerID

        static func < (left: Wake, right: Wake) -> Bool { (left.at, left.customer) < (right.at, right.customer) }
    }

    /// A step with the instant when it was written.
    struct WrittenStep: Comparable, Sendable {
        let at: Instant
        let id: StepID

        static func < (left: WrittenStep, right: WrittenStep) -> Bool {
            (left.at, left.id.halves.high, left.id.halves.low) < (right.at, right.id.halves.high, right.id.halves.low)
        }
    }

    /// A fact with the instant when it was learned.
    struct Fact: Sendable {
        let sequence: Int64
        let learnedAt: Instant
        let fact: VerifiedFact
    }

    /// Sorted lists of the places of rows, by the key with which the rows are looked up.
    typealias PlaceLists<Key: Hashable & Sendable> = SortedLists<Key, Int64>

    /// The rows that are described by a ``TableShape``, by the number of the table.
    var tables = allTables.map { MemoryTable($0) }

    var customers: [CustomerID: CustomerRow] = [:]
    /// A number greater than each version that an erased customer has had.
    var versionFloor: Int64 = 0
    var names = SortedElements<CustomerID>()
    var wakes = SortedElements<Wake>()
    var leases: [CustomerID: HeldWakeLease] = [:]
    /// The last entries of accounts; in a remote vault, those of the loaded customers.
    var accountEnds: [CustomerID: AccountEnd] = [:]

    var bindings: [Int64: Binding] = [:]
    var holders: [BindingSubject: Int64] = [:]
    var customerBindings = PlaceLists<CustomerID>()
    var attempts: [BindingSubject: Int] = [:]
    /// Chains whose rows a step of a remote vault has removed; empty in a local vault.
    var forgottenChains: [ChainID: Bool] = [:]

    var facts: [Int64: Fact] = [:]
    var factOrder = SortedElements<Int64>()
    var factPlaces: [PayloadKey: Int64] = [:]
    var chainFacts = PlaceLists<ChainID>()
    var renewalFacts = PlaceLists<RenewalInfoKey>()
    var copies = PlaceLists<TransactionKey>()
    var tokens: [ChainID: (token: UUID, signedAt: Instant)] = [:]

    var park: [Int64: ParkedFact] = [:]
    var parkOrder = SortedElements<Int64>()
    var parkPlaces: [PayloadKey: Int64] = [:]
    var parkedChains = PlaceLists<ChainID>()
    var parkedRenewals = PlaceLists<RenewalInfoKey>()
    var parkedTokens = PlaceLists<UUID>()
    /// The parked transactions of chains that replace a chain; see ``VerifiedFact/predecessor``.
    var parkedSuccessors = PlaceLists<ChainID>()

    var deliveries: [Int64: DeliveryRow] = [:]
    var deliveryPlaces: [TransactionKey: Int64] = [:]
    var customerDeliveries = PlaceLists<CustomerID>()
    var steps: [StepID: Instant] = [:]
    var stepsByAge = SortedElements<WrittenStep>()
    var erasures: [CustomerID: [Erasure]] = [:]
    var marks: [ErasedMark: Bool] = [:]
    var hashedMarks: [[UInt8]: Set<[UInt8]>] = [:]
}

extension Dictionary where Key == Int64 {
    /// Returns the rows at given places, in the order of the places.
    func rows(at places: some Sequence<Int64>) -> [Value] { places.compactMap { self[$0] } }
}

extension VaultPage {
    /// Creates a page of the rows at given places.
    ///
    /// - Parameter places: The places of at most `limit` rows, in order.
    init(_ rows: [Int64: Row], at places: [Int64], limit: Int) {
        self.init(rows.rows(at: places), next: places.count < limit ? nil : places.last.map { FeedPlace($0) })
    }
}
