/// All answers about one customer, for all time.
///
/// A resolution contains timelines, but not the history from which they were resolved.
public struct Resolution: Sendable {
    /// The catalog with which the answers were resolved.
    public let catalog: Catalog
    let directory: GroupDirectory
    let grantSources: GrantSources
    /// The timelines of the products of the catalog and of the evidence, except consumables.
    var productTimelines: [Product.ID: ProductTimeline] = [:]
    /// The timelines that count for features with ``Feature/paidPeriods``, of the products of these features.
    var paidProducts: [Product.ID: ProductTimeline] = [:]
    /// The app transactions that count.
    var paidApps = PaidAppSources()
    /// The subscription groups of the catalog and of the evidence, sorted by id.
    public internal(set) var groups: [GroupTimeline] = []
    /// The features of the catalog, in the order of the catalog.
    public internal(set) var features: [FeatureTimeline] = []
    /// The balances of consumables in the catalog or the evidence, sorted by id.
    public internal(set) var balances: [BalanceTimeline] = []
    /// The products that are consumables according to the evidence.
    var consumableIDs: Set<Product.ID> = []
    /// Whether all facts were verified.
    public internal(set) var isVerified = true
    /// The newest verified `signedDate` of the evidence that counts; `nil` if no verified evidence counts.
    var newestSignature: Instant?

    /// The products of the catalog and of the evidence, except consumables, sorted by id.
    public var products: [ProductTimeline] { productTimelines.values.sorted { $0.id < $1.id } }

    /// Returns the answers about a product; `nil` for a consumable, and for a product that is in neither the catalog
    /// nor the evidence.
    public func product(_ id: Product.ID) -> ProductTimeline? { productTimelines[id] }

    /// Returns the answer about a product at an instant; `nil` if ``product(_:)`` is `nil`.
    ///
    /// For a single lookup this is cheaper than ``product(_:)``, because no whole timeline is passed to another module.
    package func answer(for id: Product.ID, at instant: Instant) -> EntitlementAnswer? {
        productTimelines[id]?.timeline.value(at: instant)
    }

    /// Returns whether a product gives access at an instant, according to the evidence and the grants.
    package func isEntitled(_ id: Product.ID, at instant: Instant) -> Bool {
        productTimelines[id]?.timeline.withValue(at: instant) { $0.isEntitled } ?? false
    }

    /// Returns whether the customer has access to a feature at an instant, according to the evidence and the grants.
    package func hasFeature(_ id: Feature.ID, at instant: Instant) -> Bool {
        features.contains { $0.id == id && $0.timeline.withValue(at: instant) { $0.answer.isEntitled } }
    }

    /// Returns the products whose timelines differ from those of an earlier resolution, in any order.
    package func productIDs(changedSince old: Resolution) -> [Product.ID] {
        let (new, old) = (productTimelines, old.productTimelines)
        return new.keys.filter { old[$0]?.timeline != new[$0]?.timeline } + old.keys.filter { new[$0] == nil }
    }

    /// Returns whether a product is a consumable according to the catalog or the evidence.
    ///
    /// The result is `false` if the catalog and the evidence contradict each other.
    package func isConsumable(_ id: Product.ID) -> Bool {
        consumableIDs.contains(id) || catalog.type(of: id) == .consumable && productTimelines[id] == nil
    }

    /// Returns the answers about a feature; `nil` if the catalog does not contain the feature.
    public func feature(_ id: Feature.ID) -> FeatureTimeline? { features.first { $0.id == id } }

    /// Returns the statuses of a group, given by its id or name; `nil` if the group is unknown.
    public func group(_ idOrName: String) -> GroupTimeline? { directory.index(named: idOrName).map { groups[$0] } }

    /// Returns the timeline of a balance; `nil` if no consumable credits the balance.
    public func balance(_ id: BalanceID) -> BalanceTimeline? { balances.first { $0.id == id } }

    /// Returns the group of a product; `nil` if the product has no group.
    package func group(containing id: Product.ID) -> SubscriptionGroup? {
        directory.index(ofProduct: id).map { directory.groups[$0] }
    }

    /// Returns the timeline of the best answers about the products of a group.
    ///
    /// - Parameters:
    ///   - group: A group of the catalog or of the evidence.
    ///   - level: The lowest level of service that counts; a smaller number is a higher level. A product that gives
    ///     access and has no level makes the answer unknown. `nil` means that all products count, whatever their
    ///     levels.
    package func access(to group: SubscriptionGroup, atLevel level: Int? = nil) -> Timeline<FeatureTimeline.Answer> {
        guard let level else { return FeatureTimeline.best(of: group.productIDs, products: productTimelines) }
        return FeatureTimeline.best(
            of: group.productIDs.compactMap { id in
                guard let timeline = productTimelines[id]?.timeline else { return nil }
                guard let known = catalog.product(id)?.subscription?.groupLevel else {
                    return (Optional(id), timeline.mapped({ $0.withoutLevel }, joins: { $0.isEquivalent(to: $1) }))
                }
                return known <= level ? (Optional(id), timeline) : nil
            })
    }

    /// Returns the first instant after the given one at which anything changes: the answer or reason of a product or
    /// feature, the state or product of a status, the highest status of a group, or a balance.
    public func nextChange(after instant: Instant) -> Instant? {
        let changes =
            productTimelines.values.map { $0.timeline.nextChange(after: instant) }
            + features.map { $0.timeline.nextChange(after: instant) }
            + groups.map { $0.nextChange(after: instant) }
            + balances.map { $0.nextChange(after: instant) }
        return changes.lazy.compactMap { $0 }.min()
    }
}

extension EntitlementAnswer {
    /// The answer about a level of service for a product without a level: `unknown` if the product gives access.
    fileprivate var withoutLevel: EntitlementAnswer {
        switch self {
        case .entitled(_, let basis): .unknown(.unknownLevel, basis)
        case .granted, .paidApp: .unknown(.unknownLevel)
        case .unknown: self
        case .pending, .lapsed, .never: .never
        }
    }
}

extension Resolution {
    /// Returns the instant that counts as now: the time of this machine's clock, or the time of the newest verified
    /// signature if this signature is ahead by at most 60 seconds.
    ///
    /// - Parameter clock: The time of this machine's clock, in UTC.
    package func now(byClock clock: Instant) -> Instant {
        PresentInstant.now(clock: clock, newestSignature: newestSignature)
    }
}

extension Resolution: Equatable {
    /// Returns whether two resolutions have the same answers at all times.
    public static func == (left: Resolution, right: Resolution) -> Bool {
        left.isVerified == right.isVerified && left.productTimelines == right.productTimelines
            && left.features == right.features && left.balances == right.balances && left.grants == right.grants
            && left.groups.count == right.groups.count
            && zip(left.groups, right.groups).allSatisfy { $0.hasEqualAnswers(to: $1) }
    }
}
