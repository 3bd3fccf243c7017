import FoundationEssentials
import Storekeeper

/// A customer's subscription in one group, with all transactions of one original transaction id.
struct Subscription: Sendable {
    enum Phase: UInt8, Sendable { case active, grace, retry, expired, revoked }

    /// The product, plan and phase of the current period, and the choices for the next period.
    ///
    /// A family member's copy has the same values as the purchaser's subscription.
    struct Service: Sendable {
        // MARK: The current period

        var phase: Phase = .active
        var plan: Plan = .upFront
        var nextPlan: Plan = .upFront
        var autoRenews = true
        var product: RowIndex<ProductTerms>
        var startedAt: Instant
        var expiresAt: Instant

        // MARK: The next period

        var nextProduct: RowIndex<ProductTerms>

        // MARK: Payments that fail, and the end

        var expirationIntent: ExpirationReason.RawValue?
        var graceEndsAt: Instant?
        /// The instant at which payment retries stop.
        var retryEndsAt: Instant?
        var lapsedAt: Instant?

        // MARK: The commitment

        var commitmentRenews = true
        /// The number of the current payment within the commitment, from 1; 0 without a commitment.
        var commitmentPeriod: Int32 = 0
        var commitmentExpiresAt: Instant?

        /// Returns whether a family member's copy is in the same period as the purchaser's subscription.
        ///
        /// The result is false for a copy of an earlier period.
        func isSamePeriod(as other: Service) -> Bool { product == other.product && startedAt == other.startedAt }
    }

    let download: RowIndex<Download>
    let account: RowIndex<Account>
    let app: RowIndex<App>
    let group: RowIndex<SubscriptionGroup>
    /// The purchaser's subscription, if this subscription is a family member's copy of it.
    let sharedFrom: RowIndex<Subscription>?
    /// The first transaction.
    let original: RowIndex<TransactionState>
    /// The newest transaction.
    var current: RowIndex<TransactionState>
    /// A number that changes when scheduled events become invalid.
    ///
    /// An event that was scheduled with another stamp is ignored when it is due.
    var stamp: UInt32 = 0
    var service: Service

    // MARK: The current period

    /// The offer of the current period.
    var currentOffer: RowIndex<OfferTerms>?
    /// Whether the current period was free.
    var isFree = false
    /// Whether the charge on the day before the renewal has failed.
    var hasTriedEarly = false
    /// Whether family members have copies of the subscription.
    var isShared = false

    // MARK: The calendar

    /// The date from which periods are counted.
    ///
    /// Counting from one date prevents a subscription begun on the 31st from moving to the 28th after February.
    var anchor: Instant
    var anchorPeriod: PeriodLength
    var periodsSinceAnchor: Int32 = 0

    // MARK: The next period

    /// The offer of the next periods; `offerPeriodsLeft` is the number of these periods.
    var offer: RowIndex<OfferTerms>?
    var offerPeriodsLeft: Int32 = 0
    /// The offer that follows `offer`.
    var queuedOffer: RowIndex<OfferTerms>?
    var priceIncrease: PriceIncrease = .none
    /// The price increase to announce when the customer turns automatic renewal on again.
    ///
    /// The value is `pending` if the customer must consent to the increase, and `agreed` if consent is not required.
    var unannouncedIncrease: PriceIncrease = .none
    /// The customer's price of a standard period; `nil` if the catalog has no price.
    var standardPrice: Int64?
    /// The higher price that awaits consent, was agreed to, or was not announced yet.
    var increasedPrice: Int64?
    /// The lower price of the next commitment.
    var nextCommitmentPrice: Int64?
    var lastIncreaseAt: Instant?
    /// The instant of the next automatic attempt to collect an overdue payment; `nil` if none is planned.
    var nextCharge: Instant?

    // MARK: History

    var recentStart: Instant
    var token: RowIndex<UUID>?
    /// The number of automatic renewals since the last purchase, which some environments limit.
    var renewals: Int32 = 0
    var paidPeriods: Int32 = 0
    /// The instants of the developer's last two extensions, the newest first.
    var extendedAt: (Instant?, Instant?) = (nil, nil)
    /// The price of all twelve payments, in milliunits.
    var commitmentPrice: Int64?
    /// The instant at which a state of one of the subscription's transactions was last signed.
    var lastSignedAt: Instant?
    var renewalRecord: RowIndex<RenewalRecord>?

