package import FoundationEssentials

/// A key by which a remote storage loads rows that a step reads.
///
/// The storage loads all rows of a key. If the storage finds no rows, the step may assume that no such rows exist.
package enum RowKey: Hashable, Sendable {
    /// The row of a customer, and the last entry of the customer's account.
    case customer(CustomerID)
    /// The first version of new customers; see ``VaultTables/versionFloor()``.
    case versionFloor
    /// All bindings of a customer.
    case bindings(of: CustomerID)
    /// The binding of a chain or token.
    case holder(of: BindingSubject)
    /// The known chains with an original transaction id, and their bindings.
    case chains(originalID: Transaction.ID)
    /// The number of times that customers other than the owner have presented a chain or token.
    case attempts(on: BindingSubject)
    /// The newest token among the facts of a chain, and the binding of this token.
    case token(of: ChainID)
    /// Evidence other than a transaction, by its purchase and payload.
    ///
    /// A transaction is loaded by ``copies(of:)``.
    case renewalInfo(of: RenewalInfoKey, payload: PayloadKey)
    /// The facts of a customer's chains with the other evidence of their purchases, and all bindings of the customer.
    case facts(of: CustomerID)
    /// The facts of a chain.
    case chainFacts(of: ChainID)
    /// The facts other than transactions of an environment and original transaction.
    case renewalInfos(of: RenewalInfoKey)
    /// All copies of a transaction.
    case copies(of: TransactionKey)
    /// A parked fact by its payload.
    case parkedFact(payload: PayloadKey)
    /// The parked facts of a customer's chains and tokens and of chains that replace the customer's chains, with the
    /// bindings of these chains and tokens; and the parked facts with a token that is the customer's id, with the
    /// binding of this token.
    case parkedFacts(heldBy: CustomerID)
    /// The parked facts that were presented for a customer and belong to another customer.
    case parkedClaims(by: CustomerID)
    /// The parked transactions and app transactions of a chain.
    case parkedChain(of: ChainID)
    /// The parked evidence without a chain of an environment and original transaction.
    case parkedInfos(of: RenewalInfoKey)
    /// The parked transactions of chains that replace a chain; see ``VerifiedFact/predecessor``.
    case parkedSuccessors(of: ChainID)
    /// The parked facts with a token.
    case parkedToken(UUID)
    /// The rows of a described table with a key.
    case rows(RowQuestion)
    /// The exclusive use of a row without an owner, until the step is written; nothing is loaded.
    case turn(RowQuestion)
    /// The delivery of a transaction's content, even if the transaction is finished.
    case delivery(of: TransactionKey)
    /// The outstanding deliveries and `finish` calls of a customer.
    case unfinished(of: CustomerID)
    /// Whether the step with an id was written.
    case step(StepID)
    /// Whether a mark of an erased customer, such as a used request key, is stored.
    case mark(ErasedMark)
}
