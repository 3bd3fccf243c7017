/// Turns facts into answers.
///
/// A pure function of a history, a catalog and a policy: no clock, no files, no state. It computes the
/// answers for all time at once.
public struct EntitlementResolver: Sendable {
    /// What the app sells.
    public let catalog: Catalog
    /// The choices of the business.
    public let policy: EntitlementPolicy

    /// Makes a resolver.
    public init(catalog: Catalog = .empty, policy: EntitlementPolicy = EntitlementPolicy()) {
        self.catalog = catalog
        self.policy = policy
    }

    /// The answers that follow from a history.
    ///
    /// - Complexity: O(*n*) in the facts of subscriptions, O(*n* log *n*) in those of other products.
    public func resolve(_ history: PurchaseHistory) -> Resolution {
        resolve(history, counting: .grant)
    }

    /// The answers that would follow if only those environments counted that the policy merely watches.
    ///
    /// - SeeAlso: ``EntitlementPolicy/EnvironmentRule/shadow``
    public func resolveShadow(of history: PurchaseHistory) -> Resolution {
        resolve(history, counting: .shadow)
    }

    private func resolve(_ history: PurchaseHistory, counting rule: EntitlementPolicy.EnvironmentRule) -> Resolution {
        var evidence: [Product.ID: ProductEvidence] = [:]
        var chains: [ResolvedChain] = []
        var mentions: Set<GroupDirectory.Mention> = []
        var refused = history.refusedProductIDs
        for (id, chain) in history.chains {
            guard policy.rule(for: id.environment) == rule else {
                refused.formUnion(
                    chain.facts.lazy.map(\.transaction).filter { $0.productType != .consumable }.map(\.productID))
                continue
            }
            let subscription = chain.hasOneTimePurchases ? sort(chain.facts, into: &evidence) : chain.facts
            guard !subscription.isEmpty else { continue }
            for listed in chain.subscriptions {
                evidence[listed.productID, default: ProductEvidence()].note(type: .autoRenewable)
            }
            let resolved = SubscriptionChain(
                policy: policy, catalog: catalog, facts: subscription, renewalInfo: history.renewalInfo(of: id)
            ).resolved()
            for (productID, answers) in resolved.answers { evidence[productID, default: .init()].add(answers) }
            mentions.formUnion(self.mentions(in: chain, of: id.environment))
            chains.append(ResolvedChain(productIDs: Array(resolved.answers.keys), status: resolved.status))
        }
        let directory = GroupDirectory(catalog: catalog, mentions: mentions)
        let products = productTimelines(
            evidence, doubtful: history.doubtfulProductIDs, refused: refused)
        return Resolution(
            catalog: catalog,
            directory: directory,
            products: products,
            groups: groupTimelines(chains, directory: directory),
            features: catalog.features.map { FeatureTimeline($0, products: products) },
            balances: balanceTimelines(evidence),
            consumableIDs: Set(evidence.lazy.filter { $0.value.type == .consumable }.map(\.key)),
            isVerified: history.isVerified)
    }

    /// Puts the one-time purchases of a chain to their products; the rest is the subscription.
    private func sort(
        _ facts: [TransactionFact], into evidence: inout [Product.ID: ProductEvidence]
    ) -> [TransactionFact] {
        var subscription: [TransactionFact] = []
        for fact in facts {
            if fact.transaction.productType == .autoRenewable {
                subscription.append(fact)
            } else {
                evidence[fact.productID, default: ProductEvidence()].add(fact)
            }
        }
        return subscription
    }

    /// The group of each product of a chain; a record that names none is in the group of its chain.
    private func mentions(
        in chain: PurchaseChain, of environment: AppStore.Environment
    ) -> Set<GroupDirectory.Mention> {
        guard let chainGroupID = chain.subscriptions.lazy.compactMap(\.groupID).max() else { return [] }
        return Set(
            chain.subscriptions.map { subscription in
                GroupDirectory.Mention(
                    productID: subscription.productID, groupID: subscription.groupID ?? chainGroupID,
                    environment: environment)
            })
    }

    // MARK: Products

