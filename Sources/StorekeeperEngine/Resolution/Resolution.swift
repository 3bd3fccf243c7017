/// All answers about one customer, for all time.
///
/// Holds timelines, not the history they were resolved from.
public struct Resolution: Sendable {
    /// The catalog that was used.
    public let catalog: Catalog
    var directory: GroupDirectory
    let grantSources: GrantSources
    var productTable = ProductTable()
    /// The subscription groups of the catalog and of the evidence, by id.
    public internal(set) var groups: [GroupTimeline] = []
    /// The features of the catalog, in its order.
    public internal(set) var features: [FeatureTimeline] = []
    /// The balances of consumables in the catalog or the evidence, by id.
    public internal(set) var balances: [BalanceTimeline] = []
    /// The products that are consumables according to the evidence.
    var consumableIDs: Set<Product.ID> = []
    /// Whether all facts were verified.
    public internal(set) var isVerified = true
    /// The newest verified `signedDate` of the evidence that counts; `nil` if there is none.
    var newestSignature: Instant?

    /// The products of the catalog and of the evidence, except consumables, sorted by id.
    public var products: [ProductTimeline] { productTable.all.sorted { $0.id < $1.id } }

    /// Returns the answers about a product; `nil` for a consumable, and if neither catalog nor evidence contains the
    /// id.
    public func product(_ id: Product.ID) -> ProductTimeline? { productTable[id] }

    /// Returns the answer about a product at an instant; `nil` if ``product(_:)`` is `nil`.
    ///
    /// It avoids passing a timeline to another module for a single lookup.
    package func answer(for id: Product.ID, at instant: Instant) -> EntitlementAnswer? {
        productTable[id]?.timeline.value(at: instant)
    }

    /// Returns whether a product gives access at an instant, according to the evidence.
    package func isEntitled(_ id: Product.ID, at instant: Instant) -> Bool { productTable.isEntitled(id, at: instant) }

    /// Returns whether a feature's products give access at an instant, according to the evidence.
    package func hasFeature(_ id: Feature.ID, at instant: Instant) -> Bool {
        features.contains { $0.id == id && $0.timeline.withValue(at: instant) { $0.answer.isEntitled } }
    }

    /// Returns the products whose timelines may differ from those of an earlier resolution, in any order.
    package func productIDs(changedSince old: Resolution) -> [Product.ID] {
        productTable.ids(changedSince: old.productTable)
    }

    /// Returns whether a product is a consumable according to catalog or evidence.
    ///
    /// Returns `false` if they contradict each other.
    package func isConsumable(_ id: Product.ID) -> Bool {
        consumableIDs.contains(id) || catalog.type(of: id) == .consumable && productTable[id] == nil
    }

    /// Returns the answers about a feature; `nil` if the catalog does not contain it.
    public func feature(_ id: Feature.ID) -> FeatureTimeline? { features.first { $0.id == id } }

    /// Returns the statuses of a group, given by its id or name; `nil` if the group is unknown.
    public func group(_ idOrName: String) -> GroupTimeline? { directory.index(named: idOrName).map { groups[$0] } }

    /// Returns a balance; `nil` if no consumable adds to it.
    public func balance(_ id: BalanceID) -> BalanceTimeline? { balances.first { $0.id == id } }

    /// Returns the group of a product; `nil` if it has no group.
    package func group(containing id: Product.ID) -> SubscriptionGroup? {
        directory.index(ofProduct: id).map { directory.groups[$0] }
    }

    /// Returns the best answer about the products of a group.
    ///
    /// - Parameters:
    ///   - group: A group of the catalog or of the evidence.
    ///   - level: Only products of this level of service or a higher one (a smaller number) count; a product that gives
    ///     access and has no level makes the answer unknown. `nil`: all products count.
    package func access(to group: SubscriptionGroup, atLevel level: Int? = nil) -> Timeline<FeatureTimeline.Answer> {
        guard let level else { return FeatureTimeline.best(of: group.productIDs, products: productTable) }
        return FeatureTimeline.best(
            of: group.productIDs.compactMap { id in
                guard let timeline = productTable[id]?.timeline else { return nil }
                guard let known = catalog.product(id)?.subscription?.groupLevel else {
                    return (Optional(id), timeline.mapped({ $0.withoutLevel }, joins: { $0.isEquivalent(to: $1) }))
                }
                return known <= level ? (Optional(id), timeline) : nil
            })
    }

    /// Returns the first instant after another at which anything changes: the answer or reason of a product or feature,
    /// the state or product of a status, the highest status of a group, or a balance.
    public func nextChange(after instant: Instant) -> Instant? {
        let changes =
            [productTable.nextChange(after: instant)]
            + features.map { $0.timeline.nextChange(after: instant) }
            + groups.map { $0.nextChange(after: instant) }
            + balances.map { $0.nextChange(after: instant) }
        return changes.lazy.compactMap { $0 }.min()
    }
}

extension EntitlementAnswer {
    /// The answer about a level of service if the product has no level.
    fileprivate var withoutLevel: EntitlementAnswer {
        switch self {
        case .entitled(_, let basis): .unknown(.unknownLevel, basis)
        case .granted: .unknown(.unknownLevel)
        case .unknown: self
        case .pending, .lapsed, .never: .never
        }
    }
}

extension Resolution {
    /// The instant that counts as now: this machine's clock, or the newest verified signature of the evidence if that
    /// is at most 60 seconds ahead.
    ///
    /// - Parameter clock: The time of this machine's clock, in UTC.
    package func now(byClock clock: Instant) -> Instant {
        PresentInstant.now(clock: clock, newestSignature: newestSignature)
    }
}

extension Resolution: Equatable {
    /// Whether two resolutions give the same answers at all times.
    public static func == (left: Resolution, right: Resolution) -> Bool {
        left.isVerified == right.isVerified && left.productTable == right.productTable
            && left.features == right.features && left.balances == right.balances && left.grants == right.grants
            && left.groups.count == right.groups.count
            && zip(left.groups, right.groups).allSatisfy { $0.hasEqualAnswers(to: $1) }
    }
}
