import Storekeeper

/// A call that writes.
enum Call {
    case commit(CommitBatch)
    case claim(BindingSubject, CustomerID, Instant)
    case move([LedgerRequest], RefundPolicy)
    case markDelivery(TransactionKey, OutboxItem.State?)
    case setCursor(UpdateCursor, String)
    case erase(CustomerID, String, Instant)
}
