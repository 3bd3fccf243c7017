import Storekeeper

/// A happening in few bytes; see ``Happening``.
struct JournalEntry: Sendable {
    /// The subject of an entry without a record.
    enum Subject: Hashable, Sendable {
        case transaction(RowIndex<TransactionState>)
        case extensions(RowIndex<ExtensionSummary>)
        case app(RowIndex<App>)
    }

    var at: Instant
    var kind: HappeningKind
    /// The number of the subscription's state in notifications, 1 to 5; 0 without a subscription.
    var status: UInt8 = 0
    var download: RowIndex<Download>?
    var account: RowIndex<Account>?
    /// The newest record of the transaction at that time.
    var record: RowIndex<TransactionRecord>?
    /// The newest record of the renewal info at that time.
    var renewalRecord: RowIndex<RenewalRecord>?
    var subject: Subject?
    /// An additional text.
    var note: RowIndex<String>?
    /// The index of the entry before this one that is about the same account, or like this one about none; -1 for the
    /// first.
    var previousIndex: Int32 = -1

    /// The transaction of an entry without a record.
    var transaction: RowIndex<TransactionState>? {
        if case .transaction(let place)? = subject { place } else { nil }
    }

    /// The app, if the entry is about nothing in it.
    var app: RowIndex<App>? {
        if case .app(let place)? = subject { place } else { nil }
    }

    /// The extensions that the entry summarizes.
    var extensions: RowIndex<ExtensionSummary>? {
        if case .extensions(let place)? = subject { place } else { nil }
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

/// The refund for the rest of a period that an upgrade cut short; no signed item mentions it.
struct Proration: Sendable {
    let transaction: RowIndex<TransactionState>
    /// Milliunits.
    let amount: Int64
    let at: Instant
}
