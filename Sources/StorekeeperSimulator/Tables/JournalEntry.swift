import Storekeeper

/// A compact form of a ``Happening``.
struct JournalEntry: Sendable {
    /// The subject of an entry that has no transaction record.
    enum Subject: Hashable, Sendable {
        case transaction(RowIndex<TransactionState>)
        case extensions(RowIndex<ExtensionSummary>)
        case app(RowIndex<App>)
        case appTransaction(RowIndex<AppTransactionRecord>)
    }

    var at: Instant
    var kind: HappeningKind
    /// The subscription's `status` in notifications, from 1 to 5; 0 if the entry is not about a subscription.
    var status: UInt8 = 0
    var download: RowIndex<Download>?
    var account: RowIndex<Account>?
    /// The transaction's newest record at the time of the entry.
    var record: RowIndex<TransactionRecord>?
    /// The renewal info's newest record at the time of the entry.
    var renewalRecord: RowIndex<RenewalRecord>?
    var subject: Subject?
    /// An additional text about the happening.
    var note: RowIndex<String>?

    /// The transaction of an entry that has no record.
    var transaction: RowIndex<TransactionState>? {
        if case .transaction(let place)? = subject { place } else { nil }
    }

    /// The app, if the entry is about the app as a whole.
    var app: RowIndex<App>? {
        if case .app(let place)? = subject { place } else { nil }
    }

    /// The state of the app transaction, if the entry is about a change of it.
    var appTransaction: RowIndex<AppTransactionRecord>? {
        if case .appTransaction(let place)? = subject { place } else { nil }
    }

    /// The mass extension whose result the entry reports.
    var extensions: RowIndex<ExtensionSummary>? {
        if case .extensions(let place)? = subject { place } else { nil }
    }
}

/// A request to extend one subscription.
struct ExtensionRequest: Hashable, Sendable {
    /// The id of the request, in lowercase letters.
    let id: String
    let subscription: RowIndex<Subscription>

    init(id: String, subscription: RowIndex<Subscription>) {
        self.id = id.lowercased()
        self.subscription = subscription
    }
}

/// The result of extending all subscriptions of a product.
struct ExtensionSummary: Sendable {
    let requestID: String
    let app: RowIndex<App>
    let product: RowIndex<ProductTerms>
    let storefronts: [String]
    var succeeded = 0
    var failed = 0
}

/// The refund for the unused part of a period that an upgrade ended early.
///
/// No signed item mentions this refund.
struct Proration: Sendable {
    let transaction: RowIndex<TransactionState>
    /// The amount, in thousandths of the currency's main unit.
    let amount: Int64
    let at: Instant
}
