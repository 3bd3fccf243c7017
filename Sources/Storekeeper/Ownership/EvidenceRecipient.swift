/// The customers for whom evidence is committed.
package enum EvidenceRecipient: Hashable, Sendable {
    /// The customer who presented the evidence; chains and tokens without an owner become the customer's.
    case customer(CustomerID)
    /// The owner of each piece of evidence: the owner of its chain or, if the chain is not bound, the owner of its
    /// newest token.
    ///
    /// The facts of the primary customer are written with the rest of the batch. Facts of other customers are parked
    /// until the next commit for their owner. Without a primary customer, all facts are parked.
    case owner(primary: CustomerID?)

    /// The customer of the batch.
    package var customer: CustomerID? {
        switch self {
        case .customer(let customer): customer
        case .owner(let customer): customer
        }
    }
}
