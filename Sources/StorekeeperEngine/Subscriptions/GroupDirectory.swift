/// The subscription groups of the catalog and the evidence, and the names of these groups.
///
/// A catalog may use any text as the id of a group, but the evidence contains the App Store's id of the group. Groups
/// that share a product are treated as one group. The combined group has the id from the evidence, or the id from the
/// catalog if no evidence names the group.
struct GroupDirectory: Sendable {
    /// The groups, in order of id.
    let groups: [SubscriptionGroup]
    private let indexByProduct: [Product.ID: Int]
    private let indexByAlias: [SubscriptionGroup.ID: Int]

    /// A product in the evidence, and the group that the evidence names for the product.
    private struct GroupReference: Hashable, Sendable {
        let productID: Product.ID
        let groupID: SubscriptionGroup.ID
        let environment: AppStore.Environment
    }

    /// Creates the directory of a catalog and of the groups that the transactions of chains name.
    ///
    /// A product whose transactions name no group is in the group of its chain.
    init(catalog: Catalog, chains: [PurchaseChain.ID: PurchaseChain]) {
        var mentions: Set<GroupReference> = []
        for (id, chain) in chains {
            guard let groupID = chain.subscriptions.lazy.compactMap(\.groupID).max() else { continue }
            for subscription in chain.subscriptions {
                mentions.insert(
                    GroupReference(
                        productID: subscription.productID, groupID: subscription.groupID ?? groupID,
                        environment: id.environment))
            }
        }
        self.init(catalog: catalog, mentions: mentions)
    }

