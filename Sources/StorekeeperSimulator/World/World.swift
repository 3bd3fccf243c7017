import FoundationEssentials
import Storekeeper

/// All that a simulated App Store knows, and all its rules: a value.
///
/// The same commands on equal worlds give equal worlds. It signs nothing and writes no JSON; what was signed when is
/// kept as records, from which ``Issuer`` makes the signed texts that somebody reads.
struct World: Sendable {
    /// What kind of App Store it is.
    let environment: AppStore.Environment
    /// The id of the first transaction.
    let firstTransactionID: Int64
    var random: SeededGenerator
    var now: Instant
    var apps: [AppTable]
    var accounts: ContiguousArray<Account> = []
    var accountPlaces: [CustomerID: Int32] = [:]
    var families: [Family] = []
    var downloads: ContiguousArray<Download> = []
    var lines: ContiguousArray<SubscriptionLine> = []
    /// The family's copies of a line.
    var copies: [Int32: [Int32]] = [:]
    /// By the numbers of transactions.
    var transactions: ContiguousArray<TransactionState> = []
    var records: ContiguousArray<TransactionRecord> = []
    var renewalRecords: ContiguousArray<RenewalRecord> = []
    var journal: ContiguousArray<JournalEntry> = []
    /// Purchases that wait for a guardian or for an issue to be resolved, by the number of their transaction.
    var waiting: [Int32: WaitingPurchase] = [:]
    var queue = EventQueue()
    var prorations: [Proration] = []
    /// The family's copies of a one-time purchase.
    var oneTimeCopies: [Int32: [Int32]] = [:]
    /// The offers of all renewal infos that name some, one list after the other.
    var winBackLists: [Int32] = []
    var extensionSummaries: [ExtensionSummary] = []
    var storefronts: [Storefront] = []
    var tokens: [UUID] = []
    private var tokenPlaces: [UUID: Int32] = [:]
    var notes: [String] = []
    var lastWebOrderLineItem: Int32 = 0

    init(
        apps: [SimulatedApp], environment: AppStore.Environment, seed: UInt64, start: Instant
    ) {
        self.environment = environment
        // Xcode counts from 0, the App Store from somewhere far away.
        firstTransactionID = environment == .xcode ? 0 : 2_000_000_000_000_001
        random = SeededGenerator(seed: seed)
        now = start
        self.apps = apps.enumerated().map { AppTable($1, number: $0) }
    }

    // MARK: Finding things

    func app(_ bundleID: String?) throws(SimulatorError) -> Int32 {
        guard let bundleID else {
            if apps.isEmpty { throw SimulatorError(.noAppFound, "the store has no app; give it one when it is made") }
            return 0
        }
        guard let place = apps.firstIndex(where: { $0.bundleID == bundleID }) else {
            throw SimulatorError(.noAppFound, "no app has the bundle id '\(bundleID)'")
        }
        return Int32(place)
    }

    func account(_ name: CustomerID) throws(SimulatorError) -> Int32 {
        guard let place = accountPlaces[name] else {
            throw SimulatorError(.noAccountFound, "there is no account '\(name)'; make it first")
        }
        return place
    }

    func product(_ id: Product.ID, in app: Int32) throws(SimulatorError) -> Int32 {
        guard let place = apps[Int(app)].place(of: id) else {
            throw SimulatorError(.invalidProductIdentifier, "the catalog of the app has no product '\(id)'")
        }
        return place
    }

    /// The download of an app by an account; noted when it is first asked for.
    mutating func download(of account: Int32, app: Int32) -> Int32 {
        for download in accounts[Int(account)].downloads where downloads[Int(download)].app == app { return download }
        let place = Int32(downloads.count)
        downloads.append(Download(account: account, app: app, downloadedAt: now))
        accounts[Int(account)].downloads.append(place)
        return place
    }

    func existingDownload(of account: Int32, app: Int32) -> Int32? {
        accounts[Int(account)].downloads.first { downloads[Int($0)].app == app }
    }

    /// The numbers of all transactions of a download, deleted ones too, the newest first.
    func numbers(of download: Int32) -> [Int32] {
        var numbers: [Int32] = []
        var next = downloads[Int(download)].lastTransaction
        while let number = next {
            numbers.append(number)
            next = transactions[Int(number)].previous
        }
        return numbers
    }

    /// Whether a transaction is of a subscription.
    func isTransaction(_ number: Int32, of place: Int32) -> Bool {
        transactions[Int(number)].latest.map { records[Int($0)].line == place } ?? false
    }

    func id(of transaction: Int32) -> Transaction.ID {
        Transaction.ID(rawValue: String(firstTransactionID + Int64(transaction)))
    }

    /// The number of the transaction that is meant.
    func number(of reference: TransactionReference, app: Int32) throws(SimulatorError) -> Int32 {
        switch reference {
        case .id(let id):
            if let value = Int64(id.rawValue), value >= firstTransactionID,
                let number = Int32(exactly: value - firstTransactionID), Int(number) < transactions.count,
                !transactions[Int(number)].isDeleted
            {
                return number
            }
            throw SimulatorError(.noTransactionFound, "there is no transaction \(id)")
        case .latest(let id, let customer):
            let product = try product(id, in: app)
            let account = try account(customer)
            let numbers = existingDownload(of: account, app: app).map { self.numbers(of: $0) } ?? []
            let number = numbers.first { number in
                let state = transactions[Int(number)]
                return state.product == product && !state.isDeleted && state.stage != .failed
                    && state.stage != .declined
            }
            if let number { return number }
            throw SimulatorError(.noTransactionFound, "'\(customer)' has no transaction of '\(id)'")
        }
    }

    /// The newest record of a transaction that was bought.
    func record(of number: Int32) throws(SimulatorError) -> TransactionRecord {
        guard let latest = transactions[Int(number)].latest else {
            throw SimulatorError(.invalidAction, "transaction \(id(of: number)) has not been bought yet")
        }
        return records[Int(latest)]
    }

    /// The subscription that a transaction belongs to.
    func line(of reference: TransactionReference, app: Int32) throws(SimulatorError) -> Int32 {
        let number = try number(of: reference, app: app)
        guard let line = try record(of: number).line else {
            throw SimulatorError(
                .invalidProductType, "transaction \(id(of: number)) is of no auto-renewable subscription")
        }
        return line
    }

    /// The customer's own subscription in the group of a product.
    func ownLine(of product: Int32, download: Int32) -> Int32? {
        let group = apps[Int(downloads[Int(download)].app)].terms[Int(product)].group
        return downloads[Int(download)].lines.first {
            lines[Int($0)].group == group && lines[Int($0)].sharedFrom == nil
        }
    }

    // MARK: Words kept once

    mutating func storefront(_ country: String) -> Int32 {
        let country = country.uppercased()
        if let place = storefronts.firstIndex(where: { $0.country == country }) { return Int32(place) }
        storefronts.append(Storefront(country: country))
        return Int32(storefronts.count - 1)
    }

    mutating func place(of token: UUID?) -> Int32? {
        guard let token else { return nil }
        if let place = tokenPlaces[token] { return place }
        tokens.append(token)
        tokenPlaces[token] = Int32(tokens.count - 1)
        return Int32(tokens.count - 1)
    }

    mutating func place(ofNote note: String) -> Int32 {
        notes.append(note)
        return Int32(notes.count - 1)
    }
}

/// A purchase that is not done yet.
struct WaitingPurchase: Sendable {
    var product: Int32
    var download: Int32
    var request: PurchaseRequest
    var offers: SettledOffers
}
