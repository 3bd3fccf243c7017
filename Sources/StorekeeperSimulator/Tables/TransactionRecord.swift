import FoundationEssentials
import Storekeeper

/// One signed state of a transaction.
///
/// A record is immutable. A later change adds another record of the same transaction.
struct TransactionRecord: Sendable {
    struct Flags: OptionSet, Sendable {
        let rawValue: UInt8
        static let isUpgraded = Flags(rawValue: 1)
        static let isFamilyShared = Flags(rawValue: 2)
        static let isRenewal = Flags(rawValue: 4)
        static let isAssigned = Flags(rawValue: 8)
        static let isMultiSeat = Flags(rawValue: 16)
        /// The transaction's period has several transactions, because seats were added within the period.
        static let isOfSeveral = Flags(rawValue: 32)
    }

    /// The transaction; its id is the store's first transaction id plus this index.
    var transaction: RowIndex<TransactionState>
    /// The first transaction of the transaction's chain.
    var original: RowIndex<TransactionState>
    /// The customer's download of the app, which determines the app transaction id.
    var download: RowIndex<Download>
    /// The transaction's subscription; `nil` for a one-time purchase.
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
    /// The index of the transaction's previous signed state; -1 for the first state.
    ///
    /// The value -1 needs less memory than an optional index.
    var previousIndex: Int32 = -1
    var purchasedAt: Instant
    var expiresAt: Instant?
    var signedAt: Instant
    /// The price in milliunits, times the quantity; `nil` for a family member's copy, and `nil` if the catalog has no
    /// price.
    var price: Int64?
    var revocation: Revocation?
    /// The number of the payment within a commitment, from 1.
    var commitmentPeriod: Int32?
    var commitmentExpiresAt: Instant?
    /// The price of all payments of the commitment, in milliunits.
    var commitmentPrice: Int64?
}

/// The time and the reason of a transaction's revocation.
struct Revocation: Sendable, Hashable {
    var at: Instant
    var reason: RevocationReason.RawValue
    var kind: Kind
    /// The refunded share of the price, in thousandths of a per cent.
    var percentage: Int32?

    enum Kind: UInt8, Sendable { case fullRefund, proratedRefund, family, assignment }
}

/// The current state of a transaction, without the signed records of its states.
struct TransactionState: Sendable {
    enum Stage: UInt8, Sendable { case purchased, awaitsApproval, interrupted, failed, declined }
    enum RefundStage: UInt8, Sendable { case none, requested, declined }

    // The properties are in an order that needs no padding, because there may be millions of records.

    /// The transaction's newest record; `nil` until the purchase completes.
    var latest: RowIndex<TransactionRecord>?
    var stage: Stage = .purchased
    var refund: RefundStage = .none
    var isFinished = false
    var download: RowIndex<Download>
    var product: RowIndex<ProductTerms>
    /// The instant of the purchase request; the purchase may complete long afterwards, or never.
    let begunAt: Instant
    /// The previous transaction of the same download.
    var previous: RowIndex<TransactionState>?
    var isDeleted = false
    /// The transaction that renews this transaction with the same product; this transaction itself if it was not
    /// renewed.
    var renewal: RowIndex<TransactionState>
    /// The transaction with the same product that this transaction renews; this transaction itself if it is not a
    /// renewal.
    var renewed: RowIndex<TransactionState>
}

/// A purchase that waits for a guardian's answer, or for the resolution of an issue.
struct WaitingPurchase: Sendable {
    var product: RowIndex<ProductTerms>
    var download: RowIndex<Download>
    var request: PurchaseRequest
}

/// The offers of a purchase: the first offer, and the offer that follows it.
struct PurchaseOffers: Sendable {
    var first: RowIndex<OfferTerms>?
    var second: RowIndex<OfferTerms>?

    static let none = PurchaseOffers()
}
