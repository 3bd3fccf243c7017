import FoundationEssentials
import Storekeeper

/// The state and rules of a simulated App Store, as a value type.
///
/// If the same commands are performed on equal worlds, the resulting worlds are equal. A world stores no signatures and
/// no JSON. It stores signed states as records, and ``Issuer`` creates the signed texts on request.
struct World: Sendable {
    /// The environment.
    let environment: AppStore.Environment
    /// The id of the first transaction.
    let firstTransactionID: Int64
    var random: SeededGenerator
    var now: Instant
    var apps: Table<App>
    var accounts = Table<Account>()
    var accountPlaces: [CustomerID: RowIndex<Account>] = [:]
    var families = Table<Family>()
    var downloads = Table<Download>()
    var subscriptions = Table<Subscription>()
    /// The family members' copies of each shared subscription, by the purchaser's subscription.
    var copies: [RowIndex<Subscription>: [RowIndex<Subscription>]] = [:]
    var transactions = Table<TransactionState>()
    var records = Table<TransactionRecord>()
    var renewalRecords = Table<RenewalRecord>()
    /// The states of app transactions that were set.
    var appTransactionRecords = Table<AppTransactionRecord>()
    var journal = Table<JournalEntry>()
    /// Purchases that wait for a guardian's answer or for an issue to be resolved.
    var waiting: [RowIndex<TransactionState>: WaitingPurchase] = [:]
    var queue = EventQueue<DueEvent>()
    var prorations: [Proration] = []
    /// The family members' copies of each shared one-time purchase, by the purchaser's transaction.
    var oneTimeCopies: [RowIndex<TransactionState>: [RowIndex<TransactionState>]] = [:]
    /// The win-back offers that renewal infos name.
    ///
    /// Each renewal record stores a range of this table.
    var winBackOffers = Table<RowIndex<OfferTerms>>()
    /// The ends of subscriptions that later revocations have replaced, by the revoked transaction.
    var formerEnds: [RowIndex<TransactionState>: FormerEnd] = [:]
    var extensionSummaries = Table<ExtensionSummary>()
    /// The signed states of the periods that requests with an id extended.
    var extensionRequests: [ExtensionRequest: RowIndex<TransactionRecord>] = [:]
    var storefronts = Table<Storefront>()
    var tokens = Table<UUID>()
    private var tokenPlaces: [UUID: RowIndex<UUID>] = [:]
    var notes = Table<String>()
    var lastWebOrderLineItem: Int32 = 0
    /// The Advanced Commerce states of transactions.
    var commerce: [RowIndex<TransactionState>: AdvancedCommerceState] = [:]
    var renewalCommerce: [RowIndex<Subscription>: AdvancedCommerceState] = [:]
    /// The seats of multi-seat subscriptions.
    var seats: [RowIndex<Subscription>: SeatPlan] = [:]
    /// The log of faults: the faults that began, and each time at which all faults of an app ended, in order.
    var faults: [RecordedFault] = []
    /// The subscriptions whose customer was asked to agree to a higher price, in the order of the requests.
    var askedForConsent: [RowIndex<Subscription>] = []

    init(
        apps: [SimulatedApp], environment: AppStore.Environment, seed: UInt64, start: Instant
    ) {
        self.environment = environment
        // Transaction ids count from 0 in Xcode, and from a large number in the App Store.
        firstTransactionID = environment == .xcode ? 0 : 2_000_000_000_000_001
        random = SeededGenerator(seed: seed)
        now = start
        self.apps = Table(apps.enumerated().map { App($1, number: $0) })
    }

    // MARK: Lookup

    func app(_ bundleID: String?) throws(SimulatorError) -> RowIndex<App> {
        guard let bundleID else {
            if apps.isEmpty { throw SimulatorError(.noAppFound, "the store has no app; create it with one") }
            return apps.startIndex
        }
        guard let place = apps.firstIndex(where: { $0.bundleID == bundleID }) else {
            throw SimulatorError(.noAppFound, "no app has the bundle id '\(bundleID)'")
        }
        return place
    }

    func account(_ name: CustomerID) throws(SimulatorError) -> RowIndex<Account> {
        guard let place = accountPlaces[name] else {
            throw SimulatorError(.noAccountFound, "there is no account '\(name)'; create it first")
        }
        return place
    }

    func product(_ id: Product.ID, in app: RowIndex<App>) throws(SimulatorError) -> RowIndex<ProductTerms> {
        guard let place = apps[app].place(of: id) else {
            throw SimulatorError(.invalidProductIdentifier, "the catalog of the app has no product '\(id)'")
        }
        return place
    }

