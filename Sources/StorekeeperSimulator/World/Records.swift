import FoundationEssentials
import Storekeeper

// What a world is made of: flat values that name each other by their places, so that a million of them cost little
// more than their bytes. A place is never given twice.

/// One signed state of a transaction.
///
/// Never changed: what changes later is another record of the same number.
struct TransactionRecord: Sendable {
    struct Flags: OptionSet, Sendable {
        let rawValue: UInt8
        static let isUpgraded = Flags(rawValue: 1)
        static let isFamilyShared = Flags(rawValue: 2)
        static let isRenewal = Flags(rawValue: 4)
        static let isAssigned = Flags(rawValue: 8)
    }

    /// The number of the transaction, from 0; ids count from the store's first id.
    var number: Int32
    /// The number of the first transaction of its chain.
    var original: Int32
    /// The customer's download of the app.
    var download: Int32
    /// The subscription, where it is one.
    var line: Int32?
    var product: Int32
    var quantity: Int32 = 1
    var storefront: Int32
    /// The app's name for the customer, by its place among the tokens.
    var token: Int32?
    var offer: Int32?
    var webOrderLineItem: Int32?
    var flags: Flags = []
    var plan: Plan = .upFront
    var purchasedAt: Instant
    var expiresAt: Instant?
    var signedAt: Instant
    /// Milliunits, times the quantity; `nil` for a family's copy and where the catalog has no price.
    var price: Int64?
    var revocation: Revocation?
    /// Which of the twelve payments of a commitment it is, from 1.
    var commitmentPeriod: Int32?
    var commitmentExpiresAt: Instant?
    /// What all its payments cost, in milliunits.
    var commitmentPrice: Int64?
}

/// Why and since when a transaction no longer counts.
struct Revocation: Sendable, Hashable {
    var at: Instant
    var reason: RevocationReason.RawValue
    var kind: Kind
    /// Thousandths of a per cent.
    var percentage: Int32?

    enum Kind: UInt8, Sendable { case fullRefund, proratedRefund, family, assignment }
}

/// How a subscription is billed.
enum Plan: UInt8, Sendable { case upFront, monthly }

/// What is known of a transaction beside its signed states.
struct TransactionState: Sendable {
    enum Stage: UInt8, Sendable { case purchased, waitsForGuardian, interrupted, failed, declined }
    enum RefundStage: UInt8, Sendable { case none, requested, declined }

    /// The place of its newest record; `nil` until it is bought.
    var latest: Int32?
    var download: Int32
    var product: Int32
    /// The transaction of the same download before it.
    var previous: Int32?
    var stage: Stage = .purchased
    var refund: RefundStage = .none
    var isFinished = false
    var isDeleted = false
}

/// One signed state of what is said about the next renewal of a subscription.
struct RenewalRecord: Sendable {
    var line: Int32
    /// The number of the first transaction of the chain.
    var original: Int32
    var product: Int32
    var nextProduct: Int32
    var willRenew: Bool
    var isInBillingRetry: Bool
    var expirationIntent: ExpirationReason.RawValue?
    var priceIncrease: PriceIncrease
    var plan: Plan
    var nextPlan: Plan
    var graceEndsAt: Instant?
    var renewsAt: Instant
    var price: Int64?
    var offer: Int32?
    var token: Int32?
    var storefront: Int32
    var recentStart: Instant
    var signedAt: Instant
    var commitment: CommitmentRenewal?
    /// The win-back offers that the customer may have, by their places among the lists of them.
    var winBackOffers: (from: Int32, to: Int32)?
}

/// What is said about the end of twelve monthly payments.
struct CommitmentRenewal: Sendable {
    var willRenew: Bool
    var product: Int32
    var plan: Plan
    var renewsAt: Instant
    var price: Int64?
}

/// How far a higher price is agreed to.
enum PriceIncrease: UInt8, Sendable { case none, pending, agreed, declined }

/// A customer's download of an app: what Apple calls the app transaction.
struct Download: Sendable {
    let account: Int32
    let app: Int32
    let downloadedAt: Instant
    var lastTransaction: Int32?
    /// The customer's subscriptions in the app, own and shared, in the order in which they began.
    var lines: [Int32] = []
    /// Non-consumables and groups that the customer does not share with the family.
    var unshared: Set<Int32> = []
    /// The offers that were redeemed by code.
    var redeemedCodes: Set<Int32> = []
}

/// An Apple Account.
struct Account: Sendable {
    let name: CustomerID
    var storefront: Int32
    var family: Int32?
    var paymentsFail = false
    /// The account's downloads, one an app.
    var downloads: [Int32] = []
}

/// People who share purchases.
struct Family: Sendable {
    /// The organiser and the members, in the order in which they joined; empty once the family has ended.
    var members: [Int32]
    var organizer: Int32
    var sharesPurchases = true
}

/// What happened, in few bytes; see ``Happening``.
struct JournalEntry: Sendable {
    var at: Instant
    var kind: HappeningKind
    /// What a notification says of the state of the subscription, 1 to 5; 0: nothing.
    var status: UInt8 = 0
    var download: Int32?
    var account: Int32?
    /// The place of the transaction's record, as it was signed then.
    var transaction: Int32?
    /// The place of the renewal info's record, as it was signed then.
    var renewal: Int32?
    /// The transaction's or product's number where there is no record; a count.
    var subject: Int32?
    /// What else there is to say, by its place among the texts.
    var note: Int32?
}
