/// A customer's right to a feature because they got the app itself while it was paid.
public struct PaidApp: Hashable, Sendable {
    /// The app transaction that proves the right, as a fact.
    package let fact: AppTransactionFact
    /// The beginning of the right: the time of the app's first download, in UTC.
    public let since: Instant
    /// The end of the right, exclusive: the revocation of the app; ``Instant/distantFuture`` if it was not revoked.
    public let endsAt: Instant

    /// The app transaction that proves the right.
    public var appTransaction: AppTransaction { fact.appTransaction }
}
