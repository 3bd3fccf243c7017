/// A request for a list of rows, or for a page of a list, which a remote storage answers outside of any step.
package enum VaultList: Hashable, Sendable {
    /// See ``Vault/customers(after:limit:)``.
    case customers(after: CustomerID?, limit: Int)
    /// See ``TransactionalVault/nextWake()``.
    case earliestWake
    /// See ``TransactionalVault/facts(after:of:limit:)``.
    case facts(after: FeedPlace, of: CustomerID?, limit: Int)
    /// The rows of a described table after a place in the feed, of one customer or of all customers; all rows of a
    /// table without places.
    case rows(TableShape, after: FeedPlace, of: CustomerID?, limit: Int)
    /// A page of rows in the order of their table.
    case ordered(RowList, limit: Int)
    /// See ``VaultTables/webhookSummaries()``.
    case webhooks
    /// See ``Vault/parked(after:limit:)``.
    case parked(after: FeedPlace, limit: Int)
    /// See ``VaultTables/parked(heldBy:after:limit:)``.
    case parkedFor(CustomerID, after: FeedPlace, limit: Int)
    /// See ``TransactionalVault/customersOwed(after:limit:)``.
    case customersOwed(after: CustomerID?, limit: Int)
    /// See ``Vault/erasures(of:)``.
    case erasures(of: CustomerID)
}

/// The rows of a ``VaultList``.
package enum ListedRows: Sendable {
    /// Customers in order of id.
    case customers([CustomerID])
    /// The customer with the earliest wake; of several such customers, the first by id.
    case wake((customer: CustomerID, at: Instant)?)
    /// Facts in the order in which they were learned.
    case facts([StoredFact])
    /// Rows of a described table in the requested order.
    case rows([PackedRow])
    /// Summaries of the webhooks, by name.
    case webhooks([WebhookSummary])
    /// A page of parked facts.
    case parked(VaultPage<ParkedFact>)
    /// The erasures of a customer.
    case erasures([Erasure])
}
