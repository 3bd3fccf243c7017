/// The customers for whom evidence is committed.
public enum EvidenceRecipient: Hashable, Sendable {
    /// The customer who presented the evidence: chains and tokens without an owner become theirs.
    case customer(CustomerID)
    /// The owner of each piece: the owner of its chain, or else of its newest token that has an owner.
    ///
    /// The facts of the named customer are written, with the rest of the batch. Facts of other customers are put aside
    /// for the next commit of their owner; without a named customer that applies to all facts.
    case owner(primary: CustomerID?)

    /// The customer of the batch.
    package var customer: CustomerID? {
        switch self {
        case .customer(let customer): customer
        case .owner(let customer): customer
        }
    }
}