    func transaction(
        _ reference: TransactionReference, in app: RowIndex<App>
    ) throws(SimulatorError) -> RowIndex<TransactionState> {
        switch reference {
        case .id(let id):
            if let place = existingTransaction(id) { return place }
            throw SimulatorError(.noTransactionFound, "there is no transaction \(id)")
        case .latest(let id, let customer):
            let product = try product(id, in: app)
            let account = try account(customer)
            let latest = existingDownload(of: account, app: app).flatMap { download in
                transactions(of: download).first { place in
                    let state = transactions[place]
                    return state.product == product && !state.isDeleted && state.stage != .failed
                        && state.stage != .declined
                }
            }
            if let latest { return latest }
            throw SimulatorError(.noTransactionFound, "'\(customer)' has no transaction of '\(id)'")
        }
    }

    /// Returns the transaction with an id; `nil` if it does not exist or was deleted.
    func existingTransaction(_ id: Transaction.ID) -> RowIndex<TransactionState>? {
        // Another spelling of the number, such as `+1` or `01`, is not the id.
        guard let value = Int64(id.rawValue), value >= firstTransactionID,
            let place = transactions.place(at: Int(value - firstTransactionID)), !transactions[place].isDeleted,
            self.id(of: place) == id
        else { return nil }
        return place
    }

    /// Returns the newest record of a transaction that was bought.
    func record(of transaction: RowIndex<TransactionState>) throws(SimulatorError) -> TransactionRecord {
        guard let latest = transactions[transaction].latest else {
            throw SimulatorError(.invalidAction, "transaction \(id(of: transaction)) has not been bought yet")
        }
        return records[latest]
    }

    /// Returns the subscription that a transaction belongs to.
    func subscription(
        of reference: TransactionReference, in app: RowIndex<App>
    ) throws(SimulatorError) -> RowIndex<Subscription> {
        let transaction = try transaction(reference, in: app)
        guard let subscription = try record(of: transaction).subscription else {
            throw SimulatorError(
                .invalidProductType,
                "transaction \(id(of: transaction)) does not belong to an auto-renewable subscription")
        }
        return subscription
    }

    // MARK: Relations

    /// Returns the download of an app by an account, created on first use.
    mutating func download(of account: RowIndex<Account>, app: RowIndex<App>) -> RowIndex<Download> {
        if let place = existingDownload(of: account, app: app) { return place }
        let place = downloads.append(Download(account: account, app: app, downloadedAt: now))
        accounts[account].downloads.append(place)
        return place
    }

    func existingDownload(of account: RowIndex<Account>, app: RowIndex<App>) -> RowIndex<Download>? {
        accounts[account].downloads.first { downloads[$0].app == app }
    }

    func app(of download: RowIndex<Download>) -> App { apps[downloads[download].app] }

    /// Returns all transactions of a download, including deleted transactions, newest first.
    func transactions(of download: RowIndex<Download>) -> [RowIndex<TransactionState>] {
        var places: [RowIndex<TransactionState>] = []
        var next = downloads[download].lastTransaction
        while let place = next {
            places.append(place)
            next = transactions[place].previous
        }
        return places
    }

    /// Returns the newest records of a download's transactions, in signing order.
    func history(of download: RowIndex<Download>) -> [RowIndex<TransactionRecord>] {
        transactions(of: download).compactMap { transactions[$0].isDeleted ? nil : transactions[$0].latest }.sorted()
    }

    /// Returns whether a transaction is a period of a subscription.
    func isTransaction(_ transaction: RowIndex<TransactionState>, of subscription: RowIndex<Subscription>) -> Bool {
        transactions[transaction].latest.map { records[$0].subscription == subscription } ?? false
    }

    func id(of transaction: RowIndex<TransactionState>) -> Transaction.ID {
        Transaction.ID(rawValue: String(firstTransactionID + Int64(transaction.index)))
    }

    /// Returns the customer's own subscription in the group of a product.
    func ownSubscription(to product: RowIndex<ProductTerms>, download: RowIndex<Download>) -> RowIndex<Subscription>? {
        let group = apps[downloads[download].app].terms[product].group
        return downloads[download].subscriptions.first {
            subscriptions[$0].group == group && subscriptions[$0].sharedFrom == nil
        }
    }

    func storefront(of account: RowIndex<Account>) -> Storefront { storefronts[accounts[account].storefront] }

    // MARK: Values stored once

    mutating func place(ofStorefront country: String) -> RowIndex<Storefront> {
        let country = country.uppercased()
        return storefronts.firstIndex { $0.country == country } ?? storefronts.append(Storefront(country: country))
    }

    mutating func place(ofToken token: UUID?) -> RowIndex<UUID>? {
        guard let token else { return nil }
        if let place = tokenPlaces[token] { return place }
        let place = tokens.append(token)
        tokenPlaces[token] = place
        return place
    }
}

