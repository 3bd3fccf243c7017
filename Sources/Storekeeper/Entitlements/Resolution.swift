/// All answers about one customer, for all time.
///
/// Holds timelines, not the history they were resolved from.
public struct Resolution: Sendable {
    /// The catalog that was used.
    public let catalog: Catalog
    private let directory: GroupDirectory
    private let productsByID: [Product.ID: ProductTimeline]
    /// The subscription groups of the catalog and of the evidence, by id.
    public let groups: [GroupTimeline]
    /// The features of the catalog, in its order.
    public let features: [FeatureTimeline]
    /// The balances that consumables of the catalog or of the evidence feed, by name.
    public let balances: [BalanceTimeline]
    private let consumableIDs: Set<Product.ID>
    /// Whether all facts were verified.
    public let isVerified: Bool

    init(
        catalog: Catalog, directory: GroupDirectory, products: [Product.ID: ProductTimeline],
        groups: [GroupTimeline], features: [FeatureTimeline], balances: [BalanceTimeline],
        consumableIDs: Set<Product.ID>, isVerified: Bool
    ) {
        self.catalog = catalog
        self.directory = directory
        productsByID = products
        self.groups = groups
        self.features = features
        self.balances = balances
        self.consumableIDs = consumableIDs
        self.isVerified = isVerified
    }

    /// The products of the catalog and of the evidence, consumables aside, by id.
    public var products: [ProductTimeline] { productsByID.values.sorted { $0.id < $1.id } }

    /// What the customer has of a product; `nil` for a consumable, and where neither catalog nor evidence
    /// knows the id.
    public func product(_ id: Product.ID) -> ProductTimeline? { productsByID[id] }

    /// Whether catalog or evidence says that a product is a consumable, which is counted and not owned.
    public func isConsumable(_ id: Product.ID) -> Bool {
        consumableIDs.contains(id) || catalog.product(id)?.type == .consumable
    }

    /// Whether the customer has a feature; `nil` where the catalog knows none of that name.
    public func feature(_ id: Feature.ID) -> FeatureTimeline? { features.first { $0.id == id } }

    /// Where the customer stands in a group, by its id or name; `nil` where there is none.
    public func group(_ idOrName: String) -> GroupTimeline? { directory.index(named: idOrName).map { groups[$0] } }

    /// What the customer has of a balance; `nil` where no consumable feeds one of that name.
    public func balance(_ id: String) -> BalanceTimeline? { balances.first { $0.id == id } }

    /// The group of a product; `nil` where it belongs to none.
    public func group(containing id: Product.ID) -> SubscriptionGroup? {
        directory.index(ofProduct: id).map { directory.groups[$0] }
    }

    /// The best answer over the products of a group.
    ///
    /// - Parameters:
    ///   - group: A group of the catalog or of the evidence.
    ///   - level: Only products of this level of service or a higher one (a smaller number) count; `nil`: all of
    ///     them.
    public func access(to group: SubscriptionGroup, atLevel level: Int? = nil) -> Timeline<FeatureTimeline.Answer> {
        let productIDs = group.productIDs.filter { id in
            guard let level else { return true }
            return catalog.product(id)?.subscription?.groupLevel.map { $0 <= level } ?? false
        }
        return FeatureTimeline.best(of: productIDs, products: productsByID)
    }

    /// The first instant after another at which anything changes: the answer or reason of a product or
    /// feature, the state or product of a status, the highest status of a group, a balance.
    public func nextChange(after instant: Instant) -> Instant? {
        let changes =
            productsByID.values.lazy.map { $0.timeline.nextChange(after: instant) }
            + features.lazy.map { $0.timeline.nextChange(after: instant) }
            + groups.lazy.map { $0.nextChange(after: instant) }
            + balances.lazy.map { $0.nextChange(after: instant) }
        return changes.compactMap { $0 }.min()
    }
}

extension Resolution: Equatable {
    /// Whether two resolutions give the same answers at all times.
    public static func == (left: Resolution, right: Resolution) -> Bool {
        left.isVerified == right.isVerified && left.productsByID == right.productsByID
            && left.features == right.features && left.balances == right.balances
            && left.groups.count == right.groups.count
            && zip(left.groups, right.groups).allSatisfy { $0.hasEqualAnswers(to: $1) }
    }
}