    private init(catalog: Catalog, mentions: Set<GroupReference>) {
        var sets = DisjointSets<GroupOrProduct>()
        for group in catalog.groups {
            for product in group.productIDs { sets.unite(.group(group.id), .product(product)) }
            sets.insert(.group(group.id))
        }
        for mention in mentions { sets.unite(.group(mention.groupID), .product(mention.productID)) }

        var evidenceIDs: [GroupOrProduct: (rank: Int, id: SubscriptionGroup.ID)] = [:]
        var evidenceProducts: [GroupOrProduct: Set<Product.ID>] = [:]
        for mention in mentions {
            let root = sets.root(of: .group(mention.groupID))
            let candidate = (Self.rank(mention.environment), mention.groupID)
            if let known = evidenceIDs[root], known <= candidate {} else { evidenceIDs[root] = candidate }
            evidenceProducts[root, default: []].insert(mention.productID)
        }
        var members: [GroupOrProduct: [SubscriptionGroup]] = [:]
        for group in catalog.groups { members[sets.root(of: .group(group.id)), default: []].append(group) }

        var groups: [SubscriptionGroup] = []
        var aliases: [(alias: SubscriptionGroup.ID, id: SubscriptionGroup.ID)] = []
        var roots = Set(evidenceIDs.keys)
        roots.formUnion(members.keys)
        for root in roots {
            let parts = members[root] ?? []
            guard let id = evidenceIDs[root]?.id ?? parts.first?.id else { continue }
            let listed = parts.flatMap(\.productIDs)
            let known = Set(listed)
            let met = (evidenceProducts[root] ?? []).filter { !known.contains($0) }.sorted()
            let name = parts.lazy.compactMap(\.name).first ?? parts.lazy.map(\.id).first { $0 != id }?.rawValue
            groups.append(SubscriptionGroup(id: id, name: name, productIDs: listed + met))
            aliases += parts.flatMap { part in
                [part.id] + part.aliases + [part.name].compactMap { $0.map { SubscriptionGroup.ID($0) } }
            }.map { ($0, id) }
        }
        groups.sort { $0.id < $1.id }
        self.groups = groups
        let indexByID = Dictionary(
            groups.indices.map { (groups[$0].id, $0) }, uniquingKeysWith: { first, _ in first })
        indexByProduct = Dictionary(
            groups.indices.flatMap { index in groups[index].productIDs.map { ($0, index) } },
            uniquingKeysWith: { first, _ in first })
        // If a text is the id of one group and a name of another, the id takes precedence.
        indexByAlias = Dictionary(
            indexByID.map { ($0.key, $0.value) }
                + aliases.sorted { ($0.alias, $0.id) < ($1.alias, $1.id) }
                .compactMap { alias in indexByID[alias.id].map { (alias.alias, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// Returns the index of the group that a product belongs to.
    func index(ofProduct id: Product.ID) -> Int? { indexByProduct[id] }

    /// Returns the index of the group with an id or a name.
    func index(named name: String) -> Int? { indexByAlias[SubscriptionGroup.ID(name)] }

    /// Returns the rank of an environment; if a group has several ids, the id from the environment with the smallest
    /// rank counts.
    private static func rank(_ environment: AppStore.Environment) -> Int {
        switch environment {
        case .production: 0
        case .sandbox: 1
        default: 2
        }
    }
}

/// A group or a product; groups precede products.
private enum GroupOrProduct: Hashable, Comparable {
    case group(SubscriptionGroup.ID)
    case product(Product.ID)
}

extension GroupDirectory {
    /// The part of one chain that belongs to one subscription group.
    struct Line {
        /// The transactions, newest last.
        let facts: [TransactionFact]
        /// The renewal infos of this line, paired with its transactions.
        let pairing: RenewalPairing

        /// The newest renewal info about the last transaction.
        var lastInfo: RenewalInfo? { places.last.flatMap { pairing.infos(at: $0).last?.renewalInfo } }

        /// The periods of the line, newest last, each with the periods before and after it.
        var places: [RenewalPairing.Place] {
            var places: [RenewalPairing.Place] = []
            for period in BilledPeriods(facts) {
                let former = places.last?.period
                if !places.isEmpty { places[places.count - 1].next = period }
                places.append(RenewalPairing.Place(former: former, period: period))
            }
            return places
        }
    }

    /// Returns the lines of service of a chain: one for each group that contains products of the chain, usually one.
    ///
    /// The App Store has one chain per group. If the transactions of a chain nevertheless belong to several groups, the
    /// end of service in one group does not end service in another.
    func lines(of chain: PurchaseChain, pairing: RenewalPairing) -> [Line] {
        let facts = chain.subscriptionRecords
        guard isSplit(chain.subscriptions.map(\.productID)) else {
            return facts.isEmpty ? [] : [Line(facts: facts, pairing: pairing)]
        }
        let infos = pairing.infos
        let rest = groups(of: chain.subscriptions.map(\.productID)).min()
        let parts = Dictionary(grouping: facts) { index(ofProduct: $0.productID) ?? rest }
        let owners = infos.map { group(ofInfo: $0.renewalInfo, among: parts) }
        return parts.map { group, facts in
            let own = zip(infos, owners).lazy.filter { $0.1 == group }.map(\.0)
            // A state is about the line whose transaction was the newest of the chain at that time.
            let statuses = pairing.statuses.filter { status in
                let newest = chain.subscriptionRecords.last { $0.purchasedAt <= status.signedAt }
                return newest.map { (index(ofProduct: $0.productID) ?? rest) == group } ?? false
            }
            return Line(facts: facts, pairing: RenewalPairing(Array(own), statuses: statuses))
        }
    }

    /// Returns whether products are in several groups.
    private func isSplit(_ productIDs: [Product.ID]) -> Bool {
        productIDs.count > 1 && groups(of: productIDs).count > 1
    }

    /// Returns the index of the group of a line of service; `nil` if no product of the line has a known group.
    func group(of line: SubscriptionChain) -> Int? { groups(of: line.tracks.map(\.productID)).min() }

    private func groups(of productIDs: [Product.ID]) -> Set<Int> {
        Set(productIDs.lazy.compactMap { index(ofProduct: $0) })
    }

    /// Returns the group of the line of service that a renewal info applies to.
    ///
    /// This is the group of the product that the info names, or the group of the newest transaction if no line of the
    /// chain contains that product.
    private func group(ofInfo info: RenewalInfo, among parts: [Int?: [TransactionFact]]) -> Int? {
        for productID in [info.currentProductID, info.autoRenewProductID] {
            if let group = productID.flatMap({ index(ofProduct: $0) }), parts[group] != nil { return group }
        }
        let newest = parts.compactMapValues(\.last).max { PurchaseChain.precedes($0.value, $1.value) }
        return newest?.key
    }
}
