extension EntitlementResolver {
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
