import FoundationEssentials
import Storekeeper

/// One signed state of a transaction.
///
/// Immutable: a later change makes another record of the same transaction.
struct TransactionRecord: Sendable {
    struct Flags: OptionSet, Sendable {
        let rawValue: UInt8
        static let isUpgraded = Flags(rawValue: 1)
        static let isFamilyShared = Flags(rawValue: 2)
        static let isRenewal = Flags(rawValue: 4)
        static let isAssigned = Flags(rawValue: 8)
        static let isMultiSeat = Flags(rawValue: 16)
    }

    /// The transaction; ids count from the store's first id.
    var transaction: RowIndex<TransactionState>
    /// The first transaction of its chain.
    var original: RowIndex<TransactionState>
    /// The app transaction id: the customer's download of the app.
    var download: RowIndex<Download>
    /// Its subscription; `nil` for a one-time purchase.
    var subscription: RowIndex<Subscription>?
    var product: RowIndex<ProductTerms>
    var quantity: Int32 = 1
    /// The number of seats that refunds revoked.
    var revokedSeats: Int32 = 0
    var storefront: RowIndex<Storefront>
    /// The app account token.
    var token: RowIndex<UUID>?
    var offer: RowIndex<OfferTerms>?
    var webOrderLineItem: Int32?
    var flags: Flags = []
    var plan: Plan = .upFront
    /// The index of the state of the transaction that was signed before this one; -1 for the first, which costs less
    /// memory than an optional index.
    var previousIndex: Int32 = -1
    var purchasedAt: Instant
    var expiresAt: Instant?
    var signedAt: Instant
    /// Milliunits, times the quantity; `nil` for a family's copy and if the catalog has no price.
    var price: Int64?
    var revocation: Revocation?
    /// The number of the payment within a commitment, from 1.
    var commitmentPeriod: Int32?
    var commitmentExpiresAt: Instant?
    /// The price of all payments of the commitment, in milliunits.
    var commitmentPrice: Int64?
}

/// Why and when a transaction was revoked.
struct Revocation: Sendable, Hashable {
    var at: Instant
    var reason: RevocationReason.RawValue
    var kind: Kind
    /// Thousandths of a per cent.
    var percentage: Int32?

    enum Kind: UInt8, Sendable { case fullRefund, proratedRefund, family, assignment }
}

/// The state of a transaction, except its signed states.
struct TransactionState: Sendable {
    enum Stage: UInt8, Sendable { case purchased, awaitsApproval, interrupted, failed, declined }
    enum RefundStage: UInt8, Sendable { case none, requested, declined }

    // The properties are in an order that needs no padding, because there may be millions of records.

    /// Its newest record; `nil` until it is bought.
    var latest: RowIndex<TransactionRecord>?
    var stage: Stage = .purchased
    var refund: RefundStage = .none
    var isFinished = false
    var download: RowIndex<Download>
    var product: RowIndex<ProductTerms>
    /// When it was requested, which may be long before it is bought, if ever.
    let begunAt: Instant
    /// The previous transaction of the same download.
    var previous: RowIndex<TransactionState>?
    var isDeleted = false
    /// The next period of the same product, by automatic renewal; the transaction itself if none follows.
    var renewal: RowIndex<TransactionState>
    /// The period of the same product that it renews; the transaction itself if it renews none.
    var renewed: RowIndex<TransactionState>
}

/// A purchase that waits for a guardian or for an issue to be resolved.
struct WaitingPurchase: Sendable {
    var product: RowIndex<ProductTerms>
    var download: RowIndex<Download>
    var request: PurchaseRequest
}

/// The offers of a purchase: the first, and the one queued after it.
struct PurchaseOffers: Sendable {
    var first: RowIndex<OfferTerms>?
    var second: RowIndex<OfferTerms>?

    static let none = PurchaseOffers()
}
