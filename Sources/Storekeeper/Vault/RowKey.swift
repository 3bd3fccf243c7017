package import FoundationEssentials

/// A key of rows that a step reads, by which a remote storage loads them.
///
/// An answer is all the rows that the question is about, or that there are none.
package enum RowKey: Hashable, Sendable {
    /// The row of a customer, and the end of their account.
    case customer(CustomerID)
    /// The number from which the versions of new customers count.
    case versionFloor
    /// All bindings of a customer.
    case bindings(of: CustomerID)
    /// The binding of a chain or token.
    case holder(of: BindingSubject)
    /// The known chains with an original transaction id, and their bindings.
    case chains(originalID: Transaction.ID)
    /// Returns how often customers presented another's chain or token.
    case attempts(on: BindingSubject)
    /// The newest token of the facts of a chain, and its binding.
    case token(of: ChainID)
    /// A renewal info by its purchase and payload.
    ///
    /// A transaction is found by its copies.
    case renewalInfo(of: RenewalInfoKey, payload: PayloadKey)
    /// The facts of a customer's chains with their renewal infos, and all bindings of the customer.
    case facts(of: CustomerID)
    /// The facts of a chain.
    case chainFacts(of: ChainID)
    /// The renewal infos of an environment and original transaction.
    case renewalInfos(of: RenewalInfoKey)
    /// Returns all copies of a transaction.
    case copies(of: TransactionKey)
    /// A parked fact by its payload.
    case parkedFact(payload: PayloadKey)
    /// The parked facts of a customer's chains and tokens, with the bindings; and the parked facts with a token that is
    /// the customer's id, with the binding of this token.
    case parkedFacts(heldBy: CustomerID)
    /// The parked transactions of a chain.
    case parkedChain(of: ChainID)
    /// The parked renewal infos of an environment and original transaction.
    case parkedInfos(of: RenewalInfoKey)
    /// The parked facts with a token.
    case parkedToken(UUID)
    /// Returns the entries that a transaction caused.
    case entries(causedBy: TransactionKey)
    /// Returns the entry that a customer's request caused.
    case request(of: CustomerID, key: LedgerRequest.Key)
    /// The entries of a customer that grant or revoke access.
    case access(of: CustomerID)
    /// All entries of a customer.
    case account(of: CustomerID)
    /// One balance.
    case balance(of: CustomerID, name: Balance.ID)
    /// All balances of a customer.
    case balances(of: CustomerID)
    /// The delivery of a transaction, finished or not.
    case delivery(of: TransactionKey)
    /// The outstanding deliveries and finishes of a customer.
    case unfinished(of: CustomerID)
    /// Returns the purchases of a customer that wait for approval.
    case pending(of: CustomerID)
    /// Whether a notification was seen.
    case notification(uuid: ServerNotification.ID)
    /// Whether a step was written.
    case step(StepID)
    /// Returns how far a backend was read.
    case cursor(of: UpdateCursor.Backend)
    /// Returns whether an erased customer has left a mark.
    case mark(ErasedMark)
}
