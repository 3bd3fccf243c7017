public import FoundationEssentials
public import Storekeeper
import Synchronization

/// A backend through which an engine uses a simulated App Store; the engine receives only signed evidence.
///
/// Each item is signed at the time of the happening that causes it, even if the item arrives later.
/// ``NetworkConditions`` can delay, repeat, reorder or lose items; the seed of the conditions determines the affected
/// items.
public final class SimulatedBackend: PurchasingBackend, ProductSource {
    /// A name that is the same after a restart, because cursors are stored under this name.
    public let name: String
    let store: SimulatedAppStore
    let app: RowIndex<App>
    let conditions: NetworkConditions
    private let device: UUID?
    private let pageSize: Int
    private let offers: OfferCheck
    /// The number of calls so far; the number of a call determines whether the call fails.
    private let calls = Mutex<UInt64>(0)

    init(
        store: SimulatedAppStore, app: RowIndex<App>, bundleID: String, conditions: NetworkConditions, device: UUID?,
        pageSize: Int, offerKey: OfferKey?
    ) {
        offers = OfferCheck(key: offerKey)
        self.store = store
        self.app = app
        self.conditions = conditions
        self.device = device
        self.pageSize = max(1, pageSize)
        name = "simulator:\(bundleID)"
    }

    // MARK: Evidence

    /// Returns one page of a customer's history, with the most recently signed transaction last.
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

    /// Returns the status of each of a customer's subscriptions, including subscriptions that a family member shares.
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

    /// Returns updates about the customers of the app.
    ///
    /// Without a cursor, the updates begin with the unfinished transactions.
    public func updates(after cursor: UpdateCursor?) -> any AsyncSequence<TransactionUpdate, Never> & Sendable {
        SimulatedUpdates(backend: self, cursor: cursor)
    }

    /// Marks a transaction as finished, because the app has delivered the content.
    public func finish(_ grant: DurableGrant) async throws {
        try failByChance()
        try store.perform(.finish(.id(grant.transactionID)), app: store.read { $0.apps[app].bundleID })
    }

    /// Returns the update that the App Store sends to the engine because of a happening; `nil` if it sends none.
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
                if let state = entry.appTransaction {
                    let record = world.appTransactionRecords[state]
                    items.append(try store.issuer.appTransaction(record, in: world, for: device))
                }
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

    /// Returns the newest copy of a transaction as an update for a new listener; `nil` if the transaction is finished
    /// or need not be delivered.
    func unfinished(_ transaction: RowIndex<TransactionState>) -> TransactionUpdate? {
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
    ///
    /// A signed offer must be for this app and product. The signature of the offer is verified if the backend has the
    /// offer key.
    public func purchase(
        _ product: Product, options: Set<PurchaseOption>, for customer: CustomerID
    ) async throws -> SignedPurchaseResult {
        let bundleID = store.read { $0.apps[app].bundleID }
        let request = try PurchaseRequest(options) { text, audience throws(PurchaseError) in
            try offers.request(text, audience, bundleID: bundleID, productID: product.id, at: store.now)
        }
        let outcome = try store.perform(.buy(product.id, by: customer, options: request), app: bundleID)
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
        case nil: throw PurchaseError(.systemError, "the purchase had no result")
        }
    }

    /// Returns the products of the app that have the given ids and are for sale.
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
            throw PurchaseError(.networkError, "the App Store cannot be reached, as configured")
        }
    }

    private static func index(_ cursor: String) throws -> Int {
        guard let index = Int(cursor), index >= 0 else {
            throw PurchaseError(.systemError, "the cursor does not belong to this backend; start without a cursor")
        }
        return index
    }
}

extension SimulatedAppStore {
    /// Returns the store as a backend for the engine of an app.
    ///
    /// - Parameters:
    ///   - app: The bundle id of the app; `nil` for the first app.
    ///   - conditions: The faults of the network.
    ///   - device: The device verification id of the device on which the engine runs; `nil` for a server.
    ///   - pageSize: The number of transactions on a page of history.
    ///   - offerKey: The key with which the app's server signs offers; `nil` checks only the content of signed offers.
    /// - Throws: ``SimulatorError`` if the app does not exist.
    public func backend(
        for app: String? = nil, conditions: NetworkConditions = .ideal, device: UUID? = nil, pageSize: Int = 20,
        offerKey: OfferKey? = nil
    ) throws(SimulatorError) -> SimulatedBackend {
        let (place, bundleID) = try result { world throws(SimulatorError) in
            let place = try world.app(app)
            return (place, world.apps[place].bundleID)
        }
        return SimulatedBackend(
            store: self, app: place, bundleID: bundleID, conditions: conditions, device: device, pageSize: pageSize,
            offerKey: offerKey)
    }
}

extension World {
    /// Throws the simulated failure of an API, if the app's settings contain a failure for this API.
    func fail(_ api: SimulatedAPI, app: RowIndex<App>) throws(PurchaseError) {
        if let failure = apps[app].settings.simulatedErrors[api] { throw failure.purchaseError }
    }
}

extension PurchaseRequest {
    /// Creates a request from the options of a purchase.
    ///
    /// - Parameters:
    ///   - options: The options.
    ///   - read: Reads a request about an offer that the app's server has signed.
    /// - Throws: `PurchaseError` if the options name two offers, or if a signed offer is refused.
    init(
        _ options: Set<PurchaseOption>,
        read: (String, SignedOfferRequest.Audience) throws(PurchaseError) -> SignedOfferRequest
    ) throws(PurchaseError) {
        self.init()
        for option in options {
            switch option {
            case .appAccountToken(let token): appAccountToken = token
            case .quantity(let number): quantity = number
            case .promotionalOffer(let id, let text):
                if let text { try read(text, .promotionalOffer).check(offer: id) }
                try setOffer(OfferReference(.promotional, id: id))
            case .introductoryOfferEligibility(let text):
                introductoryEligibility = try read(text, .introductoryOffer).allowsIntroductoryOffer()
            case .winBackOffer(let id): try setOffer(OfferReference(.winBack, id: id))
            case .codeOffer(let name): try setOffer(OfferReference(.code, id: name))
            case .billingPlanType(let plan): billingPlan = plan
            case .simulatesAskToBuyInSandbox(let asks): asksToBuy = asks ? true : asksToBuy
            case .custom: break
            }
        }
    }

    private mutating func setOffer(_ offer: OfferReference) throws(PurchaseError) {
        guard self.offer == nil else { throw PurchaseError(.invalidOptions, "a purchase can have only one offer") }
        self.offer = offer
    }
}
