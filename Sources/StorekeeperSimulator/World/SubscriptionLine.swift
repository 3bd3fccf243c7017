import FoundationEssentials
import Storekeeper

/// A customer's line of service in one subscription group: Apple's chain of one original transaction id.
struct SubscriptionLine: Sendable {
    enum Phase: UInt8, Sendable { case active, grace, retry, expired, revoked }

    let download: Int32
    let account: Int32
    let app: Int32
    let group: Int32
    /// The purchaser's line of which this is a family's copy.
    let sharedFrom: Int32?
    /// The number of the first transaction.
    let original: Int32

    // MARK: The current period

    var phase: Phase = .active
    var product: Int32
    var plan: Plan = .upFront
    /// The number of the newest transaction.
    var current: Int32
    var startedAt: Instant
    var expiresAt: Instant
    /// Whether the current period was free.
    var isFree = false
    /// The offer of the current period.
    var currentOffer: Int32?

    // MARK: The calendar

    /// Where the counting of periods began, so that a month's last days are not lost.
    var anchor: Instant
    var anchorPeriod: PeriodLength
    var periodsSinceAnchor: Int32 = 0

    // MARK: The next period

    var autoRenews = true
    var nextProduct: Int32
    var nextPlan: Plan = .upFront
    /// What a standard period costs this customer; `nil` where the catalog has no price.
    var standardPrice: Int64?
    /// The offer of the next periods, and how many of them.
    var offer: Int32?
    var offerPeriodsLeft: Int32 = 0
    /// The offer after that.
    var queuedOffer: Int32?
    var priceIncrease: PriceIncrease = .none
    /// The higher price that is pending or agreed, or is still to be told.
    var increasedPrice: Int64?
    /// What becomes of a higher price once the customer is about to renew again: asked for, or told.
    var untoldIncrease: PriceIncrease = .none
    /// The lower price of the next commitment.
    var nextCommitmentPrice: Int64?
    var lastIncreaseAt: Instant?

    // MARK: Trouble

    var graceEndsAt: Instant?
    var retryEndsAt: Instant?
    var expirationIntent: ExpirationReason.RawValue?
    var lapsedAt: Instant?
    /// When it is charged again, where that happens by itself.
    var nextCharge: Instant?
    /// Whether the charge of the day before the renewal has failed.
    var hasTriedEarly = false

    // MARK: Memory

    var recentStart: Instant
    var token: Int32?
    /// How often it renewed by itself since it was bought, for environments that stop after some.
    var renewals: Int32 = 0
    var paidPeriods: Int32 = 0
    /// When a developer last made it longer, and the time before.
    var extendedAt: (Instant?, Instant?) = (nil, nil)
    var commitmentPeriod: Int32 = 0
    var commitmentExpiresAt: Instant?
    /// What the twelve payments cost in all, in milliunits.
    var commitmentPrice: Int64?
    var commitmentRenews = true
    /// When a state of one of its transactions was last signed.
    var lastSignedAt: Instant?
    /// The place of the newest record of its renewal.
    var renewalRecord: Int32?
    /// Those of its due events that carry another stamp are no longer meant.
    var stamp: UInt32 = 0
    /// Whether family members have copies of it.
    var isShared = false

    init(
        download: Int32, account: Int32, app: Int32, group: Int32, sharedFrom: Int32?, original: Int32,
        product: Int32, period: PeriodLength, at instant: Instant
    ) {
        self.download = download
        self.account = account
        self.app = app
        self.group = group
        self.sharedFrom = sharedFrom
        self.original = original
        self.product = product
        current = original
        startedAt = instant
        expiresAt = instant
        anchor = instant
        anchorPeriod = period
        nextProduct = product
        recentStart = instant
    }

    /// Whether the customer has service.
    var isInService: Bool { phase == .active || phase == .grace }

    /// Until when its newest period counts as paid service: grace is none, and what was taken back ended then.
    var paidUntil: Instant { phase == .revoked ? min(expiresAt, lapsedAt ?? expiresAt) : expiresAt }

    /// Whether payments of a commitment are still to come; another product, plan or price has to wait for the last.
    var isCommitted: Bool {
        plan == .monthly && (isInService || phase == .retry)
            && (1..<World.paymentsOfCommitment).contains(commitmentPeriod)
    }

    /// Whether the customer means to go on with the same product and plan once what is paid or promised is over.
    var isAboutToRenew: Bool {
        sharedFrom == nil && isInService && nextProduct == product && nextPlan == plan
            && (plan == .monthly ? commitmentRenews : autoRenews)
    }

    /// Whether its payment is still tried, with service or without.
    var isInBillingRetry: Bool { phase == .grace || phase == .retry }

    /// The number that stands for the phase in notifications and statuses.
    var status: UInt8 {
        switch phase {
        case .active: 1
        case .expired: 2
        case .retry: 3
        case .grace: 4
        case .revoked: 5
        }
    }
}
