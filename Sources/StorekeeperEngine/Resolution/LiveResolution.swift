/// A customer's history and the answers that follow from it, kept together as evidence arrives.
///
/// The answers are at all times those that ``EntitlementResolver/resolve(_:pending:)`` gives for the history. Taking in
/// what is newest costs about as much for a long history as for a short one, and a ``resolution`` that somebody keeps
/// stays as it is. A copy of the whole value, changed, costs little, too: it and the original share what neither has
/// changed.
///
/// Another catalog or policy wants another value, made of the same history.
public struct LiveResolution: Sendable {
    /// What is known of the customer.
    package private(set) var history: PurchaseHistory
    private var state: ResolutionState

    /// What came of taking in a batch of evidence.
    package struct Merged: Sendable {
        /// For each piece of the batch, whether a fact was learned from it.
        package let isNew: [Bool]
        /// The transactions that were taken in and are still the newest copies, in the order of the batch.
        package let facts: [TransactionFact]
        /// Whether any fact was learned, or a product came into doubt.
        package let isChanged: Bool
    }

    /// Resolves a history.
    public init(history: PurchaseHistory, resolver: EntitlementResolver, pending: [PendingPurchase] = []) {
        self.history = history
        state = ResolutionState(
            resolver: resolver, rule: .grant, history: history, pending: PendingSources(pending))
    }

    /// The catalog and the policy.
    package var resolver: EntitlementResolver { state.resolver }

    /// The answers.
    public var resolution: Resolution { state.resolution }

    /// Takes in evidence.
    ///
    /// - Returns: Whether any fact was learned, or a product came into doubt.
    @discardableResult
    public mutating func merge(_ evidence: some Sequence<CheckedEvidence>) -> Bool { mergeListing(evidence).isChanged }

    /// Takes in evidence, and lists what is new.
    package mutating func mergeListing(_ evidence: some Sequence<CheckedEvidence>) -> Merged {
        let changes = history.merge(evidence)
        if !ResolutionUpdate.apply(changes, of: history, to: &state) {
            state = ResolutionState(
                resolver: state.resolver, rule: state.rule, history: history, pending: state.pending)
        }
        return Merged(
            isNew: changes.isNew, facts: changes.facts.map(\.fact).filter(history.isNewest),
            isChanged: changes.isNew.contains(true) || !changes.notedProductIDs.isEmpty)
    }

    /// Lets further changes cost less, once the copy that this value was made of by changing it is gone.
    ///
    /// Nothing that can be asked for is another after it.
    package mutating func fold() {
        history.fold()
        state.fold()
    }

    /// Lets these purchases, and no others, wait for approval.
    package mutating func setPending(_ pending: [PendingPurchase]) {
        ResolutionUpdate.setPending(PendingSources(pending), of: history, in: &state)
    }
}
