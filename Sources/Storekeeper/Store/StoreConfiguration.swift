/// The settings of a store.
public struct StoreConfiguration: Sendable {
    /// The products of the app.
    public var catalog: Catalog
    /// The policy that defines which transactions give access.
    public var policy: EntitlementPolicy
    /// The products that the app requests; see ``Store/invalidProductIDs`` for requested products that are not in the
    /// catalog.
    public var requestedProductIDs: Set<Product.ID>
    /// The time for which a purchase waits for a guardian before it counts as refused.
    ///
    /// The default is a day, as with Ask to Buy.
    public var pendingLifetime: Duration
    /// The time for which a purchase waits for the customer's bank, or for the end of another interruption, before it
    /// counts as refused.
    ///
    /// With `nil`, the default, the purchase waits forever, because the App Store sets no time limit for the customer.
    public var bankApprovalLifetime: Duration?
    /// The tolerated lag of the App Store's clock behind the store's clock.
    ///
    /// A transaction does not complete a pending purchase if its purchase date is before the start of the pending
    /// purchase by more than this tolerance.
    public var clockTolerance: Duration
    /// The waits between retries.
    public var backoff: Backoff
    /// The time limit of a call to the backend; `nil` waits forever.
    ///
    /// A purchase has no limit, because it waits for a person.
    public var callDeadline: Duration?
    /// The time limit of the app's handler for the delivery of one purchase; `nil` waits forever.
    public var deliveryDeadline: Duration?
    /// The interval at which the store checks whether another process has written to the vault; `nil` for never.
    public var refreshInterval: Duration?
    /// The maximum number of facts in one atomic write.
    package var batchSize = 2_000
    /// The number of pages after which a history counts as endless, and reading it fails.
    package var maximumPages = 10_000
    /// The maximum number of attempts to write a batch while other processes write about the same customer.
    package var commitAttempts = 16

    /// Returns the time for which a purchase waits for an approval; `nil` means forever.
    func lifetime(of reason: EntitlementAnswer.PendingReason) -> Duration? {
        switch reason {
        case .askToBuy: pendingLifetime
        case .bankApproval: bankApprovalLifetime
        }
    }

    /// Creates a configuration; the defaults suit a server in production.
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
