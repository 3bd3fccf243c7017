/// The state of a resolved history, to which further evidence can be added incrementally.
///
/// A full resolution and an incremental update build timelines with the same code.
struct ResolutionState: Sendable {
    let resolver: EntitlementResolver
    /// Transactions count only if the policy has this rule for their environment.
    let rule: EntitlementPolicy.EnvironmentRule
    /// The answers.
    var resolution: Resolution

    /// The evidence of each product.
    var evidence: [Product.ID: ProductEvidence] = [:]
    /// The answers of each chain of subscriptions.
    var chains: [PurchaseChain.ID: ResolvedChain] = [:]
    let groups: GroupDirectory
    /// The chains that other chains name as their predecessors.
    let replaced: ReplacedChains
    let pending: PendingSources
    /// Products named by evidence whose environment does not count.
    var refused: Set<Product.ID>
    /// Products whose type in the evidence differs from their type in the catalog.
    private(set) var conflictingIDs: Set<Product.ID> = []

    /// Computes all answers for a history.
    init(
        resolver: EntitlementResolver, rule: EntitlementPolicy.EnvironmentRule, history: PurchaseHistory,
        pending: PendingSources, grants: GrantSources = GrantSources()
    ) {
        self.resolver = resolver
        self.rule = rule
        self.pending = pending
        refused = history.refusedProductIDs
        replaced = ReplacedChains(history)
        let counted = history.chains.filter { resolver.policy.rule(for: $0.key.environment) == rule }
        groups = GroupDirectory(catalog: resolver.catalog, chains: counted)
        resolution = Resolution(catalog: resolver.catalog, directory: groups, grantSources: grants)
        resolution.paidApps = paidApps(in: history)
        for (id, chain) in history.chains where counted[id] == nil {
            refused.formUnion(chain.facts.lazy.filter(Self.isRefusable).map(\.productID))
        }
        for (id, chain) in counted {
            if chain.hasOneTimePurchases { addOneTimePurchases(of: chain) }
            guard !chain.subscriptions.isEmpty else { continue }
            chains[id] = resolved(chain, id, in: history)
            for subscription in chain.subscriptions {
                evidence[subscription.productID, default: ProductEvidence()].addSubscription()
            }
        }
        for (id, evidence) in evidence
        where resolver.catalog.type(of: id).map(evidence.contradicts) ?? false { conflictingIDs.insert(id) }
        resolveAll(doubtful: history.doubtfulProductIDs)
        recordProof(of: history)
    }

    /// The access that was granted without a purchase.
    var grants: GrantSources { resolution.grantSources }

    /// Returns the app transactions of a history that count by the policy.
    func paidApps(in history: PurchaseHistory) -> PaidAppSources {
        PaidAppSources(
            history.appTransactions.counting.filter {
                resolver.policy.rule(for: $0.appTransaction.environment) == rule
            })
    }

    /// Records whether all facts of a history are verified, and the newest signing time of the facts that count.
    mutating func recordProof(of history: PurchaseHistory) {
        resolution.isVerified = history.isVerified
        resolution.newestSignature = history.newestSignatures.newest { resolver.policy.rule(for: $0) == rule }
    }

    /// Adds the one-time purchases of a chain to the evidence of their products.
    private mutating func addOneTimePurchases(of chain: PurchaseChain) {
        for fact in chain.facts where fact.transaction.productType != .autoRenewable {
            evidence[fact.productID, default: ProductEvidence()].add(fact)
        }
    }

    /// Computes all answers of a chain of subscriptions.
    func resolved(_ chain: PurchaseChain, _ id: PurchaseChain.ID, in history: PurchaseHistory) -> ResolvedChain {
        let isReplaced = replaced.contains(chain, id)
        let lines = groups.lines(of: chain, pairing: history.pairing(of: id)).map { line in
            SubscriptionChain(line.facts, pairing: line.pairing, resolver: resolver, isReplaced: isReplaced)
        }
        return ResolvedChain(chain, isReplaced: isReplaced, lines: lines)
    }

    /// The lines of service of all chains, in no particular order.
    var lines: [GroupChain] {
        chains.flatMap { id, chain in chain.lines.map { GroupChain(id: id, chain: $0) } }
    }

    /// Returns whether the resolution lists a transaction's product if the transaction's environment does not count.
    ///
    /// All such products are listed, except consumables.
    static func isRefusable(_ fact: TransactionFact) -> Bool { fact.transaction.productType != .consumable }

    /// Builds all timelines from the collected evidence.
    private mutating func resolveAll(doubtful: Set<Product.ID>) {
        let catalog = resolver.catalog
        var products = refused.union(doubtful).union(evidence.keys).union(pending.productIDs).union(grants.productIDs)
        products.formUnion(catalog.products.lazy.map(\.id))
        for id in products { resolution.productTimelines[id] = productTimeline(of: id, doubtful: doubtful) }
        for id in Set(catalog.features.lazy.filter(\.paidPeriods).flatMap(\.productIDs)) {
            resolution.paidProducts[id] = productTimeline(of: id, doubtful: doubtful, paidPeriods: true)
        }
        resolution.features = catalog.features.map { FeatureTimeline($0, in: resolution) }
        resolution.groups = groups.groups.indices.map { groupTimeline($0) }
        resolution.balances = balanceTimelines()
        resolution.consumableIDs = Set(evidence.keys.filter(isConsumable))
    }

