/// Turns facts into answers.
///
/// A pure function of a history, a catalog and a policy: no clock, no files, no state. It computes the
/// answers for all time at once.
public struct EntitlementResolver: Sendable {
    /// What the app sells.
    public let catalog: Catalog
    /// The choices of the business.
    public let policy: EntitlementPolicy

    /// Makes a resolver.
    public init(catalog: Catalog = .empty, policy: EntitlementPolicy = EntitlementPolicy()) {
        self.catalog = catalog
        self.policy = policy
    }

    /// The answers that follow from a history.
    ///
    /// - Parameters:
    ///   - history: What is known of the customer.
    ///   - pending: Purchases of the customer that wait for approval.
    /// - Complexity: O(*n*) in the facts of subscriptions, O(*n* log *n*) in those of other products.
    public func resolve(_ history: PurchaseHistory, pending: [PendingPurchase] = []) -> Resolution {
        ResolutionState(resolver: self, rule: .grant, history: history, pending: PendingSources(pending)).resolution
    }

    /// The answers that would follow if only those environments counted that the policy merely watches.
    ///
    /// - SeeAlso: ``EntitlementPolicy/EnvironmentRule/shadow``
    public func resolveShadow(of history: PurchaseHistory) -> Resolution {
        ResolutionState(resolver: self, rule: .shadow, history: history, pending: PendingSources()).resolution
    }
}