    /// A timeline for every product of the catalog and of the evidence, consumables aside.
    private func productTimelines(
        _ evidence: [Product.ID: ProductEvidence], doubtful: Set<Product.ID>, refused: Set<Product.ID>
    ) -> [Product.ID: ProductTimeline] {
        var timelines: [Product.ID: ProductTimeline] = [:]
        let oneTime = OneTimePurchases(policy: policy)
        for (id, evidence) in evidence {
            guard let type = evidence.type, type != .consumable else { continue }
            let product = catalog.product(id)
            let sources =
                evidence.subscriptions + oneTime.nonConsumable(evidence.nonConsumables)
                + oneTime.nonRenewing(evidence.nonRenewing, product: product)
                + oneTime.unknownType(evidence.unknownTypes)
            timelines[id] = ProductTimeline(
                id: id, type: type, timeline: ProductTimeline.best(of: sources))
        }
        for id in doubtful.union(refused).union(catalog.products.map(\.id)) where timelines[id] == nil {
            let type = catalog.product(id)?.type
            guard type != .consumable, evidence[id]?.type != .consumable else { continue }
            timelines[id] = ProductTimeline(
                id: id, type: type, timeline: Timeline(doubtful.contains(id) ? .unknown(.unverified) : .never))
        }
        return timelines
    }

    // MARK: Groups

    private struct ResolvedChain {
        var productIDs: [Product.ID]
        var status: Timeline<SubscriptionStatus?>
    }

    private func groupTimelines(_ chains: [ResolvedChain], directory: GroupDirectory) -> [GroupTimeline] {
        var statuses = [[Timeline<SubscriptionStatus?>]](repeating: [], count: directory.groups.count)
        for chain in chains {
            let indices = chain.productIDs.compactMap(directory.index(ofProduct:))
            if let index = indices.min() { statuses[index].append(chain.status) }
        }
        return directory.groups.indices.map { GroupTimeline(directory.groups[$0], statuses: statuses[$0]) }
    }

    // MARK: Balances

    /// A timeline for every balance that a consumable of the catalog or of the evidence feeds.
    private func balanceTimelines(_ evidence: [Product.ID: ProductEvidence]) -> [BalanceTimeline] {
        var movements: [String: [BalanceTimeline.Movement]] = [:]
        for product in catalog.products where product.type == .consumable || !product.grants.isEmpty {
            for balance in grants(of: product.id).keys { movements[balance] = [] }
        }
        for (id, evidence) in evidence where !evidence.consumables.isEmpty {
            for (balance, grant) in grants(of: id) {
                for fact in evidence.consumables
                where policy.entitlingOwnershipTypes.contains(fact.transaction.ownershipType) {
                    BalanceTimeline.appendMovements(of: fact, grant: grant, to: &movements[balance, default: []])
                }
            }
        }
        return movements.map { BalanceTimeline(id: $0.key, movements: $0.value) }.sorted { $0.id < $1.id }
    }

    private func grants(of id: Product.ID) -> [String: Int64] {
        guard let grants = catalog.product(id)?.grants, !grants.isEmpty else { return [id: 1] }
        return grants
    }
}

/// The facts of one product, by what they are.
private struct ProductEvidence {
    var subscriptions: [Timeline<EntitlementAnswer>] = []
    var nonConsumables: [TransactionFact] = []
    var nonRenewing: [TransactionFact] = []
    var unknownTypes: [TransactionFact] = []
    var consumables: [TransactionFact] = []
    /// The type; of several, which no real product has, a consumable only where nothing else is known.
    private(set) var type: Product.ProductType?

    mutating func note(type: Product.ProductType) {
        guard let known = self.type, known != .consumable else {
            self.type = type
            return
        }
        if type != .consumable, type.rawValue < known.rawValue { self.type = type }
    }

    mutating func add(_ answers: Timeline<EntitlementAnswer>) { subscriptions.append(answers) }

    mutating func add(_ fact: TransactionFact) {
        let type = fact.transaction.productType
        note(type: type)
        switch type {
        case .nonConsumable: nonConsumables.append(fact)
        case .nonRenewable: nonRenewing.append(fact)
        case .consumable: consumables.append(fact)
        default: unknownTypes.append(fact)
        }
    }
}
