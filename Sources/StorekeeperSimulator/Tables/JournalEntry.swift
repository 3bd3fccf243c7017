import Storekeeper

/// Something that has happened, in few bytes; see ``Happening``.
struct JournalEntry: Sendable {
    /// What an entry without a record is about.
    enum Subject: Hashable, Sendable {
        case transaction(Place<TransactionState>)
        case extensions(Place<ExtensionSummary>)
        case app(Place<App>)
    }

    var at: Instant
    var kind: HappeningKind
    /// The state of the subscription as notifications number it, 1 to 5; 0: the entry is about none.
    var status: UInt8 = 0
    var download: Place<Download>?
    var account: Place<Account>?
    /// The newest record of the transaction at that time.
    var record: Place<TransactionRecord>?
    /// The newest record of the renewal info at that time.
    var renewalRecord: Place<RenewalRecord>?
    var subject: Subject?
    /// A text that completes it.
    var note: Place<String>?

    /// The transaction that an entry without a record is about.
    var transaction: Place<TransactionState>? {
        if case .transaction(let place)? = subject { place } else { nil }
    }

    /// The app that it is about, where it is about nothing in it.
    var app: Place<App>? {
        if case .app(let place)? = subject { place } else { nil }
    }

    /// The extensions that it sums up.
    var extensions: Place<ExtensionSummary>? {
        if case .extensions(let place)? = subject { place } else { nil }
    }
}

/// The result of making all subscriptions of a product last longer.
struct ExtensionSummary: Sendable {
    let requestID: String
    let app: Place<App>
    let product: Place<ProductTerms>
    let storefronts: [String]
    var succeeded = 0
    var failed = 0
}

/// What a customer got back for the rest of a period that an upgrade cut short; no signed text says so.
struct Proration: Sendable {
    let transaction: Place<TransactionState>
    /// Milliunits.
    let amount: Int64
    let at: Instant
}
