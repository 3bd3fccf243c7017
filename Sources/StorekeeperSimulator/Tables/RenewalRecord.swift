import FoundationEssentials
import Storekeeper

/// One signed state of the renewal info of a subscription.
struct RenewalRecord: Sendable {
    var subscription: RowIndex<Subscription>
    /// The first transaction of the chain.
    var original: RowIndex<TransactionState>
    var product: RowIndex<ProductTerms>
    var nextProduct: RowIndex<ProductTerms>
    var willRenew: Bool
    var isInBillingRetry: Bool
    var expirationIntent: ExpirationReason.RawValue?
    var priceIncrease: PriceIncrease
    var plan: Plan
    var nextPlan: Plan
    /// The index of the renewal info's previous signed state; -1 for the first state.
    var previousIndex: Int32 = -1
    var graceEndsAt: Instant?
    var renewsAt: Instant
    var price: Int64?
    var offer: RowIndex<OfferTerms>?
    var token: RowIndex<UUID>?
    var storefront: RowIndex<Storefront>
    var recentStart: Instant
    var signedAt: Instant
    var commitment: CommitmentRenewal?
    /// The win-back offers for which the customer is eligible, as a range of the world's list of win-back offers.
    var winBackOffers: Range<Int32>?
}

/// The terms of the renewal after the twelve payments of a commitment.
struct CommitmentRenewal: Sendable {
    var willRenew: Bool
    var product: RowIndex<ProductTerms>
    var plan: Plan
    var renewsAt: Instant
    var price: Int64?
}
