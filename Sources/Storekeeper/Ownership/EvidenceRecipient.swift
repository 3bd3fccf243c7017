/// For whom evidence is.
public enum EvidenceRecipient: Hashable, Sendable {
    /// For a customer who presented it: what is nobody's becomes theirs.
    case customer(CustomerID)
    /// For whoever owns each piece: by its chain, or else by the newest token of it that somebody was given.
    ///
    /// What is owned by the named customer is written, as is all else in the batch about them. What is another's is
    /// put aside, to be taken in with that customer's next commit; so is everything where no customer is named.
    case whoeverOwnsIt(writingFor: CustomerID?)

    /// The customer about whom something is written.
    package var customer: CustomerID? {
        switch self {
        case .customer(let customer): customer
        case .whoeverOwnsIt(let customer): customer
        }
    }
}
