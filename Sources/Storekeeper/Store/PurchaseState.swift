/// Where the purchase of a product stands.
public enum PurchaseState: Sendable {
    /// The App Store, or the customer, has not decided yet.
    case inProgress
    /// It was bought: verified, written down, handed out as far as the app could, and finished.
    case purchased(Transaction)
    /// Nothing new was bought: the App Store handed over a transaction of earlier.
    ///
    /// One that was waiting to be finished, or that the customer owns already. It counts like any other evidence.
    case earlier(Transaction)
    /// Somebody has to approve; what comes of it arrives by itself, or never, until the instant, in UTC;
    /// ``Instant/distantFuture`` where no time is set.
    case pending(EntitlementAnswer.PendingReason, until: Instant)
    /// The customer changed their mind.
    case cancelled
    /// The customer may not buy.
    case notAllowed(PurchaseError)
    /// The App Store refused, or could not be reached.
    case failed(PurchaseError)
    /// What was handed over as the purchase cannot be believed, or is not what was asked for; nothing was finished.
    case failedVerification(PurchaseError)

    /// The transaction that was bought now; `nil` in all other states.
    public var transaction: Transaction? {
        if case .purchased(let transaction) = self { transaction } else { nil }
    }
}
