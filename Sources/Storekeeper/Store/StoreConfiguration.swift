/// What a store is to know and how it is to behave.
public struct StoreConfiguration: Sendable {
    /// What the app sells.
    public var catalog: Catalog
    /// The choices of the business.
    public var policy: EntitlementPolicy
    /// The products that the app asks for; those among them that no catalog knows are ``Store/invalidProductIDs``.
    public var requestedProductIDs: Set<Product.ID>
    /// For how long a purchase waits for a guardian before it counts as refused.
    ///
    /// A day by default, as with Ask to Buy.
    public var pendingLifetime: Duration
    /// For how long a purchase waits for the customer's bank, or for what else interrupted it, before it counts as
    /// refused; `nil`, the default, waits for ever, because no time is set to the customer.
    public var bankApprovalLifetime: Duration?
    /// By how much the App Store's clock may be behind ours.
    ///
    /// A transaction that was bought by more than this before its purchase began is an earlier one.
    public var clockTolerance: Duration
    /// How long to wait before what failed is tried again.
    public var backoff: Backoff
    /// How long one call of a backend may take before it counts as failed; `nil` waits for ever.
    ///
    /// A purchase has no limit, because a person takes part in it.
    public var callDeadline: Duration?
    /// How long the app's handler may take to hand out the goods of one purchase before it counts as failed;
    /// `nil` waits for ever.
    public var deliveryDeadline: Duration?
    /// How often to look whether another process has written to the vault; `nil`: never.
    public var refreshInterval: Duration?
    /// How many facts are written in one step at most.
    package var batchSize = 2_000
    /// How many pages a history may have before it counts as endless.
    package var maximumPages = 10_000
    /// How often a batch is tried while other processes write about the same customer.
    package var commitAttempts = 16

    /// How long a purchase waits for an approval; `nil` waits for ever.
    func lifetime(of reason: EntitlementAnswer.PendingReason) -> Duration? {
        switch reason {
        case .askToBuy: pendingLifetime
        case .bankApproval: bankApprovalLifetime
        }
    }

    /// Makes a configuration; the defaults are those of a server in production.
    public init(
        catalog: Catalog = .empty, policy: EntitlementPolicy = EntitlementPolicy(),
        requestedProductIDs: Set<Product.ID> = [], pendingLifetime: Duration = .seconds(86_400),
        bankApprovalLifetime: Duration? = nil, clockTolerance: Duration = .seconds(60), backoff: Backoff = Backoff(),
        callDeadline: Duration? = .seconds(30), deliveryDeadline: Duration? = .seconds(60),
        refreshInterval: Duration? = nil
    ) {
        self.catalog = catalog
        self.policy = policy
        self.requestedProductIDs = requestedProductIDs
        self.pendingLifetime = max(pendingLifetime, .zero)
        self.bankApprovalLifetime = bankApprovalLifetime.map { max($0, .zero) }
        self.clockTolerance = max(clockTolerance, .zero)
        self.backoff = backoff
        self.callDeadline = callDeadline.map { max($0, .milliseconds(1)) }
        self.deliveryDeadline = deliveryDeadline.map { max($0, .milliseconds(1)) }
        self.refreshInterval = refreshInterval.map { max($0, .milliseconds(1)) }
    }
}
