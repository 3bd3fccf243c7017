public import FoundationEssentials
public import Storekeeper
import Synchronization

/// A simulated App Store as an engine meets it: signed texts, and nothing else.
///
/// What is signed is what the store knew when it happened, also when it comes late. Under ``NetworkConditions`` it
/// comes late, twice, out of order or not at all, as the seed says.
public final class SimulatedBackend: PurchasingBackend, ProductSource {
    /// A name that stays the same from start to start; cursors are kept under it.
    public let name: String
    let store: SimulatedAppStore
    let app: Place<App>
    let conditions: NetworkConditions
    private let device: UUID?
    private let pageSize: Int
    /// How many calls were made, which decides which of them fail.
    private let calls = Mutex<UInt64>(0)

    init(
        store: SimulatedAppStore, app: Place<App>, bundleID: String, conditions: NetworkConditions, device: UUID?,
        pageSize: Int
    ) {
        self.store = store
        self.app = app
        self.conditions = conditions
        self.device = device
        self.pageSize = max(1, pageSize)
        name = "simulator:\(bundleID)"
    }

    // MARK: Evidence

    /// One page of a customer's history, what was signed last comes last.
    public func history(for customer: CustomerID, after cursor: HistoryCursor?) async throws -> EvidencePage {
        try failByChance()
        return try store.read { world in
            try world.fail(.appStoreSync, app: app)
            guard let download = world.existingDownload(of: try world.account(customer), app: app) else {
                return EvidencePage(items: [])
            }
            let start = try cursor.map { try Self.index($0.rawValue) } ?? -1
            let rest = world.history(of: download).filter { $0.index > start }
            let page = rest.prefix(pageSize)
            let items = try page.map { try store.issuer.transaction($0, in: world, for: device) }
            let next = rest.count > page.count ? page.last.map { HistoryCursor(rawValue: String($0.index)) } : nil
            return EvidencePage(items: items, next: next)
        }
    }

    /// The status of each of a customer's subscriptions, own and shared.
    public func subscriptionStatuses(for customer: CustomerID) async throws -> [SignedStatus] {
        try failByChance()
        return try store.read { world in
            try world.fail(.subscriptionStatus, app: app)
            guard let download = world.existingDownload(of: try world.account(customer), app: app) else { return [] }
            return try world.downloads[download].subscriptions.compactMap { place in
                let subscription = world.subscriptions[place]
                guard let latest = world.transactions[subscription.current].latest else { return nil }
                return SignedStatus(
                    transaction: try store.issuer.transaction(latest, in: world, for: device),
                    renewalInfo: try subscription.renewalRecord.map {
                        try store.issuer.renewalInfo($0, in: world, for: device)
                    })
            }
        }
    }

    /// What happens to the customers of the app; without a cursor first what nobody has finished.
    public func updates(after cursor: UpdateCursor?) -> any AsyncSequence<TransactionUpdate, Never> & Sendable {
        SimulatedUpdates(backend: self, cursor: cursor)
    }

    /// Marks a transaction as finished: the app has handed out the goods.
    public func finish(_ grant: DurableGrant) async throws {
        try failByChance()
        try store.perform(.finish(.id(grant.transactionID)), app: store.read { $0.apps[app].bundleID })
    }

    /// What something that has happened sends to the engine; `nil` where it sends nothing.
    func update(_ id: Happening.ID) -> TransactionUpdate.Content? {
        store.read { world in
            guard let place = world.journal.place(at: id) else { return nil }
            let entry = world.journal[place]
            do {
                if conditions.sendsNotifications {
                    return try store.issuer.notification(place, in: world).map { .evidence([$0]) }
                }
                switch entry.kind {
                case .askToBuyDeclined, .askToBuyTimedOut:
                    guard let transaction = entry.transaction else { return nil }
                    return .declined(world.apps[app].product(world.transactions[transaction].product).id)
                case .finished, .deleted: return nil
                default: break
                }
                var items: [String] = []
                if let record = entry.record {
                    items.append(try store.issuer.transaction(record, in: world, for: device))
                }
                if let record = entry.renewalRecord {
                    items.append(try store.issuer.renewalInfo(record, in: world, for: device))
                }
                return items.isEmpty ? nil : .evidence(items)
            } catch {
                return .failure(error)
            }
        }
    }

