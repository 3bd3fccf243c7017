/// All answers about one customer, for all time.
///
/// Holds timelines, not the history they were resolved from.
public struct Resolution: Sendable {
    /// The catalog that was used.
    public let catalog: Catalog
    var directory: GroupDirectory
    var productTable = ProductTable()
    /// The subscription groups of the catalog and of the evidence, by id.
    public internal(set) var groups: [GroupTimeline] = []
    /// The features of the catalog, in its order.
    public internal(set) var features: [FeatureTimeline] = []
    /// The balances that consumables of the catalog or of the evidence credit, by name.
    public internal(set) var balances: [BalanceTimeline] = []
    /// The consumables of the evidence.
    var consumableIDs: Set<Product.ID> = []
    /// Whether all facts were verified.
    public internal(set) var isVerified = true
    /// The newest verified `signedDate` of the evidence that counts; `nil` if there is none.
    var newestSignature: Instant?

    /// The products of the catalog and of the evidence except consumables, by id.
    public var products: [ProductTimeline] { productTable.all.sorted { $0.id < $1.id } }

    /// Returns the timeline of a product; `nil` for a consumable, and if neither catalog nor evidence has the id.
    public func product(_ id: Product.ID) -> ProductTimeline? { productTable[id] }

    /// Returns the answer about a product at an instant; `nil` if ``product(_:)`` is.
    ///
    /// Looked up here, so that no timeline is copied to another module for one question.
    package func answer(for id: Product.ID, at instant: Instant) -> EntitlementAnswer? {
        productTable[id]?.timeline.value(at: instant)
    }

    /// Returns the products whose timelines may differ from an earlier resolution, in any order.
    package func productIDs(changedSince old: Resolution) -> [Product.ID] {
        productTable.ids(changedSince: old.productTable)
    }

    /// Returns whether catalog or evidence says that a product is a consumable, which is counted and not owned.
    ///
    /// Returns `false` if they contradict each other.
    package func isConsumable(_ id: Product.ID) -> Bool {
        consumableIDs.contains(id) || catalog.type(of: id) == .consumable && productTable[id] == nil
    }

    /// Returns the timeline of a feature; `nil` if the catalog has none of that name.
    public func feature(_ id: Feature.ID) -> FeatureTimeline? { features.first { $0.id == id } }

    /// Returns the timeline of a group, by its id or name; `nil` if there is none.
    public func group(_ idOrName: String) -> GroupTimeline? { directory.index(named: idOrName).map { groups[$0] } }

    /// Returns the timeline of a balance; `nil` if no consumable credits one of that name.
    public func balance(_ id: BalanceID) -> BalanceTimeline? { balances.first { $0.id == id } }

    /// Returns the group of a product; `nil` if it belongs to none.
    package func group(containing id: Product.ID) -> SubscriptionGroup? {
        directory.index(ofProduct: id).map { directory.groups[$0] }
    }

    /// Returns the best answer over the products of a group.
    ///
    /// - Parameters:
    ///   - group: A group of the catalog or of the evidence.
    ///   - level: Only products of this level of service or a higher one (a smaller number) count; for a product that
    ///     gives access but has no level the answer is `unknown`. `nil`: all of them count.
    package func access(to group: SubscriptionGroup, atLevel level: Int? = nil) -> Timeline<FeatureTimeline.Answer> {
        guard let level else { return FeatureTimeline.best(of: group.productIDs, products: productTable) }
        return FeatureTimeline.best(
            of: group.productIDs.compactMap { id in
                guard let timeline = productTable[id]?.timeline else { return nil }
                guard let known = catalog.product(id)?.subscription?.groupLevel else {
                    return (id, timeline.mapped({ $0.withoutLevel }, joins: { $0.isEquivalent(to: $1) }))
                }
                return known <= level ? (id, timeline) : nil
            })
    }

    /// Returns the first instant after another at which anything changes: the answer or reason of a product or feature,
    /// the state or product of a status, the highest status of a group, a balance.
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
    /// The answer about a level from a product without a level of service.
    fileprivate var withoutLevel: EntitlementAnswer {
        switch self {
        case .entitled(_, let basis): .unknown(.unknownLevel, basis)
        case .unknown: self
        case .pending, .lapsed, .never: .never
        }
    }
}

extension Resolution {
    /// Returns the instant that counts as now: this machine's clock, or the newest verified signature of the evidence
    /// if that is at most 60 seconds ahead.
    ///
    /// - Parameter clock: The time of this machine's clock, in UTC.
    package func now(byClock clock: Instant) -> Instant {
        PresentInstant.now(clock: clock, newestSignature: newestSignature)
    }
}

extension Resolution: Equatable {
    /// Returns whether two resolutions give the same answers at all times.
    public static func == (left: Resolution, right: Resolution) -> Bool {
        left.isVerified == right.isVerified && left.productTable == right.productTable
            && left.features == right.features && left.balances == right.balances
            && left.groups.count == right.groups.count
            && zip(left.groups, right.groups).allSatisfy { $0.hasEqualAnswers(to: $1) }
    }
}
