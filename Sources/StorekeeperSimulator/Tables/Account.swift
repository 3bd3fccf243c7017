import Storekeeper

/// An Apple Account.
struct Account: Sendable {
    let name: CustomerID
    var storefront: RowIndex<Storefront>
    var family: RowIndex<Family>?
    var paymentsFail = false
    /// The account's downloads, one per app.
    var downloads: [RowIndex<Download>] = []
}

/// A customer's download of an app, which Apple's app transaction represents.
struct Download: Sendable {
    let account: RowIndex<Account>
    let app: RowIndex<App>
    /// The time of the first download; an app transaction that was set may state another time.
    let downloadedAt: Instant
    /// The newest state of the app transaction that was set; `nil` if none was set.
    var appTransaction: RowIndex<AppTransactionRecord>?
    var lastTransaction: RowIndex<TransactionState>?
    /// The customer's subscriptions in the app, including shared subscriptions, in the order in which they began.
    var subscriptions: [RowIndex<Subscription>] = []
    /// The products for which the customer has turned off Family Sharing.
    var unshared: Set<RowIndex<ProductTerms>> = []
    /// The offers that were redeemed by code.
    var redeemedCodes: Set<RowIndex<OfferTerms>> = []
}

/// One signed state of the app transaction of a download.
struct AppTransactionRecord: Sendable {
    let download: RowIndex<Download>
    /// The time of the first download.
    var downloadedAt: Instant
    /// The version of the app that was downloaded first; `nil` for the version of the app.
    var firstVersion: String?
    /// The time from which the download is revoked.
    var revokedAt: Instant?
    /// The index of the previous state; -1 for the first state.
    var previousIndex: Int32 = -1
    var signedAt: Instant
}

/// People who share purchases.
struct Family: Sendable {
    /// The organizer and the members, in the order in which they joined; empty once the family has ended.
    var members: [RowIndex<Account>]
    var organizer: RowIndex<Account>
    var sharesPurchases = true
}
