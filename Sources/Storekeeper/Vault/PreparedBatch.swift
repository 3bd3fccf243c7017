/// A batch with the results that can be computed before its step runs.
///
/// Steps run one after another, but their callers run concurrently. Work that is done before a step does not delay
/// other steps.
package final class PreparedBatch: Sendable {
    /// The batch.
    package let batch: CommitBatch
    let outline: FactOutline
    /// The credits of each fact, by its position in the batch; `nil` if the fact is not about a consumable, or if an
    /// amount overflows.
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