extension World {
    /// Returns a journal entry as a happening, in which names replace the indexes.
    func happening(_ place: RowIndex<JournalEntry>) -> Happening {
        let entry = journal[place]
        let record = entry.record.map { records[$0] }
        var app = entry.download.map { downloads[$0].app } ?? entry.app
        var product = record?.product
        var transaction = record?.transaction
        if let extensions = entry.extensions {
            app = extensionSummaries[extensions].app
            product = extensionSummaries[extensions].product
        } else if record == nil, let subject = entry.transaction {
            transaction = subject
            product = transactions[subject].product
        }
        let price = record.flatMap { $0.flags.contains(.isFamilyShared) ? nil : $0.price }
        let revocation = record?.revocation
        return Happening(
            id: place.index, at: entry.at, kind: entry.kind, customer: entry.account.map { accounts[$0].name },
            app: app.map { apps[$0].bundleID },
            productID: product.flatMap { product in app.map { apps[$0].product(product).id } },
            transactionID: transaction.map(id(of:)), originalTransactionID: record.map { id(of: $0.original) },
            expiresAt: record?.expiresAt, price: Milliunits.decimal(price),
            currency: price == nil ? nil : record.map { storefronts[$0.storefront].currency },
            offer: record?.offer.flatMap { offer in app.map { apps[$0].happeningOffer(offer) } },
            revocationReason: revocation.map { RevocationReason(rawValue: $0.reason).scenarioText },
            revocationPercentage: revocation?.percentage.map(Int.init), note: entry.note.map { notes[$0] },
            status: entry.status == 0 ? nil : Int(entry.status))
    }
}

extension App {
    /// Returns the description of an offer for a happening.
    func happeningOffer(_ place: RowIndex<OfferTerms>) -> Happening.Offer {
        let offer = catalogOffer(place)
        return Happening.Offer(
            kind: offer.kind, id: offer.kind == .introductory ? nil : offer.id, paymentMode: offer.paymentMode,
            isRetention: offers[place].isRetention)
    }
}

extension World {
    /// Logs a happening of a subscription with the newest records of the subscription.
    ///
    /// - Parameters:
    ///   - kind: The kind of happening.
    ///   - place: The subscription.
    ///   - record: The record of the transaction; `nil` for the newest record of the current transaction.
    ///   - issuesRenewalInfo: Whether the renewal info is signed again.
    mutating func log(
        _ kind: HappeningKind, of place: RowIndex<Subscription>, record: RowIndex<TransactionRecord>? = nil,
        issuesRenewalInfo: Bool = true, note: String? = nil
    ) {
        let renewalRecord = issuesRenewalInfo ? issueRenewalInfo(of: place) : subscriptions[place].renewalRecord
        let subscription = subscriptions[place]
        journal.append(
            JournalEntry(
                at: now, kind: kind, status: status(of: subscription), download: subscription.download,
                account: subscription.account, record: record ?? transactions[subscription.current].latest,
                renewalRecord: renewalRecord, note: note.map { notes.append($0) }))
    }

    /// Logs a happening of a transaction without a renewal info.
    mutating func log(_ kind: HappeningKind, of transaction: RowIndex<TransactionState>, note: String? = nil) {
        let state = transactions[transaction]
        journal.append(
            JournalEntry(
                at: now, kind: kind, download: state.download, account: downloads[state.download].account,
                record: state.latest, subject: .transaction(transaction), note: note.map { notes.append($0) }))
    }

    /// Logs a happening of an account or of the whole store.
    mutating func log(
        _ kind: HappeningKind, account: RowIndex<Account>? = nil, download: RowIndex<Download>? = nil, note: String
    ) {
        journal.append(
            JournalEntry(at: now, kind: kind, download: download, account: account, note: notes.append(note)))
    }

    /// Returns the `status` that notifications state for a subscription.
    ///
    /// If the next period is already paid, but the running period is revoked, the status is 5, revoked.
    func status(of subscription: Subscription) -> UInt8 {
        guard let running = runningTransaction(before: subscription), let latest = transactions[running].latest,
            records[latest].revocation != nil
        else { return subscription.status }
        return 5
    }

    /// Returns the transaction of the running period if the next period is already paid; if not, returns `nil`.
    ///
    /// Both periods exist during the last day before a renewal that was charged early.
    func runningTransaction(before subscription: Subscription) -> RowIndex<TransactionState>? {
        guard subscription.service.startedAt > now, let latest = transactions[subscription.current].latest,
            let place = records[latest].subscription
        else { return nil }
        var next = transactions[subscription.current].previous
        while let transaction = next {
            let state = transactions[transaction]
            if !state.isDeleted, let latest = state.latest, isTransaction(transaction, of: place) {
                return records[latest].expiresAt ?? .distantPast > now ? transaction : nil
            }
            next = state.previous
        }
        return nil
    }
}
