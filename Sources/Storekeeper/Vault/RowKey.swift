package import FoundationEssentials

/// A question about a vault's rows, as a step asks it: what a remote storage is told to load.
///
/// An answer is all the rows that the question is about, or that there are none.
package enum RowKey: Hashable, Sendable {
    /// What is noted of a customer, and where their account ends.
    case customer(CustomerID)
    /// All that belongs to a customer.
    case bindings(of: CustomerID)
    /// The binding of a chain or token.
    case holder(of: BindingSubject)
    /// The chains with an original transaction id that the vault has heard of, and their bindings.
    case chains(originalID: Transaction.ID)
    /// How often anybody presented a chain or token that is another's.
    case attempts(on: BindingSubject)
    /// The newest token that the facts of a chain carry, and its binding.
    case token(of: ChainID)
    /// A renewal info by what it is of and its payload. A transaction is found by its copies.
    case renewalInfo(of: RenewalInfoKey, payload: PayloadKey)
    /// The facts of a customer's chains with their renewal infos, and all that belongs to the customer.
    case facts(of: CustomerID)
    /// The facts of a chain.
    case chainFacts(of: ChainID)
    /// The renewal infos of an environment and original transaction.
    case renewalInfos(of: RenewalInfoKey)
    /// All copies of a transaction.
    case copies(of: TransactionKey)
    /// A parked fact by its payload.
    case parkedFact(payload: PayloadKey)
    /// What is parked under a customer's chains and tokens, with their bindings; and what carries a token that is the
    /// customer's id, with the binding of that token.
    case parkedFacts(heldBy: CustomerID)
    /// What is parked of transactions of a chain.
    case parkedChain(of: ChainID)
    /// The parked renewal infos of an environment and original transaction.
    case parkedInfos(of: RenewalInfoKey)
    /// What is parked that carries a token.
    case parkedToken(UUID)
    /// The entries that a transaction has made.
    case entries(causedBy: TransactionKey)
    /// The entry that a customer's request has made.
    case request(of: CustomerID, key: LedgerRequest.Key)
    /// All entries of a customer.
    case account(of: CustomerID)
    /// One balance.
    case balance(of: CustomerID, name: Balance.ID)
    /// All balances of a customer.
    case balances(of: CustomerID)
    /// What a transaction was owed, done or not.
    case delivery(of: TransactionKey)
    /// What is owed a delivery or a `finish`, of a customer.
    case unfinished(of: CustomerID)
    /// The purchases of a customer that wait for approval.
    case pending(of: CustomerID)
    /// Whether a notification was seen.
    case notification(uuid: ServerNotification.ID)
    /// Whether a step was written.
    case step(StepID)
    /// How far a backend was read.
    case cursor(of: UpdateCursor.Backend)
    /// Whether an erased customer has left a mark.
    case mark(ErasedMark)
}