    init(
        download: RowIndex<Download>, account: RowIndex<Account>, app: RowIndex<App>,
        group: RowIndex<SubscriptionGroup>,
        sharedFrom: RowIndex<Subscription>?, original: RowIndex<TransactionState>, product: RowIndex<ProductTerms>,
        period: PeriodLength, at instant: Instant
    ) {
        self.download = download
        self.account = account
        self.app = app
        self.group = group
        self.sharedFrom = sharedFrom
        self.original = original
        current = original
        service = Service(product: product, startedAt: instant, expiresAt: instant, nextProduct: product)
        anchor = instant
        anchorPeriod = period
        recentStart = instant
    }
}

/// The state of the customer's consent to a higher price.
enum PriceIncrease: UInt8, Sendable { case none, pending, agreed, declined }

extension Subscription {
    /// Whether the customer has service.
    var isInService: Bool { service.phase == .active || service.phase == .grace }

    /// Whether the subscription expired or was revoked.
    var hasEnded: Bool { service.phase == .expired || service.phase == .revoked }

    /// Whether the payment is still retried, with or without service.
    var isInBillingRetry: Bool { service.phase == .grace || service.phase == .retry }

    /// The end of the service for which the customer has paid.
    ///
    /// A grace period is not paid. A revoked period ends at its revocation.
    var paidUntil: Instant {
        let end = service.expiresAt
        return service.phase == .revoked ? min(end, service.lapsedAt ?? end) : end
    }

    /// Whether payments of a commitment remain.
    ///
    /// A change of product, plan or price takes effect at the end of the commitment.
    var isCommitted: Bool {
        service.plan == .monthly && (isInService || service.phase == .retry)
            && (1..<Plan.paymentsOfCommitment).contains(service.commitmentPeriod)
    }

    /// Whether the subscription continues after the paid period or, on a monthly plan, after the commitment.
    ///
    /// A cancelled commitment still renews its payments until the commitment ends.
    var willContinue: Bool { service.plan == .monthly ? service.commitmentRenews : service.autoRenews }

    /// Whether the subscription continues with the same product and plan after the paid period or, on a monthly plan,
    /// after the commitment.
    var isAboutToRenew: Bool {
        sharedFrom == nil && isInService && service.nextProduct == service.product && service.nextPlan == service.plan
            && willContinue
    }

    /// The product of the next period.
    var followingProduct: RowIndex<ProductTerms> { isCommitted ? service.product : service.nextProduct }

    /// The billing plan of the next period.
    var followingPlan: Plan { isCommitted ? service.plan : service.nextPlan }

    /// The price of a later period of the same product, after the end of any commitment, in milliunits.
    var followingPrice: Int64? { priceIncrease == .agreed ? increasedPrice : nextCommitmentPrice ?? standardPrice }

    /// The renewal state of the subscription, as Apple names it.
    var state: RenewalState {
        switch service.phase {
        case .active: .subscribed
        case .expired: .expired
        case .retry: .inBillingRetryPeriod
        case .grace: .inGracePeriod
        case .revoked: .revoked
        }
    }

    /// The number of the state in notifications and in the App Store's status responses.
    var status: UInt8 { UInt8(clamping: state.number) }

    // MARK: Changes

    /// Moves the end of the current period.
    ///
    /// Later periods are counted from the new end.
    mutating func endPeriod(at end: Instant) {
        service.expiresAt = end
        anchor = end
        periodsSinceAnchor = 0
    }

    /// Sets the offers of the next periods.
    mutating func setOffers(_ offers: PurchaseOffers, of app: App) {
        guard let first = offers.first else { return }
        offer = first
        queuedOffer = offers.second
        offerPeriodsLeft = app.offers[first].payments
    }

    /// Replaces the ended offer by the queued offer.
    mutating func promoteQueuedOffer(of app: App) {
        offer = queuedOffer
        offerPeriodsLeft = queuedOffer.map { app.offers[$0].payments } ?? 0
        queuedOffer = nil
    }

    /// Removes the offers of future periods.
    mutating func clearOffers() {
        offer = nil
        offerPeriodsLeft = 0
        queuedOffer = nil
    }

    /// Removes all pending price changes.
    mutating func clearPriceChanges() {
        priceIncrease = .none
        increasedPrice = nil
        unannouncedIncrease = .none
        nextCommitmentPrice = nil
    }
}
