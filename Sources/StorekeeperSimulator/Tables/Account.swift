import Storekeeper

/// An Apple Account.
struct Account: Sendable {
    let name: CustomerID
    var storefront: Place<Storefront>
    var family: Place<Family>?
    var paymentsFail = false
    /// The account's downloads, one per app.
    var downloads: [Place<Download>] = []
}

/// A customer's download of an app, which Apple's app transaction represents.
struct Download: Sendable {
    let account: Place<Account>
    let app: Place<App>
    let downloadedAt: Instant
    var lastTransaction: Place<TransactionState>?
    /// The customer's subscriptions in the app, own and shared, in order of their beginning.
    var subscriptions: [Place<Subscription>] = []
    /// The products that the customer does not share with the family.
    var unshared: Set<Place<ProductTerms>> = []
    /// The offers that were redeemed by code.
    var redeemedCodes: Set<Place<OfferTerms>> = []
}

/// People who share purchases.
struct Family: Sendable {
    /// The organiser and the members, in the order in which they joined; empty once the family has ended.
    var members: [Place<Account>]
    var organizer: Place<Account>
    var sharesPurchases = true
}