    /// Returns whether a product is a consumable in the evidence, and has no other type in the catalog.
    func isConsumable(_ id: Product.ID) -> Bool {
        evidence[id]?.type == .consumable && !conflictingIDs.contains(id)
    }

    /// Returns the timeline of a group, given by its index in the directory.
    ///
    /// - Parameter earlier: The highest status from before a change; no chain was added since.
    func groupTimeline(_ group: Int, after earlier: Overlay.Earlier<SubscriptionStatus?>? = nil) -> GroupTimeline {
        let lines = chains.values.lazy.flatMap(\.lines).filter { groups.group(of: $0) == group }
        return GroupTimeline(
            groups.groups[group], statuses: lines.compactMap { $0.status(without: conflictingIDs) }, after: earlier)
    }

    // MARK: Products

    /// Returns the timeline of a product; `nil` for a consumable, and for an unknown product.
    ///
    /// - Parameters:
    ///   - paidPeriods: Whether periods with a free trial do not count.
    ///   - earlier: The timeline from before the change; it must have been built from the present sources, unless the
    ///     change begins in the distant past.
    func productTimeline(
        of id: Product.ID, doubtful: Set<Product.ID>, paidPeriods: Bool = false,
        after earlier: Overlay.Earlier<EntitlementAnswer>? = nil
    ) -> ProductTimeline? {
        if conflictingIDs.contains(id) {
            return ProductTimeline(
                id: id, type: resolver.catalog.type(of: id), timeline: Timeline(.unknown(.conflictingType)))
        }
        let otherSources = pending.timelines(of: id) + grants.timelines(of: .product(id))
        if let evidence = evidence[id], let type = evidence.type {
            guard type != .consumable else { return nil }
            let oneTime = OneTimePurchases(policy: resolver.policy)
            let sources =
                chains.values.flatMap(\.lines).compactMap { $0.answers(of: id) }
                .map { paidPeriods ? $0.withoutFreeTrials : $0 }
                + oneTime.nonConsumable(evidence.nonConsumables)
                + oneTime.nonRenewing(evidence.nonRenewing, product: resolver.catalog.product(id))
                + oneTime.unknownType(evidence.unknownTypes) + otherSources
            return ProductTimeline(
                id: id, type: type == .unstated ? nil : type,
                timeline: ProductTimeline.best(of: sources, after: earlier),
                nonRenewing: oneTime.allowed(evidence.nonRenewing))
        }
        let product = resolver.catalog.product(id)
        let isDoubtful = doubtful.contains(id)
        guard product?.type != .consumable,
            product != nil || isDoubtful || refused.contains(id) || !otherSources.isEmpty
        else { return nil }
        var timeline = Timeline<EntitlementAnswer>(isDoubtful ? .unknown(.unverified) : .never)
        if !otherSources.isEmpty { timeline = ProductTimeline.best(of: [timeline] + otherSources) }
        return ProductTimeline(id: id, type: product?.type, timeline: timeline)
    }

    // MARK: Balances

    /// Returns a timeline for every balance that a consumable of the catalog or of the evidence credits.
    private func balanceTimelines() -> [BalanceTimeline] {
        var movements: [BalanceID: [BalanceTimeline.Movement]] = [:]
        for product in resolver.catalog.products where product.type == .consumable || !product.grants.isEmpty {
            for balance in resolver.catalog.grants(of: product.id).keys { movements[balance] = [] }
        }
        for (id, evidence) in evidence where !evidence.consumables.isEmpty && !conflictingIDs.contains(id) {
            for (balance, grant) in resolver.catalog.grants(of: id) {
                for fact in evidence.consumables where isEntitling(fact) {
                    BalanceTimeline.appendMovements(of: fact, grant: grant, to: &movements[balance, default: []])
                }
            }
        }
        return movements.sorted { $0.key < $1.key }.map { BalanceTimeline(id: $0.key, movements: $0.value) }
    }

    /// Returns the timeline of a balance, computed from all consumables that credit the balance.
    func balanceTimeline(_ balance: BalanceID) -> BalanceTimeline {
        var movements: [BalanceTimeline.Movement] = []
        for (id, evidence) in evidence where !evidence.consumables.isEmpty && !conflictingIDs.contains(id) {
            guard let grant = resolver.catalog.grants(of: id)[balance] else { continue }
            for fact in evidence.consumables where isEntitling(fact) {
                BalanceTimeline.appendMovements(of: fact, grant: grant, to: &movements)
            }
        }
        return BalanceTimeline(id: balance, movements: movements)
    }

    func isEntitling(_ fact: TransactionFact) -> Bool {
        resolver.policy.entitlingOwnershipTypes.contains(fact.transaction.ownershipType)
    }
}
