extension EntitlementResolver {
    /// Returns the answers that follow from a history.
    ///
    /// - Parameters:
    ///   - history: The customer's verified facts.
    ///   - pending: Purchases of the customer that wait for approval.
    ///   - grants: Access that was granted to the customer without a purchase.
    /// - Complexity: O(*n*) in the facts of subscriptions, O(*n* log *n*) in the facts of other products.
    public func resolve(
        _ history: PurchaseHistory, pending: [PendingPurchase] = [], grants: [AccessGrant] = []
    ) -> Resolution {
        ResolutionState(
            resolver: self, rule: .grant, history: history, pending: PendingSources(pending),
            grants: GrantSources(grants)
        ).resolution
    }

    /// Returns the answers that would follow if only the transactions of shadow environments counted.
    ///
    /// - SeeAlso: ``EntitlementPolicy/EnvironmentRule/shadow``
    public func resolveShadow(of history: PurchaseHistory) -> Resolution {
        ResolutionState(resolver: self, rule: .shadow, history: history, pending: PendingSources()).resolution
    }
}
