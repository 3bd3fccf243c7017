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
    let downloadedAt: Instant
    var lastTransaction: RowIndex<TransactionState>?
    /// The customer's subscriptions in the app, including shared subscriptions, in the order in which they began.
    var subscriptions: [RowIndex<Subscription>] = []
    /// The products for which the customer has turned off Family Sharing.
    var unshared: Set<RowIndex<ProductTerms>> = []
    /// The offers that were redeemed by code.
    var redeemedCodes: Set<RowIndex<OfferTerms>> = []
}

/// People who share purchases.
struct Family: Sendable {
    /// The organizer and the members, in the order in which they joined; empty once the family has ended.
    var members: [RowIndex<Account>]
    var organizer: RowIndex<Account>
    var sharesPurchases = true
}
