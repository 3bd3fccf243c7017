/// Turns facts into answers.
///
/// A pure function of a history, a catalog and a policy: no clock, no files, no state. It computes the
/// answers for all time at once.
public struct EntitlementResolver: Sendable {
    /// What the app sells.
    package let catalog: Catalog
    /// The choices of the business.
    package let policy: EntitlementPolicy

    /// Makes a resolver.
    public init(catalog: Catalog = .empty, policy: EntitlementPolicy = EntitlementPolicy()) {
        self.catalog = catalog
        self.policy = policy
    }
}
