/// A customer's history and the answers that follow from it, kept up to date as evidence arrives.
///
/// The answers always equal those that ``EntitlementResolver/resolve(_:pending:grants:)`` returns for the history.
/// Adding evidence takes a small part of the time that computing all answers takes. A ``resolution`` that a caller has
/// stored does not change.
///
/// To use another catalog or policy, create another live resolution from the same history.
public struct LiveResolution: Sendable {
    /// The customer's verified facts.
    package private(set) var history: PurchaseHistory
    private var state: ResolutionState

    /// The result of adding a batch of evidence.
    package struct Merged: Sendable {
        /// For each item of the batch, in order, whether the item added a fact.
        package let isNew: [Bool]
        /// The added transactions that are still the newest copies, in the order of the batch.
        package let facts: [TransactionFact]
        /// Whether any fact was added, or unverified evidence named a product for the first time.
        package let isChanged: Bool
    }

    /// Computes all answers for a history.
    public init(
        history: PurchaseHistory, resolver: EntitlementResolver, pending: [PendingPurchase] = [],
        grants: [AccessGrant] = []
    ) {
        self.history = history
        state = ResolutionState(
            resolver: resolver, rule: .grant, history: history, pending: PendingSources(pending),
            grants: GrantSources(grants))
    }

    /// The catalog and the policy.
    package var resolver: EntitlementResolver { state.resolver }

    /// The answers.
    public var resolution: Resolution { state.resolution }

    /// Adds evidence.
    ///
    /// - Returns: Whether any fact was added, or unverified evidence named a product for the first time.
    @discardableResult
    public mutating func merge(_ evidence: some Sequence<CheckedEvidence>) -> Bool { mergeListing(evidence).isChanged }

    /// Adds evidence, and returns the facts that were added.
    package mutating func mergeListing(_ evidence: some Sequence<CheckedEvidence>) -> Merged {
        let changes = history.merge(evidence)
        if !ResolutionUpdate.apply(changes, of: history, to: &state) {
            resolveAll(pending: state.pending, grants: state.grants)
        }
        return Merged(
            isNew: changes.isNew, facts: changes.facts.map(\.fact).filter(history.isNewest),
            isChanged: changes.isNew.contains(true) || !changes.changedProductIDs.isEmpty)
    }

    /// Replaces the access that was granted without a purchase.
    package mutating func setGrants(_ grants: [AccessGrant]) {
        resolveAll(pending: state.pending, grants: GrantSources(grants))
    }

    /// Replaces the purchases that wait for approval.
    package mutating func setPending(_ pending: [PendingPurchase]) {
        resolveAll(pending: PendingSources(pending), grants: state.grants)
    }

    /// Resolves the whole history again, which is acceptable because grants and pending purchases rarely change.
    private mutating func resolveAll(pending: PendingSources, grants: GrantSources) {
        state = ResolutionState(
            resolver: state.resolver, rule: state.rule, history: history, pending: pending, grants: grants)
    }
}
