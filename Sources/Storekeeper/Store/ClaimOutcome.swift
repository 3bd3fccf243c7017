/// What came of a claim.
public enum ClaimOutcome: Sendable {
    /// It is the customer's, and what waited for it was taken in.
    case claimed(IntakeReport)
    /// It belongs to another customer; nothing has changed.
    case refused(holder: CustomerID)
}
