/// A group of subscriptions; a customer can subscribe to only one product of a group at a time.
public struct SubscriptionGroup: Identifiable, Hashable, Sendable {
    /// The id of a group.
    public typealias ID = ByteIdentifier<SubscriptionGroup>

    /// The App Store's id of the group, or the id in the product list if the App Store's id is not known.
    public var id: ID
    /// The group's name.
    public var name: String?
    /// The texts in all languages that the files contain.
    public var localizations: [Localization] = []
    /// Other ids and names that files use for the group.
    package var aliases: Set<ID>
    /// The group's products, the highest service first; products of one level are in the order of the file.
    public var productIDs: [Product.ID]
    /// Members of the catalog files that this version of the package does not know.
    package var unknown = UnknownMembers()

    /// Creates a group.
    public init(id: ID, name: String? = nil, aliases: Set<ID> = [], productIDs: [Product.ID]) {
        self.id = id
        self.name = name
        self.aliases = aliases
        self.productIDs = productIDs
    }
}

/// A capability that an app checks, such as "pro" or "ad-free".
///
/// A new product can unlock a feature without a new build of the app.
public struct Feature: Identifiable, Hashable, Sendable {
    /// The name of a feature.
    public typealias ID = ByteIdentifier<Feature>

    /// The feature's name.
    public var id: ID
    /// The products that unlock the feature; the feature is entitled while at least one of the products is entitled.
    public var productIDs: [Product.ID]
    /// Whether a period with a free trial does not unlock the feature.
    public var paidPeriods: Bool
    /// The first version of the app that customers no longer paid for; whoever got the app in an earlier version has
    /// the feature.
    ///
    /// The version is compared with ``AppTransaction/originalAppVersion``, number by number: `1.10` is later than `1.9`,
    /// and a missing part is 0. On iOS, iPadOS, tvOS, watchOS and visionOS this is a build number (`CFBundleVersion`);
    /// on macOS it is the version that customers see (`CFBundleShortVersionString`). A text that is not numbers and dots
    /// unlocks nothing.
    public var originalVersionBefore: String?
    /// The instant before which customers paid for the app; whoever got the app earlier has the feature.
    public var originalPurchaseBefore: Instant?

    /// Creates a feature.
    ///
    /// - Parameters:
    ///   - id: The id of the feature.
    ///   - productIDs: The products that unlock the feature.
    ///   - paidPeriods: Whether a period with a free trial does not unlock the feature.
    ///   - originalVersionBefore: The first version of the app that customers no longer paid for.
    ///   - originalPurchaseBefore: The instant before which customers paid for the app.
    public init(
        id: ID, productIDs: [Product.ID], paidPeriods: Bool = false, originalVersionBefore: String? = nil,
        originalPurchaseBefore: Instant? = nil
    ) {
        self.id = id
        self.productIDs = productIDs
        self.paidPeriods = paidPeriods
        self.originalVersionBefore = originalVersionBefore
        self.originalPurchaseBefore = originalPurchaseBefore
    }
}
