/// A batch with what can be said of it before its step has its turn.
///
/// Steps run one after another, their callers do not.
package final class PreparedBatch: Sendable {
    /// What is to be written.
    package let batch: CommitBatch
    let outline: FactOutline
    /// What each consumable among the facts adds to balances; `nil` for what is none, and where a number overflows.
    let credits: [[LedgerRule.Credit]?]

    /// Prepares a batch.
    package init(_ batch: CommitBatch) {
        self.batch = batch
        outline = FactOutline(batch.facts)
        credits = batch.facts.map { fact in
            guard let transaction = fact.transaction, transaction.productType == .consumable else { return nil }
            return try? batch.rule.credits(of: transaction)
        }
    }
}
