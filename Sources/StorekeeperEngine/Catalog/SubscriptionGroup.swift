/// Subscriptions of which a customer has at most one at a time.
public struct SubscriptionGroup: Identifiable, Hashable, Sendable {
    /// The id of a group.
    public typealias ID = ByteIdentifier<SubscriptionGroup>

    /// The group's id: the App Store's if it is known, else that of the product list.
    public var id: ID
    /// The group's name.
    public var name: String?
    /// The texts in all languages that the files have.
    public var localizations: [Localization] = []
    /// Other ids that files use for it.
    package var aliases: Set<ID>
    /// Its products, the highest service first; equal levels in the order of the file.
    public var productIDs: [Product.ID]
    /// Members of the files that this version does not know.
    package var unknown = UnknownMembers()

    /// Creates a group.
    public init(id: ID, name: String? = nil, aliases: Set<ID> = [], productIDs: [Product.ID]) {
        self.id = id
        self.name = name
        self.aliases = aliases
        self.productIDs = productIDs
    }
}

/// A capability that an app checks, such as "pro" or "ad-free", so that a new product needs no new build.
public struct Feature: Identifiable, Hashable, Sendable {
    /// The name of a feature.
    public typealias ID = ByteIdentifier<Feature>

    /// The feature's name.
    public var id: ID
    /// The products that unlock it; it is entitled while any of them is.
    public var productIDs: [Product.ID]

    /// Creates a feature.
    public init(id: ID, productIDs: [Product.ID]) {
        self.id = id
        self.productIDs = productIDs
    }
}
