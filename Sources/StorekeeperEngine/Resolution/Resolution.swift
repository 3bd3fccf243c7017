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
        // Without intermediate arrays, because servers ask this for each customer in each tick.
        var earliest: Instant?
        for product in productTimelines.values { earliest.lower(to: product.timeline.nextChange(after: instant)) }
        for feature in features { earliest.lower(to: feature.timeline.nextChange(after: instant)) }
        for group in groups { earliest.lower(to: group.nextChange(after: instant)) }
        for balance in balances { earliest.lower(to: balance.nextChange(after: instant)) }
        return earliest
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

extension Resolution {
    /// Returns the current entitlements at an instant, as StoreKit 2 defines them, sorted by product and then by id.
    ///
    /// The result contains the transaction of each owned non-consumable and the current transaction of each
    /// subscription that gives access. It also contains the latest unrevoked transaction of each non-renewing product,
    /// even if its access has ended.
    package func currentEntitlements(at instant: Instant) -> [Transaction] {
        var found: [TransactionKey: Transaction] = [:]
        for group in groups {
            for status in group.statuses(at: instant) where status.isEntitled {
                found[status.fact.key] = status.transaction
            }
        }
        for product in products {
            if product.type == .nonRenewable {
                let latest = product.nonRenewing.last { fact in
                    fact.purchasedAt <= instant && fact.revokedAt.map { instant < $0 } ?? true
                }
                if let latest { found[latest.key] = latest.transaction }
            } else if case .entitled(_, let basis) = product.timeline.value(at: instant) {
                found[basis.fact.key] = basis.transaction
            }
        }
        return found.values.sorted { left, right in
            if left.productID != right.productID { return left.productID < right.productID }
            if left.id != right.id { return left.id.precedesAsNumber(right.id) }
            return left.environment.rawValue < right.environment.rawValue
        }
    }
}

extension Resolution {
    /// The answers on the assumption that the evidence may be incomplete.
    ///
    /// The answer of a product without evidence is not `never` but `unknown`, with the reason `neverSynced`.
    package var incomplete: Resolution { incomplete(because: .neverSynced) }

    /// Returns the answers on the assumption that evidence may be missing: each answer `never` becomes `unknown`.
    ///
    /// - Parameter reason: Why evidence may be missing: the whole history was not read, or some evidence could not be
    ///   verified.
    package func incomplete(because reason: EntitlementAnswer.UnknownReason) -> Resolution {
        var copy = self
        copy.productTimelines = productTimelines.mapValues { $0.incomplete(because: reason) }
        copy.paidProducts = paidProducts.mapValues { $0.incomplete(because: reason) }
        copy.features = catalog.features.map { feature in
            let best = FeatureTimeline(feature, in: copy)
            return FeatureTimeline(
                id: best.id,
                timeline: best.timeline.mapped(
                    {
                        FeatureTimeline.Answer(
                            answer: $0.answer.ifIncomplete(reason), productID: $0.productID, position: $0.position)
                    },
                    joins: { $0.answer.isEquivalent(to: $1.answer) }))
        }
        return copy
    }
}

extension ProductTimeline {
    /// Returns the timeline on the assumption that evidence may be missing.
    fileprivate func incomplete(because reason: EntitlementAnswer.UnknownReason) -> ProductTimeline {
        ProductTimeline(
            id: id, type: type,
            timeline: timeline.mapped({ $0.ifIncomplete(reason) }, joins: { $0.isEquivalent(to: $1) }),
            nonRenewing: nonRenewing)
    }
}

extension EntitlementAnswer {
    /// Returns the answer on the assumption that evidence may be missing: `never` becomes `unknown`.
    fileprivate func ifIncomplete(_ reason: UnknownReason) -> EntitlementAnswer {
        if case .never = self { .unknown(reason) } else { self }
    }
}

extension FeatureTimeline {
    fileprivate init(id: Feature.ID, timeline: Timeline<Answer>) {
        self.id = id
        self.timeline = timeline
    }
}

extension Timeline {
    /// Returns the timeline of transformed values at the same instants.
    func mapped<Other: Sendable>(
        _ change: (Value) -> Other, joins: (Other, Other) -> Bool
    ) -> Timeline<Other> {
        var timeline = Timeline<Other>(change(entries[0].value))
        for entry in entries.dropFirst() { timeline.append(change(entry.value), from: entry.from, joins: joins) }
        return timeline
    }
}