    /// The newest copy of a transaction, for whoever begins to listen.
    func unfinished(_ transaction: Place<TransactionState>) -> TransactionUpdate? {
        store.read { world in
            let state = world.transactions[transaction]
            guard !state.isFinished, !state.isDeleted, let latest = state.latest,
                world.downloads[state.download].app == app
            else { return nil }
            let customer = world.accounts[world.downloads[state.download].account].name
            do {
                return TransactionUpdate(
                    .evidence([try store.issuer.transaction(latest, in: world, for: device)]), customer: customer)
            } catch {
                return TransactionUpdate(.failure(error), customer: customer)
            }
        }
    }

    // MARK: Buying

    /// Buys a product for a customer inside the app.
    public func purchase(
        _ product: Product, options: Set<PurchaseOption>, for customer: CustomerID
    ) async throws -> PurchaseResult {
        let bundleID = store.read { $0.apps[app].bundleID }
        let outcome = try store.perform(
            .buy(product.id, by: customer, options: try PurchaseRequest(options)), app: bundleID)
        switch outcome {
        case .purchased(let id), .alreadyOwned(let id):
            return .success(
                try store.read { world in
                    let transaction = try world.transaction(.id(id), in: app)
                    guard let latest = world.transactions[transaction].latest else {
                        throw PurchaseError(.systemError, "the transaction is not signed")
                    }
                    return try store.issuer.transaction(latest, in: world, for: device)
                })
        case .pending(let reason, _): return .pending(reason)
        case .userCancelled: return .userCancelled
        case .failed(let error): throw error
        case nil: throw PurchaseError(.systemError, "nothing came of the purchase")
        }
    }

    /// The products of the app that are known under some ids.
    public func products(for ids: [Product.ID]) async throws -> [Product] {
        try failByChance()
        return try store.read { world in
            try world.fail(.loadProducts, app: app)
            let app = world.apps[app]
            return ids.compactMap { id in
                guard let place = app.place(of: id), app.terms[place].isForSale else { return nil }
                return app.product(place)
            }
        }
    }

    private func failByChance() throws {
        let call = calls.withLock { calls in
            calls += 1
            return calls
        }
        if conditions.fails(call: call) {
            throw PurchaseError(.networkError, "the App Store cannot be reached, as told")
        }
    }

    private static func index(_ cursor: String) throws -> Int {
        guard let index = Int(cursor), index >= 0 else {
            throw PurchaseError(.systemError, "the cursor is none of this backend's; begin without one")
        }
        return index
    }
}

extension SimulatedAppStore {
    /// The store as the engine of an app meets it.
    ///
    /// - Parameters:
    ///   - app: The bundle id of the app; `nil`: the first.
    ///   - conditions: What happens to what is sent on its way.
    ///   - device: The device verification id of the device that the engine runs on; `nil`: a server.
    ///   - pageSize: How many transactions a page of history has.
    /// - Throws: ``SimulatorError`` where there is no such app.
    public func backend(
        for app: String? = nil, conditions: NetworkConditions = .ideal, device: UUID? = nil, pageSize: Int = 20
    ) throws(SimulatorError) -> SimulatedBackend {
        let (place, bundleID) = try result { world throws(SimulatorError) in
            let place = try world.app(app)
            return (place, world.apps[place].bundleID)
        }
        return SimulatedBackend(
            store: self, app: place, bundleID: bundleID, conditions: conditions, device: device, pageSize: pageSize)
    }
}

extension World {
    /// Fails where an interface was told to.
    func fail(_ api: SimulatedAPI, app: Place<App>) throws(PurchaseError) {
        if let failure = apps[app].settings.simulatedErrors[api] { throw failure.purchaseError }
    }
}

extension PurchaseRequest {
    /// Reads the options of a purchase.
    ///
    /// - Throws: `PurchaseError` where two contradict one another.
    init(_ options: Set<PurchaseOption>) throws {
        self.init()
        for option in options {
            switch option {
            case .appAccountToken(let token): appAccountToken = token
            case .quantity(let number): quantity = number
            case .promotionalOffer(let id, _): try setOffer(OfferReference(.promotional, id: id))
            case .introductoryOfferEligibility: introductoryEligibility = true
            case .winBackOffer(let id): try setOffer(OfferReference(.winBack, id: id))
            case .codeOffer(let name): try setOffer(OfferReference(.code, id: name))
            case .billingPlanType(let plan): billingPlan = plan
            case .simulatesAskToBuyInSandbox(let asks): asksToBuy = asks ? true : asksToBuy
            case .custom: break
            }
        }
    }

    private mutating func setOffer(_ offer: OfferReference) throws {
        guard self.offer == nil else { throw PurchaseError(.invalidOptions, "a purchase takes one offer") }
        self.offer = offer
    }
}
