/// The result of a claim.
public enum ClaimOutcome: Sendable {
    /// The customer is the owner, and the parked evidence was adopted.
    case claimed(IngestReport)
    /// Another customer is the owner; nothing has changed.
    case refused(holder: CustomerID)
}
