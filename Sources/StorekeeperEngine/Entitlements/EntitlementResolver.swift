/// Computes answers about access from a customer's verified evidence.
///
/// A resolver is a pure function of a history, a catalog and a policy: it uses no clock, no files and no state. It
/// computes the answers for all time at once.
public struct EntitlementResolver: Sendable {
    /// The products of the app.
    package let catalog: Catalog
    /// The business's rules for access.
    package let policy: EntitlementPolicy

    /// Creates a resolver.
    public init(catalog: Catalog = .empty, policy: EntitlementPolicy = EntitlementPolicy()) {
        self.catalog = catalog
        self.policy = policy
    }
}
